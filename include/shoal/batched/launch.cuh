#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include <shoal/batched/launch.hpp>
#include <shoal/group/lockstep.cuh>

namespace shoal::batched {

namespace detail {

/// Threads of a block that hosts groups G: all of a sized block, otherwise four warps, which share a scheduler each.
template <class G>
inline constexpr int block_threads = G::scope == scope::block ? group_size<G> : 128;

template <class G, int MinBlocks, class Body>
__global__ void __launch_bounds__(block_threads<G>, MinBlocks)
    run_systems(std::int64_t systems, Body body, int* info) {
    const G g;
    const std::int64_t s = first_system(g);
    // Groups that have no system leave: nothing that follows needs them.
    if (s >= systems) return;
    if constexpr (reports<Body, G>) {
        const int k = body(g, s);
        if (info != nullptr && g.rank() == 0) info[s] = k;
    } else {
        body(g, s);
    }
}

/// A grid with room for this many systems. Its first dimension goes a long way; the second only has to carry on where
/// that ends.
inline dim3 grid_for(std::int64_t systems, int systems_per_block) {
    constexpr std::int64_t most = 0x7fffffff;
    const std::int64_t blocks = (systems + systems_per_block - 1) / systems_per_block;
    const std::int64_t rows = (blocks + most - 1) / most;
    return dim3(static_cast<unsigned>((blocks + rows - 1) / rows), static_cast<unsigned>(rows));
}

inline status from_cuda(cudaError_t error) {
    return error == cudaSuccess ? status{} : status{status_code::device_error, cudaGetErrorString(error)};
}

/// Shared memory that a block must ask for so that no more than `resident` of them run on a multiprocessor at once.
inline cudaError_t reserve(int resident, const void* kernel, std::size_t& bytes) {
    bytes = 0;
    if (resident == 0) return cudaSuccess;
    int device = 0;
    int all = 0;
    int most = 0;
    if (const cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
    cudaError_t e = cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess) return e;
    // 1 KB of each block's share belongs to the system.
    bytes = static_cast<std::size_t>(std::min(most, all / resident - 1024));
    // Always the same number for a kernel, so that calls of several threads do not take it from each other.
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

/// The launcher, after its arguments have been checked.
template <class G, int MinBlocks, class Body>
status start(cudaStream_t stream, std::int64_t systems, const Body& body, int* info, int resident) {
    constexpr int threads = block_threads<G>;
    const void* kernel = reinterpret_cast<const void*>(&run_systems<G, MinBlocks, Body>);
    std::size_t bytes = 0;
    if (const cudaError_t e = reserve(resident, kernel, bytes); e != cudaSuccess) return from_cuda(e);
    Body copy = body;
    void* arguments[] = {&systems, &copy, &info};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, threads / group_size<G>), dim3(threads),
                                      arguments, bytes, stream));
}

}  // namespace detail

/// body(g, s) for s = 0 .. systems - 1 in one kernel, each by a group of kind G: `thread_group`, `tile_group<W>`, or
/// `sized_block_group<Threads>`. `lockstep_tile<W>` is the faster tile for bodies without branches around collectives.
///
/// `body` is copied to the device: a function object, or a lambda where nvcc is given `--extended-lambda`. Its value,
/// if any, is the info of the system and goes to info[s] (device memory) unless `info` is null. Allocates nothing, waits
/// for nothing, and can be captured in a graph; any number of systems up to 2^40. No systems: nothing is launched.
/// \tparam MinBlocks blocks that must fit on a multiprocessor at once: what bounds the registers of a body that waits more
/// than it computes. A block has 128 threads, or those of a sized block.
template <Group G, int MinBlocks = 1, SystemBody<G> Body>
status launch(cudaStream_t stream, std::int64_t systems, const Body& body, int* info = nullptr) {
    static_assert(group_size<G> > 0, "batched::launch: a block must be sized: sized_block_group<Threads>");
    if (const status bad = detail::check_systems(systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    return detail::start<G, MinBlocks>(stream, systems, body, info, 0);
}

}  // namespace shoal::batched
