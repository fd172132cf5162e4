#pragma once

/// \file
/// Factorisation for any block size up to 32, float and double: the schedule of factor16.cuh with generic steps.
/// One block per tail; separators in global memory.

#include <shoal/arrow/detail/bulk_copy.cuh>
#include <shoal/arrow/detail/failure.hpp>
#include <shoal/arrow/detail/generic_step.cuh>
#include <shoal/arrow/detail/schedule.hpp>

namespace shoal::arrow::detail {

template <class T>
struct generic_factor_args {
    int tails;  // of one system; several systems lie one after the other
    chunk_schedule at;
    matrix_view<const T> K;
    T* records;          // per stage: W | G_b | G_a, row-major
    T* root_record;      // W, three blocks a system
    T* separators;       // per tail and separator: D from the left, from the right, K(a, c), K(b, c)
    T* grams;            // per tail
    unsigned* arrivals;  // this and what follows: per system
    unsigned long long* failure;
    info* result;
};

template <class T, int n>
struct generic_tail {
    static constexpr int block = n * n;
    const generic_factor_args<T>& p;
    int tail, lane;
    generic_scratch<T, n> s;

    __device__ __forceinline__ const T* diagonal(int j) const {
        return p.K.diagonal + (static_cast<long long>(tail) * p.at.stages + (p.at.stages - j)) * block;
    }
    __device__ __forceinline__ const T* coupling(int j) const {
        return p.K.lower + (static_cast<long long>(tail) * (p.at.stages - 1) + (p.at.stages - 1 - j)) * block;
    }
    __device__ __forceinline__ T* record(int j) const {
        return p.records + (static_cast<long long>(tail) * p.at.stages + (j - 1)) * 3 * block;
    }
    /// slot 0: D from the left, 1: D from the right, 2: K(a, c), 3: K(b, c).
    __device__ __forceinline__ T* separator(int c, int slot) const {
        return p.separators + ((static_cast<long long>(tail) * p.at.chunks + (c - 1)) * 4 + slot) * block;
    }
    __device__ __forceinline__ void report(int round, int j, int bad) const {
        if (bad == 0 || lane != 0) return;
        const int system = tail / p.tails;
        atomicMin(p.failure + system, failure_key(tail - system * p.tails, round, j, bad));
    }
    /// Both triangles of a caller's block from its lower one.
    __device__ __forceinline__ T symmetric(const T* D, int i, int j) const {
        return i >= j ? D[j * n + i] : D[i * n + j];
    }
    template <class F>
    __device__ __forceinline__ void fill(warp_matrix<T, n> X, F f) const {
        for (int i = lane; i < block; i += 32) X(i / n, i % n) = f(i / n, i % n);
    }
    template <class F>
    __device__ __forceinline__ void put(T* to, F f) const {
        for (int i = lane; i < block; i += 32) to[i] = f(i / n, i % n);
    }

    __device__ __forceinline__ void chunk(int c) const {
        const int a = p.at.split[c - 1], b = p.at.split[c];
        const bool has_left = c > 1, left_last = (c & 1) != 0 && c < p.at.chunks;
        T* from_left = separator(c, 0);
        T* from_right = has_left ? separator(c - 1, 1) : nullptr;
        T* pair = !has_left ? nullptr : left_last ? separator(c, 2) : separator(c - 1, 3);
        if (has_left) put(from_right, [](int, int) { return T(0); });
        const T* D = diagonal(a + 1);
        if (a + 1 == b) {
            put(from_left, [&](int i, int j) { return symmetric(D, i, j); });
            if (has_left) {
                const T* E = coupling(a);
                put(pair, [&](int i, int j) { return left_last ? E[j * n + i] : E[i * n + j]; });
            }
            return;
        }
        fill(s.D(), [&](int i, int j) { return symmetric(D, i, j); });
        if (has_left) {
            const T* E = coupling(a);
            fill(s.K(1), [&](int i, int j) { return E[j * n + i]; });
        }
#pragma unroll 1
        for (int j = a + 1; j < b; ++j) {
            const T* E = coupling(j);
            fill(s.K(0), [&](int r, int k) { return E[r * n + k]; });
            __syncwarp();  // D and K before the step reads them
            report(0, j, generic_eliminate<n>(s, has_left ? 2 : 1, record(j), lane));
            const bool last = j + 1 == b;
            const T* next = diagonal(j + 1);
            __syncwarp();  // L has been read
            rows_times_rows<n>(
                s.K(0), s.K(0), T(-1), lane, [&](int r, int k) { return symmetric(next, r, k); },
                [&](int r, int k, T v) { last ? from_left[r * n + k] = v : s.D()(r, k) = v; });
            if (has_left) {
                rows_times_rows<n>(
                    s.K(1), s.K(1), T(-1), lane, [&](int r, int k) { return from_right[r * n + k]; },
                    [&](int r, int k, T v) { from_right[r * n + k] = v; });
                if (last) {
                    const int x = left_last ? 1 : 0;
                    rows_times_rows<n>(
                        s.K(x), s.K(1 - x), T(-1), lane, [](int, int) { return T(0); },
                        [&](int r, int k, T v) { pair[r * n + k] = v; });
                } else {
                    // Into the place of L^{-T}, which the step no longer needs, then over K_a.
                    rows_times_rows<n>(
                        s.K(1), s.K(0), T(-1), lane, [](int, int) { return T(0); },
                        [&](int r, int k, T v) { s.Wt()(r, k) = v; });
                    __syncwarp();  // the product is complete, K_a has been read
                    fill(s.K(1), [&](int r, int k) { return s.Wt()(r, k); });
                }
            }
            __syncwarp();  // K_b has been read before it is loaded again
        }
    }

