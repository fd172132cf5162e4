#pragma once

#include <shoal/batched/bdsv.hpp>
#include <shoal/batched/launch.cuh>
#include <shoal/batched/tuning.hpp>

namespace shoal::batched {

namespace detail {

/// Lanes a system of a large batch: the narrowest tile that has a lane for each row. Elsewhere a warp, whose parts share
/// the products.
constexpr int bdsv_tile(int n) {
    int width = 2;
    while (width < n && width < 32) width *= 2;
    return width;
}

template <int Width, class Body>
status start_bdsv(cudaStream_t stream, std::int64_t systems, const Body& body, int* info) {
    constexpr int n = decltype(Body::a)::view::block_size;
    if constexpr (n <= shoal::detail::largest_row_block) {
        return start<lockstep_tile<Width>, 1>(stream, systems, body, info, 0);
    } else {
        // This body leaves its loops early in a system that fails.
        return start<tile_group<32>, 1>(stream, systems, body, info, 0);
    }
}

template <bdsv_phase Phase, class A, class X>
status bdsv_on_stream(cudaStream_t stream, const A& a, const X& x, std::int64_t systems, int* info) {
    if (const status bad = check_bdsv<Phase>(a, x, systems); !bad.ok()) return bad;
    if (systems == 0 || (a.empty() && info == nullptr)) return {};
    const bdsv_system<Phase, A, X> body{a, x};
    if (systems <= bdsv_small_batch) return start_bdsv<32>(stream, systems, body, info);
    return start_bdsv<bdsv_tile(A::view::block_size)>(stream, systems, body, info);
}

}  // namespace detail

/// batched::bdsv() in one kernel on `stream`: strips, vectors and `info` in device memory. Allocates nothing, waits for
/// nothing, can be captured in a graph. Blocks up to 16 are eliminated in registers, a system by a tile or a warp, which
/// does not show in the bits; larger blocks by a warp in memory.
template <Operand A, Operand X>
status bdsv(cudaStream_t stream, A a, X x, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_stream<detail::bdsv_phase::both>(stream, a, x, systems, info);
}

/// batched::bdsv_factor() on `stream`; see bdsv().
template <Operand A>
status bdsv_factor(cudaStream_t stream, A a, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_stream<detail::bdsv_phase::factor>(stream, a, detail::any_vectors<A>{}, systems,
                                                              info);
}

/// batched::bdsv_solve() on `stream`; see bdsv().
template <Operand A, Operand X>
status bdsv_solve(cudaStream_t stream, A factor, X x, std::int64_t systems) {
    return detail::bdsv_on_stream<detail::bdsv_phase::solve>(stream, factor, x, systems, nullptr);
}

}  // namespace shoal::batched
