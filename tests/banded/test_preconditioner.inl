// What pcg() is preconditioned with.

#include "support/lane.hpp"

#include <limits>

#include <shoal/banded/pcg.hpp>

namespace {
using namespace shoal::support;

enum class kind { jacobi, stair };

template <int n, int Blocks>
struct build_case {
    piece a, m, seen, knot, pivot;
    kind what;
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::strip<const T, n, shoal::dynamic, Blocks> from{a.data(buffer), knots};
        const shoal::strip<T, n, shoal::dynamic, Blocks> to{m.data(buffer), knots};
        const auto found =
            what == kind::jacobi ? shoal::block_jacobi(g, from, to) : shoal::symmetric_stair(g, from, to);
        knot.mine(g, buffer) = T(found.knot);
        pivot.mine(g, buffer) = T(found.pivot);
        observe(g, buffer, m, seen);
    }
};

template <int n>
struct solve_case {
    piece a, m, b, x, scratch, iterations, reason;
    kind what;
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        const shoal::symmetric_strip<const T, n> matrix{a.data(buffer), knots};
        const shoal::symmetric_strip<T, n> inverse{m.data(buffer), knots};
        const shoal::block_vector<const T, n> rhs{b.data(buffer), knots};
        const shoal::block_vector<T, n> start{x.data(buffer), knots};
        shoal::pcg_result<T> done{};
        if (what == kind::jacobi) {
            shoal::block_jacobi(g, matrix, inverse);
            done = shoal::pcg(g, matrix, shoal::jacobi_preconditioner{inverse}, rhs, start,
                              shoal::pcg_options<T>{}, scratch.data(buffer));
        } else {
            shoal::symmetric_stair(g, matrix, inverse);
            done = shoal::pcg(g, matrix, shoal::strip_preconditioner<decltype(inverse)>{inverse}, rhs, start,
                              shoal::pcg_options<T>{}, scratch.data(buffer));
        }
        iterations.mine(g, buffer) = T(done.iterations);
        reason.mine(g, buffer) = T(static_cast<int>(done.reason));
    }
};

/// Strips of a random chain; what no builder may use is forbidden.
template <class T>
dense<T> chain(int n, int knots, int blocks, random_stream& r) {
    auto s = dense<T>(n * knots, blocks * n);
    for (int i = 0; i < n * knots; ++i) {
        for (int j = 0; j < 2 * n; ++j) s(i, j) = static_cast<T>(r.uniform(-1, 1));
        s(i, n + i % n) += T(2.5 * n);
        for (int j = 2 * n; j < blocks * n; ++j) s(i, j) = 0;
    }
    for (int k = 0; k < knots; ++k) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (j > i) s(k * n + i, n + j) = s(k * n + j, n + i);
                if (blocks == 3 && k + 1 < knots) s(k * n + i, 2 * n + j) = s((k + 1) * n + j, i);
            }
    }
    return s;
}

template <class T>
class preconditioner : public testing::Test {};
TYPED_TEST_SUITE(preconditioner, scalars);

constexpr place by_rows{.order = storage::row};

