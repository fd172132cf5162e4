#pragma once

#include <algorithm>

#include <shoal/fast/host_tile.hpp>

/// \file
/// Kernels for dense n x n blocks on one host thread: column-major, n fixed, leading dimension n. The order of
/// operations is that of the generic ops (potrf, trsm, syrk), so the bits are, whatever the instruction set.
///
/// Work goes by panels of four columns: a panel's sums run in registers, its 4 x 4 triangle is factored with scalars,
/// which costs four dependent roots and no way back to the vectors between them, and the rows below follow.

namespace shoal::fast {

/// Columns of a panel.
inline constexpr int panel = 4;

/// C x C lower triangle = L L', in place; r := 1 / diagonal. Returns 0 or the first bad pivot, from 1.
template <class T, int C>
SHOAL_FN int factor_triangle(T* a, int ld, T* r) {
    T l[C][C];
    each<C>([&](auto j) SHOAL_INLINE_LAMBDA {
        each<C - j>([&](auto i) SHOAL_INLINE_LAMBDA { l[i + j][j] = a[i + j + j * ld]; });
    });
    int bad = 0;
    each<C>([&](auto k) SHOAL_INLINE_LAMBDA {
        if (bad != 0) return;
        each<C - k>([&](auto i) SHOAL_INLINE_LAMBDA {
            each<k>([&](auto m)
                        SHOAL_INLINE_LAMBDA { l[i + k][k] = core::fma(-l[i + k][m], l[k][m], l[i + k][k]); });
        });
        if (!core::good_pivot(l[k][k])) {
            bad = k + 1;
            return;
        }
        const auto pivot = core::pivot_rsqrt(l[k][k]);
        l[k][k] = pivot.root;
        r[k] = pivot.reciprocal;
        each<C - k - 1>([&](auto i) SHOAL_INLINE_LAMBDA { l[i + k + 1][k] *= pivot.reciprocal; });
    });
    if (bad != 0) return bad;
    each<C>([&](auto j) SHOAL_INLINE_LAMBDA {
        each<C - j>([&](auto i) SHOAL_INLINE_LAMBDA { a[i + j + j * ld] = l[i + j][j]; });
    });
    return 0;
}

namespace detail {

/// Rows from `first` down of the panel of columns at .. at + 3 in block_potrf.
template <class Isa, class T, int n, int at, int first>
SHOAL_FN int potrf_rows(T* l, T* r, const T* d, const T* const* s, int count) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    constexpr int here = at * n + range::begin;
    T* triangle = l + at * n + at;
    typename range::template tile_type<width> t;
    t.load(d + here, n);
    for (int m = 0; m < count; ++m) t.subtract_nt(s[m] + range::begin, s[m] + at, n, n);
    t.subtract_nt(l + range::begin, l + at, n, at);
    // The triangle lies in the first range, or, when three rows are left, in the two ranges of the last panel.
    constexpr bool triangle_ends_here = range::end >= at + width && range::begin < at + width;
    int bad = 0;
    T root[width];
    if constexpr (range::begin < at + width) t.store(l + here, n);
    if constexpr (triangle_ends_here) {
        bad = factor_triangle<T, width>(triangle, n, r + at);
        if (bad != 0) return at + bad;
        each<width>([&](auto c) SHOAL_INLINE_LAMBDA { root[c] = triangle[c * n + c]; });
    }
    if constexpr (range::end > at + width || (triangle_ends_here && range::begin <= at)) {
        t.solve_nt(triangle, n, r + at);
        t.store(l + here, n);
        if constexpr (triangle_ends_here) {
            // The vectors have pivot / root where the root belongs.
            each<width>([&](auto c) SHOAL_INLINE_LAMBDA { triangle[c * n + c] = root[c]; });
        }
    }
    if constexpr (range::end < n) bad = potrf_rows<Isa, T, n, at, range::end>(l, r, d, s, count);
    return bad;
}

template <class Isa, class T, int n, int at>
SHOAL_FN int potrf_panels(T* l, T* r, const T* d, const T* const* s, int count) {
    int bad = potrf_rows<Isa, T, n, at, at>(l, r, d, s, count);
    if constexpr (at + panel < n) {
        if (bad == 0) bad = potrf_panels<Isa, T, n, at + panel>(l, r, d, s, count);
    }
    return bad;
}

/// Columns from `at` on of rows from `first` on in block_trsm_right.
template <class Isa, class T, int n, int first, int at>
SHOAL_FN void trsm_panels(T* x, const T* k, const T* p, const T* q, const T* l, const T* r) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    constexpr int here = at * n + range::begin;
    typename range::template tile_type<width> t;
    if (k != nullptr) {
        t.load(k + here, n);
    } else {
        t.clear();
    }
    if (p != nullptr) t.subtract_nt(p + range::begin, q + at, n, n);
    t.subtract_nt(x + range::begin, l + at, n, at);
    t.solve_nt(l + at * n + at, n, r + at);
    t.store(x + here, n);
    if constexpr (at + panel < n) {
        trsm_panels<Isa, T, n, first, at + panel>(x, k, p, q, l, r);
    } else if constexpr (range::end < n) {
        trsm_panels<Isa, T, n, range::end, 0>(x, k, p, q, l, r);
    }
}