    __device__ __forceinline__ void separator_step(int l, int c) const {
        const int a = c - (1 << l), b = min(c + (1 << l), p.at.chunks);
        const T *left = separator(c, 0), *right = separator(c, 1);
        const T *to_a = separator(c, 2), *to_b = separator(c, 3);
        fill(s.D(), [&](int i, int j) { return left[i * n + j] + right[i * n + j]; });
        fill(s.K(0), [&](int i, int j) { return to_b[i * n + j]; });
        if (a > 0) fill(s.K(1), [&](int i, int j) { return to_a[i * n + j]; });
        __syncwarp();  // D and K before the step reads them
        report(1 + l, p.at.split[c], generic_eliminate<n>(s, a > 0 ? 2 : 1, record(p.at.split[c]), lane));
        T* b_left = separator(b, 0);
        rows_times_rows<n>(
            s.K(0), s.K(0), T(-1), lane, [&](int r, int k) { return b_left[r * n + k]; },
            [&](int r, int k, T v) { b_left[r * n + k] = v; });
        if (a > 0) {
            T* a_right = separator(a, 1);
            rows_times_rows<n>(
                s.K(1), s.K(1), T(-1), lane, [&](int r, int k) { return a_right[r * n + k]; },
                [&](int r, int k, T v) { a_right[r * n + k] = v; });
            const bool left_last = b < p.at.chunks && ((b >> (l + 1)) & 1) != 0;
            T* pair = left_last ? separator(b, 2) : separator(a, 3);
            const int x = left_last ? 1 : 0;
            rows_times_rows<n>(
                s.K(x), s.K(1 - x), T(-1), lane, [](int, int) { return T(0); },
                [&](int r, int k, T v) { pair[r * n + k] = v; });
        }
        __syncwarp();  // K has been read
    }

    /// x_1: its coupling is to the root.
    __device__ __forceinline__ void last_step() const {
        const T* left = separator(p.at.chunks, 0);
        const T* C = p.K.coupling + static_cast<long long>(tail) * block;
        fill(s.D(), [&](int i, int j) { return left[i * n + j]; });
        fill(s.K(0), [&](int i, int j) { return C[j * n + i]; });
        __syncwarp();  // D and K before the step reads them
        report(last_round, p.at.stages, generic_eliminate<n>(s, 1, record(p.at.stages), lane));
        T* gram = p.grams + static_cast<long long>(tail) * block;
        rows_times_rows<n>(
            s.K(0), s.K(0), T(1), lane, [](int, int) { return T(0); },
            [&](int r, int k, T v) { gram[r * n + k] = v; });
    }
};

/// The root, by one block: R minus all grams, element by element in ascending tail.
template <class T, int n>
__device__ __forceinline__ void generic_root(const generic_factor_args<T>& p, int system,
                                             generic_scratch<T, n> s) {
    const T* root = p.K.root + static_cast<long long>(system) * n * n;
    const T* grams = p.grams + static_cast<long long>(system) * p.tails * n * n;
    for (int i = static_cast<int>(threadIdx.x); i < n * n; i += static_cast<int>(blockDim.x)) {
        const int r = i / n, c = i % n;
        T sum = r >= c ? root[c * n + r] : root[r * n + c];
        for (int tail = 0; tail < p.tails; ++tail)
            sum -= __ldcg(grams + static_cast<long long>(tail) * n * n + i);
        s.D()(r, c) = sum;
    }
    __syncthreads();  // the root before one warp factors it
    if (threadIdx.x >= 32) return;
    const int lane = static_cast<int>(threadIdx.x);
    const int bad =
        generic_eliminate<n>(s, 0, p.root_record + static_cast<long long>(system) * 3 * n * n, lane);
    if (lane == 0) {
        const unsigned long long key = __ldcg(p.failure + system);
        p.result[system] = key != no_failure ? decode_failure(key, p.at.stages) : info{-1, 0, bad};
        p.failure[system] = no_failure;
    }
}

template <class T, int n>
__global__ void __launch_bounds__(128)
    generic_factor_kernel(const __grid_constant__ generic_factor_args<T> p) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* shared = reinterpret_cast<T*>(shared_bytes);
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    const int warps = static_cast<int>(blockDim.x >> 5);
    const generic_scratch<T, n> mine{shared + warp * generic_scratch<T, n>::size};
    __shared__ int is_last;
    int system = static_cast<int>(blockIdx.x);
    if (p.tails > 0) {
        system /= p.tails;
        const generic_tail<T, n> t{p, static_cast<int>(blockIdx.x), lane, mine};
        for (int c = 1 + warp; c <= p.at.chunks; c += warps) t.chunk(c);
        for (int l = 0; (1 << l) < p.at.chunks; ++l) {
            __syncthreads();  // the chunks, or level l - 1, before level l reads them
            for (int c = (2 * warp + 1) << l; c < p.at.chunks; c += (2 * warps) << l) t.separator_step(l, c);
        }
        __syncthreads();  // the last level before x_1
        if (warp == 0) {
            t.last_step();
            __syncwarp();  // this tail's gram before its arrival
            if (lane == 0) {
                is_last = arrive(p.arrivals + system) == static_cast<unsigned>(p.tails - 1);
                if (is_last != 0) p.arrivals[system] = 0;
            }
        }
        __syncthreads();  // is_last
        if (is_last == 0) return;
    }
    generic_root<T, n>(p, system, generic_scratch<T, n>{shared});
}

}  // namespace shoal::arrow::detail
