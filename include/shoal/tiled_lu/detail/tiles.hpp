#pragma once

#include <shoal/core/loop.hpp>
#include <shoal/tiled_lu/detail/scalar.hpp>
#include <shoal/tiled_lu/suggest.hpp>

/// \file
/// The grid of tiles, and loops inside a tile. One body serves tiles whose extent is static and those where it is not,
/// unrolled or not.

namespace shoal::tiled_lu::detail {

/// What follows from a configuration for one order.
template <auto Config, class T, int N>
struct plan {
    static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(Config)>::value_type, T>,
                  "tiled_lu: the configuration is for another scalar than the matrix");
    static_assert(checked<Config>::value);

    static constexpr T relative = checked<Config>::partial_pivoting ? T(1) : checked<Config>::relative;
    static constexpr T acceptable = checked<Config>::acceptable;
    static constexpr T floor = checked<Config>::floor;
    static constexpr bool physical = Config.row_interchange == interchange::physical;
    static constexpr bool left = Config.schedule == looking::left;
    static constexpr bool whole_column = checked<Config>::whole_column;
    static constexpr int tile = N == dynamic                  ? Config.tile_size
                                : physical && N <= flat_limit ? N
                                : Config.tile_size < N        ? Config.tile_size
                                                              : N;
    static constexpr bool single = N != dynamic && tile == N;
    using flat = std::bool_constant<Config.unroll_loops && tile <= flat_limit>;
    /// The whole system is one tile with compile-time indices.
    static constexpr bool in_registers = single && flat::value;
};

/// A tile extent known at compile time. Behind the last tile there is nothing, which saves its code as well.
template <int E, class Last = std::false_type>
struct whole {
    static constexpr int limit = E;
    static constexpr bool last = Last::value;
    static constexpr bool partial = false;
    SHOAL_FN static constexpr int size() noexcept { return E; }
};

/// The extent of the last tile of a dynamic order: below E.
template <int E>
struct part {
    static constexpr int limit = E;
    static constexpr bool last = true;
    static constexpr bool partial = true;
    int extent;
    SHOAL_FN constexpr int size() const noexcept { return extent; }
};

/// f(i) for i = first .. last - 1, all within one tile of at most Limit rows. Flat loops have bounds that do not move.
/// Loops of their own, not by way of core::loop: bodies nest these four deep, and every layer of lambdas that the
/// compiler must inline shows in its time.
template <class Flat, int Limit, class F>
SHOAL_FN constexpr void over(int first, int last, F f) noexcept {
    if constexpr (Flat::value) {
        SHOAL_UNROLL
        for (int i = 0; i < Limit; ++i) {
            if (i >= first && i < last) f(i);
        }
    } else {
        for (int i = first; i < last; ++i) f(i);
    }
}

/// f(i) for i = last - 1, ..., first.
template <class Flat, int Limit, class F>
SHOAL_FN constexpr void over_down(int first, int last, F f) noexcept {
    if constexpr (Flat::value) {
        SHOAL_UNROLL
        for (int i = Limit - 1; i >= 0; --i) {
            if (i >= first && i < last) f(i);
        }
    } else {
        for (int i = last - 1; i >= first; --i) f(i);
    }
}

/// f(i) for i = 0 .. Count - 1, flat.
template <int Count, class F>
SHOAL_FN constexpr void all(F f) noexcept {
    over<core::flat, Count>(0, Count, f);
}

/// The tiles of n rows or columns: full ones, then what is left.
template <int N, int Tile>
struct tile_grid {
    int n;

    SHOAL_FN constexpr int tail() const noexcept { return (N == dynamic ? n : N) % Tile; }
    SHOAL_FN constexpr int tail_start() const noexcept { return (N == dynamic ? n : N) - tail(); }

    /// f(start, extent) of the last tile if it is not a full one and starts at `first` or later.
    template <class F>
    SHOAL_FN constexpr void visit_tail(int first, F f) const noexcept {
        if constexpr (N == dynamic) {
            if constexpr (Tile > 1) {
                if (tail() > 0 && first <= tail_start()) f(tail_start(), part<Tile>{tail()});
            }
        } else if constexpr (N % Tile > 0) {
            if (first <= tail_start()) f(tail_start(), whole<N % Tile, std::true_type>{});
        }
    }

    /// f(start, extent) for the tiles from the one that starts at `first`, in ascending order.
    template <class F>
    SHOAL_FN constexpr void ascend(int first, F f) const noexcept {
        if constexpr (N == Tile) {
            if (first == 0) f(0, whole<Tile, std::true_type>{});
        } else {
            for (int start = first; start + Tile <= tail_start(); start += Tile) f(start, whole<Tile>{});
            visit_tail(first, f);
        }
    }

    /// The same in descending order.
    template <class F>
    SHOAL_FN constexpr void descend(int first, F f) const noexcept {
        if constexpr (N == Tile) {
            if (first == 0) f(0, whole<Tile, std::true_type>{});
        } else {
            visit_tail(first, f);
            for (int start = tail_start() - Tile; start >= first; start -= Tile) f(start, whole<Tile>{});
        }
    }
};

}  // namespace shoal::tiled_lu::detail
