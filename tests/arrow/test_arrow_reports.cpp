#include "arrow/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <shoal/arrow/any_host_solver.hpp>
#include <shoal/arrow/refine.hpp>

namespace shoal::arrow::testing {
namespace {

constexpr order both[] = {order::sequential, order::recursive};

template <class T, int n>
std::vector<T> solved(const storage<T, n>& k, order which, std::vector<T> b) {
    host_solver<T, n> solver(k.size(), {.which = which});
    EXPECT_EQ(solver.factor(k.view()), success);
    solver.solve(b.data());
    return b;
}

template <class T>
void expect_near(const std::vector<T>& x, const std::vector<T>& y, double tolerance) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance) << "unknown " << i;
}

template <class T>
std::vector<T> ones(std::size_t count) {
    return std::vector<T>(count, T(1));
}

TEST(arrow_reports, B06_no_right_hand_sides_and_no_tails) {
    constexpr int n = 4;
    storage<double, n> k({2, 3});
    host_solver<double, n> solver(k.size());
    ASSERT_EQ(solver.factor(k.view()), success);
    solver.solve(nullptr, 0);

    // Without tails nothing but the root is looked at.
    storage<double, n> root_only({0, 1});
    root_only.root()(0, 0) = 4;
    host_solver<double, n> small({0, 1});
    ASSERT_EQ(small.factor({nullptr, nullptr, nullptr, root_only.view().root}), success);
    std::vector<double> b{8, 1, 2, 3};
    small.solve(b.data());
    EXPECT_EQ(b, (std::vector<double>{2, 1, 2, 3}));

    // Blocks without unknowns: nothing to do, nothing to read.
    any_host_solver<double> empty(0, {2, 3});
    EXPECT_EQ(empty.factor({nullptr, nullptr, nullptr, nullptr}), success);
    EXPECT_EQ(empty.unknowns(), 0);
    empty.solve(nullptr, 3);

    EXPECT_THROW((host_solver<double, n>({-1, 3})), std::invalid_argument);
    EXPECT_THROW((host_solver<double, n>({1, 0})), std::invalid_argument);
    EXPECT_THROW(any_host_solver<double>(-1, {1, 1}), std::invalid_argument);
    EXPECT_THROW(any_host_solver<double>(33, {1, 1}), std::invalid_argument);
}

TEST(arrow_reports, block_size_of_an_argument) {
    const int n = 5;
    const extent size{.tails = 2, .stages = 3};
    const auto blocks = [](int count) {
        std::vector<double> all(static_cast<std::size_t>(count * n * n));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i % (n * n) % (n + 1) == 0 ? 2 : 0;
        return all;
    };
    const std::vector<double> D = blocks(2 * 3), R = blocks(1), E(2 * 2 * n * n), C(2 * n * n);
    // [any]
    // n unknowns a block, known when the program runs; D, E, C and R as in the table of storage, n x n blocks each.
    shoal::arrow::any_host_solver<double> solver(n, size, {.which = shoal::arrow::order::recursive});
    const shoal::arrow::info info = solver.factor({D.data(), E.data(), C.data(), R.data()});
    if (!info.good()) FAIL() << "tail " << info.tail << ", block " << info.block << ", pivot " << info.pivot;

    std::vector<double> b(static_cast<std::size_t>(solver.unknowns()), 1.0);
    solver.solve(b.data());  // in place
    // [end]
    expect_near(b, std::vector<double>(35, 0.5), 1e-15);
}

TEST(arrow_reports, B08_smallest_sizes) {
    for (const order which : both) {
        // One unknown in all: 9 x = 6.
        storage<double, 1> scalar({0, 1});
        scalar.root()(0, 0) = 9;
        EXPECT_DOUBLE_EQ(solved(scalar, which, {6.0})[0], 6.0 / 9.0);

        // One stage, not coupled: a plain 1 x 1 solve beside the root.
        storage<double, 1> one({1, 1});
        one.diagonal(0, 0)(0, 0) = 8;
        expect_near(solved(one, which, {16.0, 3.0}), {2.0, 3.0}, 1e-15);

        // Two stages: [[2, -1], [-1, 2]] x = [1, 1].
        storage<double, 1> two({1, 2});
        two.diagonal(0, 0)(0, 0) = two.diagonal(0, 1)(0, 0) = 2;
        two.lower(0, 0)(0, 0) = -1;
        expect_near(solved(two, which, {1.0, 1.0, 0.0}), {1.0, 1.0, 0.0}, 1e-15);
    }
}

