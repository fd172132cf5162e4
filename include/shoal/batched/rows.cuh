#pragma once

#include <shoal/batched/gesv.hpp>
#include <shoal/batched/staged.cuh>
#include <shoal/fast/solve_rows.hpp>
#include <shoal/fast/solve_tiles.hpp>

/// \file
/// Kernels of solves that need shared memory beside the registers: systems by tiles of lanes and by warps.

namespace shoal::batched::detail {

/// Bytes from one system's share of the memory to the next: the tiles of a warp are then 16 bytes apart modulo 128, and meet
/// in no bank.
constexpr int spread_bytes(int bytes) {
    return (bytes - 16 + 127) / 128 * 128 + 16;
}

template <class Kernel>
status start_shared(cudaStream_t stream, Kernel* kernel, std::int64_t blocks, int threads, int bytes,
                    void** arguments) {
    const void* entry = reinterpret_cast<const void*>(kernel);
    if (bytes > 48 * 1024) {
        const cudaError_t e = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e != cudaSuccess) return from_cuda(e);
    }
    return from_cuda(cudaLaunchKernel(entry, grid_for(blocks, 1), dim3(static_cast<unsigned>(threads)),
                                      arguments, static_cast<std::size_t>(bytes), stream));
}

template <int N, class T>
inline constexpr int rows_bytes = spread_bytes(fast::solve_rows_scratch<T, N>* static_cast<int>(sizeof(T)));

/// x := A^-1 x, a tile of `Width` lanes a system.
template <int N, int Width, int MinBlocks, class T, class A, class X>
__global__ void __launch_bounds__(32, MinBlocks) run_rows(std::int64_t systems, A a, X x, int* info) {
    extern __shared__ __align__(16) unsigned char memory[];
    const lockstep_tile<Width> g;
    const std::int64_t s = first_system(g);
    if (s >= systems) return;
    T* const scratch =
        reinterpret_cast<T*>(memory + rows_bytes<N, T> * static_cast<int>(threadIdx.x / Width));
    const int k = fast::solve_rows(g, a(s), x(s), scratch);
    if (info != nullptr && g.rank() == 0) info[s] = k;
}

/// The launcher of run_rows().
template <int N, int Width, int MinBlocks, class T, class A, class X>
status start_rows_shared(cudaStream_t stream, std::int64_t systems, A a, X x, int* info) {
    constexpr int tiles = 32 / Width;
    void* arguments[] = {&systems, &a, &x, &info};
    return start_shared(stream, &run_rows<N, Width, MinBlocks, T, A, X>, (systems + tiles - 1) / tiles, 32,
                        tiles * rows_bytes<N, T>, arguments);
}

template <int N, class T>
inline constexpr int tiles_bytes = (fast::solve_tiles_scratch<T, N> * static_cast<int>(sizeof(T)) + 15) / 16 *
                                   16;

/// x := A^-1 x, a warp a system; `Systems` of them are brought to shared memory together, as neighbours among interleaved ones
/// share sectors of memory.
template <int N, int Systems, class T, class A, class X>
__global__ void __launch_bounds__(32 * Systems) run_tiles(std::int64_t systems, A a, X x, int* info) {
    extern __shared__ __align__(16) unsigned char memory[];
    const lockstep_tile<32> g;
    const auto share = [&](int t) SHOAL_INLINE_LAMBDA {
        return reinterpret_cast<T*>(memory + tiles_bytes<N, T> * t);
    };
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t first = shoal::detail::flat_block() * Systems;
    if (first >= systems) return;
    const int mine = thread % Systems;
    if (first + mine < systems) {
        T* const to = share(mine);
        const auto from = a(first + mine);
        for (int e = thread / Systems; e < N * N; e += 32)
            copy_element(to + e / N * fast::solve_tiles_lead<T, N> + e % N, &from(e % N, e / N));
    }
    finish_copies();
    // The elements that other lanes brought.
    __syncthreads();
    const std::int64_t s = first + thread / 32;
    if (s >= systems) return;
    const int k = fast::solve_tiles<N>(g, share(thread / 32), x(s));
    if (info != nullptr && g.rank() == 0) info[s] = k;
}

/// The launcher of run_tiles().
template <int N, int Systems, class T, class A, class X>
status start_tiles_shared(cudaStream_t stream, std::int64_t systems, A a, X x, int* info) {
    void* arguments[] = {&systems, &a, &x, &info};
    return start_shared(stream, &run_tiles<N, Systems, T, A, X>, (systems + Systems - 1) / Systems,
                        32 * Systems, Systems * tiles_bytes<N, T>, arguments);
}

}  // namespace shoal::batched::detail
