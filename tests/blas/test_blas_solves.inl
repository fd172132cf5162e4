// trsv and trsm: one source, included by test_blas_solves.cpp (emulated groups) and test_blas_solves.cu (the groups of
// a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

namespace {

using namespace shoal::support;

template <class T>
struct blas_solves : testing::Test {};
TYPED_TEST_SUITE(blas_solves, scalars);

template <class T>
using limits = std::numeric_limits<T>;

constexpr shape shapes[] = {shape::lower, shape::upper, shape::unit_lower, shape::unit_upper};
constexpr turned turns[] = {turned::no, turned::yes};

/// A triangle as it is stored, and the system that it stands for with zeros and ones written out.
template <class T>
struct system {
    shape triangle;
    turned how;
    dense<T> stored;
    dense<T> meant;

    system(int n, shape s, turned t, random_stream& r) : triangle(s), how(t) {
        const auto l = random_lower<T>(n, r);
        stored = is_lower(s) ? l : transpose(l);
        complete();
    }
    system(const dense<T>& a, shape s, turned t) : triangle(s), how(t), stored(a) { complete(); }

    /// Whether the system is solved from the top.
    bool forward() const { return is_lower(triangle) == (how == turned::no); }
    dense<T> solve(const dense<T>& b) const { return chain::solve(meant, forward(), is_unit(triangle), b); }

    template <class Case>
    void forbid(arena<T>& a, const Case& c) const {
        if (is_lower(triangle)) a.forbid_above_diagonal(c.t);
        if (!is_lower(triangle)) a.forbid_below_diagonal(c.t);
        if (is_unit(triangle)) a.forbid_diagonal(c.t);
    }

  private:
    void complete() {
        meant = is_lower(triangle) ? lower_part(stored) : upper_part(stored);
        if (is_unit(triangle)) meant = with_unit_diagonal(meant);
        if (how == turned::yes) meant = transpose(meant);
    }
};

template <class T>
testing::Message describe(const system<T>& s) {
    return testing::Message() << name(s.triangle) << (s.how == turned::yes ? ", transposed" : "")
                              << ", n = " << s.stored.rows();
}

TYPED_TEST(blas_solves, trsv_has_the_documented_order_for_every_triangle_and_storage) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : {1, 2, 3, 8, 17, 33}) {
        for (const auto kind : shapes) {
            for (const auto turn : turns) {
                const system<T> s(n, kind, turn, r);
                SCOPED_TRACE(describe(s));
                const auto b = random_matrix<T>(n, 1, r);
                arena<T> a;
                const auto t = a.input(s.stored, some_place(at++));
                const trsv_case<> c{t, a.inout(b, {.stride = 1 + at % 3}), a.output(n, 1), kind, turn};
                s.forbid(a, c);
                on_all_groups(c, a, [&](const outcome<T>& out) {
                    EXPECT_TRUE(bits_equal(out(c.x), s.solve(b)));
                    EXPECT_TRUE(bits_equal(out(c.seen), out(c.x)));
                    EXPECT_TRUE(within(solve_error(s.meant, out(c.x), b), 1));
                });
            }
        }
    }
}

TYPED_TEST(blas_solves, trsm_has_the_documented_order_for_every_triangle_and_storage) {
    using T = TypeParam;
    random_stream r(2);
    int at = 0;
    for (const auto& [n, m] : {std::pair{1, 1}, {2, 5}, {3, 1}, {8, 8}, {17, 3}, {33, 40}}) {
        for (const auto kind : shapes) {
            for (const auto turn : turns) {
                const system<T> s(n, kind, turn, r);
                SCOPED_TRACE(describe(s));
                const auto b = random_matrix<T>(n, m, r);
                arena<T> a;
                const auto t = a.input(s.stored, some_place(at));
                const auto x = a.inout(b, some_place(at++ / 3 + 1));
                const trsm_case<> c{t, x, a.output(n, m), kind, turn};
                s.forbid(a, c);
                on_all_groups(c, a, [&](const outcome<T>& out) {
                    EXPECT_TRUE(bits_equal(out(c.b), s.solve(b)));
                    EXPECT_TRUE(bits_equal(out(c.seen), out(c.b)));
                    EXPECT_TRUE(within(solve_error(s.meant, out(c.b), b), 1));
                });
            }
        }
    }
}

