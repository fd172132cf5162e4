#pragma once

#include <shoal/batched/gesv.cuh>
#include <shoal/batched/tiled_lu.hpp>

namespace shoal::batched {

/// batched::tiled_lu() in one kernel on `stream`: A, x and `info` in device memory. Allocates nothing, waits for nothing,
/// can be captured in a graph. Without a configuration `lu_tuning.hpp` chooses between a thread, a tile and a warp a
/// system, and between registers and a staged copy in shared memory, which does not show in the bits.
template <auto Config = shoal::tiled_lu::automatic, MatrixOperand A, VectorOperand X>
status tiled_lu(cudaStream_t stream, A a, X x, std::int64_t systems, int* info = nullptr) {
    detail::check_layout<Config>();
    if (const status bad = detail::check_solve(a, x, systems, "batched::tiled_lu"); !bad.ok()) return bad;
    if constexpr (detail::configured<Config>) {
        if (systems == 0) return {};
        return detail::start<thread_group, 1>(stream, systems, detail::tiled_lu_system<Config, A, X>{a, x},
                                              info, 0);
    } else {
        return gesv(stream, a, x, systems, info);
    }
}

}  // namespace shoal::batched
