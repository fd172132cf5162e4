#pragma once

#include <algorithm>
#include <type_traits>

#include <shoal/fast/host_plain.hpp>
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

/// One range of V vectors of W rows from `begin` on, of a panel of `width` columns from `at` on, in block_potrf.
/// Whether the panel's triangle lies in the range's rows is known when compiling.
enum class part { above, triangle, below };

template <part Which, int n, int width, class Tile, class T>
SHOAL_FN int potrf_range(Tile& t, int begin, int at, T* l, T* r, const T* d, const T* const* s, int count) {
    T* here = l + at * n + begin;
    T* triangle = l + at * n + at;
    t.load(d + at * n + begin, n);
    for (int m = 0; m < count; ++m) t.subtract_nt(s[m] + begin, s[m] + at, n, n);
    t.subtract_nt(l + begin, l + at, n, at);
    if constexpr (Which == part::above) {
        t.store(here, n);
        return 0;
    }
    T root[width];
    if constexpr (Which == part::triangle) {
        t.store(here, n);
        const int bad = factor_triangle<T, width>(triangle, n, r + at);
        if (bad != 0) return at + bad;
        each<width>([&](auto c) SHOAL_INLINE_LAMBDA { root[c] = triangle[c * n + c]; });
    }
    t.solve_nt(triangle, n, r + at);
    t.store(here, n);
    if constexpr (Which == part::triangle) {
        // The vectors have pivot / root where the root belongs.
        each<width>([&](auto c) SHOAL_INLINE_LAMBDA { triangle[c * n + c] = root[c]; });
    }
    return 0;
}

template <int n, int width, class Tile, class T>
SHOAL_FN void trsm_range(Tile& t, int begin, int at, T* x, const T* k, const T* p, const T* q, const T* l,
                         const T* r) {
    if (k != nullptr) {
        t.load(k + at * n + begin, n);
    } else {
        t.clear();
    }
    if (p != nullptr) t.subtract_nt(p + begin, q + at, n, n);
    t.subtract_nt(x + begin, l + at, n, at);
    t.solve_nt(l + at * n + at, n, r + at);
    t.store(x + at * n + begin, n);
}

template <int n, class Tile, class T>
SHOAL_FN void square_range(Tile& t, int begin, int at, T* x, const T* s) {
    t.clear();
    t.subtract_nt(s + begin, s + at, n, n);
    t.store(x + at * n + begin, n);
}

/// f(tile of four columns, begin, at) for one panel, all rows from `first` on: a loop over pairs of vectors.
template <class Isa, class T, int n, class F>
SHOAL_FN void range_loop(int first, F f) {
    constexpr int w = widest_divisor<Isa, T>(n);
    for (; first + 2 * w <= n; first += 2 * w) {
        tile<Isa, T, w, 2, panel> t;
        f(t, first);
    }
    if (first < n) {
        tile<Isa, T, w, 1, panel> t;
        f(t, first);
    }
}

/// Sizes that are whole panels: short loops, which the instruction cache holds.
template <class Isa, class T, int n>
SHOAL_FN int potrf_loop(T* l, T* r, const T* d, const T* const* s, int count) {
    constexpr int w = widest_divisor<Isa, T>(n);
    for (int at = 0; at < n; at += panel) {
        int begin = at / w * w;
        int bad = 0;
        if (begin + 2 * w <= n) {
            tile<Isa, T, w, 2, panel> t;
            bad = potrf_range<part::triangle, n, panel>(t, begin, at, l, r, d, s, count);
            begin += 2 * w;
        } else {
            tile<Isa, T, w, 1, panel> t;
            bad = potrf_range<part::triangle, n, panel>(t, begin, at, l, r, d, s, count);
            begin += w;
        }
        if (bad != 0) return bad;
        range_loop<Isa, T, n>(begin, [&](auto& t, int row) SHOAL_INLINE_LAMBDA {
            potrf_range<part::below, n, panel>(t, row, at, l, r, d, s, count);
        });
    }
    return 0;
}

