#pragma once

#include <cstddef>
#include <cstdint>

#include <shoal/batched/launch.cuh>
#include <shoal/fast/rows.hpp>

/// \file
/// Small systems that lie one after the other, brought to threads through shared memory: a warp reads the systems of its
/// 32 threads as one stretch of memory, 16 bytes a lane, and each thread takes its own from there. Systems are kept an
/// odd number of elements apart, so that threads meet in no bank.

namespace shoal::batched::detail {

/// 16 bytes of elements.
template <class T>
struct alignas(16) pack {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T v[static_cast<std::size_t>(size)];
};

/// Elements from one system to the next in shared memory.
SHOAL_FN constexpr int staged_pitch(int elements) {
    return elements | 1;
}

/// Where element e of a stretch of systems of `Size` elements lies in shared memory.
template <int Size>
SHOAL_FN int staged_place(int e) {
    if constexpr (staged_pitch(Size) == Size) {
        return e;
    } else {
        return e + e / Size;
    }
}

/// Starts copying one element to shared memory.
template <class T>
SHOAL_FN void copy_element([[maybe_unused]] T* to, [[maybe_unused]] const T* from) {
#if defined(SHOAL_DEVICE_CODE)
    const auto place = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(place), "l"(from), "n"(static_cast<int>(sizeof(T)))
                 : "memory");
#endif
}
/// Waits for the copies that this lane has started.
SHOAL_FN void finish_copies() {
#if defined(SHOAL_DEVICE_CODE)
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Starts copying `systems` <= 32 systems of `Size` elements from `from` to shared memory, by one warp; finish_copies()
/// and a barrier of the warp end it. Element by element: wider loads would be stored with bank conflicts.
template <int Size, class T>
SHOAL_FN void stage_in(T* to, const T* from, int systems, int lane) {
    if (systems == 32 && Size <= 64) {
        SHOAL_UNROLL
        for (int r = 0; r < Size && Size <= 64; ++r)
            copy_element(to + staged_place<Size>(32 * r + lane), from + (32 * r + lane));
    } else if (systems == 32) {
        // A bound that the compiler knew would be unrolled, and the addresses would not fit the registers.
        const int rounds = fast::detail::opaque(Size);
        int place = lane;
        int in_system = lane;
        for (int r = 0; r < rounds; ++r) {
            copy_element(to + place, from + (32 * r + lane));
            in_system += 32;
            const bool next = in_system >= Size;
            in_system -= next ? Size : 0;
            place += next ? 32 + staged_pitch(Size) - Size : 32;
        }
    } else {
        for (int e = lane; e < systems * Size; e += 32) copy_element(to + staged_place<Size>(e), from + e);
    }
}

/// The way back.
template <int Size, class T>
SHOAL_FN void stage_out(T* to, const T* from, int systems, int lane) {
    constexpr int width = pack<T>::size;
    constexpr int packs = 32 * Size / width;
    constexpr int rounds = (packs + 31) / 32;
    if (systems == 32 && reinterpret_cast<std::uintptr_t>(to) % sizeof(pack<T>) == 0) {
        auto* target = reinterpret_cast<pack<T>*>(to);
        SHOAL_UNROLL
        for (int r = 0; r < rounds; ++r) {
            if (32 * r + lane < packs) {
                pack<T> held;
                SHOAL_UNROLL
                for (int v = 0; v < width; ++v)
                    held.v[v] = from[staged_place<Size>((32 * r + lane) * width + v)];
                target[32 * r + lane] = held;
            }
        }
    } else {
        for (int e = lane; e < systems * Size; e += 32) to[e] = from[staged_place<Size>(e)];
    }
}

/// Elements of shared memory for the N x N matrices and the vectors of one warp.
template <int N>
inline constexpr int staged_elements = 32 * (staged_pitch(N * N) + staged_pitch(N));

/// info = solve(a, x) for systems of order N, a and x in the thread's registers; x replaces the right-hand side where
/// info is 0. `a` and `x` without gaps.
template <int N, int MinBlocks, class T, class Solve>
__global__ void __launch_bounds__(128, MinBlocks)
    run_staged(std::int64_t systems, const T* a, T* x, int* info, Solve solve) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int lane = static_cast<int>(threadIdx.x % 32);
    T* const matrices =
        reinterpret_cast<T*>(memory) + static_cast<int>(threadIdx.x / 32) * staged_elements<N>;
    T* const vectors = matrices + 32 * staged_pitch(N * N);
    const std::int64_t first = shoal::detail::flat_block() * 128 + static_cast<int>(threadIdx.x / 32) * 32;
    if (first >= systems) return;
    const int here = systems - first < 32 ? static_cast<int>(systems - first) : 32;
    stage_in<N * N>(matrices, a + first * (N * N), here, lane);
    stage_in<N>(vectors, x + first * N, here, lane);
    finish_copies();
    // The systems that other lanes brought.
    __syncwarp();
    if (lane < here) {
        T A[static_cast<std::size_t>(N * N)];
        T X[static_cast<std::size_t>(N)];
        SHOAL_UNROLL
        for (int e = 0; e < N * N; ++e) A[e] = matrices[lane * staged_pitch(N * N) + e];
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) X[i] = vectors[lane * staged_pitch(N) + i];
        const int k = solve(A, X);
        if (info != nullptr) info[first + lane] = k;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) {
            if (k == 0) vectors[lane * staged_pitch(N) + i] = X[i];
        }
    }
    // All solutions, before they are written together.
    __syncwarp();
    stage_out<N>(x + first * N, vectors, here, lane);
}

