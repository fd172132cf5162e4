#pragma once

/// \file
/// Test bodies on the groups of a GPU: one thread, tiles, warp, blocks; the buffer in global memory, and again in
/// shared memory where it fits. Several groups work at once, each on a buffer of its own, and all must agree.

#include "support/arena.hpp"
#include "support/judge.hpp"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <shoal/group/device.cuh>
#include <shoal/group/thread.hpp>

namespace shoal::support {

namespace detail {

/// The calling thread's group, and which group of the block it is.
template <class G>
__device__ inline G group_here() {
    return {};
}
template <class G>
__device__ inline int group_in_block() {
    if constexpr (G::scope == scope::block) {
        return 0;
    } else {
        return shoal::detail::flat_thread() / G::static_size;
    }
}
template <class G>
__host__ __device__ constexpr int groups_per_block(int threads) {
    if constexpr (G::scope == scope::block) {
        return 1;
    } else {
        return threads / G::static_size;
    }
}

enum class memory { global, shared };

template <class G, class Case, class T>
__global__ void __launch_bounds__(1024) run_case(Case c, T* buffers, int elements, int stride, memory where) {
    extern __shared__ __align__(128) unsigned char room[];
    const G g = group_here<G>();
    const int mine = group_in_block<G>();
    T* const global =
        buffers +
        (static_cast<std::int64_t>(blockIdx.x) * groups_per_block<G>(static_cast<int>(blockDim.x)) + mine) *
            stride;
    if (where == memory::global) {
        c(g, global);
        return;
    }
    T* const shared = reinterpret_cast<T*>(room) + static_cast<std::int64_t>(mine) * stride;
    for (int e = g.rank(); e < elements; e += g.size()) shared[e] = global[e];
    // The staged buffer, before the case reads it.
    g.sync();
    c(g, shared);
    // Whatever the case left to be written, before it is copied out.
    g.sync();
    for (int e = g.rank(); e < elements; e += g.size()) global[e] = shared[e];
}

inline void check_cuda(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(emu::text(what, ": ", cudaGetErrorString(e)));
}

template <class G, class Case, class T, class Judge>
void run_on(const std::string& name, int members, int blocks, int threads, memory where, const Case& c,
            const arena<T>& a, Judge& judge) {
    constexpr int align = 128 / static_cast<int>(sizeof(T));
    const int elements = a.size();
    const int stride = (elements + align - 1) / align * align;
    std::size_t bytes = 0;
    if (where == memory::shared) {
        constexpr std::size_t most = 48 * 1024;
        const auto one = static_cast<std::size_t>(stride) * sizeof(T);
        // Fewer groups of the block, as long as a warp stays whole where groups are parts of it.
        if constexpr (G::scope != scope::block)
            while (threads > G::static_size &&
                   one * static_cast<std::size_t>(groups_per_block<G>(threads)) > most)
                threads = threads > 2 * G::static_size ? threads / 2 : G::static_size;
        bytes = one * static_cast<std::size_t>(groups_per_block<G>(threads));
        if (bytes > most) return;
    }
    const int groups = blocks * groups_per_block<G>(threads);
    std::vector<T> host(static_cast<std::size_t>(groups) * static_cast<std::size_t>(stride), poison<T>());
    for (int k = 0; k < groups; ++k)
        for (int e = 0; e < elements; ++e)
            host[static_cast<std::size_t>(k) * static_cast<std::size_t>(stride) +
                 static_cast<std::size_t>(e)] = a.initial()[e];
    T* device = nullptr;
    try {
        check_cuda(cudaMalloc(&device, host.size() * sizeof(T)), "cudaMalloc");
        check_cuda(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice),
                   "copy in");
        run_case<G><<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), bytes>>>(
            c, device, elements, stride, where);
        check_cuda(cudaGetLastError(), "launch");
        check_cuda(cudaDeviceSynchronize(), "kernel");
        check_cuda(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost),
                   "copy out");
        cudaFree(device);
    } catch (const std::exception& e) {
        cudaFree(device);
        return judge.failed(name, e.what());
    }
    for (int k = 0; k < groups && !judge.enough(); ++k)
        judge.run(emu::text(name, ", group ", k),
                  host.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(stride), members);
}

template <class G, class Case, class T, class Judge>
void run_in(std::initializer_list<memory> places, const std::string& name, int members, int blocks,
            int threads, const Case& c, const arena<T>& a, Judge& judge) {
    if constexpr (supports<Case, G>()) {
        for (const memory where : places)
            if (!judge.enough())
                run_on<G>(emu::text(name, where == memory::global ? ", global" : ", shared"), members, blocks,
                          threads, where, c, a, judge);
    }
}

}  // namespace detail

/// Runs `c(group, buffer)` on every group, or on one of each kind where few were asked for; see lane.hpp.
template <class Case, class T, class Check>
void run_on_all_groups(const Case& c, const arena<T>& a, const Check& check,
                       across_groups bits = across_groups::same_bits) {
    detail::judge<T, Check> judge(a, check, bits);
    using enum detail::memory;
    const auto on = [&]<class G>(G, std::initializer_list<detail::memory> places, const char* name,
                                 int members, int blocks, int threads) {
        detail::run_in<G>(places, name, members, blocks, threads, c, a, judge);
    };
    if (few_groups()) {
        on(thread_group{}, {global}, "thread", 1, 2, 33);
        on(tile_group<8>{}, {shared}, "tile<8>", 8, 1, 64);
        on(tile_group<32>{}, {global, shared}, "warp", 32, 1, 64);
        for (int n : {33, 128})
            on(block_group{}, {global, shared}, emu::text("block(", n, ")").c_str(), n, 2, n);
        return judge.finish();
    }
    on(thread_group{}, {global, shared}, "thread", 1, 2, 33);
    on(tile_group<2>{}, {global, shared}, "tile<2>", 2, 1, 64);
    on(tile_group<4>{}, {global, shared}, "tile<4>", 4, 1, 64);
    on(tile_group<8>{}, {global, shared}, "tile<8>", 8, 1, 64);
    on(tile_group<16>{}, {global, shared}, "tile<16>", 16, 1, 64);
    on(tile_group<32>{}, {global, shared}, "warp", 32, 1, 64);
    for (int n : {1, 3, 32, 33, 64, 128, 256, 1024})
        on(block_group{}, {global, shared}, emu::text("block(", n, ")").c_str(), n, 2, n);
    judge.finish();
}

}  // namespace shoal::support
