#pragma once

#include <type_traits>

#include <shoal/group/collectives.hpp>

/// \file
/// What is too short to be shared among the warps of a block, each warp does on its own and for itself: all then know the
/// result without a barrier, and one of them writes it.

namespace shoal::fast {

/// Members of the warps that blocks are taken apart into.
inline constexpr int warp_lanes = 32;

/// Whether a group is a warp, or can be taken apart into warps when its size is a multiple of 32.
template <class G>
inline constexpr bool has_warps = false;
template <Group G>
requires(G::scope == scope::warp || G::scope == scope::block) inline constexpr bool has_warps<G> =
    group_size<G> == warp_lanes ||
    (G::scope == scope::block && group_size<G> % warp_lanes <= 0 && requires(const G& g) {
        { g.template split<warp_lanes>() } -> ShuffleGroup;
    });

/// The calling member's warp.
template <Group G>
SHOAL_FN auto warp_of(const G& g) {
    if constexpr (G::scope == scope::block) {
        return g.template split<warp_lanes>();
    } else {
        return with_exit_sync(g);
    }
}

/// Whether this group, whose size may be known only now, consists of whole warps.
template <Group G>
SHOAL_FN bool whole_warps(const G& g) {
    return g.size() % warp_lanes == 0;
}

/// Slots that n rows take when they are dealt to the lanes of a warp; -1 when n is not static.
SHOAL_FN constexpr int warp_slots(int n) {
    return n < 0 ? -1 : (n + warp_lanes - 1) / warp_lanes;
}

}  // namespace shoal::fast
