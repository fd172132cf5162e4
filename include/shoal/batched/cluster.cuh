#pragma once

#include <shoal/group/lockstep.cuh>

/// \file
/// The threads of a thread-block cluster as a group, and what lies in the shared memory of its blocks.

namespace shoal::batched::detail {

/// All threads of a cluster of blocks of `Threads`; those of a block where there are no clusters.
template <int Threads>
struct cluster_group {
    static constexpr shoal::scope scope = shoal::scope::grid;
    __device__ static int block() {
        unsigned r = 0;
#if __CUDA_ARCH__ >= 900
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
#endif
        return static_cast<int>(r);
    }
    __device__ static int blocks() {
        unsigned r = 1;
#if __CUDA_ARCH__ >= 900
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
#endif
        return static_cast<int>(r);
    }
    __device__ static int rank() {
        return block() * Threads + static_cast<int>(threadIdx.x);
    }
    __device__ static int size() {
        return blocks() * Threads;
    }
    __device__ static void sync() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#else
        __syncthreads();
#endif
    }
    /// The warp that the calling thread belongs to.
    template <int W>
    __device__ static lockstep_tile<W> split() {
        static_assert(Threads % W == 0);
        return {};
    }
};

/// The address of p, a pointer into this block's shared memory, in another block of the cluster.
template <class T>
__device__ T* in_block(T* p, [[maybe_unused]] int block) {
#if __CUDA_ARCH__ >= 900
    T* q;
    asm("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(block));
    return q;
#else
    return p;
#endif
}

}  // namespace shoal::batched::detail
