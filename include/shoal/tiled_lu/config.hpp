#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <shoal/core/math.hpp>

namespace shoal::tiled_lu {

/// When an entry gets the updates of the tiles before it: `right` applies a tile to everything behind it at once, `left`
/// collects what an entry has missed when its turn comes. The same operations in the same order an entry, hence the
/// same bits.
enum class looking { right, left };

/// How rows change places. `logical`: they stay, and pivots[i] says which row of memory is row i. `physical`: they move,
/// and pivots[k] >= k is the row that was exchanged with row k, as in LAPACK but 0-based. With a small static order
/// `physical` keeps the whole system in registers.
enum class interchange { logical, physical };

/// What the elements e = 0, 1, ..., n^2 - 1 of a matrix mean: rows after rows, or columns after columns. The factors are
/// those of the memory read by rows, so of the transposed matrix under `col_major`.
enum class storage { row_major, col_major };

/// Where a pivot is looked for.
/// - `automatic`: the largest entry of the whole remaining column, which is partial pivoting, as long as
///   `relative_pivot_threshold` is 1 or as it was and `oot_pivot_threshold` and `oot_first_acceptable` are as they were;
///   whoever sets them gets `tile`, for which they are made.
/// - `column`: the row in place stays if it reaches `relative_pivot_threshold` times the largest entry of the whole
///   remaining column; otherwise the row of that entry comes. Independent of the scale of A and of the tiles. Fewer
///   rows move, and entries may grow by 1 + 1 / threshold a step.
/// - `tile`: the row in place stays if it reaches that share of the largest entry in its tile and
///   `oot_pivot_threshold`. Only where the tile has nothing of that size, the rows below are searched. Fewer entries
///   are read, and digits are lost where the tile is small beside the rest of its column.
enum class search { automatic, column, tile };

/// A number of type T as a template value: compilers before C++20 was complete, CUDA 12 among them, take no
/// floating-point members there. Converts from and to T without rounding.
template <class T>
struct threshold {
    std::uint64_t mantissa = 0;  ///< odd, or zero
    int exponent = 0;
    bool negative = false;

    constexpr threshold() = default;
    /// From its members: nvcc spells template values so in the code that it hands to the host compiler.
    SHOAL_FN constexpr threshold(std::uint64_t m, int e, bool below)
        : mantissa(m), exponent(e), negative(below) {}

    template <class U>
    requires(std::is_arithmetic_v<U>) SHOAL_FN constexpr threshold(U number) {
        T value = static_cast<T>(number);
        negative = value < T(0);
        if (negative) value = -value;
        if (!(value <= core::largest_finite<T>)) value = core::largest_finite<T>;
        if (value == T(0)) return;
        for (; value < T(0x1p63); --exponent) value *= T(2);
        for (; value >= T(0x1p64); ++exponent) value *= T(0.5);
        mantissa = static_cast<std::uint64_t>(value);
        for (; mantissa % 2 == 0; ++exponent) mantissa /= 2;
    }

    SHOAL_FN constexpr operator T() const {
        T value = static_cast<T>(mantissa);
        for (int e = exponent; e > 0; --e) value *= T(2);
        for (int e = exponent; e < 0; ++e) value *= T(0.5);
        return negative ? -value : value;
    }

    friend constexpr bool operator==(const threshold&, const threshold&) = default;
};

/// Everything that is chosen at compile time about one solver: a template value, written with designated initialisers.
///
/// Factors and their pivots serve every configuration with the same `row_interchange` and `layout`, whether the order is
/// static or dynamic.
///
/// nvcc 13 cannot make the stub of a kernel that is a template over such a value: hand it a type that holds the value.
template <class T>
struct config {
    using value_type = T;

    /// Rows and columns of a tile, at least 1; more than n gives one tile.
    int tile_size = 3;
    looking schedule = looking::right;
    interchange row_interchange = interchange::logical;
    /// The row in place keeps the pivot at this share of the largest candidate, see `pivot_search`; in (0, 1], 1 takes
    /// the largest always.
    threshold<T> relative_pivot_threshold = 0.1;
    /// Below this the pivots of a tile count as missing: the column is counted, and `search::tile` looks further.
    threshold<T> oot_pivot_threshold = std::is_same_v<T, float> ? 1e-4 : 1e-10;
    /// What is smaller is no pivot at all, and the matrix counts as singular.
    threshold<T> singular_floor = std::numeric_limits<T>::min();
    /// `search::tile`: the first row below with `oot_pivot_threshold` will do, instead of the largest.
    bool oot_first_acceptable = true;
    /// Tiles are worked on with compile-time indices, which registers need; otherwise code is small.
    bool unroll_loops = true;
    storage layout = storage::row_major;
    search pivot_search = search::automatic;
};

namespace detail {

/// Says what is wrong with a configuration.
template <auto Config>
struct checked {
    using T = typename std::remove_cvref_t<decltype(Config)>::value_type;
    static constexpr T relative = Config.relative_pivot_threshold;
    static constexpr T acceptable = Config.oot_pivot_threshold;
    static constexpr T floor = Config.singular_floor;
    static_assert(Config.tile_size >= 1, "tile_size must be at least 1");
    static_assert(relative > T(0) && relative <= T(1), "relative_pivot_threshold must be in (0, 1]");
    static_assert(floor > T(0), "singular_floor must be positive");
    static_assert(floor <= acceptable, "singular_floor must not exceed oot_pivot_threshold");
    static constexpr config<T> untouched{};
    static constexpr bool partial_pivoting =
        Config.pivot_search == search::automatic &&
        (relative == T(1) || relative == T(untouched.relative_pivot_threshold)) &&
        acceptable == T(untouched.oot_pivot_threshold) && Config.oot_first_acceptable;
    static constexpr bool whole_column = partial_pivoting || Config.pivot_search == search::column;
    static constexpr bool value = true;
};

}  // namespace detail
}  // namespace shoal::tiled_lu