/// The launcher of run_staged().
template <int N, int MinBlocks, class T, class Solve>
status start_staged(cudaStream_t stream, std::int64_t systems, const T* a, T* x, int* info, Solve solve) {
    constexpr int bytes = 4 * staged_elements<N> * static_cast<int>(sizeof(T));
    const void* kernel = reinterpret_cast<const void*>(&run_staged<N, MinBlocks, T, Solve>);
    if constexpr (bytes > 48 * 1024) {
        const cudaError_t e =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e != cudaSuccess) return from_cuda(e);
    }
    void* arguments[] = {&systems, &a, &x, &info, &solve};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, 128), dim3(128), arguments, bytes, stream));
}

/// The same for any operands, read and written by the thread itself: neighbouring threads take neighbouring systems, so
/// that interleaved ones need no staging.
template <int N, int MinBlocks, class T, class A, class X, class Solve>
__global__ void __launch_bounds__(128, MinBlocks)
    run_threads(std::int64_t systems, A a, X x, int* info, Solve solve) {
    const std::int64_t s = shoal::detail::flat_block() * 128 + static_cast<int>(threadIdx.x);
    if (s >= systems) return;
    const auto from = a(s);
    const auto to = x(s);
    T matrix[static_cast<std::size_t>(N * N)];
    T right[static_cast<std::size_t>(N)];
    SHOAL_UNROLL
    for (int j = 0; j < N; ++j) {
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) matrix[i + j * N] = from(i, j);
    }
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) right[i] = to(i);
    const int k = solve(matrix, right);
    if (info != nullptr) info[s] = k;
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) {
        if (k == 0) to(i) = right[i];
    }
}

/// The launcher of run_threads().
template <int N, int MinBlocks, class T, class A, class X, class Solve>
status start_threads(cudaStream_t stream, std::int64_t systems, A a, X x, int* info, Solve solve) {
    const void* kernel = reinterpret_cast<const void*>(&run_threads<N, MinBlocks, T, A, X, Solve>);
    void* arguments[] = {&systems, &a, &x, &info, &solve};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, 128), dim3(128), arguments, 0, stream));
}

}  // namespace shoal::batched::detail
