#pragma once

#include <cstdint>
#include <type_traits>

#include <shoal/fast/host_plain.hpp>
#include <shoal/fast/host_tile.hpp>

/// \file
/// Triangular sweeps of n x n blocks over R right-hand sides on one host thread. Every sum is one chain of fused
/// multiply-adds in the order of the sweep, as in the generic trsv and gemv.

namespace shoal::fast {

namespace detail {

template <class Isa, class T, int n, int R, int first>
SHOAL_FN void subtract_product_rows(T* y, std::int64_t ldy, const T* s, const T* x, std::int64_t ldx) {
    using range = row_range<Isa, T, n, first>;
    typename range::template tile_type<R> t;
    t.load(y + range::begin, ldy);
    t.subtract(s + range::begin, n, x, 1, ldx, n);
    t.store(y + range::begin, ldy);
    if constexpr (range::end < n) subtract_product_rows<Isa, T, n, R, range::end>(y, ldy, s, x, ldx);
}

template <class Isa, class T, int n, int R, int first>
SHOAL_FN void forward_rows(T* y, std::int64_t ld, const T* l, const T* r) {
    using range = row_range<Isa, T, n, first>;
    using row = typename range::template tile_type<R>::row;
    constexpr int w = range::width;
    typename range::template tile_type<R> t;
    t.load(y + range::begin, ld);
    t.subtract(l + range::begin, n, y, 1, ld, range::begin);
    each<range::end - range::begin>([&](auto k) SHOAL_INLINE_LAMBDA {
        const row scale = row::broadcast(r[range::begin + k]);
        const T* column = l + range::begin + (range::begin + k) * n;
        row solved[R];
        // Lanes up to k are finished and stored; what the products leave in them is never read.
        each<R>([&](auto c) SHOAL_INLINE_LAMBDA {
            solved[c] = row::product(broadcast_lane<k % w>(t.x[c][k / w]), scale);
            y[c * ld + range::begin + k] = solved[c].first();
        });
        each<range::vectors - (k + 1) / w>([&](auto u) SHOAL_INLINE_LAMBDA {
            constexpr int v = (k + 1) / w + u;
            const row a = row::load(column + v * w);
            each<R>([&](auto c)
                        SHOAL_INLINE_LAMBDA { t.x[c][v] = row::subtract_product(a, solved[c], t.x[c][v]); });
        });
    });
    if constexpr (range::end < n) forward_rows<Isa, T, n, R, range::end>(y, ld, l, r);
}

/// Columns k = n - 1 .. of the ranges from `first` up; `last` is where the range ends.
template <class Isa, class T, int n, int R, int first>
SHOAL_FN void backward_rows(T* y, std::int64_t ld, const T* l, const T* r) {
    using range = row_range<Isa, T, n, first>;
    // The ranges below first: their unknowns are known then.
    if constexpr (range::end < n) backward_rows<Isa, T, n, R, range::end>(y, ld, l, r);
    using row = typename range::template tile_type<R>::row;
    constexpr int w = range::width;
    typename range::template tile_type<R> t;
    t.load(y + range::begin, ld);
    for (int k = n - 1; k >= range::end; --k) t.subtract(l + range::begin + k * n, n, y + k, 1, ld, 1);
    each<range::end - range::begin>([&](auto down) SHOAL_INLINE_LAMBDA {
        constexpr int k = range::end - range::begin - 1 - down;
        const row scale = row::broadcast(r[range::begin + k]);
        const T* column = l + range::begin + (range::begin + k) * n;
        row solved[R];
        each<R>([&](auto c) SHOAL_INLINE_LAMBDA {
            solved[c] = row::product(broadcast_lane<k % w>(t.x[c][k / w]), scale);
            y[c * ld + range::begin + k] = solved[c].first();
        });
        each<(k + w - 1) / w>([&](auto v) SHOAL_INLINE_LAMBDA {
            const row a = row::load(column + v * w);
            each<R>([&](auto c)
                        SHOAL_INLINE_LAMBDA { t.x[c][v] = row::subtract_product(a, solved[c], t.x[c][v]); });
        });
    });
}

}  // namespace detail

/// Y := Y - S X, Y and X n x R.
template <class Isa, class T, int n, int R>
SHOAL_FN void block_subtract_product(T* y, std::int64_t ldy, const T* s, const T* x, std::int64_t ldx) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_subtract_product<T, n, R>(y, ldy, s, x, ldx);
    } else {
        detail::subtract_product_rows<Isa, T, n, R, 0>(y, ldy, s, x, ldx);
    }
}

/// Y := Y - S' X, Y and X n x R; the sums in descending order.
template <class Isa, class T, int n, int R>
SHOAL_FN void block_subtract_transposed(T* y, std::int64_t ldy, const T* s, const T* x, std::int64_t ldx) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_subtract_transposed<T, n, R>(y, ldy, s, x, ldx);
    } else {
        constexpr int w = widest_divisor<Isa, T>(n);
        using row = lanes<Isa, T, w>;
        for (int j = 0; j < n; j += w) {
            row sum[R];
            each<R>([&](auto c) SHOAL_INLINE_LAMBDA { sum[c] = row::load(y + j + c * ldy); });
            for (int k = n - w; k >= 0; k -= w) {
                row t[w];
                each<w>([&](auto c) SHOAL_INLINE_LAMBDA { t[c] = row::load(s + k + (j + c) * n); });
                transpose_lanes(t);
                each<w>([&](auto up) SHOAL_INLINE_LAMBDA {
                    constexpr int i = w - 1 - up;
                    each<R>([&](auto c) SHOAL_INLINE_LAMBDA {
                        sum[c] = row::subtract_product(t[i], row::broadcast(x[k + i + c * ldx]), sum[c]);
                    });
                });
            }
            each<R>([&](auto c) SHOAL_INLINE_LAMBDA { sum[c].store(y + j + c * ldy); });
        }
    }
}

/// Y := L^-1 Y, Y n x R; r holds the reciprocals of the diagonal of L. Of L the strict lower triangle counts.
template <class Isa, class T, int n, int R>
SHOAL_FN void block_forward(T* y, std::int64_t ld, const T* l, const T* r) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_forward<T, n, R>(y, ld, l, r);
    } else {
        detail::forward_rows<Isa, T, n, R, 0>(y, ld, l, r);
    }
}

/// Y := L^-T Y, Y n x R; here the strict upper triangle of the block counts, which block_mirror fills.
template <class Isa, class T, int n, int R>
SHOAL_FN void block_backward(T* y, std::int64_t ld, const T* l, const T* r) {
    if constexpr (std::is_same_v<Isa, isa_generic>) {
        plain::block_backward<T, n, R>(y, ld, l, r);
    } else {
        detail::backward_rows<Isa, T, n, R, 0>(y, ld, l, r);
    }
}

}  // namespace shoal::fast
