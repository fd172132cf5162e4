#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/lapack/laswp.hpp>

namespace shoal {

/// B := A^-1 B from the factor and interchanges of getrf(); A of order n, B of n x m.
///
/// The factor is only read. The bits are the same at every scope and group size. A zero pivot gives infinities or NaN.
/// Barriers: three. Cost: m n^2 FMA, the columns of B shared by the members. Equivalent: `scipy.linalg.lu_solve`;
/// LAPACK getrs.
template <Group G, MatrixView LU, VectorView P, MatrixView B>
SHOAL_FN void getrs(const G& g, LU lu, P pivots, B b) {
    laswp(with_exit_sync(g), b, pivots);
    trsm(with_exit_sync(g), unit_lower(lu), b);
    trsm(g, upper(lu), b);
}

/// B := A^-T B; see getrs().
template <Group G, MatrixView LU, VectorView P, MatrixView B>
SHOAL_FN void getrs_transposed(const G& g, LU lu, P pivots, B b) {
    trsm(with_exit_sync(g), transposed(upper(lu)), b);
    trsm(with_exit_sync(g), transposed(unit_lower(lu)), b);
    laswp_reversed(g, b, pivots);
}

}  // namespace shoal