TYPED_TEST(blas_solves, trsm_matches_lapack) {
    using T = TypeParam;
    random_stream r(3);
    for (const auto kind : shapes) {
        for (const auto turn : turns) {
            const system<T> s(24, kind, turn, r);
            const auto b = random_matrix<T>(24, 5, r);
            auto reference = b.template as<double>();
            lapack::trsm('L', is_lower(kind) ? 'L' : 'U', turn == turned::no ? 'N' : 'T',
                         is_unit(kind) ? 'U' : 'N', 1.0, s.stored.template as<double>(), reference);
            arena<T> a;
            const trsm_case<> c{a.input(s.stored), a.inout(b), a.output(24, 5), kind, turn};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                EXPECT_TRUE(within(relative_error(out(c.b), reference),
                                   100 * static_cast<double>(limits<T>::epsilon())));
            });
        }
    }
}

TYPED_TEST(blas_solves, whole_numbers_are_solved_exactly) {
    using T = TypeParam;
    random_stream r(4);
    for (const auto kind : shapes) {
        for (const auto turn : turns) {
            const auto l = integer_cholesky_factor<T>(7, r);
            const system<T> s(is_lower(kind) ? l : transpose(l), kind, turn);
            SCOPED_TRACE(describe(s));
            const auto x = random_integers<T>(7, 4, r);
            arena<T> a;
            const trsm_case<> c{a.input(s.stored), a.inout(naive::gemm(T(1), s.meant, x, T(0), x)),
                                a.output(7, 4), kind, turn};
            on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_TRUE(bits_equal(out(c.b), x)); });
        }
    }
}

template <class LA, class LB, class T>
void solve_static(const system<T>& s, place pt, place pb, const dense<T>& b) {
    arena<T> a;
    const few<trsm_case<LA, LB, ends::deferred>> c{
        {a.input(s.stored, pt), a.inout(b, pb), a.output(b.rows(), b.cols()), s.triangle, s.how}};
    s.forbid(a, c);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.b), s.solve(b)));
        EXPECT_TRUE(bits_equal(out(c.seen), s.solve(b)));
    });
}

template <class LA, class T>
void solve_static_vector(const system<T>& s, const dense<T>& b) {
    const auto first = dense<T>::from(b.rows(), 1, [&](int i, int) { return b(i, 0); });
    arena<T> one;
    const few<trsv_case<LA, look::fixed<5>, ends::deferred>> v{
        {one.input(s.stored), one.inout(first), one.output(b.rows(), 1), s.triangle, s.how}};
    s.forbid(one, v);
    on_all_groups(v, one, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(v.x), s.solve(first)));
        EXPECT_TRUE(bits_equal(out(v.seen), s.solve(first)));
    });
}

TYPED_TEST(blas_solves, static_and_deferred) {
    using T = TypeParam;
    random_stream r(5);
    for (const auto kind : shapes) {
        for (const auto turn : turns) {
            const system<T> s(5, kind, turn, r);
            SCOPED_TRACE(describe(s));
            const auto b = random_matrix<T>(5, 3, r);
            solve_static<look::fixed<5, 5>, look::fixed<5, 3>>(s, {}, {}, b);
            solve_static_vector<look::fixed<5, 5>>(s, b);
            solve_static<look::fixed<5, 5, shoal::row_ld<8>>, look::fixed<5, 3, shoal::row>>(
                s, {.order = storage::row, .padding = 3}, {.order = storage::row}, b);
        }
    }
}

TYPED_TEST(blas_solves, order_zero_and_no_right_hand_sides_write_nothing) {
    using T = TypeParam;
    for (const auto& [n, m] : {std::pair{0, 0}, {0, 4}, {3, 0}}) {
        arena<T> a;
        const trsm_case<> c{a.input(dense<T>(n, n, poison<T>())), a.inout(dense<T>(n, m)), a.output(n, m),
                            shape::lower, turned::no};
        on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_EQ(out(c.b).rows(), n); });
    }
    arena<T> a;
    const trsv_case<> c{a.input(dense<T>(0, 0)), a.inout(dense<T>(0, 1)), a.output(0, 1), shape::upper,
                        turned::yes};
    on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_EQ(out(c.x).rows(), 0); });
}

