#pragma once

/// \file
/// The textbook algorithms as they are written first: one member makes what is on the diagonal, all others wait for it at
/// a barrier and then share the elements that are left. Orders are run-time numbers, matrices column-major and packed.

#include <shoal/group/device.cuh>

namespace shoal_bench::plain {

/// f(i, j) for i, j = first .. last - 1, the elements shared by the members: a row a member, or several members a row.
template <class G, class F>
__device__ void each_element(const G& g, int rows_from, int rows_to, int cols_from, int cols_to, F f) {
    const int rows = rows_to - rows_from;
    const int cols = cols_to - cols_from;
    for (int e = g.rank(); e < rows * cols; e += g.size()) f(rows_from + e % rows, cols_from + e / rows);
}

template <class G, class T>
__device__ void potrf(const G& g, T* a, int n) {
    for (int k = 0; k < n; ++k) {
        if (g.rank() == 0) a[k + k * n] = sqrt(a[k + k * n]);
        g.sync();
        for (int i = k + 1 + g.rank(); i < n; i += g.size()) a[i + k * n] /= a[k + k * n];
        g.sync();
        each_element(g, k + 1, n, k + 1, n, [&](int i, int j) {
            if (i >= j) a[i + j * n] -= a[i + k * n] * a[j + k * n];
        });
        g.sync();
    }
}

/// x := L^-1 x, or, turned, x := L^-T x.
enum class turned { no, yes };
template <class G, class T>
__device__ void trsv(const G& g, const T* l, T* x, int n, turned t) {
    for (int s = 0; s < n; ++s) {
        const int k = t == turned::no ? s : n - 1 - s;
        if (g.rank() == 0) x[k] /= l[k + k * n];
        g.sync();
        if (t == turned::no) {
            for (int i = k + 1 + g.rank(); i < n; i += g.size()) x[i] -= l[i + k * n] * x[k];
        } else {
            for (int i = g.rank(); i < k; i += g.size()) x[i] -= l[k + i * n] * x[k];
        }
        g.sync();
    }
}

/// B := L^-1 B, or L^-T B, a column a member.
template <class G, class T>
__device__ void trsm(const G& g, const T* l, T* b, int n, int columns, turned t) {
    for (int j = g.rank(); j < columns; j += g.size()) {
        for (int s = 0; s < n; ++s) {
            const int i = t == turned::no ? s : n - 1 - s;
            T x = b[i + j * n];
            for (int q = 0; q < s; ++q) {
                const int k = t == turned::no ? q : n - 1 - q;
                x -= (t == turned::no ? l[i + k * n] : l[k + i * n]) * b[k + j * n];
            }
            b[i + j * n] = x / l[i + i * n];
        }
    }
    g.sync();
}

/// Row k changes places with that of the largest entry of column k, which goes to pivots[k].
template <class G, class T>
__device__ void interchange(const G& g, T* a, T* pivots, int k, int n) {
    if (g.rank() == 0) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i + k * n]) > fabs(a[p + k * n])) p = i;
        pivots[k] = static_cast<T>(p);
    }
    g.sync();
    const int p = static_cast<int>(pivots[k]);
    for (int j = g.rank(); j < n && p != k; j += g.size()) {
        const T held = a[k + j * n];
        a[k + j * n] = a[p + j * n];
        a[p + j * n] = held;
    }
    g.sync();
}

/// Partial pivoting; the pivots go to `pivots`.
template <class G, class T>
__device__ void getrf(const G& g, T* a, T* pivots, int n) {
    for (int k = 0; k < n; ++k) {
        interchange(g, a, pivots, k, n);
        for (int i = k + 1 + g.rank(); i < n; i += g.size()) a[i + k * n] /= a[k + k * n];
        g.sync();
        each_element(g, k + 1, n, k + 1, n,
                     [&](int i, int j) { a[i + j * n] -= a[i + k * n] * a[k + j * n]; });
        g.sync();
    }
}

template <class G, class T>
__device__ void gesv(const G& g, T* a, T* pivots, T* x, int n) {
    getrf(g, a, pivots, n);
    if (g.rank() == 0) {
        for (int k = 0; k < n; ++k) {
            const int p = static_cast<int>(pivots[k]);
            const T held = x[k];
            x[k] = x[p];
            x[p] = held;
        }
    }
    g.sync();
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1 + g.rank(); i < n; i += g.size()) x[i] -= a[i + k * n] * x[k];
        g.sync();
    }
    for (int k = n - 1; k >= 0; --k) {
        if (g.rank() == 0) x[k] /= a[k + k * n];
        g.sync();
        for (int i = g.rank(); i < k; i += g.size()) x[i] -= a[i + k * n] * x[k];
        g.sync();
    }
}