TEST(arrow_reports, B09_counts_that_are_no_power_of_two) {
    constexpr int n = 2;
    for (const int stages : {1, 2, 3, 5, 17, 33, 39, 100, 177, 255, 500}) {
        storage<double, n> k({1, stages});
        std::vector<double> b;
        for (int s = 0; s < stages; ++s) {
            auto d = k.diagonal(0, s);
            d(0, 0) = 4;
            d(1, 0) = d(0, 1) = 1;
            d(1, 1) = 3;
            if (s > 0) k.lower(0, s - 1)(0, 0) = k.lower(0, s - 1)(1, 1) = -1;
            const int neighbours = (s > 0 ? 1 : 0) + (s + 1 < stages ? 1 : 0);
            b.push_back(5 - neighbours);
            b.push_back(4 - neighbours);
        }
        b.insert(b.end(), {1, 1});
        for (const order which : both) expect_near(solved(k, which, b), ones<double>(b.size()), 1e-13);
    }
}

TEST(arrow_reports, F02_an_exact_solution_takes_no_refinement_step) {
    constexpr int n = 4;
    storage<double, n> k({2, 3});
    for (int t = 0; t < 2; ++t) {
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < n; ++i) k.diagonal(t, s)(i, i) = 2;
        }
    }
    for (int i = 0; i < n; ++i) k.root()(i, i) = 2;
    const std::vector<double> b(static_cast<std::size_t>(k.unknowns()), 2.0);
    host_solver<double, n> solver(k.size());
    ASSERT_EQ(solver.factor(k.view()), success);
    auto x = ones<double>(b.size());
    refiner<double, n> refine(k.size(), {.most_steps = 5});

    const refinement done = refine(solver, k.view(), b.data(), x.data());

    EXPECT_EQ(done.steps, 0);
    EXPECT_EQ(done.backward_error, 0);
    EXPECT_EQ(x, ones<double>(x.size()));
}

TEST(arrow_reports, F02_zero_over_zero_is_no_backward_error) {
    constexpr int n = 4;
    storage<double, n> k({1, 2});
    std::vector<double> x(static_cast<std::size_t>(k.unknowns()), 0.0), b = x, work = x;

    EXPECT_EQ((backward_error<double, n>(k.size(), k.view(), x.data(), b.data(), work.data())), 0);
    host_solver<double, n> solver(k.size());
    ASSERT_EQ(solver.factor(k.view()), success);
    refiner<double, n> refine(k.size());
    const refinement done = refine(solver, k.view(), b.data(), x.data());
    EXPECT_EQ(done.steps, 0);
    EXPECT_EQ(done.backward_error, 0);
}

TEST(arrow_reports, F02_a_step_that_raises_the_residual_is_dropped) {
    constexpr int n = 4;
    random_stream r(1);
    const auto k = random_problem<double, n>({2, 4}, r);
    const auto b = random_vector<double>(k.unknowns(), r);
    // A solver of another matrix: its corrections lead astray.
    struct astray {
        void solve(double* v) const {
            for (int i = 0; i < 36; ++i) v[i] *= -1;
        }
    };
    auto x = random_vector<double>(k.unknowns(), r);
    const auto before = x;
    refiner<double, n> refine(k.size(), {.most_steps = 3});

    EXPECT_EQ(refine(astray{}, k.view(), b.data(), x.data()).steps, 0);

    EXPECT_EQ(x, before);
}

