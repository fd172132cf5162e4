// Block-tridiagonal elimination in levels, by the warps of a block; and right-hand sides by the matrix.

#include "support/lane.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include <shoal/banded/bdsv.hpp>

namespace {
using namespace shoal::support;

constexpr place by_rows{.order = storage::row};
constexpr shoal::bdsv_policy by_levels{.algorithm = shoal::bdsv_algorithm::levels};

/// Strips [L | D | R] of a random chain. What has no influence is not set: R, and what is above the diagonal of D.
template <class T>
dense<T> chain(int n, int knots, random_stream& r) {
    auto s = dense<T>(n * knots, 3 * n);
    for (int i = 0; i < n * knots; ++i) {
        for (int j = 0; j < 2 * n; ++j) s(i, j) = static_cast<T>(r.uniform(-1, 1));
        s(i, n + i % n) += static_cast<T>(4 * n);
    }
    return s;
}
template <class T>
dense<T> full(const dense<T>& strips) {
    const int n = strips.cols() / 3;
    return dense<T>::from(strips.rows(), strips.rows(), [&](int i, int j) {
        const int row = i >= j ? i : j, column_of = i >= j ? j : i;
        const int slot = column_of / n - row / n + 1;
        return slot >= 0 ? strips(row, slot * n + column_of % n) : T(0);
    });
}

template <int n>
struct levels_case {
    piece a, x, y, scratch, seen, knot, pivot;
    template <class G>
    static constexpr bool supports = G::scope == shoal::scope::block;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::strip<T, n> strips{a.data(buffer), knots};
        const shoal::block_vector<T, n> first{x.data(buffer), knots}, second{y.data(buffer), knots};
        shoal::knot_info found;
        // Blocks that are not made of whole warps have other algorithms.
        if (g.size() % 32 == 0) {
            found = shoal::bdsv<by_levels>(g, strips, first, scratch.data(buffer));
            trample(g, buffer, scratch);
            observe(g, buffer, x, seen);
            if (found.good()) shoal::bdsv_solve<by_levels>(g, strips, second);
        } else {
            found = shoal::bdsv(g, strips, first, scratch.data(buffer));
            observe(g, buffer, x, seen);
            if (found.good()) shoal::bdsv_solve(g, strips, second);
        }
        knot.mine(g, buffer) = T(found.knot);
        pivot.mine(g, buffer) = T(found.pivot);
    }
};

template <class T, int n, class Check>
void run_levels(const dense<T>& strips, Check check) {
    const int knots = strips.rows() / n;
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots);
    random_stream r(static_cast<std::uint64_t>(knots));
    const auto b = random_matrix<T>(n * knots, 1, r);
    arena<T> a;
    const levels_case<n> c{a.inout(strips, by_rows),
                           a.inout(b),
                           a.inout(b),
                           a.scratch(std::max(shoal::bdsv_scratch, shoal::bdsv_levels_scratch(n, knots))),
                           a.output(n * knots, 1),
                           a.per_member(),
                           a.per_member()};
    a.forbid(c.a, [&](int i, int j) {
        return (i < n && j < n) || (i >= n * (knots - 1) && j >= 2 * n) || (j > n + i % n && j < 2 * n);
    });
    run_on_all_groups(
        c, a,
        [&](const outcome<T>& out) {
            check(out.info(c.knot), out.info(c.pivot), out(c.x), b);
            if (out.info(c.knot) == 0) {
                EXPECT_TRUE(within(solve_error(full(strips), out(c.y), b), 1));
                EXPECT_TRUE(bits_equal(out(c.x), out(c.seen)));
            }
        },
        across_groups::differs);
}

template <class T, int n>
void check_knots(std::initializer_list<int> counts) {
    for (const int knots : counts) {
        random_stream r(static_cast<std::uint64_t>(100 * n + knots));
        const auto strips = chain<T>(n, knots, r);
        run_levels<T, n>(strips, [&](int knot, int, const dense<T>& x, const dense<T>& b) {
            EXPECT_EQ(knot, 0);
            EXPECT_TRUE(within(solve_error(full(strips), x, b), 1));
        });
    }
}

TEST(bdsv_levels, any_number_of_knots) {
    check_knots<double, 1>({1, 2, 3, 4, 5, 6, 7, 8, 17, 33});
    check_knots<double, 2>({1, 5, 16});
    check_knots<float, 7>({6});
    check_knots<double, 16>({3, 8});
}

