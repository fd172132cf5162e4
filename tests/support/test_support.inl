// The harness tested with itself, and the pattern for tests of ops: one source, included by test_support.cpp (emulated
// groups) and test_support.cu (the groups of a GPU).

#include "support/lane.hpp"

#include <shoal/group/collectives.hpp>

namespace {

using namespace shoal::support;

// ---- the pattern -----------------------------------------------------------------------------------------------------

/// y := alpha * x + y, then info and what other members see.
struct axpy_case {
    piece x, y, seen, info;
    double alpha;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto vx = x.vector(buffer), vy = y.vector(buffer);
        for (int i = g.rank(); i < vy.size(); i += g.size()) vy(i) = shoal::core::fma(T(alpha), vx(i), vy(i));
        // The result, before any member reads it.
        g.sync();
        info.mine(g, buffer) = T(0);
        observe(g, buffer, y, seen);
    }
};

template <class T>
struct support_axpy : testing::Test {};
TYPED_TEST_SUITE(support_axpy, scalars);

TYPED_TEST(support_axpy, whole_numbers) {
    using T = TypeParam;
    random_stream r(1);
    const auto x = random_integers<T>(37, 1, r);
    const auto y = random_integers<T>(37, 1, r);
    arena<T> a;
    const axpy_case c{a.input(x, {.stride = 2}), a.inout(y, {.shift = 1}), a.output(37, 1), a.per_member(),
                      2.0};

    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = dense<T>::from(37, 1, [&](int i, int) { return 2 * x(i) + y(i); });
        EXPECT_TRUE(bits_equal(out(c.y), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
        EXPECT_EQ(out.info(c.info), 0);
    });
}

/// B := the solution of L X = B for a static N, row by row: storage, leading dimensions, forbidden triangles, scratch.
template <int N>
struct forward_case {
    piece l, b, seen, seen_l, scratch;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto L = l.template view<N, N>(buffer);
        const auto B = b.view(buffer);
        T* const pivots = scratch.data(buffer);
        for (int i = g.rank(); i < N; i += g.size()) pivots[i] = T(1) / L(i, i);
        // All pivots, before any member divides by one.
        g.sync();
        for (int c = g.rank(); c < B.cols(); c += g.size())
            for (int i = 0; i < N; ++i) {
                T s = B(i, c);
                for (int k = 0; k < i; ++k) s = shoal::core::fma(-L(i, k), B(k, c), s);
                B(i, c) = s * pivots[i];
            }
        // The solution, before any member reads it, and the pivots, before any member overwrites them.
        g.sync();
        observe(g, buffer, b, seen);
        observe(g, buffer, l, seen_l);
        trample(g, buffer, scratch);
    }
};

TYPED_TEST(support_axpy, triangles_and_padding) {
    using T = TypeParam;
    constexpr int n = 7;
    random_stream r(2);
    const auto l = random_lower<T>(n, r);
    const auto b = random_matrix<T>(n, 5, r);
    arena<T> a;
    const forward_case<n> c{a.input(l, {.padding = 3}), a.inout(b, {.padding = 1}),
                            a.output(n, 5, {.order = storage::row}), a.output(n, n), a.scratch(n)};
    a.forbid_above_diagonal(c.l);

    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(within(solve_error(l, out(c.b), b), 1));
        EXPECT_TRUE(bits_equal(out(c.b), out(c.seen)));
        EXPECT_TRUE(bits_equal(lower_part(out(c.seen_l)), l));
    });
}

}  // namespace
