#pragma once

#include <shoal/lapack/getrf.hpp>
#include <shoal/lapack/getrs.hpp>

namespace shoal {

/// B := A^-1 B by partial pivoting; A of order n is replaced by its factor, B of n x m, or a vector of n, by the
/// solution.
///
/// \param pivots n integers, written by the group: see getrf()
/// \return 0, or k > 0 as getrf(): then B is unchanged. NaN in B alone is no failure: it spreads to its column. Without
///         right-hand sides (m = 0) A is factored and reported all the same.
/// Barriers, cost, order: those of getrf() and getrs(). Equivalent: `numpy.linalg.solve(A, B)`; LAPACK gesv.
template <Group G, MatrixView A, VectorView P, class B>
requires(VectorView<B> || MatrixView<B>) SHOAL_FN int gesv(const G& g, A a, P pivots, B b) {
    const int info = getrf(with_exit_sync(g), a, pivots);
    if (info == 0) getrs(g, a, pivots, b);
    return info;
}

}  // namespace shoal
