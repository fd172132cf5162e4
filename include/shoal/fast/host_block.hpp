#pragma once

#include <cstddef>

#include <shoal/core/math.hpp>

/// \file
/// Kernels for dense n x n blocks on one host thread: column-major, n fixed, leading dimension n, row loops of fixed
/// length that the compiler turns into vector instructions. Order of operations: that of the generic ops.

namespace shoal::fast {

/// X := E'.
template <class T, int n>
SHOAL_FN void block_transpose(T* x, const T* e) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) x[i + n * j] = e[j + n * i];
    }
}

/// X := X - P Q'.
template <class T, int n>
SHOAL_FN void block_subtract_nt(T* x, const T* p, const T* q) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < n; ++i) x[i + n * j] = core::fma(-p[i + n * k], q[j + n * k], x[i + n * j]);
        }
    }
}

/// Lower triangle of X := X - S S'.
template <class T, int n>
SHOAL_FN void block_subtract_square(T* x, const T* s) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
            for (int i = j; i < n; ++i) x[i + n * j] = core::fma(-s[i + n * k], s[j + n * k], x[i + n * j]);
        }
    }
}

/// Lower triangle of W = L L', in place; r := 1 / diagonal of L. Returns 0 or the first bad pivot, from 1.
template <class T, int n>
SHOAL_FN int block_potrf(T* w, T* r) {
    for (int k = 0; k < n; ++k) {
        if (!core::good_pivot(w[k + n * k])) return k + 1;
        const auto pivot = core::pivot_rsqrt(w[k + n * k]);
        w[k + n * k] = pivot.root;
        r[k] = pivot.reciprocal;
        for (int i = k + 1; i < n; ++i) w[i + n * k] *= r[k];
        for (int j = k + 1; j < n; ++j) {
            for (int i = j; i < n; ++i) w[i + n * j] = core::fma(-w[i + n * k], w[j + n * k], w[i + n * j]);
        }
    }
    return 0;
}

/// X := X L^-T.
template <class T, int n>
SHOAL_FN void block_trsm_right(T* x, const T* l, const T* r) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) {
            for (int i = 0; i < n; ++i) x[i + n * j] = core::fma(-x[i + n * k], l[j + n * k], x[i + n * j]);
        }
        for (int i = 0; i < n; ++i) x[i + n * j] *= r[j];
    }
}

/// Y := Y - S X, both n x R with leading dimension ld.
template <class T, int n, int R>
SHOAL_FN void block_subtract_product(T* y, const T* s, const T* x, std::ptrdiff_t ld) {
    for (int c = 0; c < R; ++c) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < n; ++i)
                y[i + ld * c] = core::fma(-s[i + n * k], x[k + ld * c], y[i + ld * c]);
        }
    }
}

/// Y := Y - S' X, both n x R with leading dimension ld.
template <class T, int n, int R>
SHOAL_FN void block_subtract_transposed(T* y, const T* s, const T* x, std::ptrdiff_t ld) {
    for (int c = 0; c < R; ++c) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < n; ++i)
                y[i + ld * c] = core::fma(-s[k + n * i], x[k + ld * c], y[i + ld * c]);
        }
    }
}

/// Y := L^-1 Y, n x R with leading dimension ld.
template <class T, int n, int R>
SHOAL_FN void block_forward(T* y, const T* l, const T* r, std::ptrdiff_t ld) {
    for (int c = 0; c < R; ++c) {
        T* v = y + ld * c;
        for (int k = 0; k < n; ++k) {
            v[k] *= r[k];
            for (int i = k + 1; i < n; ++i) v[i] = core::fma(-l[i + n * k], v[k], v[i]);
        }
    }
}

/// Y := L^-T Y, n x R with leading dimension ld.
template <class T, int n, int R>
SHOAL_FN void block_backward(T* y, const T* l, const T* r, std::ptrdiff_t ld) {
    for (int c = 0; c < R; ++c) {
        T* v = y + ld * c;
        for (int k = n - 1; k >= 0; --k) {
            v[k] *= r[k];
            for (int i = 0; i < k; ++i) v[i] = core::fma(-l[k + n * i], v[k], v[i]);
        }
    }
}

}  // namespace shoal::fast