template <class T, int n, int Blocks>
void check_blocks(int knots, kind what) {
    random_stream r(static_cast<std::uint64_t>(10 * n + knots));
    const auto strips = chain<T>(n, knots, Blocks, r);
    arena<T> a;
    const build_case<n, Blocks> c{a.input(strips, by_rows),
                                  a.output(n * knots, Blocks * n, by_rows),
                                  a.output(n * knots, Blocks * n, by_rows),
                                  a.per_member(),
                                  a.per_member(),
                                  what};
    a.forbid(c.m, [&](int i, int j) {
        const int slot = j / n;
        if (what == kind::jacobi) return slot != 1;
        return (i < n && slot == 0) || (i >= n * (knots - 1) && slot == 2);
    });
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.knot), 0);
        const auto m = out(c.m);
        const auto block = [&](const dense<T>& of, int k, int slot) {
            return dense<double>::from(
                n, n, [&](int i, int j) { return static_cast<double>(of(k * n + i, slot * n + j)); });
        };
        const double tight = 60 * n * static_cast<double>(shoal::core::epsilon<T>);
        for (int k = 0; k < knots; ++k) {
            const auto d = block(strips, k, 1), inverse = block(m, k, 1);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0;
                    for (int l = 0; l < n; ++l) sum += d(i, l) * inverse(l, j);
                    EXPECT_NEAR(sum, i == j ? 1 : 0, tight);
                    EXPECT_EQ(inverse(i, j), inverse(j, i));
                }
            if (what == kind::jacobi || k == 0) continue;
            // D_k M_{k,k-1} D_{k-1} = -L_k, which does not ask whether the inverses are right.
            const auto left = block(m, k, 0), before = block(strips, k - 1, 1);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0;
                    for (int l = 0; l < n; ++l)
                        for (int h = 0; h < n; ++h) sum += d(i, l) * left(l, h) * before(h, j);
                    EXPECT_NEAR(sum, -static_cast<double>(strips(k * n + i, j)), 4 * n * tight);
                    if (Blocks == 3) {
                        EXPECT_EQ(left(i, j), block(m, k - 1, 2)(j, i));
                    }
                }
        }
    });
}

TYPED_TEST(preconditioner, the_inverses_are_inverses) {
    using T = TypeParam;
    for (const kind what : {kind::jacobi, kind::stair}) {
        check_blocks<T, 1, 3>(1, what);
        check_blocks<T, 2, 3>(5, what);
        check_blocks<T, 7, 2>(4, what);
    }
}

TYPED_TEST(preconditioner, a_bad_block_is_named) {
    using T = TypeParam;
    random_stream r(3);
    const auto good = chain<T>(2, 6, 2, r);
    const auto run = [&](const dense<T>& strips, int knot, int pivot) {
        arena<T> a;
        const build_case<2, 2> c{a.input(strips, by_rows), a.output(12, 4, by_rows), a.output(12, 4, by_rows),
                                 a.per_member(),           a.per_member(),           kind::jacobi};
        a.forbid(c.m, [](int, int j) { return j < 2; });
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.knot), knot);
            EXPECT_EQ(out.info(c.pivot), pivot);
        });
    };
    auto strips = good;
    strips(9, 3) = -1;
    run(strips, 5, 2);
    strips(4, 2) = std::numeric_limits<T>::quiet_NaN();
    run(strips, 3, 1);
    strips = good;
    strips(6, 2) = 0;
    run(strips, 4, 1);
}

TYPED_TEST(preconditioner, the_stair_takes_fewer_iterations) {
    using T = TypeParam;
    constexpr int n = 3, knots = 30;
    random_stream r(8);
    const auto strips = chain<T>(n, knots, 2, r);
    const auto b = random_matrix<T>(n * knots, 1, r);
    const auto full = dense<T>::from(n * knots, n * knots, [&](int i, int j) {
        const int row = i / n >= j / n ? i : j, column = i / n >= j / n ? j : i;
        const int slot = column / n - row / n + 1;
        return slot >= 0 ? strips(row, slot * n + column % n) : T(0);
    });
    int taken[2] = {};
    for (const kind what : {kind::jacobi, kind::stair}) {
        arena<T> a;
        const solve_case<n> c{a.input(strips, by_rows),
                              a.output(n * knots, 2 * n, by_rows),
                              a.input(b),
                              a.inout(dense<T>(n * knots, 1)),
                              a.scratch(shoal::pcg_scratch(n, knots)),
                              a.per_member(),
                              a.per_member(),
                              what};
        a.forbid(c.m, [&](int i, int j) { return j < n && (what == kind::jacobi || i < n); });
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.reason), static_cast<int>(shoal::pcg_reason::converged));
            // The square root of what was asked of r' M r, and the norms between it and the residual.
            EXPECT_TRUE(within(solve_error(full, out(c.x), b), sizeof(T) == 8 ? 1e5 : 1e3));
            taken[static_cast<int>(what)] = out.info(c.iterations);
        });
    }
    EXPECT_GT(taken[1], 0);
    EXPECT_LT(taken[1], taken[0]);
}

}  // namespace
