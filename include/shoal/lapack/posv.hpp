#pragma once

#include <shoal/fast/posv_rows.hpp>
#include <shoal/lapack/potrf.hpp>
#include <shoal/lapack/potrs.hpp>

namespace shoal {

/// B := A^-1 B, A symmetric positive definite of order n (`lower(A)` or `upper(A)`), B a vector of n or a matrix of
/// n x m; the triangle of A is replaced by its factor.
///
/// \return 0, or k > 0 as potrf(), which also says what the triangle holds then; B is unchanged. Every member gets the
///         same value. NaN in B alone is no failure: it spreads to its column.
/// Barriers, cost, order: those of potrf() and potrs(). Equivalent: `scipy.linalg.solve(A, B, assume_a="pos")`; LAPACK
/// posv.
template <potrf_policy Policy = potrf_policy{}, Group G, MatrixView M, uplo Uplo, class B>
requires((VectorView<B> || MatrixView<B>)&&SameScalar<M, B>)
    SHOAL_FN int posv(const G& g, triangular<M, Uplo> a, B b) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "posv: A is not square");
    if constexpr (VectorView<B>) {
        static_assert(detail::extents_agree<M::static_rows, B::static_size>,
                      "posv: A has not as many rows as B has elements");
    } else {
        static_assert(detail::extents_agree<M::static_rows, B::static_rows>, "posv: A and B differ in rows");
    }
    static_assert(detail::writable<B>, "posv writes B, but its elements are const");
    if constexpr (VectorView<B> && detail::potrf_by_rows<Policy, G, M>()) {
        if constexpr (Uplo == uplo::lower) {
            return fast::posv_rows(g, a.matrix, b);
        } else {
            return fast::posv_rows(g, transposed(a.matrix), b);
        }
    } else {
        const int info = potrf<Policy>(with_exit_sync(g), a);
        if (info == 0) potrs(g, a, b);
        return info;
    }
}

/// \cond
template <potrf_policy = potrf_policy{}, Group G, class M, class B>
requires(MatrixView<M> || !SameScalar<M, B>) SHOAL_FN void posv(const G&, M, B) {
    static_assert(!MatrixView<M>, "posv: say which triangle of A is stored, as in posv(g, lower(A), B)");
    static_assert(MatrixView<M> || SameScalar<M, B>, "posv: the elements of A and B differ in type");
}
/// \endcond

}  // namespace shoal
