// Block-tridiagonal systems: product, direct solver, conjugate gradients, block moves.

#include "support/lane.hpp"

#include <cmath>
#include <limits>

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/move_block.hpp>
#include <shoal/banded/pcg.hpp>
#include <shoal/lapack/potrf.hpp>

namespace {
using namespace shoal::support;

/// A symmetric positive definite block-tridiagonal matrix as its strips: N n rows of 3 n, row-major in memory.
template <class T>
dense<T> random_strips(int n, int knots, random_stream& r) {
    auto s = dense<T>(n * knots, 3 * n);
    for (int k = 0; k < knots; ++k) {
        const auto d = random_matrix<T>(n, n, r);
        const auto e = random_matrix<T>(n, n, r);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                s(k * n + i, n + j) = (i == j ? T(4 * n) : T(0)) + (d(i, j) + d(j, i)) / 2;
                if (k == 0) continue;
                s(k * n + i, j) = e(i, j);
                s((k - 1) * n + j, 2 * n + i) = e(i, j);
            }
    }
    return s;
}

template <class T>
dense<T> to_dense(const dense<T>& strips) {
    const int size = strips.rows();
    const int n = strips.cols() / 3;
    return dense<T>::from(size, size, [&](int i, int j) {
        const int slot = j / n - i / n + 1;
        return slot >= 0 && slot < 3 ? strips(i, slot * n + j % n) : T(0);
    });
}

/// L_0 and R_{N-1} have no meaning: nobody may touch them.
template <class T>
void forbid_corners(arena<T>& a, const piece& strips) {
    const int n = strips.cols / 3;
    a.forbid(strips, [&](int i, int j) { return (i < n && j < n) || (i >= strips.rows - n && j >= 2 * n); });
}

template <int n, int Knots>
struct bdmv_case {
    piece strips, x, y, z, seen;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = strips.rows / n;
        const shoal::strip<const T, n, Knots> a{strips.data(buffer), knots};
        const shoal::padded_vector<const T, n, Knots> vx{x.data(buffer) - n, knots};
        shoal::bdmv(g, a, vx, shoal::padded_vector<T, n, Knots>{y.data(buffer) - n, knots},
                    shoal::block_vector<T, n, Knots>{z.data(buffer), knots});
        observe(g, buffer, z, seen);
    }
};

template <int n, int Knots>
struct bdsv_case {
    piece strips, x, seen, knot, pivot;
    // Every tile is a copy to compile; one that is narrower than a block takes the body in memory, as a thread does.
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile ||
                                     shoal::group_size<G> == (n <= 4 ? 4 : 16);
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = strips.rows / n;
        const shoal::strip<T, n, Knots> a{strips.data(buffer), knots};
        const auto info = shoal::bdsv(g, a, shoal::block_vector<T, n, Knots>{x.data(buffer), knots});
        knot.mine(g, buffer) = T(info.knot);
        pivot.mine(g, buffer) = T(info.pivot);
        observe(g, buffer, x, seen);
    }
};

template <int n>
struct pcg_case {
    piece strips, preconditioner, b, x, scratch, iterations, residual, reason;
    int max_iterations = 1000;
    int bare = 0;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = strips.rows / n;
        const shoal::strip<const T, n> a{strips.data(buffer), knots};
        const shoal::block_vector<const T, n> rhs{b.data(buffer), knots};
        const shoal::block_vector<T, n> start{x.data(buffer), knots};
        const shoal::pcg_options<T> options{.max_iterations = max_iterations};
        T* const work = scratch.data(buffer);
        const shoal::strip_preconditioner m{shoal::strip<const T, n>{preconditioner.data(buffer), knots}};
        const auto done = bare != 0
                              ? shoal::pcg(g, a, shoal::identity_preconditioner{}, rhs, start, options, work)
                              : shoal::pcg(g, a, m, rhs, start, options, work);
        iterations.mine(g, buffer) = T(done.iterations);
        residual.mine(g, buffer) = done.residual;
        reason.mine(g, buffer) = T(static_cast<int>(done.reason));
    }
};

template <class T>
class banded : public testing::Test {};
TYPED_TEST_SUITE(banded, scalars);

constexpr place by_rows{.order = storage::row};

