#pragma once

/// \file
/// Solution with the factor of generic_factor.cuh: forward sweep, root, backward sweep, a kernel each. One block per tail
/// and right-hand side, one warp per chunk, a row of the block per lane.

#include <shoal/arrow/detail/schedule.hpp>
#include <shoal/core/math.hpp>

namespace shoal::arrow::detail {

template <class T>
struct generic_solve_args {
    int systems, tails;  // tails of one system
    chunk_schedule at;
    const T* records;
    const T* root_record;
    T* b;
    long long ld;
    T* parts;  // per right-hand side and tail: what it subtracts from the root's
};

/// Row `lane` of A x, x one element per lane; zero above row n.
template <int n, class T>
__device__ __forceinline__ T block_times(const T* A, T x, int lane) {
    const T* row = A + (lane < n ? lane : 0) * n;
    T sum = 0;
    SHOAL_UNROLL
    for (int k = 0; k < n; ++k) sum = core::fma(row[k], __shfl_sync(~0u, x, k), sum);
    return lane < n ? sum : T(0);
}
/// Row `lane` of A^T x.
template <int n, class T>
__device__ __forceinline__ T block_transposed_times(const T* A, T x, int lane) {
    const T* column = A + (lane < n ? lane : 0);
    T sum = 0;
    SHOAL_UNROLL
    for (int k = 0; k < n; ++k) sum = core::fma(column[k * n], __shfl_sync(~0u, x, k), sum);
    return lane < n ? sum : T(0);
}

template <class T, int n>
struct generic_solver {
    static constexpr int block = n * n;
    const generic_solve_args<T>& p;
    int tail, system, lane;
    T* left;   // per separator: its right-hand side, then z, then x
    T* right;  // per separator: what it receives from its right

    __device__ __forceinline__ const T* record(int j) const {
        return p.records + (static_cast<long long>(tail) * p.at.stages + (j - 1)) * 3 * block;
    }
    __device__ __forceinline__ T* unknowns(int j) const {
        return p.b + static_cast<long long>(blockIdx.y) * p.ld +
               (static_cast<long long>(tail) * p.at.stages + system + (p.at.stages - j)) * n;
    }
    /// The root's unknowns.
    __device__ __forceinline__ T* root() const {
        return p.b + static_cast<long long>(blockIdx.y) * p.ld +
               (static_cast<long long>(system + 1) * p.tails * p.at.stages + system) * n;
    }
    /// What tail i of all tails subtracts from its root.
    __device__ __forceinline__ T* part(int i) const {
        return p.parts + (static_cast<long long>(blockIdx.y) * p.systems * p.tails + i) * n;
    }
    __device__ __forceinline__ T get(const T* x) const { return lane < n ? x[lane] : T(0); }
    __device__ __forceinline__ void put(T* x, T value) const {
        if (lane < n) x[lane] = value;
    }
    __device__ __forceinline__ T z_of(const T* W, T r) const {
        return block_transposed_times<n>(W, block_times<n>(W, r, lane), lane);
    }