/// Gauss-Jordan in place with partial pivoting.
template <class G, class T>
__device__ void inv(const G& g, T* a, T* pivots, int n) {
    for (int k = 0; k < n; ++k) {
        interchange(g, a, pivots, k, n);
        const T pivot = a[k + k * n];
        for (int j = g.rank(); j < n; j += g.size())
            if (j != k) a[k + j * n] /= pivot;
        g.sync();
        each_element(g, 0, n, 0, n, [&](int i, int j) {
            if (i != k && j != k) a[i + j * n] -= a[i + k * n] * a[k + j * n];
        });
        g.sync();
        for (int i = g.rank(); i < n; i += g.size())
            a[i + k * n] = i == k ? 1 / pivot : -a[i + k * n] / pivot;
        g.sync();
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = static_cast<int>(pivots[k]);
        for (int i = g.rank(); i < n && p != k; i += g.size()) {
            const T held = a[i + k * n];
            a[i + k * n] = a[i + p * n];
            a[i + p * n] = held;
        }
    }
    g.sync();
}

/// A = L D L' without pivoting.
template <class G, class T>
__device__ void ldlt(const G& g, T* a, int n) {
    for (int k = 0; k < n; ++k) {
        each_element(g, k + 1, n, k + 1, n, [&](int i, int j) {
            if (i >= j) a[i + j * n] -= a[i + k * n] * a[j + k * n] / a[k + k * n];
        });
        g.sync();
        for (int i = k + 1 + g.rank(); i < n; i += g.size()) a[i + k * n] /= a[k + k * n];
        g.sync();
    }
}

/// Cyclic Jacobi, one pair after the other; A becomes diagonal, V its eigenvectors; `turn` holds two numbers.
template <class G, class T>
__device__ void syev(const G& g, T* a, T* v, T* turn, int n) {
    each_element(g, 0, n, 0, n, [&](int i, int j) { v[i + j * n] = i == j ? T(1) : T(0); });
    g.sync();
    const T negligible = sizeof(T) == 8 ? T(1e-15) : T(5e-7);
    for (int sweep = 0; sweep < 16; ++sweep) {
        int turned = 0;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (g.rank() == 0) {
                    const T off = a[p + q * n];
                    turn[0] = 1;
                    turn[1] = 0;
                    if (fabs(off) > negligible * sqrt(fabs(a[p + p * n] * a[q + q * n])) &&
                        fabs(off) > negligible) {
                        const T theta = (a[q + q * n] - a[p + p * n]) / (2 * off);
                        const T t = (theta < 0 ? T(-1) : T(1)) / (fabs(theta) + sqrt(theta * theta + 1));
                        turn[0] = 1 / sqrt(t * t + 1);
                        turn[1] = t * turn[0];
                    }
                }
                g.sync();
                const T c = turn[0];
                const T s = turn[1];
                if (s != 0) {
                    ++turned;
                    for (int j = g.rank(); j < n; j += g.size()) {
                        const T x = a[p + j * n];
                        const T y = a[q + j * n];
                        a[p + j * n] = c * x - s * y;
                        a[q + j * n] = s * x + c * y;
                    }
                    g.sync();
                    for (int i = g.rank(); i < n; i += g.size()) {
                        const T x = a[i + p * n];
                        const T y = a[i + q * n];
                        a[i + p * n] = c * x - s * y;
                        a[i + q * n] = s * x + c * y;
                        const T z = v[i + p * n];
                        const T w = v[i + q * n];
                        v[i + p * n] = c * z - s * w;
                        v[i + q * n] = s * z + c * w;
                    }
                }
                g.sync();
            }
        }
        if (turned == 0) break;
    }
}

/// C := op(A) B + beta C, an element a member at a time.
template <class G, class T>
__device__ void gemm(const G& g, const T* a, int row_step, int col_step, const T* b, T* c, int m, int n,
                     int depth, T beta) {
    each_element(g, 0, m, 0, n, [&](int i, int j) {
        T x = 0;
        for (int k = 0; k < depth; ++k) x += a[i * row_step + k * col_step] * b[k + j * depth];
        c[i + j * m] = beta == 0 ? x : x + beta * c[i + j * m];
    });
    g.sync();
}

/// K := (R + B' P B)^-1 B' P A.
template <class G, class T>
__device__ void riccati_gain(const G& g, const T* p, const T* a, const T* b, const T* r, T* k, T* s, T* t,
                             int nx, int nu) {
    gemm(g, b, nx, 1, p, t, nu, nx, nx, T(0));
    for (int e = g.rank(); e < nu * nu; e += g.size()) s[e] = r[e];
    g.sync();
    gemm(g, t, 1, nu, a, k, nu, nx, nx, T(0));
    gemm(g, t, 1, nu, b, s, nu, nu, nx, T(1));
    potrf(g, s, nu);
    trsm(g, s, k, nu, nx, turned::no);
    trsm(g, s, k, nu, nx, turned::yes);
}

}  // namespace shoal_bench::plain
