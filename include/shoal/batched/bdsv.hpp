#pragma once

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/detail/bdsv_host.hpp>
#include <shoal/batched/checks.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/batched/strips.hpp>

namespace shoal::batched {

namespace detail {

/// What one call does for a system.
enum class bdsv_phase { factor, solve, both };

/// On the host a thread works with the vector kernels of the machine; on a GPU a tile works in registers.
template <bdsv_phase Phase, class A, class X>
struct bdsv_system {
    A a;
    X x;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        constexpr int n = A::view::block_size;
        knot_info found;
        if constexpr (Phase == bdsv_phase::factor) {
            found = shoal::bdsv_factor(g, a(system));
        } else if constexpr (Phase == bdsv_phase::solve) {
            shoal::bdsv_solve(g, a(system), x(system));
        } else {
            found = shoal::bdsv(g, a(system), x(system));
        }
        return found.index(n);
    }
};

template <bdsv_phase Phase, class A, class X>
struct bdsv_host_system {
    A a;
    X x;
    int operator()(thread_group, std::int64_t system) const {
        using shoal::detail::bdsv_host;
        using kernels = bdsv_host<fast::isa_native, typename A::view, typename X::view>;
        knot_info found;
        if constexpr (Phase != bdsv_phase::solve) found = kernels::factor(a(system));
        if constexpr (Phase != bdsv_phase::factor) {
            if (found.good()) kernels::solve(a(system), x(system));
        }
        return found.index(A::view::block_size);
    }
};

/// A vector operand where a factorisation has none.
template <class A>
using any_vectors = block_vectors<typename A::view::value_type, A::view::block_size>;

template <bdsv_phase Phase, class A, class X>
constexpr status check_bdsv(const A& a, const X& x, std::int64_t systems) {
    static_assert(A::view::block_size == X::view::block_size, "batched::bdsv: A and x differ in block size");
    constexpr const char* op = Phase == bdsv_phase::factor  ? "batched::bdsv_factor"
                               : Phase == bdsv_phase::solve ? "batched::bdsv_solve"
                                                            : "batched::bdsv";
    const argument is_a{op, "A"}, is_x{op, "x"};
    status bad = first_bad(check_systems(systems), check_knots(is_a, a, systems));
    if constexpr (Phase == bdsv_phase::solve) {
        bad = first_bad(bad, check_read(is_a, a, systems));
    } else {
        bad = first_bad(bad, check_write(is_a, a, systems));
    }
    if constexpr (Phase != bdsv_phase::factor) {
        bad = first_bad(bad, check_same_knots(is_x, x, a, systems), check_write(is_x, x, systems));
    }
    return bad;
}

template <bdsv_phase Phase, class A, class X>
status bdsv_on_host(executor& threads, const A& a, const X& x, std::int64_t systems, int* info) {
    if (const status bad = check_bdsv<Phase>(a, x, systems); !bad.ok()) return bad;
    return launch(threads, systems, bdsv_host_system<Phase, A, X>{a, x}, info);
}

}  // namespace detail

/// x_s := A_s^-1 x_s, A_s symmetric positive definite and block tridiagonal (`strips`, `symmetric_strips`), x_s a block
/// vector, for s = 0 .. systems - 1; the strips are replaced by their factor. See shoal::bdsv().
///
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// \param info one number a system, written for every system, or null: 0, or the first bad pivot as a potrf() of the dense
///        matrix would give it, counted from 1: knot `(info - 1) / n`, counted from 0. x_s is unchanged where it is not 0
/// The bits of a system do not depend on its place in the batch, nor on the batch. Nothing is allocated.
template <Operand A, Operand X>
status bdsv(executor& threads, A a, X x, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_host<detail::bdsv_phase::both>(threads, a, x, systems, info);
}
/// \copydoc bdsv(executor&, A, X, std::int64_t, int*)
template <Operand A, Operand X>
status bdsv(A a, X x, std::int64_t systems, int* info = nullptr) {
    return bdsv(*shared_executor(), a, x, systems, info);
}

/// A_s = F_s F_s' for s = 0 .. systems - 1, in place; see shoal::bdsv_factor() and, for info, bdsv().
template <Operand A>
status bdsv_factor(executor& threads, A a, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_host<detail::bdsv_phase::factor>(threads, a, detail::any_vectors<A>{}, systems,
                                                            info);
}
/// \copydoc bdsv_factor(executor&, A, std::int64_t, int*)
template <Operand A>
status bdsv_factor(A a, std::int64_t systems, int* info = nullptr) {
    return bdsv_factor(*shared_executor(), a, systems, info);
}

/// x_s := A_s^-1 x_s from the factors of bdsv_factor(), which are only read: stride 0 is one factor for all systems.
template <Operand A, Operand X>
status bdsv_solve(executor& threads, A factor, X x, std::int64_t systems) {
    return detail::bdsv_on_host<detail::bdsv_phase::solve>(threads, factor, x, systems, nullptr);
}
/// \copydoc bdsv_solve(executor&, A, X, std::int64_t)
template <Operand A, Operand X>
status bdsv_solve(A factor, X x, std::int64_t systems) {
    return bdsv_solve(*shared_executor(), factor, x, systems);
}

}  // namespace shoal::batched
