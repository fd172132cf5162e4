#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// B := A^-1 B from the factor and pivots of ldlt(), B of n x m.
///
/// The factor is only read. The bits are the same at every scope and group size. A zero pivot gives infinities or NaN.
/// Barriers: the exit barrier. Cost: m n^2 FMA, the columns of B shared by the members. LAPACK sytrs.
template <Group G, MatrixView M, VectorView P, MatrixView B>
requires(SameScalar<M, B>)
    SHOAL_FN void ldlt_solve(const G& g, symmetric<M, uplo::lower> factor, P pivots, B b) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>,
                  "ldlt_solve: the factor is not square");
    static_assert(detail::extents_agree<M::static_rows, B::static_rows>,
                  "ldlt_solve: the factor and B differ in rows");
    static_assert(detail::writable<B>, "ldlt_solve writes B, but its elements are const");
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

/// B := A^-1 B from the factor of ldlt_unpivoted(), B of n x m.
///
/// The factor is only read. Order: the sweeps of trsm() with L and L', and between them times the reciprocal of D: the
/// same bits at every scope and group size. A zero pivot gives infinities or NaN.
/// Barriers: three. Cost: m n^2 FMA, the columns of B shared by the members.
template <Group G, MatrixView M, MatrixView B>
requires(SameScalar<M, B>) SHOAL_FN void ldlt_solve(const G& g, symmetric<M, uplo::lower> factor, B b) {
    const auto a = factor.matrix;
    trsm(with_exit_sync(g), unit_lower(a), b);
    const int n = b.rows();
    strided(flatten<G, M::static_rows, B::static_cols>{}, g, n * b.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        b(e % n, e / n) = b(e % n, e / n) * core::pivot_reciprocal(a(e % n, e % n));
    });
    // The scaled columns, before the second sweep reads them.
    g.sync();
    trsm(g, transposed(unit_lower(a)), b);
}

}  // namespace shoal