    __device__ __forceinline__ void forward_chunk(int c) const {
        const int a = p.at.split[c - 1], b = p.at.split[c];
        T r = get(unknowns(a + 1)), to_left = 0;
#pragma unroll 1
        for (int j = a + 1; j < b; ++j) {
            const T* W = record(j);
            put(unknowns(j), z_of(W, r));
            if (c > 1) to_left -= block_times<n>(W + 2 * block, r, lane);
            r = get(unknowns(j + 1)) - block_times<n>(W + block, r, lane);
        }
        put(left + c * n, r);
        if (c > 1) put(right + (c - 1) * n, to_left);
    }
    __device__ __forceinline__ void forward_separator(int l, int c) const {
        const int a = c - (1 << l), b = min(c + (1 << l), p.at.chunks);
        const T* W = record(p.at.split[c]);
        const T r = get(left + c * n) + get(right + c * n);
        put(left + b * n, get(left + b * n) - block_times<n>(W + block, r, lane));
        if (a > 0) put(right + a * n, get(right + a * n) - block_times<n>(W + 2 * block, r, lane));
        put(unknowns(p.at.split[c]), z_of(W, r));
    }
    __device__ __forceinline__ T backward(int j, T xb, T xa, bool has_left) const {
        const T* W = record(j);
        T x = get(unknowns(j)) - block_transposed_times<n>(W + block, xb, lane);
        if (has_left) x -= block_transposed_times<n>(W + 2 * block, xa, lane);
        put(unknowns(j), x);
        return x;
    }
};

template <class T, int n>
__global__ void __launch_bounds__(128)
    generic_forward_kernel(const __grid_constant__ generic_solve_args<T> p) {
    __shared__ T left[(max_chunks + 1) * n], right[(max_chunks + 1) * n];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    const int warps = static_cast<int>(blockDim.x >> 5);
    const int tail = static_cast<int>(blockIdx.x);
    const generic_solver<T, n> s{p, tail, tail / p.tails, lane, left, right};
    for (int c = 1 + warp; c <= p.at.chunks; c += warps) s.forward_chunk(c);
    for (int l = 0; (1 << l) < p.at.chunks; ++l) {
        __syncthreads();  // the chunks, or level l - 1, before level l reads them
        for (int c = (2 * warp + 1) << l; c < p.at.chunks; c += (2 * warps) << l) s.forward_separator(l, c);
    }
    __syncthreads();  // the last level before x_1
    if (warp == 0) {
        const T* W = s.record(p.at.stages);
        const T r = s.get(left + p.at.chunks * n);
        s.put(s.part(tail), block_times<n>(W + n * n, r, lane));
        s.put(s.unknowns(p.at.stages), s.z_of(W, r));
    }
}

template <class T, int n>
__global__ void __launch_bounds__(32) generic_root_kernel(const __grid_constant__ generic_solve_args<T> p) {
    const int lane = static_cast<int>(threadIdx.x), system = static_cast<int>(blockIdx.x);
    const generic_solver<T, n> s{p, 0, system, lane, nullptr, nullptr};
    T r = s.get(s.root());
    for (int i = 0; i < p.tails; ++i) r -= s.get(s.part(system * p.tails + i));
    s.put(s.root(), s.z_of(p.root_record + static_cast<long long>(system) * 3 * n * n, r));
}

template <class T, int n>
__global__ void __launch_bounds__(128)
    generic_backward_kernel(const __grid_constant__ generic_solve_args<T> p) {
    __shared__ T x[(max_chunks + 1) * n];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    const int warps = static_cast<int>(blockDim.x >> 5), P = p.at.chunks;
    const int tail = static_cast<int>(blockIdx.x);
    const generic_solver<T, n> s{p, tail, tail / p.tails, lane, nullptr, nullptr};
    if (warp == 0) {
        s.put(x + P * n, s.backward(p.at.stages, s.get(s.root()), T(0), false));
    }
    for (int l = separator_levels(P) - 1; l >= 0; --l) {
        __syncthreads();  // x of the level above before this one reads it
        for (int c = (2 * warp + 1) << l; c < P; c += (2 * warps) << l) {
            const int a = c - (1 << l), b = min(c + (1 << l), P);
            s.put(x + c * n,
                  s.backward(p.at.split[c], s.get(x + b * n), a > 0 ? s.get(x + a * n) : T(0), a > 0));
        }
    }
    __syncthreads();  // x of the separators before the chunks read them
    for (int c = 1 + warp; c <= P; c += warps) {
        T xb = s.get(x + c * n);
        const T xa = c > 1 ? s.get(x + (c - 1) * n) : T(0);
        for (int j = p.at.split[c] - 1; j > p.at.split[c - 1]; --j) xb = s.backward(j, xb, xa, c > 1);
    }
}

}  // namespace shoal::arrow::detail
