#pragma once

#include <shoal/batched/staged.cuh>
#include <shoal/fast/gesv_panels.hpp>

namespace shoal::batched::detail {

/// How the systems of a warp come to shared memory.
enum class bring {
    together,  ///< one stretch of memory, by all lanes
    alone,     ///< each by the lane that solves it: right for interleaved systems
};

/// x := A^-1 x, a thread a system, which works in shared memory and in `Width` columns of registers.
template <int N, int Width, bring How, class T, class A, class X>
__global__ void __launch_bounds__(32) run_panels(std::int64_t systems, A a, X x, int* info) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int lane = static_cast<int>(threadIdx.x);
    T* const matrices = reinterpret_cast<T*>(memory);
    // Taken element by element.
    using in_a = stage<T, N * N, 1>;
    using in_x = stage<T, N>;
    T* const matrix = matrices + lane * in_a::pitch;
    const std::int64_t first = shoal::detail::flat_block() * 32;
    if (first >= systems) return;
    const int here = systems - first < 32 ? static_cast<int>(systems - first) : 32;
    // A vector in shared memory as well would leave room for fewer warps.
    T right[static_cast<std::size_t>(N)];
    const auto b = x(first + (lane < here ? lane : 0));
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) right[i] = b(i);
    if constexpr (How == bring::together) {
        stage_in<in_a, N * N>(matrices, static_cast<const T*>(a(first).data()), here, lane);
    } else if (lane < here) {
        const auto from = a(first + lane);
        for (int j = 0; j < N; ++j) {
            SHOAL_UNROLL
            for (int i = 0; i < N; ++i) copy_element(matrix + i + j * N, &from(i, j));
        }
    }
    finish_copies();
    // The systems that other lanes brought.
    if constexpr (How == bring::together) __syncwarp();
    int k = 0;
    if (lane < here) {
        k = fast::gesv_panels<N, Width>(matrix, right);
        if (info != nullptr) info[first + lane] = k;
    }
    if constexpr (How == bring::together) {
        // All have solved: solutions take the place of the matrices, and are written together.
        __syncwarp();
        give<in_x>(matrices + lane * in_x::pitch, right);
        // All solutions.
        __syncwarp();
        stage_out<in_x, N>(x(first).data(), matrices, here, lane);
    } else if (lane < here && k == 0) {
        const auto to = x(first + lane);
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) to(i) = right[i];
    }
}

/// The launcher of run_panels().
template <int N, int Width, bring How, class T, class A, class X>
status start_panels(cudaStream_t stream, std::int64_t systems, A a, X x, int* info) {
    constexpr int bytes = 32 * stage<T, N * N, 1>::pitch * static_cast<int>(sizeof(T));
    const void* kernel = reinterpret_cast<const void*>(&run_panels<N, Width, How, T, A, X>);
    if constexpr (bytes > 48 * 1024) {
        const cudaError_t e =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e != cudaSuccess) return from_cuda(e);
    }
    void* arguments[] = {&systems, &a, &x, &info};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, 32), dim3(32), arguments, bytes, stream));
}

}  // namespace shoal::batched::detail
