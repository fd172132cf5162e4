#pragma once

#include <cstdint>

#include <shoal/core/math.hpp>

/// \file
/// The kernels of host_block.hpp and host_sweep.hpp as plain loops, for machines whose vectors lanes.hpp does not know.
/// They also say what those compute: every result has the same bits.

namespace shoal::fast::plain {

/// See fast::block_potrf.
template <class T, int n>
SHOAL_FN int block_potrf(T* l, T* r, const T* d, const T* const* s, int count) {
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) l[i + n * j] = d[i + n * j];
        for (int m = 0; m < count; ++m) {
            for (int k = 0; k < n; ++k) {
                for (int i = j; i < n; ++i)
                    l[i + n * j] = core::fma(-s[m][i + n * k], s[m][j + n * k], l[i + n * j]);
            }
        }
        for (int k = 0; k < j; ++k) {
            for (int i = j; i < n; ++i) l[i + n * j] = core::fma(-l[i + n * k], l[j + n * k], l[i + n * j]);
        }
        if (!core::good_pivot(l[j + n * j])) return j + 1;
        const auto pivot = core::pivot_rsqrt(l[j + n * j]);
        l[j + n * j] = pivot.root;
        r[j] = pivot.reciprocal;
        for (int i = j + 1; i < n; ++i) l[i + n * j] *= r[j];
    }
    return 0;
}

/// See fast::block_trsm_right.
template <class T, int n>
SHOAL_FN void block_trsm_right(T* x, const T* k, const T* p, const T* q, const T* l, const T* r) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) x[i + n * j] = k != nullptr ? k[i + n * j] : T(0);
        for (int m = 0; m < n && p != nullptr; ++m) {
            for (int i = 0; i < n; ++i) x[i + n * j] = core::fma(-p[i + n * m], q[j + n * m], x[i + n * j]);
        }
        for (int m = 0; m < j; ++m) {
            for (int i = 0; i < n; ++i) x[i + n * j] = core::fma(-x[i + n * m], l[j + n * m], x[i + n * j]);
        }
        for (int i = 0; i < n; ++i) x[i + n * j] *= r[j];
    }
}

/// See fast::block_negative_square.
template <class T, int n>
SHOAL_FN void block_negative_square(T* x, const T* s) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) x[i + n * j] = T(0);
        for (int k = 0; k < n; ++k) {
            for (int i = j; i < n; ++i) x[i + n * j] = core::fma(-s[i + n * k], s[j + n * k], x[i + n * j]);
        }
    }
}

/// See fast::block_transpose.
template <class T, int n>
SHOAL_FN void block_transpose(T* x, const T* e) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) x[i + n * j] = e[j + n * i];
    }
}

/// See fast::block_mirror.
template <class T, int n>
SHOAL_FN void block_mirror(T* l) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < j; ++i) l[i + n * j] = l[j + n * i];
    }
}

/// See fast::block_subtract_product.
template <class T, int n, int R>
SHOAL_FN void block_subtract_product(T* y, std::int64_t ldy, const T* s, const T* x, std::int64_t ldx) {
    for (int c = 0; c < R; ++c) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < n; ++i)
                y[i + ldy * c] = core::fma(-s[i + n * k], x[k + ldx * c], y[i + ldy * c]);
        }
    }
}

/// See fast::block_subtract_transposed.
template <class T, int n, int R>
SHOAL_FN void block_subtract_transposed(T* y, std::int64_t ldy, const T* s, const T* x, std::int64_t ldx) {
    for (int c = 0; c < R; ++c) {
        for (int k = n - 1; k >= 0; --k) {
            for (int i = 0; i < n; ++i)
                y[i + ldy * c] = core::fma(-s[k + n * i], x[k + ldx * c], y[i + ldy * c]);
        }
    }
}

/// See fast::block_forward.
template <class T, int n, int R>
SHOAL_FN void block_forward(T* y, std::int64_t ld, const T* l, const T* r) {
    for (int c = 0; c < R; ++c) {
        for (int k = 0; k < n; ++k) {
            y[k + ld * c] *= r[k];
            for (int i = k + 1; i < n; ++i)
                y[i + ld * c] = core::fma(-l[i + n * k], y[k + ld * c], y[i + ld * c]);
        }
    }
}

/// See fast::block_backward.
template <class T, int n, int R>
SHOAL_FN void block_backward(T* y, std::int64_t ld, const T* l, const T* r) {
    for (int c = 0; c < R; ++c) {
        for (int k = n - 1; k >= 0; --k) {
            y[k + ld * c] *= r[k];
            for (int i = 0; i < k; ++i)
                y[i + ld * c] = core::fma(-l[i + n * k], y[k + ld * c], y[i + ld * c]);
        }
    }
}

}  // namespace shoal::fast::plain
