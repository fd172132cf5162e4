#pragma once

#include <shoal/banded/bdmv.hpp>
#include <shoal/banded/knot_info.hpp>

/// \file
/// Preconditioners of pcg(): objects that are called as `m(g, r, z)`, and functions that build what they hold.

namespace shoal {

/// No preconditioner: z = r.
struct identity_preconditioner {
    template <Group G, class R, class Z>
    SHOAL_FN void operator()(const G& g, R r, Z z) const {
        strided(core::rolled{}, g, r.size(), [&](int i) SHOAL_INLINE_LAMBDA { z(i) = r(i); });
        // The elements of z that other members wrote.
        g.sync();
    }
};

/// z = M r with M block tridiagonal in strips: the symmetric stair, or one of your own.
template <class S>
struct strip_preconditioner {
    S m;
    template <Group G, class R, class Z>
    SHOAL_FN void operator()(const G& g, R r, Z z) const {
        bdmv(g, m, r, z);
    }
};

/// z = M r with M block diagonal: the main blocks of strips, whose other blocks are not read. See block_jacobi().
template <class S>
struct jacobi_preconditioner {
    S m;
    template <Group G, class R, class Z>
    SHOAL_FN void operator()(const G& g, R r, Z z) const {
        constexpr int n = S::block_size;
        strided(core::rolled{}, g, r.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            const auto d = m.main(i / n);
            typename S::value_type sum = 0;
            for (int j = 0; j < n; ++j) sum = core::fma(d(i % n, j), r(i / n * n + j), sum);
            z(i) = sum;
        });
        // The elements of z that other members wrote.
        g.sync();
    }
};
/// From its strips.
template <class S>
jacobi_preconditioner(S) -> jacobi_preconditioner<S>;

/// Main blocks of M := inverses of the main blocks of A, which are symmetric positive definite: block Jacobi.
///
/// Of D_k the lower triangle is read; M gets both triangles, equal to the bit. The other blocks of M are not touched. M
/// may be A. Order: Gauss and Jordan's, pivot by pivot down the diagonal, for all knots at once; the same bits at every
/// scope and group size.
///
/// \return the first bad pivot of the first bad knot: not positive, not finite or NaN. M is then of no use. Every member
///         gets the same value.
/// Barriers: two a pivot, one before, and the exit barrier. No scratch. Cost: N n^3 / 2 FMA shared by the members.
/// Equivalent: `[numpy.linalg.inv(D) for D in main]`.
template <Group G, class S, class M>
SHOAL_FN knot_info block_jacobi(const G& g, S a, M m) {
    using T = typename M::value_type;
    constexpr int n = M::block_size;
    static_assert(S::block_size == n, "block_jacobi: A and M differ in block size");
    const int knots = a.knots();
    // f(block, i, j) for i >= j of every knot.
    const auto each = [&](auto f) SHOAL_INLINE_LAMBDA {
        strided(core::rolled{}, g, knots * n * n, [&](int e) SHOAL_INLINE_LAMBDA {
            const int i = e % (n * n) / n;
            const int j = e % n;
            if (i >= j) f(e / (n * n), i, j);
        });
    };
    each([&](int k, int i, int j) SHOAL_INLINE_LAMBDA { m.main(k)(i, j) = a.main(k)(i, j); });
    // Sweeping pivot p turns a(p, p) into -1 / a(p, p), column p into itself over a(p, p), and takes the product of column
    // and row p, over a(p, p), from the rest. All n pivots swept, -A^-1 is left, and the matrix is symmetric all along.
    knot_info found;
    for (int p = 0; p < n; ++p) {
        // The copy, or the column that the step before scaled.
        g.sync();
        for (int k = 0; k < knots; ++k) {
            if (!core::good_pivot(m.main(k)(p, p)) && (found.good() || k + 1 < found.knot)) {
                found = {k + 1, p + 1};
            }
        }
        each([&](int k, int i, int j) SHOAL_INLINE_LAMBDA {
            if (i == p || j == p) return;
            const auto d = m.main(k);
            const auto pivotal = [&](int l) SHOAL_INLINE_LAMBDA { return l > p ? d(l, p) : d(p, l); };
            // A pivot is replaced one step late: in its own step others still divide by it.
            const T before = i == j && i == p - 1 ? -core::pivot_reciprocal(d(i, i)) : d(i, j);
            d(i, j) = core::fma(-pivotal(i) * core::pivot_reciprocal(d(p, p)), pivotal(j), before);
        });
        // Column p has been read by all, and may be scaled.
        g.sync();
        each([&](int k, int i, int j) SHOAL_INLINE_LAMBDA {
            const auto d = m.main(k);
            if ((i == p) != (j == p)) d(i, j) *= core::pivot_reciprocal(d(p, p));
        });
    }
    // The last column, before its elements are turned over.
    g.sync();
    each([&](int k, int i, int j) SHOAL_INLINE_LAMBDA {
        const auto d = m.main(k);
        const T value = i == n - 1 && j == n - 1 ? core::pivot_reciprocal(d(i, j)) : -d(i, j);
        d(i, j) = value;
        d(j, i) = value;
    });
    // The inverses that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

/// M := the symmetric stair of A: D_k^-1 on the diagonal as block_jacobi() makes it, -D_k^-1 L_k D_{k-1}^-1 left of it and
/// its transpose on the right. Positive definite whenever A is.
///
/// A is only read and must not be M: its main blocks by their lower triangles, and its left blocks. L_0 and R_{N-1} of M
/// are not touched. Use it through strip_preconditioner: an iteration costs twice the products of block Jacobi's and more,
/// and there are about half as many.
///
/// \return as block_jacobi()
/// Barriers: those of block_jacobi() and two more. No scratch. Cost: N (n^3 / 2 + 2 n^3) FMA shared by the members. Source:
/// X. Bu, B. Plancher, "Symmetric Stair Preconditioning of Linear Systems for Parallel Trajectory Optimization", 2024.
template <Group G, class S, class M>
SHOAL_FN knot_info symmetric_stair(const G& g, S a, M m) {
    using T = typename M::value_type;
    constexpr int n = M::block_size;
    const knot_info found = block_jacobi(with_exit_sync(g), a, m);
    const int pairs = a.knots() - 1;
    // L_k D_{k-1}^-1, an element each.
    strided(core::rolled{}, g, pairs * n * n, [&](int e) SHOAL_INLINE_LAMBDA {
        const int k = e / (n * n) + 1;
        const int i = e % (n * n) / n;
        const int j = e % n;
        T sum = 0;
        for (int l = 0; l < n; ++l) sum = core::fma(a.left(k)(i, l), m.main(k - 1)(l, j), sum);
        m.left(k)(i, j) = sum;
    });
    // The products, before columns of them are multiplied on.
    g.sync();
    strided(core::rolled{}, g, pairs * n, [&](int e) SHOAL_INLINE_LAMBDA {
        const int k = e / n + 1;
        const int j = e % n;
        T product[n];
        for (int i = 0; i < n; ++i) product[i] = m.left(k)(i, j);
        for (int i = 0; i < n; ++i) {
            T sum = 0;
            for (int l = 0; l < n; ++l) sum = core::fma(-m.main(k)(i, l), product[l], sum);
            m.left(k)(i, j) = sum;
            if constexpr (!M::symmetric) m.right(k - 1)(j, i) = sum;
        }
    });
    // The blocks that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

}  // namespace shoal
