#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/fast/trsv_warps.hpp>

namespace shoal {

namespace detail {

/// x := T^-1 x, the rows shared by the members: a finished row k updates all behind it, and the member that owns row
/// k + 1 finishes it at once, so that one barrier a step is enough.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X>
SHOAL_FN void trsv_steps(const G& g, triangular<M, Uplo, Diagonal> t, X x) {
    using T = typename X::value_type;
    using how = flatten<G, M::static_rows>;
    const int n = x.size();
    const auto finish = [&](int i, T value) SHOAL_INLINE_LAMBDA {
        if constexpr (Diagonal == diagonal::stored) value *= core::pivot_reciprocal(t.matrix(i, i));
        x(i) = value;
    };
    if (g.rank() == 0 && n > 0) finish(sweep_row<Uplo>(0, n), x(sweep_row<Uplo>(0, n)));
    core::loop(how{}, 0, n - 1, [&](int k) SHOAL_INLINE_LAMBDA {
        // The finished x(k), before all rows behind it use it.
        g.sync();
        const T xk = x(sweep_row<Uplo>(k, n));
        // Fixed owners: row s belongs to member s mod size, so that a row's updates need no barrier of their own.
        core::loop(how{}, g.rank(), n, g.size(), [&](int s) SHOAL_INLINE_LAMBDA {
            if (s <= k) return;
            const int i = sweep_row<Uplo>(s, n);
            const T value = core::fma(-t.matrix(i, sweep_row<Uplo>(k, n)), xk, x(i));
            if (s == k + 1) {
                finish(i, value);
            } else {
                x(i) = value;
            }
        });
    });
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// Whether one warp sweeps for all, if the sizes allow.
template <trsm_policy Policy, class G, class X>
SHOAL_FN constexpr bool trsv_by_warps() {
    return Policy.algorithm == trsm_algorithm::automatic && fast::has_warps<G> &&
           X::static_size <= fast::largest_warp_sweep;
}

}  // namespace detail

/// x := T^-1 x, T triangular of order n: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Order: x(i) = fma(-t(i, k), x(k), x(i)) as k follows the sweep, then times the reciprocal of the diagonal: the same
/// bits at every scope and group size, and those of trsm(). A zero on the diagonal gives infinities or NaN, as the
/// division would, and so does an entry so small that its reciprocal overflows; no test is made, and zeros in x take no
/// shortcut. Only the triangle is read. x must not overlap T.
/// Barriers: one a step; the exit barrier alone where a warp sweeps, up to order 128, and with the rows algorithm. Cost:
/// n^2 / 2 FMA, the rows shared by the members. Equivalent: `scipy.linalg.solve_triangular(T, x)`; BLAS trsv.
template <trsm_policy Policy = trsm_policy{}, Group G, MatrixView M, uplo Uplo, diagonal Diagonal,
          VectorView X>
requires(SameScalar<M, X>) SHOAL_FN void trsv(const G& g, triangular<M, Uplo, Diagonal> t, X x) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trsv: T is not square");
    static_assert(detail::extents_agree<M::static_rows, X::static_size>,
                  "trsv: T has not as many rows as x has elements");
    static_assert(detail::writable<X>, "trsv writes x, but its elements are const");
    if constexpr (detail::trsm_by_rows<Policy, G, M>()) {
        fast::trsv_rows(g, t, x);
    } else if constexpr (detail::trsv_by_warps<Policy, G, X>()) {
        constexpr int slots =
            fast::warp_slots(X::static_size > 0 ? X::static_size : fast::largest_warp_sweep);
        if (fast::whole_warps(g) && x.size() <= fast::largest_warp_sweep) {
            fast::trsv_warps<slots>(g, t, x);
        } else {
            detail::trsv_steps(g, t, x);
        }
    } else {
        detail::trsv_steps(g, t, x);
    }
}

/// \cond
template <trsm_policy = trsm_policy{}, Group G, class M, class B>
requires(MatrixView<M> || !SameScalar<M, B>) SHOAL_FN void trsv(const G&, M, B) {
    static_assert(!MatrixView<M>, "trsv: say which triangle of T to take, as in trsv(g, lower(T), x)");
    static_assert(MatrixView<M> || SameScalar<M, B>, "trsv: the elements of T and x differ in type");
}
/// \endcond

}  // namespace shoal
