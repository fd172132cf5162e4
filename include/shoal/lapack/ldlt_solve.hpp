#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// B := A^-1 B from the factor and pivots of ldlt(), B of n x m.
///
/// The factor is only read. The bits are the same at every scope and group size. A zero pivot gives infinities or NaN.
/// Barriers: the exit barrier. Cost: m n^2 FMA, the columns of B shared by the members. LAPACK sytrs.
template <Group G, MatrixView M, VectorView P, MatrixView B>
SHOAL_FN void ldlt_solve(const G& g, symmetric<M, uplo::lower> factor, P pivots, B b) {
    using T = typename B::value_type;
    const auto a = factor.matrix;
    const int n = b.rows();
    strided(core::rolled{}, g, b.cols(), [&](int j) SHOAL_INLINE_LAMBDA {
        const auto x = b.column(j);
        for (int k = 0; k < n;) {
            const int width = pivots(k) < 0 ? 2 : 1;
            const int p = width == 2 ? -pivots(k) - 1 : pivots(k);
            detail::swap_elements(core::rolled{}, x, k + width - 1, p);
            for (int i = k + width; i < n; ++i) {
                x(i) = core::fma(-a(i, k), x(k), x(i));
                if (width == 2) x(i) = core::fma(-a(i, k + 1), x(k + 1), x(i));
            }
            k += width;
        }
        for (int k = 0; k < n; ++k) {
            if (pivots(k) >= 0) {
                x(k) = x(k) / a(k, k);
                continue;
            }
            const T off = a(k + 1, k);
            const T upper = a(k, k) / off;
            const T lower = a(k + 1, k + 1) / off;
            const T scale = T(1) / core::fma(upper, lower, T(-1));
            const T first = x(k) / off;
            const T second = x(k + 1) / off;
            x(k) = scale * core::fma(lower, first, -second);
            x(k + 1) = scale * core::fma(upper, second, -first);
            ++k;
        }
        for (int k = n - 1; k >= 0;) {
            const int width = pivots(k) < 0 ? 2 : 1;
            const int top = k - width + 1;
            for (int i = k + 1; i < n; ++i) {
                x(top) = core::fma(-a(i, top), x(i), x(top));
                if (width == 2) x(k) = core::fma(-a(i, k), x(i), x(k));
            }
            const int p = width == 2 ? -pivots(k) - 1 : pivots(k);
            detail::swap_elements(core::rolled{}, x, k, p);
            k -= width;
        }
    });
    // The columns of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
