#pragma once

#include <shoal/banded/knot_info.hpp>
#include <shoal/banded/strip.hpp>
#include <shoal/blas/trsv.hpp>

/// \file
/// Block-tridiagonal elimination in memory, for every group and every block size.

namespace shoal::detail {

/// A = F F', left-looking, column by column over D_k and L_{k+1}: potrf_columns() without the zeros outside the band.
/// Barriers: one a column, one for the last diagonal element, and the exit barrier.
///
/// \param from the knot to start with, the ones before it factored already
template <Group G, class A>
SHOAL_FN knot_info bdsv_factor_columns(const G& g, A a, int from = 0) {
    using T = typename A::value_type;
    constexpr int n = A::block_size;
    const int knots = a.knots();
    knot_info found;
    T root = 0;
    // Diagonal element p of knot k belongs to the member that owns row p of the knot.
    const auto put_root = [&](int k, int p) SHOAL_INLINE_LAMBDA {
        if (g.rank() == p % g.size()) a.main(k)(p, p) = root;
    };
    for (int k = from; k < knots && found.good(); ++k) {
        const auto d = a.main(k);
        const auto e = a.left(k);
        const auto inner = [&](int i, int p) SHOAL_INLINE_LAMBDA {
            T value = d(i, p);
            if (k > 0) {
                for (int l = 0; l < n; ++l) value = core::fma(-e(i, l), e(p, l), value);
            }
            for (int l = 0; l < p; ++l) value = core::fma(-d(i, l), d(p, l), value);
            return value;
        };
        for (int p = 0; p < n; ++p) {
            if (k > from || p > 0) {
                // Row p, and the coupling, are final; the diagonal before has been read by all and may be replaced.
                g.sync();
                put_root(p > 0 ? k : k - 1, p > 0 ? p - 1 : n - 1);
            }
            const T pivot = inner(p, p);
            if (!core::good_pivot(pivot)) {
                found = {k + 1, p + 1};
                break;
            }
            const auto r = core::pivot_rsqrt(pivot);
            root = r.root;
            // Fixed owners: row i of the 2 n rows below belongs to member i mod size, and no one else writes it.
            for (int i = g.rank(); i < (k + 1 < knots ? 2 * n : n); i += g.size()) {
                if (i < n) {
                    if (i > p) d(i, p) = inner(i, p) * r.reciprocal;
                } else {
                    const auto below = a.left(k + 1);
                    T value = below(i - n, p);
                    for (int l = 0; l < p; ++l) value = core::fma(-below(i - n, l), d(p, l), value);
                    below(i - n, p) = value * r.reciprocal;
                }
            }
        }
    }
    if (found.good() && knots > 0) {
        // The last diagonal element has been read by all and may be replaced.
        g.sync();
        put_root(knots - 1, n - 1);
    }
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

/// x := A^-1 x for one block vector. Barriers: those of two trsv() and one more a knot each way.
template <Group G, class A, class X>
SHOAL_FN void bdsv_solve_columns(const G& g, A factor, X x) {
    constexpr int n = A::block_size;
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

/// B := A^-1 B, a right-hand side a member. Barriers: the exit barrier.
template <Group G, class A, MatrixView B>
SHOAL_FN void bdsv_solve_shared(const G& g, A factor, B b) {
    using T = typename B::value_type;
    constexpr int n = A::block_size;
    const int knots = factor.knots();
    for (int c = g.rank(); c < b.cols(); c += g.size()) {
        for (int k = 0; k < knots; ++k) {
            for (int i = 0; i < n; ++i) {
                T value = b(k * n + i, c);
                for (int l = 0; l < n && k > 0; ++l)
                    value = core::fma(-factor.left(k)(i, l), b((k - 1) * n + l, c), value);
                for (int l = 0; l < i; ++l) value = core::fma(-factor.main(k)(i, l), b(k * n + l, c), value);
                b(k * n + i, c) = value * core::pivot_reciprocal(factor.main(k)(i, i));
            }
        }
        for (int k = knots - 1; k >= 0; --k) {
            for (int i = n - 1; i >= 0; --i) {
                T value = b(k * n + i, c);
                for (int l = 0; l < n && k + 1 < knots; ++l)
                    value = core::fma(-factor.left(k + 1)(l, i), b((k + 1) * n + l, c), value);
                for (int l = n - 1; l > i; --l)
                    value = core::fma(-factor.main(k)(l, i), b(k * n + l, c), value);
                b(k * n + i, c) = value * core::pivot_reciprocal(factor.main(k)(i, i));
            }
        }
    }
    // The columns of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal::detail
