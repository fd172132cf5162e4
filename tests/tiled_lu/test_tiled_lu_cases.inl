// Known answers and failures.

#include "tiled_lu/one_system.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace tiled_lu_test;
using lu::config;
using lu::interchange;
using lu::looking;
using lu::search;
using numbers = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr config<double> documented;
constexpr config<double> left_physical{
    .tile_size = 2, .schedule = looking::left, .row_interchange = interchange::physical};

// ---- known answers ---------------------------------------------------------------------------------------------------

TEST(tiled_lu_cases, A13_a_zero_diagonal_needs_interchanges) {
    const numbers a = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    const numbers b = {8, 10, 22};

    const auto r = run(task<lu::automatic, 3>{}, a, b);

    EXPECT_EQ(r.info, 0);
    EXPECT_EQ(r.pivots, (std::vector<int>{2, 2, 2}));
    EXPECT_EQ(r.x, (numbers{1, 2, 3}));
    // The diagonal holds reciprocals.
    EXPECT_EQ(r.a, (numbers{0.25, -3, 8, 0, 1, 2, 0.25, 0.75, -2}));
}

TEST(tiled_lu_cases, C09_pivots_are_interchanges_or_rows) {
    const numbers a = {2, 4, -2, 4, 9, -3, -8, -3, 7};
    const numbers b = {1, 1, 1};

    const auto swaps = run(task<lu::automatic, 3>{}, a, b);
    const auto rows = run(task<documented, 3>{}, a, b);

    EXPECT_EQ(swaps.pivots, (std::vector<int>{2, 1, 2}));
    EXPECT_EQ(rows.pivots, (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(in_order(swaps, true).lu, in_order(rows, false).lu);
    EXPECT_EQ(swaps.a[0], -0.125);
    EXPECT_EQ(swaps.a[1], -3);
    EXPECT_EQ(swaps.a[4], 1 / 7.5);
    EXPECT_EQ(swaps.a[3], -0.5);
    EXPECT_EQ(swaps.a[6], -0.25);
}

/// Diagonal and last column 1, below the diagonal -1: the last pivot is 2^(n-1).
template <class T>
void fill_growth(std::vector<T>& a, std::vector<T>& b, bool reversed) {
    constexpr int n = 20;
    a.assign(n * n, 0);
    b.assign(n, 0);
    for (int i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(reversed ? n - 1 - i : i);
        b[row] = static_cast<T>(i + 1 < n ? 2 - i : -18);
        for (int j = 0; j < n; ++j)
            a[row * n + static_cast<std::size_t>(j)] = i == j || j == n - 1 ? T(1) : i > j ? T(-1) : T(0);
    }
}

template <class T>
void expect_growth_exact() {
    constexpr config<T> two{.tile_size = 2};
    constexpr config<T> four{.tile_size = 4, .schedule = looking::left};
    constexpr config<T> eight{.tile_size = 8};
    for (const bool reversed : {false, true}) {
        std::vector<T> a;
        std::vector<T> b;
        fill_growth(a, b, reversed);
        const auto r2 = run(task<two, dynamic>{}, a, b);
        const auto r4 = run(task<four, dynamic>{}, a, b);
        const auto r8 = run(task<eight, dynamic>{}, a, b);
        EXPECT_EQ(r2.x, std::vector<T>(20, T(1)));
        EXPECT_EQ(r4.x, r2.x);
        EXPECT_EQ(r8.x, r2.x);
        EXPECT_EQ(r4.pivots, r2.pivots);
        EXPECT_EQ(r8.pivots, r2.pivots);
        if (!reversed) {
            EXPECT_EQ(in_order(r2, false).lu[399], T(1) / T(524288));
        }
    }
}

TEST(tiled_lu_cases, E15_growth_is_exact_in_both_orders_and_all_tiles) {
    expect_growth_exact<double>();
    expect_growth_exact<float>();
}

TEST(tiled_lu_cases, B08_one_unknown) {
    const auto r = run(task<lu::automatic, 1>{}, numbers{4}, numbers{8});
    EXPECT_EQ(r.info, 0);
    EXPECT_EQ(r.x, numbers{2});
    EXPECT_EQ(r.a, numbers{0.25});
    EXPECT_EQ(r.pivots, std::vector<int>{0});
}

// ---- failures --------------------------------------------------------------------------------------------------------

/// Runs all kinds of bodies and demands the same info of each.
void expect_info(int info, const numbers& a, const numbers& b) {
    EXPECT_EQ(run(task<lu::automatic, 4>{}, a, b).info, info);
    EXPECT_EQ(run(task<documented, 4, way::solve>{}, a, b).info, info);
    EXPECT_EQ(run(task<left_physical, dynamic>{}, a, b).info, info);
    EXPECT_EQ(run(task<config<double>{.tile_size = 2}, dynamic, way::factor_then_inplace>{}, a, b).info,
              info);
    EXPECT_EQ(run(task<config<double>{.tile_size = 2, .pivot_search = search::tile}, dynamic>{}, a, b).info,
              info);
}

TEST(tiled_lu_cases, A02_info_is_the_first_column_without_a_pivot) {
    const numbers b(4, 1.0);
    const double infinity = std::numeric_limits<double>::infinity();
    expect_info(0, {4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4}, b);
    expect_info(1, numbers(16, 0.0), b);
    expect_info(1, numbers(16, nan), b);
    expect_info(3, {2, 1, 4, 0, 1, 2, 8, 1, 0, 0, 0, 3, 0, 0, 0, 4}, b);
    expect_info(2, {1, 2, 3, 4, 2, 4, 6, 9, 3, 6, 1, 1, 4, 8, 5, 2}, b);
    expect_info(4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, b);
    expect_info(2, {1, 0, 0, 0, 0, infinity, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, b);
    // Smaller than the floor, which is the smallest normal number.
    expect_info(4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1e-310}, b);
    expect_info(0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3e-308}, b);
}

template <auto Config, int N>
void expect_all_nan_stays_inside(int n) {
    const auto size = static_cast<std::size_t>(n);
    // Red zones around every operand tell of an index outside the matrix.
    const auto r = run(task<Config, N, way::solve_inplace, lies::every_third>{}, numbers(size * size, nan),
                       numbers(size, 1.0));
    EXPECT_EQ(r.info, 1);
    for (const int p : r.pivots) EXPECT_LT(p, n);
}

TEST(tiled_lu_cases, A10_columns_of_nan_stay_inside) {
    expect_all_nan_stays_inside<lu::automatic, 8>(8);
    expect_all_nan_stays_inside<documented, 10>(10);
    expect_all_nan_stays_inside<documented, dynamic>(33);
    expect_all_nan_stays_inside<left_physical, dynamic>(10);
}

TEST(tiled_lu_cases, A12_nan_in_a_right_hand_side_is_no_failure) {
    const auto r = run(task<lu::automatic, 2>{}, numbers{1, 0, 0, 2}, numbers{nan, 4});
    EXPECT_EQ(r.info, 0);
    EXPECT_TRUE(std::isnan(r.x[0]));
    const auto clean = run(task<lu::automatic, 2>{}, numbers{1, 0, 0, 2}, numbers{3, 4});
    EXPECT_EQ(clean.x, (numbers{3, 2}));
}

TEST(tiled_lu_cases, a_failed_solve_leaves_the_solution_alone) {
    const auto r = run(task<documented, 4, way::solve>{}, numbers(16, 0.0), numbers(4, 1.0));
    EXPECT_EQ(r.info, 1);
    for (const double x : r.x) EXPECT_TRUE(shoal::support::same_bits(x, shoal::support::poison<double>()));
}

TEST(tiled_lu_cases, B06_nothing_of_order_zero) {
    int outside = -1;
    double* const none = nullptr;
    int* const no_pivots = nullptr;
    const auto a = lu::of_order(lu::strided<1>(none), 0);
    EXPECT_EQ(lu::solve_inplace(a, lu::strided<1>(no_pivots), lu::strided<1>(none), outside), 0);
    EXPECT_EQ(outside, 0);
    double x = 7;
    double one = 1;
    int p = 0;
    const auto single = lu::of_order(lu::strided<1>(&one), 1);
    EXPECT_EQ(lu::solve_inplace(single, lu::strided<1>(&p), lu::columns(lu::strided<1>(&x), 0)), 0);
    EXPECT_EQ(x, 7);
}

// ---- pivots at the ends of the range ---------------------------------------------------------------------------------

template <class T>
void expect_solved_at(T scale) {
    const std::vector<T> a = {0, 2 * scale, scale, 4 * scale};
    const std::vector<T> b = {2 * scale, 5 * scale};
    const auto r = run(task<lu::automatic, 2>{}, a, b);
    EXPECT_EQ(r.info, 0) << scale;
    EXPECT_EQ(r.x, (std::vector<T>{1, 1})) << scale;
}

TEST(tiled_lu_cases, pivots_near_the_ends_of_the_range) {
    expect_solved_at(0x1p-1022);
    expect_solved_at(0x1p-900);
    expect_solved_at(0x1p900);
    expect_solved_at(0x1p1020);
    expect_solved_at(0x1p-126F);
    expect_solved_at(0x1p-100F);
    expect_solved_at(0x1p100F);
    // A floor below the numbers that have a reciprocal does not make them pivots.
    constexpr config<double> deep{.oot_pivot_threshold = 5e-324, .singular_floor = 5e-324};
    EXPECT_EQ(run(task<deep, 1>{}, numbers{5e-324}, numbers{5e-324}).info, 1);
    EXPECT_EQ(run(task<deep, 1>{}, numbers{0x1p-1023}, numbers{0x1p-1023}).x, numbers{1});
}

}  // namespace