TEST(arrow_reports, F02_nan_in_the_matrix_changes_nothing) {
    constexpr int n = 4;
    random_stream r(2);
    auto k = random_problem<double, n>({2, 4}, r);
    const auto b = random_vector<double>(k.unknowns(), r);
    host_solver<double, n> solver(k.size());
    ASSERT_EQ(solver.factor(k.view()), success);
    auto x = b;
    solver.solve(x.data());
    const auto before = x;
    k.lower(0, 1)(1, 1) = std::numeric_limits<double>::quiet_NaN();
    refiner<double, n> refine(k.size());

    EXPECT_EQ(refine(solver, k.view(), b.data(), x.data()).steps, 0);

    EXPECT_EQ(x, before);
}

TEST(arrow_reports, F02_refinement_with_the_factor_of_a_neighbouring_matrix_converges) {
    constexpr int n = 4;
    random_stream r(3);
    const extent size{3, 5};
    auto k = random_problem<double, n>(size, r);
    host_solver<double, n> solver(size);
    ASSERT_EQ(solver.factor(k.view()), success);
    for (int i = 0; i < n; ++i) k.diagonal(1, 2)(i, i) *= 1.001;
    const auto b = random_vector<double>(k.unknowns(), r);
    auto x = b;
    solver.solve(x.data());
    const double before = backward_units(k, x.data(), b.data());
    refiner<double, n> refine(size, {.most_steps = 20});

    const refinement done = refine(solver, k.view(), b.data(), x.data());

    EXPECT_GE(done.steps, 3);
    EXPECT_GT(before, 1e6);
    EXPECT_LE(backward_units(k, x.data(), b.data()), 1);
    EXPECT_LE(done.backward_error, 1e-15);
}

/// The tree of F08: scalar root 10, chains of the given lengths, all diagonals 4, every coupling to the parent -1.
storage<double, 1> unequal_chains(const std::vector<int>& lengths) {
    storage<double, 1> k({static_cast<int>(lengths.size()), 3});
    k.root()(0, 0) = 10;
    for (int i = 0; i < k.size().tails; ++i) {
        for (int s = 0; s < lengths[static_cast<std::size_t>(i)]; ++s) {
            k.diagonal(i, s)(0, 0) = 4;
            (s == 0 ? k.coupling(i) : k.lower(i, s - 1))(0, 0) = -1;
        }
    }
    return k;
}

TEST(arrow_reports, F08_unequal_chains_and_F10_in_all_their_orders) {
    std::vector<int> lengths{1, 2, 3};
    do {
        const auto k = unequal_chains(lengths);
        std::vector<double> b(static_cast<std::size_t>(k.unknowns()), 0.0), x = b;
        for (int i = 0; i < 3; ++i) {
            const int length = lengths[static_cast<std::size_t>(i)];
            for (int s = 0; s < length; ++s) {
                const auto at = static_cast<std::size_t>(k.stage_offset(i, s));
                b[at] = s + 1 == length ? 3 : 2;
                x[at] = 1;
            }
        }
        b.back() = 7;
        x.back() = 1;
        for (const order which : both) {
            host_solver<double, 1> solver(k.size(), {.which = which});
            ASSERT_EQ(solver.factor(k.view()), success);
            EXPECT_NEAR(solver.factor_root()[0], std::sqrt(10 - 659.0 / 840.0), 1e-15);
            auto result = b;
            solver.solve(result.data());
            expect_near(result, x, 1e-15);
        }
    } while (std::next_permutation(lengths.begin(), lengths.end()));
}

