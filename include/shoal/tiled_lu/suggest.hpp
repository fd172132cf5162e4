#pragma once

#include <shoal/tiled_lu/operands.hpp>

namespace shoal::tiled_lu {

namespace detail {

/// The largest order of a tile with compile-time indices whatever the configuration says: code grows with the cube.
inline constexpr int flat_limit = 16;

template <class T, int N>
SHOAL_FN constexpr config<T> suggested() {
    config<T> c;
    // Nothing is gained from keeping a smaller pivot: rows move at the same cost either way.
    c.relative_pivot_threshold = 1;
    // One convention for every order, so that factors of a static order serve a dynamic one. In memory it costs nothing: tiles
    // of 4 on a CPU, dynamic 32: 3.64 us (logical 3.75), static 20: 0.96 us (1.09).
    c.row_interchange = interchange::physical;
    // Physical, the factors dropped, against the best tiles in memory, ns a system of 131072 on one H200, a thread each:
    // double 8: 0.28 (0.39 with the factors) and 1.6, 10: 0.49 and 2.6, 12: 0.96
    // and 3.2, 14: 2.7 and 4.4, 16: 6.4 and 7.1; float 16: 0.90 and 3.4. All in registers up to 8 (float: 12).
    c.tile_size = N != dynamic && N <= flat_limit ? N : 4;
    return c;
}

}  // namespace detail

/// The configuration for order N (or `dynamic`) when the caller names none: the largest entry of the column is the
/// pivot, and rows move, so that factors of a static and of a dynamic order are the same. Up to order 16 the system is one
/// tile, which up to order 8 (double) or 12 (float) stays in the registers of a GPU thread.
template <class T, int N>
inline constexpr config<T> suggest = detail::suggested<T, N>();

/// The type of `automatic`.
struct automatic_config {};
/// Stands for `suggest<T, N>` where a template argument behind it is given.
inline constexpr automatic_config automatic{};

namespace detail {

template <auto Config, class T, int N>
SHOAL_FN constexpr auto resolved() {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Config)>, automatic_config>) {
        return suggested<T, N>();
    } else {
        return Config;
    }
}

}  // namespace detail
}  // namespace shoal::tiled_lu