/// Other sizes: panels and ranges are numbered when compiling.
template <class Isa, class T, int n, int at, int first>
SHOAL_FN int potrf_unrolled(T* l, T* r, const T* d, const T* const* s, int count) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    // The triangle lies in the first range, or, when three rows are left, in the two ranges of the last panel.
    constexpr part which = range::begin >= at + width                       ? part::below
                           : range::begin <= at && range::end >= at + width ? part::triangle
                                                                            : part::above;
    typename range::template tile_type<width> t;
    int bad = potrf_range<which, n, width>(t, range::begin, at, l, r, d, s, count);
    if constexpr (which == part::above && range::end == n) {
        bad = factor_triangle<T, width>(l + at * n + at, n, r + at);
        if (bad != 0) bad += at;
    }
    if (bad != 0) return bad;
    if constexpr (range::end < n) {
        bad = potrf_unrolled<Isa, T, n, at, range::end>(l, r, d, s, count);
    } else if constexpr (at + panel < n) {
        bad = potrf_unrolled<Isa, T, n, at + panel, at + panel>(l, r, d, s, count);
    }
    return bad;
}

template <class Isa, class T, int n, int first, int at>
SHOAL_FN void trsm_unrolled(T* x, const T* k, const T* p, const T* q, const T* l, const T* r) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    typename range::template tile_type<width> t;
    trsm_range<n, width>(t, range::begin, at, x, k, p, q, l, r);
    if constexpr (at + panel < n) {
        trsm_unrolled<Isa, T, n, first, at + panel>(x, k, p, q, l, r);
    } else if constexpr (range::end < n) {
        trsm_unrolled<Isa, T, n, range::end, 0>(x, k, p, q, l, r);
    }
}

template <class Isa, class T, int n, int at, int first>
SHOAL_FN void square_unrolled(T* x, const T* s) {
    using range = row_range<Isa, T, n, first>;
    constexpr int width = std::min(panel, n - at);
    typename range::template tile_type<width> t;
    square_range<n>(t, range::begin, at, x, s);
    if constexpr (range::end < n) {
        square_unrolled<Isa, T, n, at, range::end>(x, s);
    } else if constexpr (at + panel < n) {
        square_unrolled<Isa, T, n, at + panel, at + panel>(x, s);
    }
}

}  // namespace detail

/// L L' = D - sum_s S_s S_s', s = 0 .. count - 1; r := 1 / diagonal of L. L's upper triangle gets no meaning.
///
/// Only the lower triangle of D means anything. L may be D. Returns 0 or the first bad pivot, from 1.
template <class Isa, class T, int n>
SHOAL_FN int block_potrf(T* l, T* r, const T* d, const T* const* s, int count) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        return plain::block_potrf<T, n>(l, r, d, s, count);
    } else if constexpr (n % panel == 0) {
        return detail::potrf_loop<Isa, T, n>(l, r, d, s, count);
    } else {
        return detail::potrf_unrolled<Isa, T, n, 0, 0>(l, r, d, s, count);
    }
}

/// X := (K - P Q') L^-T; without P and Q: X := K L^-T; without K: X := -(P Q') L^-T. X may be K.
template <class Isa, class T, int n>
SHOAL_FN void block_trsm_right(T* x, const T* k, const T* p, const T* q, const T* l, const T* r) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_trsm_right<T, n>(x, k, p, q, l, r);
    } else if constexpr (n % panel == 0) {
        detail::range_loop<Isa, T, n>(0, [&](auto& t, int row) SHOAL_INLINE_LAMBDA {
            for (int at = 0; at < n; at += panel) detail::trsm_range<n, panel>(t, row, at, x, k, p, q, l, r);
        });
    } else {
        detail::trsm_unrolled<Isa, T, n, 0, 0>(x, k, p, q, l, r);
    }
}

/// Lower triangle of X := -S S'; of the upper triangle nothing is said.
template <class Isa, class T, int n>
SHOAL_FN void block_negative_square(T* x, const T* s) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_negative_square<T, n>(x, s);
    } else if constexpr (n % panel == 0) {
        constexpr int w = widest_divisor<Isa, T>(n);
        for (int at = 0; at < n; at += panel) {
            detail::range_loop<Isa, T, n>(at / w * w, [&](auto& t, int row) SHOAL_INLINE_LAMBDA {
                detail::square_range<n>(t, row, at, x, s);
            });
        }
    } else {
        detail::square_unrolled<Isa, T, n, 0, 0>(x, s);
    }
}

/// X := E'.
template <class Isa, class T, int n>
SHOAL_FN void block_transpose(T* x, const T* e) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_transpose<T, n>(x, e);
    } else {
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
}

/// Copies the strict lower triangle of L into the upper one, transposed: then the rows of L are columns as well.
template <class Isa, class T, int n>
SHOAL_FN void block_mirror(T* l) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_mirror<T, n>(l);
    } else {
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
}

}  // namespace shoal::fast
