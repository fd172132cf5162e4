// Block-tridiagonal elimination by products on the tensor cores, emulated where there are none.

#include "support/lane.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <shoal/banded/bdsv.hpp>

namespace {
using namespace shoal::support;

constexpr place by_rows{.order = storage::row};
constexpr shoal::bdsv_policy by_products{.algorithm = shoal::bdsv_algorithm::products};

template <int n, int Blocks>
struct products_case {
    piece a, x, y, scratch, seen, too, knot, pivot;
    // Blocks that are not made of whole warps work in memory.
    template <class G>
    static constexpr bool supports = G::scope == shoal::scope::warp || G::scope == shoal::scope::block;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::strip<T, n, shoal::dynamic, Blocks> strips{a.data(buffer), knots};
        const shoal::block_vector<T, n> first{x.data(buffer), knots}, second{y.data(buffer), knots};
        const shoal::knot_info found = shoal::bdsv<by_products>(g, strips, first, scratch.data(buffer));
        trample(g, buffer, scratch);
        observe(g, buffer, x, seen);
        if (found.good()) shoal::bdsv_solve<by_products>(g, strips, second);
        observe(g, buffer, y, too);
        knot.mine(g, buffer) = T(found.knot);
        pivot.mine(g, buffer) = T(found.pivot);
    }
};

/// Strips [L | D] or [L | D | R]; of D only the lower triangle.
dense<double> chain(int n, int knots, int blocks, random_stream& r) {
    auto s = dense<double>(n * knots, blocks * n);
    for (int i = 0; i < n * knots; ++i) {
        for (int j = 0; j < 2 * n; ++j) s(i, j) = r.uniform(-1, 1);
        s(i, n + i % n) += 4 * n;
    }
    return s;
}
dense<double> full(const dense<double>& strips, int blocks) {
    const int n = strips.cols() / blocks;
    return dense<double>::from(strips.rows(), strips.rows(), [&](int i, int j) {
        const int row = i >= j ? i : j, column_of = i >= j ? j : i;
        const int slot = column_of / n - row / n + 1;
        return slot >= 0 ? strips(row, slot * n + column_of % n) : 0.0;
    });
}

template <int n, int Blocks, class Check>
void run(const dense<double>& strips, Check check) {
    const int knots = strips.rows() / n;
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots);
    random_stream r(static_cast<std::uint64_t>(knots));
    const auto b = random_matrix<double>(n * knots, 1, r);
    arena<double> a;
    const products_case<n, Blocks> c{a.inout(strips, by_rows),
                                     a.inout(b),
                                     a.inout(b),
                                     a.scratch(shoal::bdsv_products_scratch(n, knots)),
                                     a.output(n * knots, 1),
                                     a.output(n * knots, 1),
                                     a.per_member(),
                                     a.per_member()};
    a.forbid(c.a, [&](int i, int j) { return (i < n && j < n) || j > n + i % n; });
    run_on_all_groups(
        c, a,
        [&](const outcome<double>& out) {
            EXPECT_TRUE(bits_equal(out(c.x), out(c.seen)));
            EXPECT_TRUE(bits_equal(out(c.y), out(c.too)));
            check(out.info(c.knot), out.info(c.pivot), out(c.a), out(c.x), out(c.y), b);
        },
        across_groups::differs);
}

template <int n, int Blocks>
void check_solved(const dense<double>& strips, double more = 1) {
    const int knots = strips.rows() / n;
    const auto matrix = full(strips, Blocks);
    run<n, Blocks>(strips, [&](int knot, int, const dense<double>& factor, const dense<double>& x,
                               const dense<double>& y, const dense<double>& b) {
        EXPECT_EQ(knot, 0);
        EXPECT_TRUE(within(solve_error(matrix, x, b), more));
        EXPECT_TRUE(within(solve_error(matrix, y, b), more));
        const auto got = dense<double>::from(n * knots, n * knots, [&](int i, int j) {
            const int slot = j / n - i / n + 1;
            return j <= i && slot >= 0 ? factor(i, slot * n + j % n) : 0.0;
        });
        EXPECT_TRUE(within(cholesky_error(matrix, got), more));
    });
}

template <int n, int Blocks>
void check_knots(std::initializer_list<int> counts) {
    for (const int knots : counts) {
        random_stream r(static_cast<std::uint64_t>(100 * n + knots));
        check_solved<n, Blocks>(chain(n, knots, Blocks, r));
    }
}

TEST(bdsv_products, every_block_size_solves) {
    check_knots<1, 2>({1, 2, 5});
    check_knots<4, 3>({3});
    check_knots<6, 2>({1, 2, 7});
    check_knots<12, 2>({3});
    check_knots<14, 3>({1, 4});
    check_knots<16, 2>({1, 2, 6});
}

