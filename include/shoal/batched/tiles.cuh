#pragma once

#include <shoal/batched/launch.cuh>
#include <shoal/batched/tuning.hpp>
#include <shoal/fast/rows.hpp>

namespace shoal::batched::detail {

/// Runs a body on the tiles that `Choice` names, for matrices `View`: what does not fit the registers, or has a dynamic
/// order, is done by a warp.
template <class View, tile_choice Choice, class Body>
status start_tiles(cudaStream_t stream, std::int64_t systems, const Body& body, int* info) {
    using tile = lockstep_tile<Choice.width>;
    if constexpr (fast::suits_rows<tile, View>) {
        return start<tile, Choice.min_blocks>(stream, systems, body, info, Choice.resident);
    } else {
        // The bodies of other sizes end early in a system that fails: their tiles do not stay in step.
        return start<tile_group<32>, 1>(stream, systems, body, info, 0);
    }
}

}  // namespace shoal::batched::detail