TEST(arrow_reports, F10_degenerate_trees) {
    constexpr int n = 4;
    random_stream r(4);
    for (const order which : both) {
        // Zero couplings to the root: each tail, and the root, is a system of its own.
        auto k = random_problem<double, n>({2, 5}, r);
        for (int t = 0; t < 2; ++t) {
            for (int e = 0; e < n * n; ++e) k.coupling(t)(e % n, e / n) = 0;
        }
        const auto b = random_vector<double>(k.unknowns(), r);
        const auto together = solved(k, which, b);
        for (int t = 0; t < 2; ++t) {
            storage<double, n> alone({1, 5});
            for (int s = 0; s < 5; ++s) {
                for (int e = 0; e < n * n; ++e) {
                    alone.diagonal(0, s)(e % n, e / n) = k.diagonal(t, s)(e % n, e / n);
                    if (s < 4) alone.lower(0, s)(e % n, e / n) = k.lower(t, s)(e % n, e / n);
                }
            }
            std::vector<double> part(b.begin() + t * 5 * n, b.begin() + (t + 1) * 5 * n);
            part.resize(6 * n, 0.0);
            part = solved(alone, which, part);
            for (std::size_t i = 0; i < 5 * n; ++i)
                EXPECT_NEAR(part[i], together[static_cast<std::size_t>(t) * 5 * n + i], 1e-14);
        }

        // No tails: the root alone, as a dense Cholesky solves it. And a tail of length 0 beside it changes nothing.
        const auto lone = random_problem<double, n>({0, 1}, r);
        const auto c = random_vector<double>(n, r);
        auto a = dense<double>::from(
            n, n, [&](int i, int j) { return lone.view().root[std::max(i, j) + n * std::min(i, j)]; });
        auto expected = dense<double>::from(n, 1, [&](int i, int) { return c[static_cast<std::size_t>(i)]; });
        ASSERT_EQ(support::lapack::posv('L', a, expected), 0);
        storage<double, n> beside({1, 2});
        for (int e = 0; e < n * n; ++e) beside.root()(e % n, e / n) = lone.view().root[e];
        std::vector<double> wide(3 * n, 0.0);
        std::copy(c.begin(), c.end(), wide.begin() + 2 * n);
        const auto x = solved(lone, which, c);
        const auto y = solved(beside, which, wide);
        for (int i = 0; i < n; ++i) {
            EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected(i), 1e-15);
            EXPECT_EQ(y[static_cast<std::size_t>(2 * n + i)], x[static_cast<std::size_t>(i)]);
        }
    }
}

TEST(arrow_reports, F11_the_matrix_is_rebuilt_from_the_factor_by_the_formula_of_plan) {
    constexpr int n = 2, stages = 3;
    storage<double, n> k({1, stages});
    for (int s = 0; s < stages; ++s) {
        auto d = k.diagonal(0, s);
        d(0, 0) = 4;
        d(1, 0) = d(0, 1) = 1;
        d(1, 1) = 3;
        if (s == 0) continue;
        auto e = k.lower(0, s - 1);
        e(0, 0) = -0.25;
        e(0, 1) = 0.5;
        e(1, 1) = -0.25;
    }
    host_solver<double, n> solver(k.size());
    ASSERT_EQ(solver.factor(k.view()), success);

    const auto l = [](const double* a, int i, int j) { return i < j ? 0.0 : a[i + n * j]; };
    for (int s = 0; s < stages; ++s) {
        const auto own = solver.factor_column(0, s);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double d = 0, e = 0;
                for (int m = 0; m < n; ++m) {
                    // D_k = L_k L_k' + B_(k+1) B_(k+1)', since stage k + 1 is eliminated before stage k.
                    d += l(own.diagonal, i, m) * l(own.diagonal, j, m);
                    if (s + 1 < stages) {
                        const double* b = solver.factor_column(0, s + 1).toward_root;
                        d += b[i + n * m] * b[j + n * m];
                    }
                    // K(stage k - 1, stage k) = E_(k-1)' = B_k L_k'.
                    if (s > 0) e += own.toward_root[i + n * m] * l(own.diagonal, j, m);
                }
                EXPECT_NEAR(d, k.diagonal(0, s)(i, j), 1e-15);
                if (s > 0) {
                    EXPECT_NEAR(e, k.lower(0, s - 1)(j, i), 1e-15);
                }
            }
        }
    }
}

TEST(arrow_reports, F12_storage_order_as_the_documentation_says) {
    // O in the lower position (stage k + 1, stage k): lower(i, k)(row of stage k + 1, column of stage k).
    constexpr int n = 2;
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 0, 0};
    for (const order which : both) {
        storage<double, n> lower({1, 3});
        storage<double, n> upper({1, 3});
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < n; ++i) lower.diagonal(0, s)(i, i) = upper.diagonal(0, s)(i, i) = 3;
            if (s == 2) continue;
            lower.lower(0, s)(0, 1) = 1;
            // O in the position (k, k + 1) is the transpose in the position (k + 1, k).
            upper.lower(0, s)(1, 0) = 1;
        }
        expect_near(solved(lower, which, {3, 9, 11, 17, 19, 18, 0, 0}), x, 1e-14);
        expect_near(solved(upper, which, {7, 6, 15, 13, 15, 21, 0, 0}), x, 1e-14);
    }
}