/// Product and direct solve of one size, static and dynamic number of knots, against the dense matrix.
template <class T, int n, int Knots>
void check_size(int knots) {
    random_stream r(static_cast<unsigned>(100 * n + knots));
    const auto strips = random_strips<T>(n, knots, r);
    const auto full = to_dense(strips);
    const auto x = random_matrix<T>(n * knots, 1, r);
    {
        arena<T> a;
        const bdmv_case<n, Knots> c{a.input(strips, by_rows), a.input(x), a.output(n * knots, 1),
                                    a.output(n * knots, 1), a.output(n * knots, 1)};
        forbid_corners(a, c.strips);
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(within(product_error(T(1), full, x, T(0), dense<T>(n * knots, 1), out(c.y)), 1));
            EXPECT_TRUE(bits_equal(out(c.y), out(c.z)));
            EXPECT_TRUE(bits_equal(out(c.z), out(c.seen)));
        });
    }
    {
        arena<T> a;
        const bdsv_case<n, Knots> c{a.inout(strips, by_rows), a.inout(x), a.output(n * knots, 1),
                                    a.per_member(), a.per_member()};
        forbid_corners(a, c.strips);
        // R and the strictly upper triangles of D are neither read nor written.
        a.forbid(c.strips, [&](int i, int j) { return j >= 2 * n || (j >= n && j - n > i % n); });
        auto factor = full;
        ASSERT_EQ(
            shoal::potrf(shoal::this_thread(), lower(shoal::matrix(factor.data(), n * knots, n * knots))), 0);
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.knot), 0);
            EXPECT_TRUE(within(solve_error(full, out(c.x), x), 1));
            EXPECT_TRUE(bits_equal(out(c.x), out(c.seen)));
            // F11: the factor by its formula, F_k on the diagonal and E_k left of it, rebuilds A; on a host, where roots
            // are the same for both, it has the bits of the dense factor.
            const auto strip_factor = out(c.strips);
            const auto got = dense<T>::from(n * knots, n * knots, [&](int i, int j) {
                const int slot = j / n - i / n + 1;
                return j <= i && slot >= 0 ? strip_factor(i, slot * n + j % n) : T(0);
            });
            EXPECT_TRUE(within(cholesky_error(full, got), 1));
#if !defined(__CUDACC__)
            EXPECT_TRUE(bits_equal(got, lower_part(factor)));
#endif
        });
    }
}

TYPED_TEST(banded, F15_F11_every_number_of_knots) {
    using T = TypeParam;
    for (const int knots : full_lists() ? std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 33, 64, 70}
                                        : std::vector<int>{1, 2, 3, 5, 17}) {
        check_size<T, 1, shoal::dynamic>(knots);
        check_size<T, 2, shoal::dynamic>(knots);
    }
    check_size<T, 7, 4>(4);
#if !defined(__SANITIZE_ADDRESS__)
    // Sanitized code compiles slowly, and larger blocks have no other paths.
    check_size<T, 14, 2>(2);
#endif
}

/// The same rows an odd number of elements apart.
template <int n>
struct padded_case {
    piece strips, x, y, z, scratch;
    template <class G>
    static constexpr bool supports = G::scope != shoal::scope::tile;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = strips.rows / n;
        const shoal::padded_strip<T, n> a{strips.data(buffer), knots};
        const shoal::block_vector<T, n> to{y.data(buffer), knots};
        shoal::bdmv(g, a, shoal::block_vector<const T, n>{x.data(buffer), knots}, to,
                    shoal::block_vector<T, n>{z.data(buffer), knots});
        shoal::bdsv(g, a, to, scratch.data(buffer));
    }
};

TYPED_TEST(banded, padded_rows_are_rows) {
    using T = TypeParam;
    constexpr int n = 4, knots = 3;
    random_stream r(17);
    const auto strips = random_strips<T>(n, knots, r);
    const auto x = random_matrix<T>(n * knots, 1, r);
    arena<T> a;
    const padded_case<n> c{a.inout(strips, {.order = storage::row, .padding = 1}), a.input(x),
                           a.output(n * knots, 1), a.output(n * knots, 1), a.scratch(shoal::bdsv_scratch)};
    forbid_corners(a, c.strips);
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto full = to_dense(strips);
        EXPECT_TRUE(within(product_error(T(1), full, x, T(0), dense<T>(n * knots, 1), out(c.z)), 1));
        EXPECT_TRUE(within(solve_error(full, out(c.y), out(c.z)), 1));
    });
}