/// Rows from `first` down of the columns from `at` on in block_negative_square.
template <class Isa, class T, int n, int at, int first>
SHOAL_FN void square_panels(T* x, const T* s) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    typename range::template tile_type<width> t;
    t.clear();
    t.subtract_nt(s + range::begin, s + at, n, n);
    t.store(x + at * n + range::begin, n);
    if constexpr (range::end < n) {
        square_panels<Isa, T, n, at, range::end>(x, s);
    } else if constexpr (at + panel < n) {
        square_panels<Isa, T, n, at + panel, at + panel>(x, s);
    }
}

}  // namespace detail

/// L L' = D - sum_s S_s S_s', s = 0 .. count - 1; r := 1 / diagonal of L. L's upper triangle gets no meaning.
///
/// Only the lower triangle of D means anything. L may be D. Returns 0 or the first bad pivot, from 1.
template <class Isa, class T, int n>
SHOAL_FN int block_potrf(T* l, T* r, const T* d, const T* const* s, int count) {
    return detail::potrf_panels<Isa, T, n, 0>(l, r, d, s, count);
}

/// X := (K - P Q') L^-T; without P and Q: X := K L^-T; without K: X := -(P Q') L^-T. X may be K.
template <class Isa, class T, int n>
SHOAL_FN void block_trsm_right(T* x, const T* k, const T* p, const T* q, const T* l, const T* r) {
    detail::trsm_panels<Isa, T, n, 0, 0>(x, k, p, q, l, r);
}

/// Lower triangle of X := -S S'; of the upper triangle nothing is said.
template <class Isa, class T, int n>
SHOAL_FN void block_negative_square(T* x, const T* s) {
    detail::square_panels<Isa, T, n, 0, 0>(x, s);
}

/// X := E'.
template <class Isa, class T, int n>
SHOAL_FN void block_transpose(T* x, const T* e) {
    constexpr int w = widest_divisor<Isa, T>(n);
    using row = lanes<Isa, T, w>;
    for (int j = 0; j < n; j += w) {
        for (int i = 0; i < n; i += w) {
            row t[w];
            each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c] = row::load(e + i + (j + c) * n); });
            transpose_lanes(t);
            each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c].store(x + j + (i + c) * n); });
        }
    }
}

/// Copies the strict lower triangle of L into the upper one, transposed: then the rows of L are columns as well.
template <class Isa, class T, int n>
SHOAL_FN void block_mirror(T* l) {
    constexpr int w = widest_divisor<Isa, T>(n);
    using row = lanes<Isa, T, w>;
    for (int j = 0; j < n; j += w) {
        row t[w];
        each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c] = row::load(l + j + (j + c) * n); });
        row m[w];
        each<w>([&](auto c) SHOAL_INLINE_LAMBDA { m[c] = t[c]; });
        transpose_lanes(m);
        each<w>([&](auto c) SHOAL_INLINE_LAMBDA { splice<c>(m[c], t[c]).store(l + j + (j + c) * n); });
        for (int i = j + w; i < n; i += w) {
            each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c] = row::load(l + i + (j + c) * n); });
            transpose_lanes(t);
            each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c].store(l + j + (i + c) * n); });
        }
    }
}

}  // namespace shoal::fast
