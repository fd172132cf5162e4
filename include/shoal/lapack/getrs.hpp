#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/blas/trsv.hpp>
#include <shoal/lapack/laswp.hpp>

namespace shoal {

namespace detail {
/// x of n elements as a matrix of one column.
template <class T, int N, std::int64_t Increment>
SHOAL_FN constexpr auto as_column(vector<T, N, Increment> x) {
    return matrix<T, N, 1, any_stride>{x.data(), x.size(), 1, x.increment(), 0};
}
}  // namespace detail

/// B := A^-1 B from the factor and interchanges of getrf(); A of order n, B of n x m.
///
/// The factor is only read. The bits are the same at every scope and group size. A zero pivot gives infinities or NaN.
/// Barriers: three. Cost: m n^2 FMA, the columns of B shared by the members. Equivalent: `scipy.linalg.lu_solve`;
/// LAPACK getrs.
template <Group G, MatrixView LU, VectorView P, MatrixView B>
requires(SameScalar<LU, B>) SHOAL_FN void getrs(const G& g, LU lu, P pivots, B b) {
    laswp(with_exit_sync(g), b, pivots);
    trsm(with_exit_sync(g), unit_lower(lu), b);
    trsm(g, upper(lu), b);
}

/// B := A^-T B; see getrs().
template <Group G, MatrixView LU, VectorView P, MatrixView B>
requires(SameScalar<LU, B>) SHOAL_FN void getrs_transposed(const G& g, LU lu, P pivots, B b) {
    trsm(with_exit_sync(g), transposed(upper(lu)), b);
    trsm(with_exit_sync(g), transposed(unit_lower(lu)), b);
    laswp_reversed(g, b, pivots);
}

/// x := A^-1 x for a vector of n elements; see above. The rows are shared by the members. Barriers: one a step.
template <Group G, MatrixView LU, VectorView P, VectorView X>
requires(SameScalar<LU, X>) SHOAL_FN void getrs(const G& g, LU lu, P pivots, X x) {
    laswp(with_exit_sync(g), detail::as_column(x), pivots);
    trsv(with_exit_sync(g), unit_lower(lu), x);
    trsv(g, upper(lu), x);
}

/// x := A^-T x for a vector of n elements; see above.
template <Group G, MatrixView LU, VectorView P, VectorView X>
requires(SameScalar<LU, X>) SHOAL_FN void getrs_transposed(const G& g, LU lu, P pivots, X x) {
    trsv(with_exit_sync(g), transposed(upper(lu)), x);
    trsv(with_exit_sync(g), transposed(unit_lower(lu)), x);
    laswp_reversed(g, detail::as_column(x), pivots);
}

}  // namespace shoal