TEST(bdsv_levels, F01_F07_a_bad_pivot_is_reported_and_x_left) {
    random_stream r(4);
    const auto good = chain<double>(2, 9, r);
    for (const int bad : {0, 3, 7, 14, 17}) {
        for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
            auto strips = good;
            strips(bad, 2 + bad % 2) = value;
            run_levels<double, 2>(strips,
                                  [&](int knot, int pivot, const dense<double>& x, const dense<double>& b) {
                                      EXPECT_EQ(knot, bad / 2 + 1);
                                      EXPECT_EQ(pivot, bad % 2 + 1);
                                      EXPECT_TRUE(bits_equal(x, b));
                                  });
        }
    }
}

template <int n>
struct scratch_case {
    piece a, x, scratch, seen, found, factor;
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::strip<T, n> strips{a.data(buffer), knots};
        const auto first = shoal::bdsv_factor(g, strips, scratch.data(buffer));
        observe(g, buffer, a, factor);
        trample(g, buffer, scratch);
        found.mine(g, buffer) = T(first.index(n));
        if (first.good()) shoal::bdsv_solve(g, strips, shoal::block_vector<T, n>{x.data(buffer), knots});
        observe(g, buffer, x, seen);
    }
};

TEST(bdsv_levels, a_warp_of_a_block_with_scratch_has_the_same_bits) {
    constexpr int n = 3, knots = 6;
    random_stream r(12);
    const auto good = chain<double>(n, knots, r);
    auto bad = good;
    bad(10, n + 1) = -1;
    for (const bool fails : {false, true}) {
        auto strips = fails ? bad : good;
        // The factor is shown whole: what has no influence is a number as well.
        for (int i = 0; i < n * knots; ++i)
            for (int j = 2 * n; j < 3 * n; ++j) strips(i, j) = 7;
        const auto b = random_matrix<double>(n * knots, 1, r);
        arena<double> a;
        const scratch_case<n> c{a.inout(strips, by_rows), a.inout(b),     a.scratch(shoal::bdsv_scratch),
                                a.output(n * knots, 1),   a.per_member(), a.output(n * knots, 3 * n)};
        run_on_all_groups(c, a, [&](const outcome<double>& out) {
            EXPECT_EQ(out.info(c.found), fails ? 11 : 0);
            EXPECT_TRUE(bits_equal(out(c.x), out(c.seen)));
            EXPECT_TRUE(bits_equal(out(c.a), out(c.factor)));
            if (fails) {
                EXPECT_TRUE(bits_equal(out(c.x), b));
            } else {
                EXPECT_TRUE(within(solve_error(full(strips), out(c.x), b), 1));
            }
        });
    }
}

template <int n>
struct columns_case {
    piece a, b, x, seen;
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile || shoal::group_size<G> >= 8;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::strip<T, n> strips{a.data(buffer), knots};
        shoal::bdsv_factor(g, strips);
        shoal::bdsv_solve(g, strips, b.view<shoal::dynamic, shoal::dynamic>(buffer));
        observe(g, buffer, b, seen);
        shoal::bdsv_solve(g, strips, shoal::block_vector<T, n>{x.data(buffer), knots});
    }
};

TEST(bdsv_levels, columns_of_right_hand_sides_have_the_bits_of_vectors) {
    constexpr int n = 3, knots = 5;
    random_stream r(2);
    const auto strips = chain<double>(n, knots, r);
    for (const int count : {0, 1, 5, 17, 20}) {
        const auto b = random_matrix<double>(n * knots, count, r);
        const auto x =
            dense<double>::from(n * knots, 1, [&](int i, int) { return count > 0 ? b(i, count - 1) : 1; });
        arena<double> a;
        const columns_case<n> c{a.inout(strips, by_rows), a.inout(b, {.padding = 3}), a.inout(x),
                                a.output(n * knots, count)};
        a.forbid(c.a, [&](int i, int j) { return j >= 2 * n || (i < n && j < n) || j > n + i % n; });
        run_on_all_groups(c, a, [&](const outcome<double>& out) {
            EXPECT_TRUE(bits_equal(out(c.b), out(c.seen)));
            EXPECT_TRUE(within(solve_error(full(strips), out(c.b), b), 1));
            for (int i = 0; i < n * knots && count > 0; ++i)
                EXPECT_TRUE(same_bits(out(c.b)(i, count - 1), out(c.x)(i)));
        });
    }
}

}  // namespace
