#pragma once

#include <shoal/core/math.hpp>
#include <shoal/group/thread.hpp>

/// \file
/// What every group can do, derived once: shared loops, broadcast and reductions.

namespace shoal {

/// f(i) for i = 0 .. n - 1, shared among the members: i = rank, rank + size, ... No barrier.
template <class Flat, Group G, class F>
SHOAL_FN void strided(Flat how, const G& g, int n, F f) {
    core::loop(how, g.rank(), n, g.size(), f);
}

namespace detail {

/// Sums are made of this many partial sums, whatever the group.
inline constexpr int partials = 32;

/// Number of terms: static when N is.
template <int N>
SHOAL_FN constexpr int static_or(int n) {
    if constexpr (N >= 0) {
        return N;
    } else {
        return n;
    }
}

/// Folds part[0 .. 2 Half - 1] into part[0]. Recursion keeps every index static: nvcc unrolls the inner of
/// two nested loops first, and a halving bound would leave the array in local memory.
template <int Half, class T, class Combine>
SHOAL_FN void fold(T (&part)[partials], Combine combine) {
    if constexpr (Half > 0) {
        SHOAL_UNROLL
        for (int s = 0; s < Half; ++s) {
            part[s] = combine(part[s], part[s + Half]);
        }
        fold<Half / 2>(part, combine);
    }
}

/// The same over the members of a group of 2 Lanes: symmetric, so that every member ends with the same bits.
template <int Lanes, class T, Group G, class Combine>
SHOAL_FN T fold_lanes(const G& g, T part, Combine combine) {
    if constexpr (Lanes > 0) {
        return fold_lanes<Lanes / 2>(g, combine(part, g.shuffle_xor(part, Lanes)), combine);
    } else {
        return part;
    }
}

}  // namespace detail

/// Scratch elements that a reduction needs: none where the members exchange registers, otherwise one per
/// partial result.
template <Group G>
inline constexpr int reduction_scratch = ShuffleGroup<G> ? 0 : detail::partials;

/// Stands where no scratch is needed.
struct no_scratch {};

/// Reduces n terms in the library's one order; every member gets the result.
///
/// Partial result p = 0 .. 31 starts at `zero` and takes the terms p, p + 32, p + 64, ... by `part =
/// step(part, i)`; then `part[p] = combine(part[p], part[p + h])` for h = 16, 8, 4, 2, 1. The bits are the
/// same for every group; only which payload a sum of several NaNs has is left to the machine.
///
/// \tparam N number of terms if static, otherwise `dynamic`
/// \param scratch `reduction_scratch<G>` elements shared by the members (a vector view or anything indexed); not touched
///        where the members exchange registers
/// Barriers: two where the members do not exchange registers, otherwise none.
template <int N, class T, Group G, class Step, class Combine, class Scratch>
SHOAL_FN T reduce(const G& g, int size, T zero, Step step, Combine combine, Scratch scratch) {
    static_assert(ShuffleGroup<G> || !std::is_same_v<Scratch, no_scratch>,
                  "a group without shuffles needs scratch here: a view of reduction_scratch<G> elements");
    constexpr int P = detail::partials;
    const int n = detail::static_or<N>(size);
    if constexpr (ShuffleGroup<G>) {
        constexpr int W = G::static_size;
        constexpr int slots = P / W;
        T part[P];
        SHOAL_UNROLL
        for (int s = 0; s < P; ++s) {
            part[s] = zero;
        }
        core::loop(flatten<G, N>{}, 0, n, P, [&](int base) SHOAL_INLINE_LAMBDA {
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                const int i = base + g.rank() + W * s;
                if (i < n) {
                    part[s] = step(part[s], i);
                }
            }
        });
        detail::fold<slots / 2>(part, combine);
        return detail::fold_lanes<W / 2>(g, part[0], combine);
    } else {
        for (int p = g.rank(); p < P; p += g.size()) {
            T part = zero;
            for (int i = p; i < n; i += P) {
                part = step(part, i);
            }
            scratch[p] = part;
        }
        // The partial results of all members, before anyone folds them.
        g.sync();
        T part[P];
        SHOAL_UNROLL
        for (int p = 0; p < P; ++p) {
            part[p] = scratch[p];
        }
        // Everyone has read the scratch: it may be used again.
        g.sync();
        detail::fold<P / 2>(part, combine);
        return part[0];
    }
}

/// x of member `source`, given to every member. Groups that exchange registers need no scratch and no
/// barrier; others pass it through `scratch[0]`, with two barriers.
template <class T, Group G, class Scratch>
SHOAL_FN T broadcast(const G& g, T x, int source, Scratch scratch) {
    static_assert(ShuffleGroup<G> || !std::is_same_v<Scratch, no_scratch>,
                  "a group without shuffles needs scratch here: a view of one element");
    if constexpr (ShuffleGroup<G>) {
        return g.shuffle(x, source);
    } else {
        if (g.rank() == source) {
            scratch[0] = x;
        }
        // The written value, before anyone reads it.
        g.sync();
        const T value = scratch[0];
        // Everyone has read the scratch: it may be used again.
        g.sync();
        return value;
    }
}

}  // namespace shoal
