#include "arrow/problem.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/arrow/any_host_solver.hpp>

namespace shoal::arrow::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr order both[] = {order::sequential, order::recursive};

template <int n>
info factor(const storage<double, n>& k, order which, int threads = 1) {
    host_solver<double, n> solver(k.size(), {.which = which, .threads = threads});
    return solver.factor(k.view());
}

TEST(arrow_info, names_tail_block_and_pivot_of_every_bad_diagonal) {
    constexpr int n = 6;
    random_stream r(1);
    const extent size{3, 9};
    const auto good = random_problem<double, n>(size, r);
    for (const double bad :
         {nan, -1.0, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}) {
        for (int tail = 0; tail < size.tails; ++tail) {
            for (int stage = 0; stage < size.stages; ++stage) {
                const int pivot = (tail + stage) % n;
                auto k = good;
                k.diagonal(tail, stage)(pivot, pivot) = bad;
                for (const order which : both) {
                    EXPECT_EQ(factor<n>(k, which), (info{tail, stage + 1, pivot + 1}));
                }
            }
        }
    }
}

TEST(arrow_info, tells_the_root_apart) {
    constexpr int n = 4;
    random_stream r(2);
    for (const int tails : {0, 2}) {
        auto k = random_problem<double, n>({tails, 3}, r);
        k.root()(2, 2) = -1;
        for (const order which : both) EXPECT_EQ(factor<n>(k, which), (info{-1, 0, 3}));
    }
}

TEST(arrow_info, a_zero_pivot_is_bad) {
    constexpr int n = 4;
    storage<double, n> k({1, 3});
    k.diagonal(0, 1)(3, 3) = 0;
    for (const order which : both) EXPECT_EQ(factor<n>(k, which), (info{0, 2, 4}));
}

TEST(arrow_info, tells_the_lowest_tail_and_in_it_the_first_in_elimination_order) {
    constexpr int n = 4;
    storage<double, n> k({4, 5});
    // Free end first: x_4 of tail 1 comes before x_2. Recursive: x_5 and x_3 are level 0, x_4 level 1, x_2 level 2.
    k.diagonal(3, 4)(0, 0) = -1;
    k.diagonal(1, 1)(1, 1) = -1;
    k.diagonal(1, 3)(2, 2) = -1;
    for (const int threads : {1, 6}) {
        for (const order which : both) EXPECT_EQ(factor<n>(k, which, threads), (info{1, 4, 3}));
    }
}

TEST(arrow_info, tails_without_a_bad_pivot_are_finished) {
    constexpr int n = 4;
    random_stream r(3);
    const extent size{3, 4};
    const auto good = random_problem<double, n>(size, r);
    auto k = good;
    k.diagonal(1, 2)(0, 0) = nan;
    for (const order which : both) {
        host_solver<double, n> expected(size, {.which = which});
        ASSERT_EQ(expected.factor(good.view()), success);
        host_solver<double, n> solver(size, {.which = which});
        ASSERT_EQ(solver.factor(k.view()), (info{1, 3, 1}));
        for (const int tail : {0, 2}) {
            for (int stage = 0; stage < size.stages; ++stage) {
                for (int e = 0; e < n * n; ++e) {
                    ASSERT_EQ(solver.factor_column(tail, stage).toward_root[e],
                              expected.factor_column(tail, stage).toward_root[e]);
                }
            }
        }
        // And the solver is as good as new with a good matrix.
        EXPECT_EQ(solver.factor(good.view()), success);
    }
}

TEST(arrow_info, A09_nan_in_the_diagonal_of_block_4) {
    constexpr int n = 2;
    storage<double, n> k({1, 6});
    for (int s = 0; s < 6; ++s) {
        for (int i = 0; i < n; ++i) k.diagonal(0, s)(i, i) = 4;
        if (s < 5) k.lower(0, s)(0, 0) = k.lower(0, s)(1, 1) = -1;
    }
    for (const order which : both) ASSERT_EQ(factor<n>(k, which), success);

    k.diagonal(0, 3)(1, 1) = nan;

    for (const order which : both) EXPECT_EQ(factor<n>(k, which), (info{0, 4, 2}));
}

TEST(arrow_info, F01_nan_in_one_coupling_is_flagged_where_it_arrives) {
    constexpr int n = 4;
    random_stream r(4);
    const extent size{2, 6};
    const auto good = random_problem<double, n>(size, r);
    for (int stage = 0; stage + 1 < size.stages; ++stage) {
        auto k = good;
        k.lower(1, stage)(2, 1) = nan;
        // E_k reaches the pivots of the one of its two stages that is eliminated later.
        EXPECT_EQ(factor<n>(k, order::sequential).tail, 1);
        EXPECT_EQ(factor<n>(k, order::sequential).block, stage + 1);
        const info recursive = factor<n>(k, order::recursive);
        EXPECT_EQ(recursive.tail, 1);
        const int near = node_of(size.stages, stage), far = node_of(size.stages, stage + 1);
        const bool near_later =
            recursive_elimination(size.stages, near).level > recursive_elimination(size.stages, far).level;
        EXPECT_EQ(recursive.block, near_later ? stage + 1 : stage + 2);
    }
    auto k = good;
    k.coupling(0)(1, 1) = nan;
    for (const order which : both) EXPECT_EQ(factor<n>(k, which), (info{-1, 0, 2}));
}

