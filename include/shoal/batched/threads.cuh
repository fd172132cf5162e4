#pragma once

#include <shoal/batched/blocked.hpp>
#include <shoal/batched/launch.cuh>
#include <shoal/batched/posv.hpp>
#include <shoal/fast/posv_rows.hpp>
#include <shoal/fast/potrf_rows.hpp>

/// \file
/// Cholesky of interleaved systems, a thread each, in registers: neighbouring threads then read neighbouring elements, and
/// nothing that a triangle leaves out is fetched. One H200, 10^6 systems, against tiles on matrices that follow each other
/// whole: potrf of 8 doubles 156 and 262 us, of 16 floats 369 and 509; posv 110 and 174, 243 and 335.

namespace shoal::batched::detail {

/// Whether the systems of A are interleaved and small enough for a thread.
template <class A>
inline constexpr bool by_threads = neighbours<A> != 1 && fast::suits_rows<thread_group, typename A::view>;

/// The bits of potrf(): a member of one exchanges nothing.
template <class A>
struct potrf_in_thread {
    A a;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return fast::potrf_rows(g, as_lower(a(system)));
    }
};
template <class A, class X>
struct posv_in_thread {
    A a;
    X x;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return fast::posv_rows(g, as_lower(a(system)), x(system));
    }
};

}  // namespace shoal::batched::detail
