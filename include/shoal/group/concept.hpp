#pragma once

#include <concepts>
#include <type_traits>

#include <shoal/core/loop.hpp>
#include <shoal/core/macros.hpp>

namespace shoal {

/// Who computes.
enum class scope { thread, tile, warp, block, grid };

/// The members that carry out one call together.
///
/// Any size >= 1 is legal. Every member enters an op, with equal arguments; every op returns synchronised:
/// its results are visible to the whole group and its scratch may be used again. `rank()` is 0 .. size() - 1.
/// `sync()` is a barrier that also makes writes to memory visible to the other members.
template <class G>
concept Group = requires(const G& g) {
    { G::scope } -> std::convertible_to<scope>;
    { g.rank() } -> std::convertible_to<int>;
    { g.size() } -> std::convertible_to<int>;
    g.sync();
};

/// A group whose members exchange registers: a thread, a tile or a warp.
///
/// `static_size` is a power of two up to 32. `shuffle(x, source)` gives the x of member `source`;
/// `shuffle_xor(x, mask)` that of member `rank() ^ mask`. Both are collectives: every member calls them.
template <class G>
concept ShuffleGroup = Group<G> && requires(const G& g, double x, int i) {
    { G::static_size } -> std::convertible_to<int>;
    { g.shuffle(x, i) } -> std::same_as<double>;
    { g.shuffle_xor(x, i) } -> std::same_as<double>;
};

/// Number of members when it is static, otherwise `dynamic` (-1).
template <Group G>
inline constexpr int group_size = [] {
    if constexpr (requires { G::static_size; }) {
        return static_cast<int>(G::static_size);
    } else {
        return -1;
    }
}();

/// Whether ops called on G end with their exit barrier: yes, unless `defer_sync` wrapped it.
template <Group G>
inline constexpr bool syncs_on_exit = !requires {
    typename G::defers_exit_sync;
};

namespace detail {
/// G without the exit barrier of the ops called on it.
template <Group G>
struct deferred : G {
    using defers_exit_sync = void;
    using full_group = G;
    SHOAL_FN constexpr explicit deferred(const G& g) : G(g) {}
};
}  // namespace detail

/// The same group, with the last barrier of the op left to the caller: `potrf(defer_sync(g), A)` returns
/// without it, and the results are visible to other members, and scratch reusable, only after the caller's
/// own `g.sync()`.
template <Group G>
SHOAL_FN constexpr auto defer_sync(const G& g) {
    if constexpr (syncs_on_exit<G>) {
        return detail::deferred<G>(g);
    } else {
        return g;
    }
}

/// The group below a `defer_sync`: for the inner steps of an op that is made of ops.
template <Group G>
SHOAL_FN constexpr auto with_exit_sync(const G& g) {
    if constexpr (syncs_on_exit<G>) {
        return g;
    } else {
        return static_cast<const typename G::full_group&>(g);
    }
}

/// Largest static extent whose loops are flattened at thread scope: 12 x 12 floats fill a thread's registers.
inline constexpr int largest_flat_extent = 16;

/// `flat` when one thread works on static extents, all at most `largest_flat_extent`; otherwise `rolled`.
template <Group G, int... Extents>
using flatten = std::bool_constant<G::scope == scope::thread &&
                                   ((Extents >= 0 && Extents <= largest_flat_extent) && ...)>;

}  // namespace shoal