TEST(arrow_info, F01_nan_in_the_last_block_or_in_the_right_hand_side) {
    constexpr int n = 4;
    random_stream r(5);
    const extent size{2, 5};
    const auto good = random_problem<double, n>(size, r);
    auto k = good;
    k.diagonal(0, 4)(0, 0) = nan;
    for (const order which : both) EXPECT_EQ(factor<n>(k, which), (info{0, 5, 1}));

    for (const order which : both) {
        host_solver<double, n> solver(size, {.which = which});
        ASSERT_EQ(solver.factor(good.view()), success);
        auto b = random_vector<double>(2 * good.unknowns(), r);
        b[3] = nan;
        solver.solve(b.data(), 2);
        // Everything hangs together, so all of the column is NaN, and nothing of the next one.
        for (std::int64_t i = 0; i < good.unknowns(); ++i) {
            EXPECT_TRUE(std::isnan(b[static_cast<std::size_t>(i)]));
            EXPECT_TRUE(std::isfinite(b[static_cast<std::size_t>(good.unknowns() + i)]));
        }
    }
}

TEST(arrow_info, F07_the_failing_stage_is_identified) {
    // A chain of three 1 x 1 blocks whose third pivot fails in natural order. The solver starts at the free end, so
    // the chain is numbered from its end: its block i is x_(4 - i).
    const auto chain = [](const double(&d)[3]) {
        storage<double, 1> k({1, 3});
        for (int i = 0; i < 3; ++i) k.diagonal(0, 2 - i)(0, 0) = d[i];
        k.lower(0, 0)(0, 0) = k.lower(0, 1)(0, 0) = -1;
        return k;
    };
    // Pivots 2, 3/2, -1/6, and 1, 1, 0.
    EXPECT_EQ(factor<1>(chain({2, 2, 0.5}), order::sequential), (info{0, 1, 1}));
    EXPECT_EQ(factor<1>(chain({1, 2, 1}), order::sequential), (info{0, 1, 1}));
}

}  // namespace
/// Whether f() throws E with a message that contains `words`.
template <class E, class F>
::testing::AssertionResult refuses(F f, const std::string& words) {
    try {
        f();
    } catch (const E& e) {
        const bool told = std::string(e.what()).find(words) != std::string::npos;
        return told ? ::testing::AssertionSuccess()
                    : ::testing::AssertionFailure() << "the message is: " << e.what();
    }
    return ::testing::AssertionFailure() << "accepted";
}

TEST(arrow_misuse, a_call_that_cannot_be_right_is_refused_and_leaves_everything) {
    using invalid = std::invalid_argument;
    using storage = shoal::arrow::storage<double, 2>;
    using solver = shoal::arrow::host_solver<double, 2>;
    using any_solver = shoal::arrow::any_host_solver<double>;
    EXPECT_TRUE(refuses<invalid>([] { storage({3, 0}); }, "stages = 0, must be at least 1"));
    EXPECT_TRUE(refuses<invalid>([] { solver({-1, 3}); }, "tails = -1, must be at least 0"));
    EXPECT_TRUE(refuses<invalid>([] { any_solver(5, {-1, 3}); }, "tails = -1"));
    EXPECT_TRUE(refuses<invalid>([] { solver({1, 3}, {.threads = -2}); }, "threads = -2"));
    storage k({2, 3});
    solver of_others({2, 5});
    EXPECT_TRUE(
        refuses<invalid>([&] { (void)of_others.factor(k); },
                         "K has 2 tails of 3 stages and the solver was made for 2 tails of 5 stages"));
    const auto check = [&](auto& s) {
        const auto n = static_cast<std::size_t>(s.unknowns());
        const std::vector<double> before(2 * n, 3.0);
        std::vector<double> b = before;
        EXPECT_TRUE(refuses<std::logic_error>([&] { s.solve(b.data()); }, "needs a factor()"));
        shoal::arrow::matrix_view<const double> view = std::as_const(k).view();
        view.lower = nullptr;
        EXPECT_TRUE(refuses<invalid>([&] { (void)s.factor(view); }, "K.lower are null"));
        EXPECT_TRUE(s.factor(k.view()).good());
        EXPECT_TRUE(refuses<invalid>([&] { s.solve(nullptr); }, "b is null"));
        EXPECT_TRUE(refuses<invalid>([&] { s.solve(b.data(), -1); }, "nrhs = -1"));
        const auto unknowns = std::to_string(n);
        EXPECT_TRUE(
            refuses<invalid>([&] { s.solve(b.data(), 2, 3); }, "ld = 3, must be at least the " + unknowns));
        EXPECT_EQ(b, before);
        k.diagonal(1, 1)(0, 0) = -1;
        EXPECT_FALSE(s.factor(k.view()).good());
        k.diagonal(1, 1)(0, 0) = 1;
        EXPECT_TRUE(refuses<std::logic_error>([&] { s.solve(b.data()); }, "needs a factor()"));
        EXPECT_EQ(b, before);
        EXPECT_TRUE(s.factor(k.view()).good());
        s.solve(b.data(), 2);
        EXPECT_EQ(b, before);  // K is the identity
    };
    solver fixed({2, 3});
    any_solver padded(2, {2, 3});
    check(fixed);
    check(padded);
}

}  // namespace shoal::arrow::testing
