#pragma once

/// \file
/// One elimination step of an n x n block, n <= 32, float or double, by one warp with a row per lane. What the tensor-core
/// path does not cover runs on this.

#include <shoal/core/math.hpp>

namespace shoal::arrow::detail {

/// Row-major n x n in shared memory; the odd leading dimension keeps rows on different banks.
template <class T, int n>
struct warp_matrix {
    static constexpr int ld = n | 1;
    static constexpr int size = n * ld;
    T* p;
    __device__ __forceinline__ T& operator()(int i, int j) const { return p[i * ld + j]; }
};

/// C(i, j) = init(i, j) + scale * sum_k X(i, k) Y(j, k), in ascending k; store(i, j, value). Lanes share the (i, j).
template <int n, class T, class Init, class Store>
__device__ __forceinline__ void rows_times_rows(warp_matrix<T, n> X, warp_matrix<T, n> Y, T scale, int lane,
                                                Init init, Store store) {
    constexpr int parts = 32 / n;
    const int i = lane % n, part = lane / n;
    if (part >= parts) return;
    T x[n];
    SHOAL_UNROLL
    for (int k = 0; k < n; ++k) x[k] = scale * X(i, k);
#pragma unroll 1
    for (int j = part; j < n; j += parts) {
        T sum = init(i, j);
        SHOAL_UNROLL
        for (int k = 0; k < n; ++k) sum = core::fma(x[k], Y(j, k), sum);
        store(i, j, sum);
    }
}

/// D = L L^T over the lower triangle of D. root: n reciprocal pivots. \return 0 or the first bad pivot, 1-based.
template <int n, class T>
__device__ __forceinline__ int factor_block(warp_matrix<T, n> D, T* root, int lane) {
    int bad = 0;
    T x[n];
    const int row = lane < n ? lane : n - 1;
    SHOAL_UNROLL
    for (int k = 0; k < n; ++k) x[k] = D(row, k);
    __syncwarp();  // every row is read before columns of L are written
    SHOAL_UNROLL
    for (int k = 0; k < n; ++k) {
        const T pivot = __shfl_sync(~0u, x[k], k);
        if (!core::good_pivot(pivot) && bad == 0) bad = k + 1;
        const T r = core::pivot_rsqrt(pivot).reciprocal;
        const T l = x[k] * r;
        if (lane < n && lane >= k) D(lane, k) = l;
        if (lane == k) root[k] = r;
        __syncwarp();  // column k of L before every lane reads it
        SHOAL_UNROLL
        for (int j = k + 1; j < n; ++j) x[j] = core::fma(-l, D(j, k), x[j]);
    }
    return bad;
}

/// Rows of K[0 .. count) := K L^{-T}.
template <int n, class T>
__device__ __forceinline__ void solve_rows(warp_matrix<T, n> L, const T* root, T* K, int count, int lane) {
    using matrix = warp_matrix<T, n>;
#pragma unroll 1
    for (int row = lane; row < count * n; row += 32) {
        T* k_row = K + (row / n) * matrix::size + (row % n) * matrix::ld;
        T x[n];
        SHOAL_UNROLL
        for (int k = 0; k < n; ++k) x[k] = k_row[k];
        SHOAL_UNROLL
        for (int k = 0; k < n; ++k) {
            SHOAL_UNROLL
            for (int m = 0; m < k; ++m) x[k] = core::fma(-x[m], L(k, m), x[k]);
            x[k] *= root[k];
        }
        SHOAL_UNROLL
        for (int k = 0; k < n; ++k) k_row[k] = x[k];
    }
    __syncwarp();  // the rows before other lanes read them
}

/// Shared memory of one warp: D, the identity that becomes L^{-T}, K_b, K_a, reciprocal pivots.
template <class T, int n>
struct generic_scratch {
    static constexpr int size = 4 * warp_matrix<T, n>::size + n;
    T* p;
    __device__ __forceinline__ warp_matrix<T, n> D() const { return {p}; }
    __device__ __forceinline__ warp_matrix<T, n> Wt() const { return {p + warp_matrix<T, n>::size}; }
    __device__ __forceinline__ warp_matrix<T, n> K(int side) const {
        return {p + (2 + side) * warp_matrix<T, n>::size};
    }
    __device__ __forceinline__ T* root() const { return p + 4 * warp_matrix<T, n>::size; }
};

/// D = L L^T, K_i := K_i L^{-T}, and Wt = L^{-T}; the record W | G_b | G_a (row-major) goes to `record`.
/// Barriers: on entry D and K are visible to the warp; on exit K is, and D may be overwritten.
template <int n, class T>
__device__ __forceinline__ int generic_eliminate(generic_scratch<T, n> s, int couplings, T* record,
                                                 int lane) {
    using matrix = warp_matrix<T, n>;
    const matrix D = s.D(), Wt = s.Wt();
    for (int i = lane; i < n * n; i += 32) Wt(i / n, i % n) = i / n == i % n ? T(1) : T(0);
    const int bad = factor_block<n>(D, s.root(), lane);
    __syncwarp();  // reciprocal pivots and the identity
    solve_rows<n>(D, s.root(), Wt.p, 1 + couplings, lane);
    for (int i = lane; i < n * n; i += 32) record[i] = Wt(i % n, i / n);
    for (int side = 0; side < couplings; ++side) {
        T* gain = record + (1 + side) * n * n;
        rows_times_rows<n>(
            s.K(side), Wt, T(1), lane, [](int, int) { return T(0); },
            [&](int i, int j, T value) { gain[i * n + j] = value; });
    }
    return bad;
}

}  // namespace shoal::arrow::detail
