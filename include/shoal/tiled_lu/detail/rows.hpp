#pragma once

#include <cstdint>

#include <shoal/tiled_lu/detail/tiles.hpp>

/// \file
/// Which row of memory is row i, and how rows, pivots and right-hand sides change places.

namespace shoal::tiled_lu::detail {

/// How the body reads a matrix: what its own type says comes before the configuration.
template <auto Config, class M>
inline constexpr storage layout_of = Config.layout;
template <auto Config, class M>
requires requires {
    M::layout;
}
inline constexpr storage layout_of<Config, M> = M::layout;

#if defined(SHOAL_DEVICE_CODE)
inline constexpr bool on_device = true;
#else
inline constexpr bool on_device = false;
#endif

/// Interchanges entries k and p >= k of those before `last`, which entry(i) refers to. The registers of a GPU
/// cannot be indexed by p: there a flat caller goes through all of them and selects. A CPU has them in its cache, where two
/// loads and two stores are faster (order 12: 0.44 us a solve instead of 0.63).
template <class Flat, int Limit, class Entry>
SHOAL_FN constexpr void exchange(int k, int p, int last, Entry entry) noexcept {
    auto upper = entry(k);
    if constexpr (Flat::value && on_device) {
        over<Flat, Limit>(k + 1, last, [&](int i) SHOAL_INLINE_LAMBDA {
            const bool chosen = i == p;
            const auto lower = entry(i);
            entry(i) = chosen ? upper : lower;
            upper = chosen ? lower : upper;
        });
        entry(k) = upper;
    } else {
        entry(k) = entry(p);
        entry(p) = upper;
    }
}

/// The pivots of one system.
template <class Plan, int N, class P>
struct row_map {
    using index = typename P::value_type;
    using flat = std::bool_constant<Plan::in_registers>;
    static constexpr int limit = N == dynamic ? 0 : N;
    P pivots;

    /// The row of memory that is row i.
    SHOAL_FN constexpr int operator()(int i) const noexcept {
        if constexpr (Plan::physical) {
            return i;
        } else {
            return static_cast<int>(pivots[i]);
        }
    }

    /// Also of rows that move: a failure leaves the pivots behind it as they are, and every index must stay inside.
    SHOAL_FN constexpr void start(int n) const noexcept {
        if constexpr (!(Plan::physical && Plan::single)) {
            over<flat, limit>(0, n, [&](int i) SHOAL_INLINE_LAMBDA { pivots[i] = static_cast<index>(i); });
        }
    }

    /// Notes that rows k and p >= k have changed places.
    SHOAL_FN constexpr void interchange(int k, int p) const noexcept {
        if constexpr (Plan::physical) {
            pivots[k] = static_cast<index>(p);
        } else {
            exchange<flat, limit>(k, p, limit,
                                  [&](int i) SHOAL_INLINE_LAMBDA -> index& { return pivots[i]; });
        }
    }
};

/// x := P x, or x := P^T x, in place, for the columns `first` .. `first` + W - 1 of x.
template <class Plan, int N, int W, class P, class X>
struct permutation {
    using T = typename X::value_type;
    using flat = std::bool_constant<Plan::in_registers>;
    static constexpr int limit = N == dynamic ? 0 : N;
    P pivots;
    X x;
    int n;
    int first;

    SHOAL_FN constexpr int at(int i) const noexcept { return static_cast<int>(pivots[i]); }

    SHOAL_FN constexpr void swap_rows(int k) const noexcept {
        const int p = at(k);
        all<W>([&](int w) SHOAL_INLINE_LAMBDA {
            exchange<flat, limit>(k, p, limit,
                                  [&](int i) SHOAL_INLINE_LAMBDA -> T& { return x(i, first + w); });
        });
    }

    /// Row i of the result is row pivots[i] of x (forward), or row pivots[i] of the result is row i of x.
    template <class Forward>
    SHOAL_FN constexpr void select(Forward) const noexcept {
        all<W>([&](int w) SHOAL_INLINE_LAMBDA {
            T old[limit > 0 ? limit : 1];
            over<flat, limit>(0, n, [&](int i) SHOAL_INLINE_LAMBDA { old[i] = x(i, first + w); });
            over<flat, limit>(0, n, [&](int i) SHOAL_INLINE_LAMBDA {
                over<flat, limit>(0, n, [&](int j) SHOAL_INLINE_LAMBDA {
                    if (at(Forward::value ? i : j) == (Forward::value ? j : i)) x(i, first + w) = old[j];
                });
            });
        });
    }

    /// Moves the cycle that `start` is on, at most n rows: what is no permutation has walks that never come back.
    template <class Forward>
    SHOAL_FN constexpr void rotate(Forward, int start) const noexcept {
        all<W>([&](int w) SHOAL_INLINE_LAMBDA {
            T held = x(start, first + w);
            int i = start;
            for (int next = at(i), left = n; next != start && --left > 0; next = at(i)) {
                if constexpr (Forward::value) {
                    x(i, first + w) = x(next, first + w);
                } else {
                    const T moved = x(next, first + w);
                    x(next, first + w) = held;
                    held = moved;
                }
                i = next;
            }
            x(Forward::value ? i : start, first + w) = held;
        });
    }

    /// Cycle after cycle from its smallest index; which are done is noted in a word, or found by walking them.
    template <class Forward>
    SHOAL_FN constexpr void cycles(Forward forward) const noexcept {
        constexpr int bits = 64;
        std::uint64_t done = 0;
        for (int start = 0; start < n; ++start) {
            bool smallest = true;
            if (n <= bits) {
                smallest = (done >> start) % 2 == 0;
                for (int i = start; smallest && (done >> i) % 2 == 0; i = at(i))
                    done |= std::uint64_t{1} << i;
            } else {
                for (int i = at(start), left = n; i != start && smallest && --left > 0; i = at(i))
                    smallest = i > start;
            }
            if (smallest) rotate(forward, start);
        }
    }

    template <class Forward>
    SHOAL_FN constexpr void apply(Forward forward) const noexcept {
        if constexpr (Plan::physical) {
            over<flat, limit>(0, n,
                              [&](int k) SHOAL_INLINE_LAMBDA { swap_rows(Forward::value ? k : n - 1 - k); });
        } else if constexpr (flat::value) {
            select(forward);
        } else {
            cycles(forward);
        }
    }
};

}  // namespace shoal::tiled_lu::detail
