#pragma once

#include <shoal/batched/checks.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/lapack/potrf.hpp>

namespace shoal::batched {

namespace detail {

template <class A>
struct potrf_system {
    A a;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return shoal::potrf(g, a(system));
    }
};

template <class A>
constexpr status check_potrf(const A& a, std::int64_t systems) {
    const argument is_a{"batched::potrf", "A"};
    return first_bad(check_systems(systems), check_read(is_a, a, systems), check_square(is_a, a, systems),
                     check_write(is_a, a, systems));
}

}  // namespace detail

/// A_s = L_s L_s' (`lower(A)`) or U_s' U_s (`upper(A)`) for s = 0 .. systems - 1, in place; see shoal::potrf().
///
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// \param info one number a system as shoal::potrf() returns it, written for every system; or null
/// A failure of one system leaves the others as they are. The bits of a system do not depend on its place in the batch,
/// nor on the batch. Nothing is allocated.
template <MatrixOperand A, uplo Uplo>
status potrf(executor& threads, triangles<A, Uplo> a, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_potrf(a, systems); !bad.ok()) return bad;
    return launch(threads, systems, detail::potrf_system<triangles<A, Uplo>>{a}, info);
}
/// \copydoc potrf(executor&, triangles<A, Uplo>, std::int64_t, int*)
template <MatrixOperand A, uplo Uplo>
status potrf(triangles<A, Uplo> a, std::int64_t systems, int* info = nullptr) {
    return potrf(*shared_executor(), a, systems, info);
}

}  // namespace shoal::batched