TYPED_TEST(banded, B08_B09_counts_that_are_no_powers_of_two) {
    using T = TypeParam;
    for (const int knots : {1, 3, 5, 17, 33, 39, 100, 177, 255, 500}) {
        auto strips = dense<T>(2 * knots, 6);
        for (int k = 0; k < knots; ++k) {
            strips(2 * k, 2) = 4;
            strips(2 * k, 3) = strips(2 * k + 1, 2) = 1;
            strips(2 * k + 1, 3) = 3;
            for (int i = 0; i < 2; ++i) {
                if (k > 0) strips(2 * k + i, i) = -1;
                if (k + 1 < knots) strips(2 * k + i, 4 + i) = -1;
            }
        }
        const auto b = dense<T>::from(2 * knots, 1, [&](int i, int) {
            const int neighbours = (i / 2 > 0 ? 1 : 0) + (i / 2 + 1 < knots ? 1 : 0);
            return (i % 2 == 0 ? 5 : 4) - neighbours;
        });
        arena<T> a;
        const bdsv_case<2, shoal::dynamic> c{a.inout(strips, by_rows), a.inout(b), a.output(2 * knots, 1),
                                             a.per_member(), a.per_member()};
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            for (int i = 0; i < 2 * knots; ++i) EXPECT_NEAR(out(c.x)(i), T(1), 40 * shoal::core::epsilon<T>);
        });
        arena<T> w;
        const pcg_case<2> p{w.input(strips, by_rows),
                            w.input(strips, by_rows),
                            w.input(b),
                            w.inout(dense<T>(2 * knots, 1)),
                            w.scratch(shoal::pcg_scratch(2, knots)),
                            w.per_member(),
                            w.per_member(),
                            w.per_member(),
                            1000,
                            1};
        run_on_all_groups(p, w, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(p.reason), static_cast<int>(shoal::pcg_reason::converged));
            for (int i = 0; i < 2 * knots; ++i) EXPECT_NEAR(out(p.x)(i), T(1), sizeof(T) == 8 ? 1e-8 : 1e-3);
        });
    }
}

/// Three scalar blocks.
template <class T>
dense<T> scalar_chain(T d0, T d1, T d2, T off) {
    auto s = dense<T>(3, 3);
    s(0, 1) = d0;
    s(1, 1) = d1;
    s(2, 1) = d2;
    s(1, 0) = s(2, 0) = s(0, 2) = s(1, 2) = off;
    return s;
}

template <class T, class Check>
void factor_chain(const dense<T>& strips, Check check) {
    arena<T> a;
    const bdsv_case<1, shoal::dynamic> c{a.inout(strips, by_rows), a.inout(dense<T>(strips.rows(), 1, T(1))),
                                         a.output(strips.rows(), 1), a.per_member(), a.per_member()};
    run_on_all_groups(c, a,
                      [&](const outcome<T>& out) { check(out.info(c.knot), out.info(c.pivot), out(c.x)); });
}

TYPED_TEST(banded, F07_the_failing_knot_is_named) {
    using T = TypeParam;
    const auto third = [](int knot, int pivot, const dense<T>& x) {
        EXPECT_EQ(knot, 3);
        EXPECT_EQ(pivot, 1);
        EXPECT_EQ(x(0), T(1)) << "the right-hand side of a failed system is left alone";
    };
    factor_chain(scalar_chain<T>(2, 2, T(0.5), -1), third);
    factor_chain(scalar_chain<T>(1, 2, 1, -1), third);
}

TYPED_TEST(banded, F06_indefinite_is_never_success) {
    using T = TypeParam;
    factor_chain(scalar_chain<T>(0, 0, 1, 1), [](int knot, int, const dense<T>&) { EXPECT_EQ(knot, 1); });
    auto strips = dense<T>(40, 3);
    for (int k = 0; k < 40; ++k) {
        strips(k, 1) = T(-1.9);
        if (k > 0) strips(k, 0) = 1;
        if (k < 39) strips(k, 2) = 1;
    }
    factor_chain(strips, [](int knot, int, const dense<T>&) { EXPECT_EQ(knot, 1); });
}

TYPED_TEST(banded, F01_A09_nan_is_found_where_it_is) {
    using T = TypeParam;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    random_stream r(7);
    const auto good = random_strips<T>(2, 6, r);
    const auto run = [&](const dense<T>& strips, const dense<T>& b, auto check) {
        arena<T> a;
        const bdsv_case<2, shoal::dynamic> c{a.inout(strips, by_rows), a.inout(b), a.output(12, 1),
                                             a.per_member(), a.per_member()};
        run_on_all_groups(c, a, [&](const outcome<T>& out) { check(out.info(c.knot), out(c.x)); });
    };
    const auto ones = dense<T>(12, 1, T(1));
    auto diagonal = good;
    diagonal(7, 3) = nan;
    run(diagonal, ones, [](int knot, const dense<T>&) { EXPECT_EQ(knot, 4); });
    auto off = good;
    off(6, 1) = nan;
    run(off, ones, [](int knot, const dense<T>&) { EXPECT_EQ(knot, 4); });
    auto last = good;
    last(11, 3) = nan;
    run(last, ones, [](int knot, const dense<T>&) { EXPECT_EQ(knot, 6); });
    auto b = ones;
    b(3) = nan;
    run(good, b, [](int knot, const dense<T>& x) {
        EXPECT_EQ(knot, 0);
        EXPECT_TRUE(std::isnan(x(0)));
    });
}

