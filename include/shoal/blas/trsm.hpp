#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// X T = B is `trsm(g, transposed(T), transposed(B))`: views stand for the sides of BLAS.
///
/// B := T^-1 B, T triangular of order n, B of n x m: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Order: as in trsv(), the same bits at every scope and group size. A zero on the diagonal gives infinities or NaN, as
/// the division would; no test is made. Only the triangle is read. B must not overlap T.
/// Barriers: the exit barrier. Cost: m n^2 / 2 FMA, the columns of B shared by the members. Equivalent:
/// `scipy.linalg.solve_triangular(T, B)`; BLAS trsm with alpha = 1.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trsm: T is not square");
    static_assert(detail::extents_agree<M::static_rows, B::static_rows>, "trsm: T and B differ in rows");
    static_assert(detail::writable<B>, "trsm writes B, but its elements are const");
    using T = typename B::value_type;
    using how = flatten<G, M::static_rows, B::static_cols>;
    const int n = b.rows();
    strided(how{}, g, b.cols(), [&](int j) SHOAL_INLINE_LAMBDA {
        core::loop(how{}, 0, n, [&](int s) SHOAL_INLINE_LAMBDA {
            const int i = detail::sweep_row<Uplo>(s, n);
            T value = b(i, j);
            core::loop(how{}, 0, s, [&](int k) SHOAL_INLINE_LAMBDA {
                value = core::fma(-t.matrix(i, detail::sweep_row<Uplo>(k, n)),
                                  b(detail::sweep_row<Uplo>(k, n), j), value);
            });
            if constexpr (Diagonal == diagonal::stored) value *= core::pivot_reciprocal(t.matrix(i, i));
            b(i, j) = value;
        });
    });
    // The columns of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
