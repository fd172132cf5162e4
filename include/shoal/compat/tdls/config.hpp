#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <shoal/tiled_lu/config.hpp>
#include <shoal/tiled_lu/operands.hpp>

/// \file
/// The vocabulary of the drop-in header: its configuration, and what turns its pointers, strides and flags into operands.

#ifndef SHOAL_TDLS_NAMESPACE
#  define SHOAL_TDLS_NAMESPACE tdls
#endif

namespace SHOAL_TDLS_NAMESPACE {

/// When an entry gets the updates of the tiles before it.
enum class Schedule { RightLooking, LeftLooking };
/// Whether rows change places in an index, or in memory (then the whole matrix is one tile).
enum class RowInterchange { Logical, Physical };
/// ColMajor factors the transposed matrix, which is what its memory holds row after row.
enum class MatrixLayout { RowMajor, ColMajor };
/// Where pivots are looked for: the whole remaining column, or its tile first and the rows below only in need. Automatic is
/// partial pivoting, unless a threshold or oot_first_acceptable is set: those are made for Tile.
enum class PivotSearch { Automatic, Column, Tile };

/// What a template argument for a stride says when the stride is the run-time argument.
inline constexpr int dynamic_stride = std::numeric_limits<int>::min();

/// What is chosen at compile time about a solver: a template value, written with designated initialisers.
template <class T>
struct TiledLUppConfig {
    int tile_size = 3;  ///< at least 1; more than N gives one tile
    Schedule schedule = Schedule::RightLooking;
    RowInterchange row_interchange = RowInterchange::Logical;
    /// The row in place keeps the pivot at this share of the largest candidate; in (0, 1].
    shoal::tiled_lu::threshold<T> relative_pivot_threshold = 0.1;
    /// A column whose tile has no pivot of this size is counted.
    shoal::tiled_lu::threshold<T> oot_pivot_threshold = std::is_same_v<T, float> ? 1e-4 : 1e-10;
    /// What is smaller is no pivot.
    shoal::tiled_lu::threshold<T> singular_floor = std::numeric_limits<T>::min();
    /// Below the tile: the first row that reaches oot_pivot_threshold, or the largest of all.
    bool oot_first_acceptable = true;
    bool unroll_loops = true;
    MatrixLayout layout = MatrixLayout::RowMajor;
    PivotSearch pivot_search = PivotSearch::Automatic;
};

namespace detail {

namespace lu = shoal::tiled_lu;

constexpr lu::search native(PivotSearch search) noexcept {
    return search == PivotSearch::Automatic ? lu::search::automatic
           : search == PivotSearch::Column  ? lu::search::column
                                            : lu::search::tile;
}
template <class T>
constexpr lu::config<T> native(const TiledLUppConfig<T>& c) noexcept {
    return {
        .tile_size = c.tile_size,
        .schedule = c.schedule == Schedule::RightLooking ? lu::looking::right : lu::looking::left,
        .row_interchange = c.row_interchange == RowInterchange::Logical ? lu::interchange::logical
                                                                        : lu::interchange::physical,
        .relative_pivot_threshold = c.relative_pivot_threshold,
        .oot_pivot_threshold = c.oot_pivot_threshold,
        .singular_floor = c.singular_floor,
        .oot_first_acceptable = c.oot_first_acceptable,
        .unroll_loops = c.unroll_loops,
        .layout = c.layout == MatrixLayout::RowMajor ? lu::storage::row_major : lu::storage::col_major,
        .pivot_search = native(c.pivot_search),
    };
}

/// Number `Place` of the strides given as template arguments, or dynamic_stride.
template <int Place, int... Strides>
inline constexpr int stride_at = [] {
    constexpr int strides[] = {Strides..., dynamic_stride, dynamic_stride, dynamic_stride, dynamic_stride};
    return strides[Place];
}();

/// One of the three arrays: the caller's own, or memory with a stride of either kind.
template <bool Internal, int Stride, class T>
SHOAL_FN constexpr auto array(T* data, int stride) noexcept {
    if constexpr (Internal) {
        return lu::local(data);
    } else if constexpr (Stride != dynamic_stride) {
        return lu::strided<Stride>(data);
    } else {
        return lu::strided(data, stride);
    }
}
template <bool Internal, int... Strides>
SHOAL_FN constexpr auto pivots(auto* piv, int stride) noexcept {
    return array<Internal, stride_at<1, Strides...>>(piv, stride);
}
template <bool Internal, int... Strides>
SHOAL_FN constexpr auto column(auto* x, int stride) noexcept {
    return array<Internal, stride_at<2, Strides...>>(x, stride);
}
template <int... Strides>
SHOAL_FN constexpr std::int64_t next_column(std::int64_t stride) noexcept {
    return stride_at<3, Strides...> == dynamic_stride ? stride : stride_at<3, Strides...>;
}

}  // namespace detail
}  // namespace SHOAL_TDLS_NAMESPACE
