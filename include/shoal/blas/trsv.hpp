#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// x := T^-1 x, T triangular of order n: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Order: x(i) = fma(-t(i, k), x(k), x(i)) as k follows the sweep, then times the reciprocal of the diagonal: the same
/// bits at every scope and group size, and those of trsm(). A zero on the diagonal gives infinities or NaN, as the
/// division would; no test is made. Only the triangle is read. x must not overlap T.
/// Barriers: one a step. Cost: n^2 / 2 FMA, the rows shared by the members. Equivalent:
/// `scipy.linalg.solve_triangular(T, x)`; BLAS trsv.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X>
SHOAL_FN void trsv(const G& g, triangular<M, Uplo, Diagonal> t, X x) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trsv: T is not square");
    static_assert(detail::extents_agree<M::static_rows, X::static_size>,
                  "trsv: T has not as many rows as x has elements");
    static_assert(detail::writable<X>, "trsv writes x, but its elements are const");
    using T = typename X::value_type;
    using how = flatten<G, M::static_rows>;
    const int n = x.size();
    const auto finish = [&](int i, T value) SHOAL_INLINE_LAMBDA {
        if constexpr (Diagonal == diagonal::stored) {
            x(i) = value * core::pivot_reciprocal(t.matrix(i, i));
        } else {
            x(i) = value;
        }
    };
    if (g.rank() == 0 && n > 0) finish(detail::sweep_row<Uplo>(0, n), x(detail::sweep_row<Uplo>(0, n)));
    core::loop(how{}, 0, n - 1, [&](int k) SHOAL_INLINE_LAMBDA {
        // The finished x(k), before all rows behind it use it.
        g.sync();
        const T xk = x(detail::sweep_row<Uplo>(k, n));
        // Fixed owners: row s belongs to member s mod size, so that a row's updates need no barrier of their own.
        core::loop(how{}, g.rank(), n, g.size(), [&](int s) SHOAL_INLINE_LAMBDA {
            if (s <= k) return;
            const int i = detail::sweep_row<Uplo>(s, n);
            const T value = core::fma(-t.matrix(i, detail::sweep_row<Uplo>(k, n)), xk, x(i));
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

}  // namespace shoal