TYPED_TEST(banded, F12_the_lower_block_is_left) {
    using T = TypeParam;
    auto strips = dense<T>(6, 6);
    for (int i = 0; i < 6; ++i) strips(i, 2 + i % 2) = 3;
    strips(2, 1) = strips(4, 1) = 1;  // O = [[0, 1], [0, 0]] in the lower position
    strips(1, 4) = strips(3, 4) = 1;
    const auto expected = dense<T>::from(6, 1, [](int i, int) { return i + 1; });
    auto b = dense<T>(6, 1);
    const T values[] = {3, 9, 11, 17, 19, 18};
    for (int i = 0; i < 6; ++i) b(i) = values[i];
    arena<T> a;
    const bdsv_case<2, shoal::dynamic> c{a.inout(strips, by_rows), a.inout(b), a.output(6, 1), a.per_member(),
                                         a.per_member()};
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(out(c.x)(i), expected(i), 40 * shoal::core::epsilon<T>);
    });
}

TYPED_TEST(banded, F14_scales_of_eight_decades) {
    using T = TypeParam;
    constexpr int knots = 20;
    auto strips = dense<T>(2 * knots, 6);
    for (int k = 0; k < knots; ++k) {
        strips(2 * k, 2) = T(1e8) + T(1e-3);
        strips(2 * k + 1, 3) = T(1e-2) + T(1e-3);
        for (int i = 0; i < 2; ++i) {
            if (k > 0) strips(2 * k + i, i) = T(1e-3);
            if (k + 1 < knots) strips(2 * k + i, 4 + i) = T(1e-3);
        }
    }
    auto b = dense<T>(2 * knots, 1);
    for (int i = 0; i < 2 * knots; ++i) {
        double sum = 0;
        for (int j = 0; j < 6; ++j) sum += static_cast<double>(strips(i, j));
        b(i) = static_cast<T>(sum);
    }
    arena<T> a;
    const bdsv_case<2, shoal::dynamic> c{a.inout(strips, by_rows), a.inout(b), a.output(2 * knots, 1),
                                         a.per_member(), a.per_member()};
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.knot), 0);
        for (int i = 0; i < 2 * knots; ++i) EXPECT_NEAR(out(c.x)(i), T(1), 1e-4);
    });
}

/// pcg on `strips`, with the block-Jacobi preconditioner `jacobi` or none.
template <class T, int n, class Check>
void run_pcg(const dense<T>& strips, const dense<T>& jacobi, const dense<T>& b, const dense<T>& x, int bare,
             Check check) {
    arena<T> a;
    const pcg_case<n> c{a.input(strips, by_rows),
                        a.input(jacobi, by_rows),
                        a.input(b),
                        a.inout(x),
                        a.scratch(shoal::pcg_scratch(n, strips.rows() / n)),
                        a.per_member(),
                        a.per_member(),
                        a.per_member(),
                        1000,
                        bare};
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        check(out.info(c.iterations), static_cast<double>(out.value(c.residual)),
              static_cast<shoal::pcg_reason>(out.info(c.reason)), out(c.x));
    });
}

TYPED_TEST(banded, F03_nothing_to_do_divides_nothing) {
    using T = TypeParam;
    auto strips = dense<T>(6, 6);
    for (int i = 0; i < 6; ++i) strips(i, 2 + i % 2) = 2;
    const auto idle = [](int iterations, double residual, shoal::pcg_reason reason, const dense<T>& x) {
        EXPECT_EQ(iterations, 0);
        EXPECT_EQ(residual, 0);
        EXPECT_EQ(reason, shoal::pcg_reason::converged);
        EXPECT_FALSE(has_nan(x));
    };
    const auto zero = dense<T>(6, 1);
    const auto one = dense<T>(6, 1, T(1));
    const auto two = dense<T>(6, 1, T(2));
    for (const int bare : {0, 1}) {
        run_pcg<T, 2>(strips, strips, zero, zero, bare, idle);
        run_pcg<T, 2>(strips, strips, two, one, bare, idle);
    }
}

