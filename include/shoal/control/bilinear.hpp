#pragma once

#include <shoal/blas/gemm.hpp>

namespace shoal {

/// R := alpha X' M Y + beta R, X of k x n, M of k x l, Y of l x p, R of n x p.
///
/// beta = 0 never reads R. R must not overlap the others. The bits are the same at every scope and group size.
///
/// \param scratch k x p, left holding M Y
/// Barriers: two. Cost: k l p + n k p FMA shared by the members. Equivalent: `alpha * X.T @ M @ Y + beta * R`.
template <Group G, MatrixView X, MatrixView M, MatrixView Y, MatrixView R, MatrixView S>
SHOAL_FN void bilinear(const G& g, typename R::value_type alpha, X x, M m, Y y, typename R::value_type beta,
                       R r, S scratch) {
    static_assert(detail::extents_agree<X::static_rows, M::static_rows>, "bilinear: X and M differ in rows");
    static_assert(detail::extents_agree<M::static_cols, Y::static_rows>,
                  "bilinear: M has not as many columns as Y has rows");
    static_assert(detail::extents_agree<X::static_cols, R::static_rows>,
                  "bilinear: X has not as many columns as R has rows");
    static_assert(detail::extents_agree<Y::static_cols, R::static_cols>,
                  "bilinear: Y and R differ in columns");
    static_assert(detail::writable<R>, "bilinear writes R, but its elements are const");
    using T = typename R::value_type;
    gemm(with_exit_sync(g), T(1), m, y, T(0), scratch);
    gemm(g, alpha, transposed(x), scratch, beta, r);
}

}  // namespace shoal