TEST(bdsv_products, F01_F07_a_bad_pivot_is_reported_and_x_left) {
    random_stream r(4);
    const auto good = chain(6, 4, 2, r);
    for (const int bad : {0, 5, 11, 23}) {
        for (const double value :
             {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            auto strips = good;
            strips(bad, 6 + bad % 6) = value;
            run<6, 2>(strips, [&](int knot, int pivot, const dense<double>&, const dense<double>& x,
                                  const dense<double>&, const dense<double>& b) {
                EXPECT_EQ(knot, bad / 6 + 1);
                EXPECT_EQ(pivot, bad % 6 + 1);
                EXPECT_TRUE(bits_equal(x, b));
            });
        }
    }
}

/// A chain F F' of that condition, which the first pivots of each block have already.
dense<double> ill_conditioned(int n, int knots, double condition, random_stream& r) {
    const int size = n * knots;
    auto factor = dense<double>(size, size);
    for (int k = 0; k < knots; ++k) {
        // Rows orthogonalised, columns scaled: no row or column alone shows the condition.
        auto q = random_matrix<double>(n, n, r);
        for (int i = 0; i < n; ++i) {
            for (int pass = 0; pass < 2; ++pass) {
                for (int h = 0; h < i; ++h) {
                    double dot = 0;
                    for (int j = 0; j < n; ++j) dot += q(i, j) * q(h, j);
                    for (int j = 0; j < n; ++j) q(i, j) -= dot * q(h, j);
                }
            }
            double square = 0;
            for (int j = 0; j < n; ++j) square += q(i, j) * q(i, j);
            for (int j = 0; j < n; ++j) q(i, j) /= std::sqrt(square);
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                factor(k * n + i, k * n + j) = q(i, j) * std::pow(condition, -0.5 * std::min(j, 3) / 3);
        if (k == 0) continue;
        const auto mix = random_matrix<double>(n, n, r);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int l = 0; l < n; ++l)
                    factor(k * n + i, (k - 1) * n + j) += factor(k * n + i, k * n + l) * mix(l, j) / n;
    }
    auto strips = dense<double>(size, 2 * n);
    for (int i = 0; i < size; ++i) {
        for (int slot = 0; slot < 2 * n; ++slot) {
            const int j = (i / n - 1) * n + slot;
            if (j < 0 || j > i) continue;
            for (int l = 0; l < size; ++l) strips(i, slot) += factor(i, l) * factor(j, l);
        }
    }
    return strips;
}

TEST(bdsv_products, ill_conditioned_chains_have_the_backward_error_of_lapack) {
    for (const double condition : {1e2, 1e8, 1e14}) {
        SCOPED_TRACE(condition);
        random_stream r(static_cast<std::uint64_t>(condition));
        check_solved<6, 2>(ill_conditioned(6, 4, condition, r));
        check_solved<16, 2>(ill_conditioned(16, 3, condition, r));
    }
}

/// The factor alone; and the steps of the levels, all by one warp.
template <int n>
struct warp_case {
    piece a, factor, levels, x, y;
    template <class G>
    static constexpr bool supports = G::scope == shoal::scope::warp;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        shoal::bdsv_factor<by_products>(g, shoal::strip<T, n>{a.data(buffer), knots});
        observe(g, buffer, a, factor);
        using strips = shoal::strip<T, n>;
        const shoal::detail::tensor_level_step<G, strips> step(g, strips{levels.data(buffer), knots});
        const shoal::block_vector<T, n> to{x.data(buffer), knots}, between{y.data(buffer), knots};
        int s = 1;
        for (; s <= knots; s *= 2) {
            for (int c = s - 1; c < knots; c += s) {
                step.factor(c, s, to, between);
                g.sync();
            }
        }
        for (s /= 2; s >= 1; s /= 2) {
            for (int c = s - 1; c < knots; c += 2 * s) {
                step.backward(c, s, between, to);
                g.sync();
            }
        }
    }
};

TEST(bdsv_products, steps_of_a_warp) {
    constexpr int n = 10, knots = 5;
    random_stream r(9);
    const auto strips = chain(n, knots, 3, r);
    const auto matrix = full(strips, 3);
    const auto b = random_matrix<double>(n * knots, 1, r);
    arena<double> a;
    const warp_case<n> c{a.inout(strips, by_rows), a.output(n * knots, 3 * n, by_rows),
                         a.inout(strips, by_rows), a.inout(b), a.output(n * knots, 1)};
    run_on_all_groups(c, a, [&](const outcome<double>& out) {
        EXPECT_TRUE(bits_equal(out(c.a), out(c.factor)));
        EXPECT_TRUE(within(solve_error(matrix, out(c.x), b), 1));
    });
}

TEST(bdsv_products, F14_scales_beyond_the_quick_step) {
    random_stream r(5);
    for (const double scale : {0x1p-200, 0x1p200}) {
        auto strips = chain(14, 3, 2, r);
        for (int i = 0; i < strips.rows(); ++i)
            for (int j = 0; j < strips.cols(); ++j) strips(i, j) *= scale;
        check_solved<14, 2>(strips);
    }
}

}  // namespace
