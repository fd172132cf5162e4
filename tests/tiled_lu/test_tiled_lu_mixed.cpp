// Factors of one call in the hands of another: static and dynamic orders, tiles and schedules; operands whose order their
// type says; and what is left where the pivots are not what they should be.

#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/tiled_lu/tiled_lu.hpp>

namespace {

namespace lu = shoal::tiled_lu;
using lu::config;
using lu::interchange;
using lu::looking;
using lu::strided;
using numbers = std::vector<double>;

numbers random_numbers(int count) {
    shoal::support::random_stream r(static_cast<std::uint64_t>(count));
    numbers v(static_cast<std::size_t>(count));
    for (double& x : v) x = r.uniform(-1, 1);
    return v;
}

enum class order { fixed, free };
enum class lines { rows, columns };

/// The same n^2 numbers as a matrix of static or of dynamic order, row after row or column after column.
template <int N, order Order, lines Lines>
auto matrix_of(double* a) {
    if constexpr (Lines == lines::columns && Order == order::fixed) {
        return shoal::matrix<double, N, N>{a};
    } else if constexpr (Lines == lines::columns) {
        return shoal::matrix<double>{a, N, N};
    } else if constexpr (Order == order::fixed) {
        return lu::of_order<N>(strided<1>(a));
    } else {
        return lu::of_order(strided<1>(a), N);
    }
}

template <int N>
struct factored {
    numbers a = random_numbers(N * N);
    std::vector<int> pivots = std::vector<int>(N, -1);
    bool operator==(const factored&) const = default;
};

template <int N, auto Config, order Order, lines Lines>
factored<N> factors() {
    factored<N> f;
    EXPECT_EQ(lu::factorize<Config>(matrix_of<N, Order, Lines>(f.a.data()), f.pivots), 0);
    return f;
}

/// A^-1 b in place and out of place, A^-T b and a column of the inverse, one after the other.
template <int N, auto Config, order Order, lines Lines>
numbers solutions(factored<N> f, const numbers& b) {
    const auto a = matrix_of<N, Order, Lines>(f.a.data());
    numbers all = b;
    const auto next = [&] {
        all.resize(all.size() + N);
        return strided<1>(all.data() + all.size() - N);
    };
    lu::substitute_inplace<Config>(a, f.pivots, strided<1>(all.data()));
    lu::substitute<Config>(a, f.pivots, b, next());
    lu::substitute_transposed<Config>(a, f.pivots, b, next());
    lu::substitute_canonical<Config>(a, f.pivots, 1, next());
    return all;
}

template <int N, auto Config, order Order, lines Lines>
void expect_same(const factored<N>& f, const numbers& b, const numbers& x) {
    EXPECT_EQ((factors<N, Config, Order, Lines>()), f);
    EXPECT_EQ((solutions<N, Config, Order, Lines>(f, b)), x);
}

/// Factors of every configuration for static and dynamic orders are the same, and so are all solutions from them.
template <int N, lines Lines, auto First, auto... Others>
void expect_interchangeable() {
    const numbers b = random_numbers(N);
    const auto f = factors<N, First, order::fixed, Lines>();
    const auto x = solutions<N, First, order::fixed, Lines>(f, b);
    expect_same<N, First, order::free, Lines>(f, b, x);
    (expect_same<N, Others, order::fixed, Lines>(f, b, x), ...);
    (expect_same<N, Others, order::free, Lines>(f, b, x), ...);

    const numbers a = random_numbers(N * N);
    for (std::size_t i = 0; i < N; ++i) {
        double rest = b[i];
        for (std::size_t j = 0; j < N; ++j) rest -= a[Lines == lines::rows ? i * N + j : i + j * N] * x[j];
        EXPECT_LT(std::abs(rest), 1e-11) << "row " << i;
    }
}

constexpr config<double> moved_left{
    .tile_size = 3, .schedule = looking::left, .row_interchange = interchange::physical};
constexpr config<double> noted{};
constexpr config<double> noted_left{.tile_size = 5, .schedule = looking::left};

TEST(tiled_lu_mixed, factors_of_moved_rows) {
    expect_interchangeable<5, lines::rows, lu::automatic, moved_left>();
    expect_interchangeable<18, lines::columns, lu::automatic>();
}

TEST(tiled_lu_mixed, factors_of_noted_rows) {
    expect_interchangeable<7, lines::rows, noted, noted_left>();
}

TEST(tiled_lu_mixed, pivots_stay_inside_after_a_failure) {
    // Nothing but ones: column 2 has no pivot, and nobody looks at the columns behind its tile.
    numbers a(400, 1.0);
    std::vector<int> pivots(20, 1 << 30);
    numbers y(20, 1.0);
    ASSERT_EQ(lu::factorize(lu::of_order(strided<1>(a.data()), 20), pivots), 2);
    for (int i = 0; i < 20; ++i) {
        EXPECT_GE(pivots[static_cast<std::size_t>(i)], i);
        EXPECT_LT(pivots[static_cast<std::size_t>(i)], 20);
    }
    lu::substitute_inplace(lu::of_order(strided<1>(a.data()), 20), pivots, y);
    EXPECT_EQ(y[0], 1.0);
}

/// Cycles of what is no permutation end, and touch the right-hand side alone.
TEST(tiled_lu_mixed, pivots_that_are_no_permutation) {
    for (const int n : {3, 64, 65, 80}) {
        const auto size = static_cast<std::size_t>(n);
        numbers a(size * size, 0.0);
        for (std::size_t i = 0; i < size; ++i) a[i * size + i] = 1;
        numbers y(size + 2, 7.0);
        std::vector<int> pivots(size);
        for (int i = 0; i < n; ++i) pivots[static_cast<std::size_t>(i)] = std::min(i + 1, n - 1);
        const auto identity = lu::of_order(strided<1>(a.data()), n);
        lu::substitute_inplace<noted>(identity, pivots, strided<1>(y.data() + 1));
        lu::substitute_transposed_inplace<noted>(identity, pivots, strided<1>(y.data() + 1));
        EXPECT_EQ(y.front(), 7.0);
        EXPECT_EQ(y.back(), 7.0);
    }
}

TEST(tiled_lu_mixed, the_order_is_in_the_type) {
    const std::array<double, 9> values{0, 1, 2, 1, 0, 3, 4, -3, 8};
    const numbers solution{1, 2, 3};
    const auto solve = [&](auto&& a) {
        std::array<short, 3> pivots{};
        numbers y{8, 10, 22};
        EXPECT_EQ(lu::solve_inplace(a, pivots, y), 0);
        return y;
    };
    auto array = values;
    EXPECT_EQ(solve(array), solution);
    array = values;
    EXPECT_EQ(solve(std::span<double, 9>(array)), solution);
    array = values;
    EXPECT_EQ(solve(shoal::vector<double, 9>{array.data()}), solution);
    double spread[18] = {};
    for (std::size_t e = 0; e < 9; ++e) spread[2 * e] = values[e];
    EXPECT_EQ(solve(lu::strided<2>(spread)), solution);
}

}  // namespace
