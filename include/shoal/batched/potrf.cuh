#pragma once

#include <shoal/batched/potrf.hpp>
#include <shoal/batched/threads.cuh>
#include <shoal/batched/tiles.cuh>

namespace shoal::batched {

/// batched::potrf() in one kernel on `stream`: A and `info` in device memory. Allocates nothing, waits for nothing, can
/// be captured in a graph. Static orders up to 32 are factored in registers by tiles that `tuning.hpp` chooses, and
/// interleaved ones by threads if they can hold them, which does not show in the bits; other orders by a warp each.
template <MatrixOperand A, uplo Uplo>
status potrf(cudaStream_t stream, triangles<A, Uplo> a, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_potrf(a, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    using view = typename A::view;
    using element = typename view::value_type;
    constexpr int n = view::static_rows;
    const detail::potrf_system<triangles<A, Uplo>> body{a};
    if (systems <= small_batch)
        return detail::start_tiles<view, latency_tile(n)>(stream, systems, body, info);
    if constexpr (detail::by_threads<A>) {
        return detail::start<thread_group, 1>(stream, systems, detail::potrf_in_thread<triangles<A, Uplo>>{a},
                                              info, 0);
    } else {
        return detail::start_tiles<view, potrf_tile(n, sizeof(element))>(stream, systems, body, info);
    }
}

}  // namespace shoal::batched
