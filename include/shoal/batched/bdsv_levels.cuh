#pragma once

#include <shoal/batched/bdsv.hpp>
#include <shoal/batched/cluster.cuh>
#include <shoal/batched/launch.cuh>

/// \file
/// bdsv() in levels by all warps of a thread-block cluster: the knots of a level are eliminated at once, a few on each
/// multiprocessor. The strips stay in global memory, what the levels tell each other of x in the first block's shared memory.

namespace shoal::batched::detail {

/// A warp a scheduler: more would share its tensor cores.
inline constexpr int bdsv_levels_threads = 128;

template <bdsv_phase Phase, class A, class X>
__global__ void __launch_bounds__(bdsv_levels_threads)
    run_bdsv_levels(std::int64_t systems, A a, X x, int* info) {
    using T = typename A::view::value_type;
    extern __shared__ __align__(16) unsigned char room[];
    const cluster_group<bdsv_levels_threads> g;
    const auto blocks = static_cast<unsigned>(g.blocks());
    const std::int64_t s = static_cast<std::int64_t>(blockIdx.y) * (gridDim.x / blocks) + blockIdx.x / blocks;
    // A cluster that has no system leaves as a whole.
    if (s >= systems) return;
    T* const scratch = in_block(reinterpret_cast<T*>(room), 0);
    // All blocks have started, before their shared memory is touched.
    g.sync();
    knot_info found;
    if constexpr (Phase == bdsv_phase::factor) {
        found = shoal::detail::bdsv_factor_levels(g, a(s), nullptr, nullptr, scratch);
    } else if constexpr (Phase == bdsv_phase::solve) {
        shoal::detail::bdsv_solve_levels(g, a(s), x(s));
    } else {
        found = shoal::detail::bdsv_levels(g, a(s), x(s), scratch);
    }
    if (info != nullptr && g.rank() == 0) info[s] = found.index(A::view::block_size);
}

template <bdsv_phase Phase, class A, class X>
status start_bdsv_levels(cudaStream_t stream, std::int64_t systems, const A& a, const X& x, int* info) {
    constexpr int n = A::view::block_size;
    static_assert(!A::view::symmetric && n <= shoal::detail::largest_row_block,
                  "batched::bdsv: the levels algorithm needs blocks up to 16 and strips [L | D | R]");
    const void* kernel = reinterpret_cast<const void*>(&run_bdsv_levels<Phase, A, X>);
    int device = 0, major = 0, most = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    // Always the same number for a kernel, so that calls of several threads do not take it from each other.
    if (e == cudaSuccess) e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (e != cudaSuccess) return from_cuda(e);
    const std::int64_t bytes =
        (std::int64_t{n} + 1) * a.knots() * static_cast<std::int64_t>(sizeof(typename A::view::value_type));
    if (bytes > most)
        return {status_code::unsupported,
                "batched::bdsv: the levels algorithm needs (n + 1) N elements of a block's shared memory"};
    // A warp for each knot of the first level, as far as a cluster goes.
    int blocks = 1;
    while (major >= 9 && blocks < 8 && blocks * bdsv_levels_threads / 32 < (a.knots() + 1) / 2) blocks *= 2;
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    constexpr std::int64_t across = 1 << 27;
    const std::int64_t wide = systems < across ? systems : across;
    cudaLaunchConfig_t config{};
    config.gridDim =
        dim3(static_cast<unsigned>(wide * blocks), static_cast<unsigned>((systems + wide - 1) / wide));
    config.blockDim = dim3(bdsv_levels_threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = blocks > 1 ? 1 : 0;
    A strips = a;
    X vectors = x;
    void* arguments[] = {&systems, &strips, &vectors, &info};
    return from_cuda(cudaLaunchKernelExC(&config, kernel, arguments));
}

}  // namespace shoal::batched::detail