TEST(arrow_reports, F14_single_precision_with_badly_scaled_diagonals) {
    constexpr int n = 2, stages = 20;
    storage<float, n> k({1, stages});
    for (int s = 0; s < stages; ++s) {
        k.diagonal(0, s)(0, 0) = 1e8f + 1e-3f;
        k.diagonal(0, s)(1, 1) = 1e-2f + 1e-3f;
        if (s + 1 < stages) k.lower(0, s)(0, 0) = k.lower(0, s)(1, 1) = 1e-3f;
    }
    for (const order which : both) {
        const auto x = solved(k, which, times_ones(k));
        expect_near(x, ones<float>(x.size()), 1e-4);
    }
}

TEST(arrow_reports, F15_every_horizon) {
    for (const int n : {1, 2, 7, 12, 14}) {
        for (int stages = 1; stages <= 70; ++stages) {
            // Two tails; blocks 2 I + (matrix of ones) / n on the diagonal, couplings -I / 2; x = ones.
            const extent size{2, stages};
            const std::size_t block = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
            std::vector<double> d(2 * static_cast<std::size_t>(stages) * block),
                e(2 * static_cast<std::size_t>(stages - 1) * block), c(2 * block), root(block), b;
            const auto fill = [&](std::vector<double>& blocks, double diagonal, double all) {
                for (std::size_t i = 0; i < blocks.size(); ++i) {
                    blocks[i] = all + (i % block % static_cast<std::size_t>(n + 1) == 0 ? diagonal : 0.0);
                }
            };
            fill(d, 2, 1.0 / n);
            fill(e, -0.5, 0);
            fill(c, -0.5, 0);
            fill(root, 2, 1.0 / n);
            for (int t = 0; t < 2; ++t) {
                for (int s = 0; s < stages; ++s)
                    b.insert(b.end(), static_cast<std::size_t>(n), s + 1 < stages ? 2.0 : 2.5);
            }
            b.insert(b.end(), static_cast<std::size_t>(n), 2.0);
            for (const order which : both) {
                any_host_solver<double> solver(n, size, {.which = which});
                ASSERT_EQ(solver.factor({d.data(), e.data(), c.data(), root.data()}), success);
                auto x = b;
                solver.solve(x.data());
                expect_near(x, ones<double>(x.size()), 1e-13);
            }
        }
    }
}

TEST(arrow_reports, a_block_size_known_at_run_time_takes_several_right_hand_sides) {
    random_stream r(7);
    const extent size{2, 3};
    for (const int n : {3, 16}) {
        const std::size_t block = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        const std::vector<double> zero(4 * block, 0.0);
        std::vector<double> d(6 * block, 0.0), root(block, 0.0);
        for (std::size_t i = 0; i < d.size(); ++i)
            d[i] = i % block % static_cast<std::size_t>(n + 1) == 0 ? 4.0 : 0.0;
        for (std::size_t i = 0; i < block; ++i) root[i] = d[i];
        any_host_solver<double> solver(n, size);
        ASSERT_EQ(solver.factor({d.data(), zero.data(), zero.data(), root.data()}), success);
        const std::int64_t ld = solver.unknowns() + 2;
        auto x = random_vector<double>(9 * ld, r);
        const auto b = x;

        solver.solve(x.data(), 9, ld);

        for (std::size_t i = 0; i < x.size(); ++i) {
            const bool inside = static_cast<std::int64_t>(i) % ld < solver.unknowns();
            EXPECT_EQ(x[i], inside ? b[i] / 4 : b[i]);
        }
        root[0] = -1;
        EXPECT_EQ(solver.factor({d.data(), zero.data(), zero.data(), root.data()}), (info{-1, 0, 1}));
    }
}

}  // namespace
}  // namespace shoal::arrow::testing
