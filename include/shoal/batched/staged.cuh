#pragma once

#include <cstddef>
#include <cstdint>

#include <shoal/batched/launch.cuh>
#include <shoal/fast/rows.hpp>

/// \file
/// Small systems that lie one after the other, brought to threads through shared memory: a warp reads the systems of its
/// 32 threads as one stretch of memory, 16 bytes a lane where it can, and each thread takes its own from there.

namespace shoal::batched::detail {

/// Neighbours that are moved together.
template <class T, int Count>
struct alignas(sizeof(T) * Count) pack {
    T v[static_cast<std::size_t>(Count)];
};
template <class T>
inline constexpr int elements_of_pack = 16 / static_cast<int>(sizeof(T));

/// How systems of `Size` elements lie in shared memory: in units of `Unit` elements or less, and an odd number of units apart,
/// so that threads that take a unit each meet in no bank.
template <class T, int Size, int Unit = elements_of_pack<T>>
struct stage {
    static constexpr int unit = Size % Unit == 0 ? Unit : stage<T, Size, Unit / 2>::unit;
    static constexpr bool connected = Size / unit % 2 == 1;
    static constexpr int pitch = connected ? Size : Size + unit;
    /// Elements that are copied at once.
    static constexpr int grain = connected ? elements_of_pack<T> : unit;
    /// Where element e of the stretch is.
    SHOAL_FN static int place(int e) { return connected ? e : e + e / Size * unit; }
};
template <class T, int Size>
struct stage<T, Size, 0> {
    static constexpr int unit = 1;
};

/// Starts copying `Count` elements, aligned to as many, to shared memory.
template <int Count = 1, class T>
SHOAL_FN void copy_element([[maybe_unused]] T* to, [[maybe_unused]] const T* from) {
#if defined(SHOAL_DEVICE_CODE)
    const auto place = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (Count * sizeof(T) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(place), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :
                     : "r"(place), "l"(from), "n"(static_cast<int>(Count * sizeof(T)))
                     : "memory");
    }
#endif
}
/// Waits for the copies that this lane has started.
SHOAL_FN void finish_copies() {
#if defined(SHOAL_DEVICE_CODE)
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Whether a warp may move 32 systems from or to p in packs.
template <class T>
SHOAL_FN bool in_packs(const T* p, int systems) {
    return systems == 32 && reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

/// Starts copying `systems` <= 32 systems of `Size` elements from `from` to shared memory, by one warp; finish_copies()
/// and a barrier of the warp end it.
template <class Stage, int Size, class T>
SHOAL_FN void stage_in(T* to, const T* from, int systems, int lane) {
    constexpr int grain = Stage::grain;
    constexpr int rounds = (Size + grain - 1) / grain;
    if (in_packs(from, systems) && (grain > 1 || Size <= 64)) {
        SHOAL_UNROLL
        for (int r = 0; r < rounds && (grain > 1 || Size <= 64); ++r) {
            const int e = (32 * r + lane) * grain;
            if (Size % grain == 0 || e < 32 * Size) copy_element<grain>(to + Stage::place(e), from + e);
        }
    } else {
        // A bound that the compiler knew would be unrolled, and the addresses would not fit the registers.
        const int elements = fast::detail::opaque(systems * Size);
        int place = lane;
        int in_system = lane;
        for (int e = lane; e < elements; e += 32) {
            if (Size < 32) {
                place = Stage::place(e);
            } else if (in_system >= Size) {
                in_system -= Size;
                place += Stage::pitch - Size;
            }
            copy_element(to + place, from + e);
            in_system += 32;
            place += 32;
        }
    }
}

/// The way back.
template <class Stage, int Size, class T>
SHOAL_FN void stage_out(T* to, const T* from, int systems, int lane) {
    constexpr int width = elements_of_pack<T>;
    constexpr int rounds = (Size + width - 1) / width;
    if (in_packs(to, systems)) {
        SHOAL_UNROLL
        for (int r = 0; r < rounds; ++r) {
            const int e = (32 * r + lane) * width;
            if (Size % width != 0 && e >= 32 * Size) continue;
            pack<T, width> held;
            if constexpr (Stage::grain == width) {
                held = *reinterpret_cast<const pack<T, width>*>(from + Stage::place(e));
            } else {
                SHOAL_UNROLL
                for (int v = 0; v < width; ++v) held.v[v] = from[Stage::place(e + v)];
            }
            *reinterpret_cast<pack<T, width>*>(to + e) = held;
        }
    } else {
        for (int e = lane; e < systems * Size; e += 32) to[e] = from[Stage::place(e)];
    }
}

/// A lane's own system, from shared memory to its registers or back.
template <class Stage, class T, std::size_t Size>
SHOAL_FN void take(T (&to)[Size], const T* from) {
    using unit = pack<T, Stage::unit>;
    SHOAL_UNROLL
    for (int e = 0; e < static_cast<int>(Size); e += Stage::unit) {
        const unit held = *reinterpret_cast<const unit*>(from + e);
        SHOAL_UNROLL
        for (int v = 0; v < Stage::unit; ++v) to[e + v] = held.v[v];
    }
}
template <class Stage, class T, std::size_t Size>
SHOAL_FN void give(T* to, const T (&from)[Size]) {
    using unit = pack<T, Stage::unit>;
    SHOAL_UNROLL
    for (int e = 0; e < static_cast<int>(Size); e += Stage::unit) {
        unit held;
        SHOAL_UNROLL
        for (int v = 0; v < Stage::unit; ++v) held.v[v] = from[e + v];
        *reinterpret_cast<unit*>(to + e) = held;
    }
}

/// Elements of shared memory for the N x N matrices and the vectors of one warp.
template <class T, int N>
inline constexpr int staged_elements = 32 * (stage<T, N * N>::pitch + stage<T, N>::pitch);

/// info = solve(a, x) for systems of order N, a and x in the thread's registers; x replaces the right-hand side where
/// info is 0. `a` and `x` without gaps.
template <int N, int MinBlocks, class T, class Solve>
__global__ void __launch_bounds__(128, MinBlocks)
    run_staged(std::int64_t systems, const T* a, T* x, int* info, Solve solve) {
    extern __shared__ __align__(16) unsigned char memory[];
    using in_a = stage<T, N * N>;
    using in_x = stage<T, N>;
    const int lane = static_cast<int>(threadIdx.x % 32);
    T* const matrices =
        reinterpret_cast<T*>(memory) + static_cast<int>(threadIdx.x / 32) * staged_elements<T, N>;
    T* const vectors = matrices + 32 * in_a::pitch;
    const std::int64_t first = shoal::detail::flat_block() * 128 + static_cast<int>(threadIdx.x / 32) * 32;
    if (first >= systems) return;
    const int here = systems - first < 32 ? static_cast<int>(systems - first) : 32;
    stage_in<in_a, N * N>(matrices, a + first * (N * N), here, lane);
    stage_in<in_x, N>(vectors, x + first * N, here, lane);
    finish_copies();
    // The systems that other lanes brought.
    __syncwarp();
    if (lane < here) {
        T A[static_cast<std::size_t>(N * N)];
        T X[static_cast<std::size_t>(N)];
        take<in_a>(A, matrices + lane * in_a::pitch);
        take<in_x>(X, vectors + lane * in_x::pitch);
        const int k = solve(A, X);
        if (info != nullptr) info[first + lane] = k;
        if (k == 0) give<in_x>(vectors + lane * in_x::pitch, X);
    }
    // All solutions, before they are written together.
    __syncwarp();
    stage_out<in_x, N>(x + first * N, vectors, here, lane);
}

/// The launcher of run_staged().
template <int N, int MinBlocks, class T, class Solve>
status start_staged(cudaStream_t stream, std::int64_t systems, const T* a, T* x, int* info, Solve solve) {
    constexpr int bytes = 4 * staged_elements<T, N> * static_cast<int>(sizeof(T));
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
