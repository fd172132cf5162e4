#pragma once

#include <shoal/batched/posv.hpp>
#include <shoal/batched/threads.cuh>
#include <shoal/batched/tiles.cuh>

namespace shoal::batched {

/// batched::posv() in one kernel on `stream`: A, B and `info` in device memory. Allocates nothing, waits for nothing, can
/// be captured in a graph. Static orders up to 32 with one right-hand side are solved in registers by tiles that
/// `tuning.hpp` chooses, and interleaved ones by threads if they can hold them, which does not show in the bits; others by
/// a warp each.
template <MatrixOperand A, uplo Uplo, Operand B>
status posv(cudaStream_t stream, triangles<A, Uplo> a, B b, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_posv(a, b, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    using view = typename A::view;
    using element = typename view::value_type;
    constexpr int n = view::static_rows;
    const detail::posv_system<triangles<A, Uplo>, B> body{a, b};
    if constexpr (VectorOperand<B>) {
        if (systems <= small_batch)
            return detail::start_tiles<view, latency_tile(n)>(stream, systems, body, info);
        if constexpr (detail::by_threads<A>) {
            return detail::start<thread_group, 1>(
                stream, systems, detail::posv_in_thread<triangles<A, Uplo>, B>{a, b}, info, 0);
        } else {
            // The same tiles whether the factor is kept or not: those of potrf() were slower for both.
            return detail::start_tiles<view, posv_tile(n, sizeof(element))>(stream, systems, body, info);
        }
    } else {
        return detail::start<tile_group<32>, 1>(stream, systems, body, info, 0);
    }
}

}  // namespace shoal::batched