TYPED_TEST(blas_solves, A15_singular_triangle_gives_infinities_and_nan_whatever_the_variant) {
    using T = TypeParam;
    constexpr T inf = limits<T>::infinity();
    auto stored = dense<T>(2, 2);
    stored(0, 0) = 2;
    stored(0, 1) = 1;
    const auto ones = dense<T>(2, 1, T(1));
    const auto zeros = dense<T>(2, 1, T(0));
    const auto solve = [&](turned turn, const dense<T>& b, auto check) {
        arena<T> a;
        const trsm_case<> c{a.input(stored), a.inout(b), a.output(2, 1), shape::upper, turn};
        on_all_groups(c, a, [&](const outcome<T>& out) { check(out(c.b)); });
        arena<T> one;
        const trsv_case<> v{one.input(stored), one.inout(b), one.output(2, 1), shape::upper, turn};
        on_all_groups(v, one, [&](const outcome<T>& out) { check(out(v.x)); });
    };
    solve(turned::no, ones, [&](const dense<T>& x) {
        EXPECT_EQ(x(0), -inf);
        EXPECT_EQ(x(1), inf);
    });
    solve(turned::yes, ones, [&](const dense<T>& x) {
        EXPECT_EQ(x(0), T(0.5));
        EXPECT_EQ(x(1), inf);
    });
    // No shortcut for zeros: 0 / 0 in every variant.
    solve(turned::no, zeros, [&](const dense<T>& x) {
        EXPECT_TRUE(std::isnan(x(0)));
        EXPECT_TRUE(std::isnan(x(1)));
    });
    solve(turned::yes, zeros, [&](const dense<T>& x) {
        EXPECT_EQ(x(0), T(0));
        EXPECT_TRUE(std::isnan(x(1)));
    });
}

/// Many systems one after another, side by side in memory; each uses its own part of one operand.
struct trsm_row_case {
    piece t, b;
    int count;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int n = t.rows;
        const auto all_t = look::strided::matrix(t, buffer);
        const auto all_b = look::strided::matrix(b, buffer);
        for (int s = 0; s < count; ++s) {
            shoal::trsm(g, upper(all_t.block(0, s * n, n, n)), all_b.block(0, s, n, 1));
        }
    }
};

TYPED_TEST(blas_solves, A15_singular_triangle_among_others_gives_what_it_gives_alone) {
    using T = TypeParam;
    constexpr int count = 8;
    const auto U = dense<T>::from(2, 2 * count, [](int i, int j) {
        return j / 2 == 3 ? (i == 1 ? 0 : 2 - j % 2) : i > j % 2 ? 0 : 2;
    });
    arena<T> a;
    const trsm_row_case c{a.input(U, {.padding = 1}), a.inout(dense<T>(2, count, T(2))), count};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto x = out(c.b);
        for (int s = 0; s < count; ++s) {
            EXPECT_EQ(x(1, s), s == 3 ? limits<T>::infinity() : T(1));
            EXPECT_EQ(x(0, s), s == 3 ? -limits<T>::infinity() : T(0));
        }
    });
}

TYPED_TEST(blas_solves, nan_in_one_right_hand_side_stays_in_its_column) {
    using T = TypeParam;
    random_stream r(6);
    const system<T> s(6, shape::lower, turned::no, r);
    auto b = random_matrix<T>(6, 4, r);
    b(2, 1) = limits<T>::quiet_NaN();
    arena<T> a;
    const trsm_case<> c{a.input(s.stored), a.inout(b), a.output(6, 4), s.triangle, s.how};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto x = out(c.b);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 4; ++j) EXPECT_EQ(std::isnan(x(i, j)), j == 1 && i >= 2);
    });
}

TYPED_TEST(blas_solves, right_side_by_transposed_views) {
    using T = TypeParam;
    random_stream r(7);
    // X U = B is U' X' = B'.
    const system<T> s(5, shape::upper, turned::yes, r);
    const auto b = random_matrix<T>(5, 3, r);
    arena<T> a;
    const few<trsm_case<look::fixed<5, 5>, look::flipped<look::fixed<3, 5>>>> c{
        {a.input(s.stored), a.inout(transpose(b)), a.output(3, 5), s.triangle, s.how}};
    s.forbid(a, c);
    on_all_groups(c, a,
                  [&](const outcome<T>& out) { EXPECT_TRUE(bits_equal(transpose(out(c.b)), s.solve(b))); });
}

}  // namespace
