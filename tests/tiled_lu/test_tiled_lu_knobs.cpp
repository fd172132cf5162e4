// What the documented knobs of pivoting do, and the counter of columns without a pivot in their tile.

#include "tiled_lu/one_system.hpp"

namespace {

using namespace tiled_lu_test;
using lu::config;
using lu::interchange;
using lu::search;
using numbers = std::vector<double>;

constexpr config<double> documented;

/// The leading tile of 2 is zero in its first column; rows 2 and 3 offer 1e-3 and 8.
const numbers starved = {0, 1, 2, 3, 0, 2, 1, 1, 1e-3, 1, 1, 0, 8, 1, 0, 1};

TEST(tiled_lu_cases, first_acceptable_row_or_largest) {
    const numbers b(4, 1.0);
    constexpr config<double> first{.tile_size = 2, .pivot_search = search::tile};
    constexpr config<double> largest{.tile_size = 2, .oot_first_acceptable = false};

    const auto r = run(task<first, 4>{}, starved, b);
    EXPECT_EQ(r.pivots[0], 2);
    EXPECT_GE(r.outside, 1);
    const auto q = run(task<largest, 4>{}, starved, b);
    EXPECT_EQ(q.pivots[0], 3);
    EXPECT_EQ(run(task<first, dynamic>{}, starved, b).pivots, r.pivots);
    EXPECT_EQ(run(task<largest, dynamic>{}, starved, b).pivots, q.pivots);
    // Left alone, the knobs give partial pivoting.
    EXPECT_EQ(run(task<config<double>{.tile_size = 2}, 4>{}, starved, b).pivots[0], 3);
}

TEST(tiled_lu_cases, the_row_in_place_stays_at_its_share) {
    const numbers a = {0.5, 1, 1, 0.2};
    const numbers b(2, 1.0);
    EXPECT_EQ(run(task<documented, 2>{}, a, b).pivots, (std::vector<int>{1, 0}));
    EXPECT_EQ(run(task<config<double>{.relative_pivot_threshold = 0.3}, 2>{}, a, b).pivots,
              (std::vector<int>{0, 1}));
    EXPECT_EQ(run(task<config<double>{.relative_pivot_threshold = 0.6}, 2>{}, a, b).pivots,
              (std::vector<int>{1, 0}));
    EXPECT_EQ(run(task<config<double>{.pivot_search = search::column}, 2>{}, a, b).pivots,
              (std::vector<int>{0, 1}));
    EXPECT_EQ(run(task<config<double>{.relative_pivot_threshold = 1}, 2>{}, a, b).pivots,
              (std::vector<int>{1, 0}));
}

TEST(tiled_lu_cases, C10_rows_that_nothing_moves_have_the_pivots_of_no_interchange) {
    constexpr config<double> moved{.row_interchange = interchange::physical,
                                   .relative_pivot_threshold = 0.5,
                                   .pivot_search = search::column};
    constexpr config<double> noted{.relative_pivot_threshold = 0.5, .pivot_search = search::column};
    const numbers b = {5, 5};
    for (const numbers& a : {numbers{4, 1, 2, 3}, numbers{2, 3, 4, 1}}) {
        for (const auto& r : {run(task<moved, 2, way::factor_then_inplace>{}, a, b),
                              run(task<noted, 2, way::factor_then_inplace>{}, a, b)}) {
            EXPECT_EQ(r.info, 0);
            EXPECT_EQ(r.pivots, (std::vector<int>{0, 1}));
            EXPECT_EQ(r.x, (numbers{1, 1}));
        }
    }
}

TEST(tiled_lu_cases, a_tile_keeps_what_reaches_its_threshold) {
    // 1e-8 is acceptable to the documented search, which therefore never sees the 1 below.
    const numbers a = {1e-8, 1, 1, 0, 1e-9, 1, 1, 1, 1};
    const numbers b(3, 1.0);
    constexpr config<double> in_tile{.tile_size = 2, .pivot_search = search::tile};
    constexpr config<double> stricter{.tile_size = 2, .oot_pivot_threshold = 1e-7};
    EXPECT_EQ(run(task<in_tile, 3>{}, a, b).pivots[0], 0);
    EXPECT_EQ(run(task<stricter, 3>{}, a, b).pivots[0], 2);
    EXPECT_EQ(run(task<config<double>{.tile_size = 2}, 3>{}, a, b).pivots[0], 2);
}

TEST(tiled_lu_cases, columns_without_a_pivot_in_their_tile_are_counted) {
    const numbers b(6, 1.0);
    numbers a(36, 0.0);
    for (std::size_t i = 0; i < 6; ++i) a[i * 6 + i] = 1;
    EXPECT_EQ(run(task<documented, 6>{}, a, b).outside, 0);
    // Rows in opposite order: each of the first three columns must go to the lower tile.
    numbers mirrored(36, 0.0);
    for (std::size_t i = 0; i < 6; ++i) mirrored[i * 6 + 5 - i] = 1;
    EXPECT_EQ(run(task<documented, 6>{}, mirrored, b).outside, 3);
    EXPECT_EQ(run(task<documented, dynamic>{}, mirrored, b).outside, 3);
    EXPECT_EQ((run(task<config<double>{.pivot_search = search::tile}, 6>{}, mirrored, b).outside), 3);
    // Everything below the threshold, down to the last, smaller tile.
    numbers tiny(16, 0.0);
    for (std::size_t i = 0; i < 4; ++i) tiny[i * 4 + i] = 1e-12;
    EXPECT_EQ((run(task<documented, 4>{}, tiny, numbers(4, 1.0)).outside), 4);
}

}  // namespace
