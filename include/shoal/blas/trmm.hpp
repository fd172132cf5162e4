#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// C := alpha T B, T triangular of order m, B and C of m x n: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Only the triangle is read. Order: one chain an element over the stored part of its row in ascending k, then times
/// alpha. alpha = 0 never reads T and B. C must not overlap B or T.
/// Barriers: the exit barrier. Cost: m^2 n / 2 FMA shared by the members. BLAS trmm, out of place.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B, MatrixView C>
SHOAL_FN void trmm(const G& g, typename C::value_type alpha, triangular<M, Uplo, Diagonal> t, B b, C c) {
    using T = typename C::value_type;
    using how = flatten<G, C::static_rows, C::static_cols>;
    const int m = c.rows();
    strided(how{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % m;
        const int j = e / m;
        T sum = 0;
        core::loop(how{}, 0, alpha == 0 ? 0 : m, [&](int k) SHOAL_INLINE_LAMBDA {
            if (Uplo == uplo::lower ? k > i : k < i) return;
            if (Diagonal == diagonal::unit && k == i) {
                sum = sum + b(k, j);
            } else {
                sum = core::fma(t.matrix(i, k), b(k, j), sum);
            }
        });
        c(i, j) = alpha * sum;
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
