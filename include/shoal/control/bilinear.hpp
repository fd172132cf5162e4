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
    using T = typename R::value_type;
    gemm(with_exit_sync(g), T(1), m, y, T(0), scratch);
    gemm(g, alpha, transposed(x), scratch, beta, r);
}

}  // namespace shoal
