#pragma once

#include <shoal/tiled_lu/operands.hpp>

namespace shoal::tiled_lu {

namespace detail {

/// The largest order whose factorisation one thread of a GPU keeps in its 255 registers.
template <class T>
inline constexpr int register_order = sizeof(T) == 4 ? 12 : 8;

template <class T, int N>
SHOAL_FN constexpr config<T> suggested() {
    config<T> c;
    // Nothing is gained from keeping a smaller pivot: rows move at the same cost either way.
    c.relative_pivot_threshold = 1;
    if (N != dynamic && N <= register_order<T>) {
        c.tile_size = N;
        c.row_interchange = interchange::physical;
    } else {
        c.tile_size = 4;
    }
    return c;
}

}  // namespace detail

/// The configuration for order N (or `dynamic`) when the caller names none: the largest entry of the column is the
/// pivot, and up to order 8 (double) or 12 (float) the system stays in the registers of a GPU thread.
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