TYPED_TEST(banded, F05_the_reason_is_told) {
    using T = TypeParam;
    const auto negative = scalar_chain<T>(-1, -1, -1, 0);
    const auto fine = scalar_chain<T>(2, 2, 2, -1);
    const auto one = dense<T>(3, 1, T(1));
    const auto zero = dense<T>(3, 1);
    run_pcg<T, 1>(negative, fine, one, zero, 1, [](int, double, shoal::pcg_reason reason, const dense<T>&) {
        EXPECT_EQ(reason, shoal::pcg_reason::breakdown);
    });
    run_pcg<T, 1>(fine, negative, one, zero, 0, [](int, double, shoal::pcg_reason reason, const dense<T>&) {
        EXPECT_EQ(reason, shoal::pcg_reason::breakdown);
    });
    // r' z = 1 - 1 + 0, and the solution is not there.
    run_pcg<T, 1>(fine, scalar_chain<T>(1, -1, 0, 0), one, zero, 0,
                  [](int iterations, double, shoal::pcg_reason reason, const dense<T>&) {
                      EXPECT_EQ(iterations, 0);
                      EXPECT_EQ(reason, shoal::pcg_reason::breakdown);
                  });
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        auto strips = fine;
        strips(1, 1) = bad;
        run_pcg<T, 1>(strips, fine, one, zero, 1,
                      [](int iterations, double, shoal::pcg_reason reason, const dense<T>&) {
                          EXPECT_EQ(reason, shoal::pcg_reason::not_finite);
                          EXPECT_LE(iterations, 1);
                      });
    }
}

TYPED_TEST(banded, a_preconditioner_that_couples_knots_helps) {
    using T = TypeParam;
    // The matrix of the second difference, and a rough inverse of it whose every row reaches the neighbours.
    constexpr int knots = 40;
    auto strips = dense<T>(knots, 3);
    auto rough = dense<T>(knots, 3);
    for (int k = 0; k < knots; ++k) {
        strips(k, 1) = T(2.5);
        rough(k, 1) = T(0.5);
        if (k > 0) strips(k, 0) = -1, rough(k, 0) = T(0.2);
        if (k + 1 < knots) strips(k, 2) = -1, rough(k, 2) = T(0.2);
    }
    const auto b = dense<T>::from(knots, 1, [&](int i, int) {
        const int neighbours = (i > 0 ? 1 : 0) + (i + 1 < knots ? 1 : 0);
        return 2.5 - neighbours;
    });
    const auto zero = dense<T>(knots, 1);
    int bare_iterations = 0;
    const auto solved = [&](const dense<T>& x) {
        for (int i = 0; i < knots; ++i) EXPECT_NEAR(x(i), T(1), sizeof(T) == 8 ? 1e-8 : 1e-3);
    };
    run_pcg<T, 1>(strips, rough, b, zero, 1,
                  [&](int iterations, double, shoal::pcg_reason reason, const dense<T>& x) {
                      EXPECT_EQ(reason, shoal::pcg_reason::converged);
                      bare_iterations = iterations;
                      solved(x);
                  });
    run_pcg<T, 1>(strips, rough, b, zero, 0,
                  [&](int iterations, double, shoal::pcg_reason reason, const dense<T>& x) {
                      EXPECT_EQ(reason, shoal::pcg_reason::converged);
                      EXPECT_LT(iterations, bare_iterations);
                      solved(x);
                  });
}

template <int n>
struct move_case {
    piece dense_block, strips, back;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const shoal::strip<T, n, 2> a{strips.data(buffer)};
        const auto b = dense_block.view<n, n, shoal::column>(buffer);
        shoal::move_block(g, T(-2), transposed(b), a.left(1));
        shoal::move_block(g, T(-0.5), transposed(a.left(1)), back.view<n, n, shoal::column>(buffer));
    }
};

TYPED_TEST(banded, blocks_move_in_and_out) {
    using T = TypeParam;
    random_stream r(3);
    const auto b = random_matrix<T>(5, 5, r);
    arena<T> a;
    const move_case<5> c{a.input(b), a.output(10, 15, by_rows), a.output(5, 5)};
    a.forbid(c.strips, [](int i, int j) { return i < 5 || j >= 5; });
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.back), b));
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 5; ++j) EXPECT_EQ(out(c.strips)(5 + i, j), -2 * b(j, i));
    });
}

}  // namespace
