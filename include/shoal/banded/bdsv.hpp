#pragma once

#include <shoal/banded/strip.hpp>
#include <shoal/blas/trsm.hpp>
#include <shoal/blas/trsv.hpp>
#include <shoal/lapack/potrf.hpp>

namespace shoal {

/// What bdsv_factor() found: the first bad pivot, or none.
struct knot_info {
    int knot = 0;   ///< 0: fine; otherwise the 1-based knot
    int pivot = 0;  ///< 0: fine; otherwise the 1-based pivot in its diagonal block
    SHOAL_FN constexpr bool good() const { return knot == 0; }
};

/// A = F F' for A symmetric positive definite and block tridiagonal, N knots of n x n in strips, in place.
///
///     F_0 = chol(D_0);   E_k = L_k F_{k-1}^-T,   F_k = chol(D_k - E_k E_k')   for k = 1 .. N - 1
///
/// The lower triangle of D_k becomes F_k and L_k becomes E_k; the strictly upper triangles of D_k, L_0 and every R_k are
/// neither read nor written. A = F F' with F_k on the diagonal of F and E_k left of it.
/// Order: that of a dense potrf(): the bits are the same at every scope and group size.
///
/// \return the first bad pivot: not positive, not finite or NaN. No later knot is factored then. Every member gets the
///         same value. An indefinite matrix needs another method: LU, or LDL' of the dense matrix.
/// Barriers: those of potrf() and three more a knot. No scratch. Cost: 7/6 N n^3 FMA shared by the members. Equivalent:
/// `scipy.linalg.cholesky_banded`.
template <Group G, class S>
SHOAL_FN knot_info bdsv_factor(const G& g, S a) {
    constexpr int n = S::block_size;
    const auto inner = with_exit_sync(g);
    knot_info found;
    for (int k = 0; k < a.knots(); ++k) {
        const auto d = a.main(k);
        if (k > 0) {
            const auto e = a.left(k);
            trsm(inner, lower(a.main(k - 1)), transposed(e));
            strided(core::rolled{}, g, n * n, [&](int index) SHOAL_INLINE_LAMBDA {
                const int i = index / n;
                const int j = index % n;
                if (j > i) return;
                auto value = d(i, j);
                for (int l = 0; l < n; ++l) value = core::fma(-e(i, l), e(j, l), value);
                d(i, j) = value;
            });
            // The updated diagonal block, before it is factored.
            g.sync();
        }
        const int pivot = potrf(inner, lower(d));
        if (pivot != 0) {
            found = {k + 1, pivot};
            break;
        }
    }
    return found;
}

/// x := A^-1 x from the factor of bdsv_factor(), x a block vector of N knots of n.
///
/// The factor is only read; the pads of x are not touched. Several right-hand sides: one call each, or one group each.
/// Order: forward y_k = F_k^-1 (x_k - E_k y_{k-1}), then backward x_k = F_k^-T (y_k - E_{k+1}' x_{k+1}), the products as
/// chains in ascending order: the same bits at every scope and group size.
/// Barriers: those of two trsv() and two more a knot. No scratch. Cost: 3 N n^2 FMA shared by the members.
template <Group G, class S, class X>
SHOAL_FN void bdsv_solve(const G& g, S factor, X x) {
    constexpr int n = S::block_size;
    const auto inner = with_exit_sync(g);
    const int knots = factor.knots();
    const auto subtract = [&](auto e, auto from, auto to) SHOAL_INLINE_LAMBDA {
        strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            auto value = to(i);
            for (int l = 0; l < n; ++l) value = core::fma(-e(i, l), from(l), value);
            to(i) = value;
        });
        // The updated right-hand side, before it is solved for.
        g.sync();
    };
    for (int k = 0; k < knots; ++k) {
        if (k > 0) subtract(factor.left(k), x.block(k - 1), x.block(k));
        trsv(inner, lower(factor.main(k)), x.block(k));
    }
    for (int k = knots - 1; k >= 0; --k) {
        if (k + 1 < knots) subtract(transposed(factor.left(k + 1)), x.block(k + 1), x.block(k));
        trsv(inner, transposed(lower(factor.main(k))), x.block(k));
    }
}

/// x := A^-1 x; the strips of A are replaced by their factor. See bdsv_factor() and bdsv_solve().
///
/// \return as bdsv_factor(): where it is not good, x is unchanged.
template <Group G, class S, class X>
SHOAL_FN knot_info bdsv(const G& g, S a, X x) {
    const knot_info found = bdsv_factor(g, a);
    if (found.good()) bdsv_solve(g, a, x);
    return found;
}

}  // namespace shoal
