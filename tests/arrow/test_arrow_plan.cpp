#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/arrow/plan.hpp>

using namespace shoal::arrow;

namespace {

// The formulas are usable at compile time.
static_assert(levels(1) == 0 && levels(2) == 1 && levels(3) == 2 && levels(8) == 3 && levels(9) == 4);
static_assert(recursive_elimination(7, 4) == elimination{2, 0, 7});
static_assert(recursive_elimination(7, 6) == elimination{1, 4, 7});
static_assert(recursive_elimination(7, 7) == elimination{3, 0, 8});
static_assert(sequential_elimination(5, 2) == elimination{1, 0, 3});
static_assert(chunking{10, 3}.separator(2) == 10 && chunking{10, 3}.first(0) == 1);

/// Eliminates the path 0 (nothing) - 1 - .. - N - N+1 (root) symbolically and checks every field of the plan.
void expect_valid(const plan& p) {
    const int n = p.stages;
    std::vector<int> left(static_cast<std::size_t>(n) + 2), right(left.size()), done(left.size(), -1);
    // The step whose fill couples a node to its right neighbour of the moment, -1: the matrix itself.
    std::vector<int> fill(left.size(), -1);
    std::vector<std::vector<update>> updates(left.size());
    for (int j = 1; j <= n; ++j) {
        left[static_cast<std::size_t>(j)] = j - 1;
        right[static_cast<std::size_t>(j)] = j + 1;
    }
    left[static_cast<std::size_t>(n) + 1] = n;
    ASSERT_EQ(static_cast<int>(p.steps.size()), n);
    int blocks = 0;
    for (int s = 0; s < n; ++s) {
        const step& now = p.steps[static_cast<std::size_t>(s)];
        const auto j = static_cast<std::size_t>(now.node);
        ASSERT_EQ(done[j], -1);
        done[j] = s;
        ASSERT_EQ(now.at.a, left[j]);
        ASSERT_EQ(now.at.b, right[j]);
        const auto a = static_cast<std::size_t>(now.at.a), b = static_cast<std::size_t>(now.at.b);
        ASSERT_EQ(now.b_fill, fill[j]);
        ASSERT_EQ(now.a_fill, a == 0 ? -1 : fill[a]);
        const std::vector<update> mine(p.updates.begin() + now.first_update,
                                       p.updates.begin() + now.last_update);
        ASSERT_EQ(mine, updates[j]);
        ASSERT_EQ(now.blocks_before, blocks);
        blocks += a == 0 ? 2 : 3;
        updates[b].push_back({s, side::root});
        if (a != 0) {
            updates[a].push_back({s, side::end});
            fill[a] = s;
            right[a] = now.at.b;
        }
        left[b] = now.at.a;
    }
    ASSERT_EQ(p.factor_blocks(), blocks);
    ASSERT_EQ(p.steps.back().node, n);
    ASSERT_EQ(p.level_begin.front(), 0);
    ASSERT_EQ(p.level_begin.back(), n);
    for (int l = 0; l < p.level_count(); ++l) {
        for (int s = p.level_begin[static_cast<std::size_t>(l)];
             s < p.level_begin[static_cast<std::size_t>(l) + 1]; ++s) {
            const step& now = p.steps[static_cast<std::size_t>(s)];
            ASSERT_EQ(now.at.level, l);
            // All that a step reads is of earlier levels, so the steps of a level may run at once.
            for (int u = now.first_update; u < now.last_update; ++u) {
                ASSERT_LT(p.updates[static_cast<std::size_t>(u)].step,
                          p.level_begin[static_cast<std::size_t>(l)]);
            }
            ASSERT_LT(now.b_fill, p.level_begin[static_cast<std::size_t>(l)]);
            ASSERT_LT(now.a_fill, p.level_begin[static_cast<std::size_t>(l)]);
            if (now.at.a != 0) {
                const bool end_later =
                    done[static_cast<std::size_t>(now.at.a)] > done[static_cast<std::size_t>(now.at.b)];
                ASSERT_EQ(now.later, end_later ? side::end : side::root);
            }
        }
    }
}

TEST(arrow_plan, sequential_eliminates_the_path) {
    for (int n = 1; n <= 70; ++n) expect_valid(make_plan(n, order::sequential));
}

TEST(arrow_plan, recursive_eliminates_the_path) {
    for (int n = 1; n <= 300; ++n) expect_valid(make_plan(n, order::recursive));
}

TEST(arrow_plan, chunked_eliminates_the_path) {
    for (int n = 1; n <= 40; ++n) {
        for (int chunks = 1; chunks <= n; ++chunks) {
            const chunking how{n, chunks};
            expect_valid(make_plan(how));
            for (int c = 0; c < chunks; ++c) {
                ASSERT_LE(how.first(c), how.separator(c));
                for (int j = how.first(c); j <= how.separator(c); ++j) ASSERT_EQ(how.chunk_of(j), c);
            }
        }
    }
}

TEST(arrow_plan, a_chunk_for_each_node_is_the_recursive_order) {
    for (int n = 1; n <= 20; ++n) {
        const chunking how{n, n};
        for (int j = 1; j <= n; ++j) EXPECT_EQ(how(j), recursive_elimination(n, j));
    }
}

TEST(arrow_plan, one_chunk_is_the_sequential_order) {
    for (int j = 1; j <= 20; ++j) EXPECT_EQ((chunking{20, 1}(j)), sequential_elimination(20, j));
}

TEST(arrow_plan, sequential_counts_match_the_formulas) {
    for (int n = 1; n <= 70; ++n) {
        const counts c = count(make_plan(n, order::sequential));

        EXPECT_EQ(c.two_neighbours, 0);
        EXPECT_NEAR(c.factor_n3, 7.0 / 3.0 * n, 1e-9);
        EXPECT_NEAR(c.solve_n2, 6.0 * n, 1e-9);
        EXPECT_EQ(c.blocks_in, 2 * n);
        EXPECT_EQ(c.blocks_out, 2 * n);
        EXPECT_EQ(c.depth, n);
    }
}

TEST(arrow_plan, recursive_counts_match_the_formulas) {
    for (int n = 1; n <= 300; ++n) {
        const counts c = count(make_plan(n, order::recursive));
        const int lv = levels(n);

        EXPECT_EQ(c.one_neighbour, lv);
        EXPECT_EQ(c.two_neighbours, n - 1 - lv);
        EXPECT_NEAR(c.factor_n3, 19.0 / 3.0 * (n - 1) - 4.0 * lv + 7.0 / 3.0, 1e-9);
        EXPECT_NEAR(c.solve_n2, 10.0 * (n - 1) - 4.0 * lv + 6.0, 1e-9);
        EXPECT_EQ(c.blocks_out, 3 * n - 1 - lv);
        EXPECT_EQ(c.depth, lv + 1);
    }
}

TEST(arrow_plan, chunked_counts_match_the_formulas) {
    // P chunks of m interior nodes each; the formula has the separators go one after the other, which two chunks do.
    for (int m = 1; m <= 20; ++m) {
        const int chunks = 2;
        const int n = chunks * (m + 1);
        const counts c = count(make_plan(chunking{n, chunks}));

        EXPECT_NEAR(c.factor_n3, 19.0 / 3.0 * (chunks - 1) * m + 7.0 / 3.0 * (m + chunks - 1) + 7.0 / 3.0,
                    1e-9);
        EXPECT_NEAR(c.solve_n2, 10.0 * (chunks - 1) * m + 6.0 * (m + chunks), 1e-9);
        EXPECT_EQ(c.blocks_out, 2 * n + (chunks - 1) * m);
        EXPECT_EQ(c.depth, m + levels(chunks) + 1);
    }
}

TEST(arrow_plan, rejects_what_is_no_tail) {
    EXPECT_THROW(make_plan(0, order::sequential), std::invalid_argument);
    EXPECT_THROW(make_plan(-3, order::recursive), std::invalid_argument);
    EXPECT_THROW(make_plan(chunking{4, 5}), std::invalid_argument);
    EXPECT_THROW(make_plan(chunking{4, 0}), std::invalid_argument);
}

}  // namespace
