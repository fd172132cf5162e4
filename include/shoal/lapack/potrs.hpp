#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/blas/trsv.hpp>

namespace shoal {

/// x := A^-1 x from the factor of potrf(): A = L L' (`lower(L)`) or A = U' U (`upper(U)`) of order n.
///
/// The bits are the same at every scope and group size. The factor is only read. x must not overlap it.
/// Barriers: one a step. Cost: n^2 FMA, the rows shared by the members. Equivalent: `scipy.linalg.cho_solve`; LAPACK
/// potrs.
template <Group G, MatrixView M, uplo Uplo, VectorView X>
requires(SameScalar<M, X>) SHOAL_FN void potrs(const G& g, triangular<M, Uplo> factor, X x) {
    if constexpr (Uplo == uplo::lower) {
        trsv(with_exit_sync(g), factor, x);
        trsv(g, transposed(factor), x);
    } else {
        trsv(with_exit_sync(g), transposed(factor), x);
        trsv(g, factor, x);
    }
}

/// B := A^-1 B for B of n x m; see above. The columns of B are shared by the members. Barriers: the exit barrier, and
/// one between the two sweeps.
template <Group G, MatrixView M, uplo Uplo, MatrixView B>
requires(SameScalar<M, B>) SHOAL_FN void potrs(const G& g, triangular<M, Uplo> factor, B b) {
    if constexpr (Uplo == uplo::lower) {
        trsm(with_exit_sync(g), factor, b);
        trsm(g, transposed(factor), b);
    } else {
        trsm(with_exit_sync(g), transposed(factor), b);
        trsm(g, factor, b);
    }
}

/// \cond
template <Group G, class M, class B>
requires(MatrixView<M> || !SameScalar<M, B>) SHOAL_FN void potrs(const G&, M, B) {
    static_assert(!MatrixView<M>, "potrs: say which triangle holds the factor, as in potrs(g, lower(A), B)");
    static_assert(MatrixView<M> || SameScalar<M, B>, "potrs: the elements of A and B differ in type");
}
/// \endcond

}  // namespace shoal
