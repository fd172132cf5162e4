// The elimination in registers with scratch, as batches run it: every number of knots, and the bits of the body in memory.

#include "support/lane.hpp"

#include <initializer_list>
#include <limits>

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/detail/bdsv_staged_sweeps.hpp>

namespace {
using namespace shoal::support;

template <int n, int Blocks>
struct staged_case {
    piece a, x, b, reference_a, reference_x, scratch, knot, same, seen;
    // A warp, and the narrowest tile: every other width is a copy to compile.
    template <class G>
    static constexpr bool supports = G::scope == shoal::scope::warp ||
                                     (G::scope == shoal::scope::tile && n <= shoal::group_size<G> &&
                                      (shoal::group_size<G> == 2 || shoal::group_size<G> < 2 * n));
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int knots = a.rows / n;
        using strips = shoal::strip<T, n, shoal::dynamic, Blocks>;
        using vector = shoal::block_vector<T, n>;
        T* const room = scratch.data(buffer);
        // Factor and solve in one, with the factor only read, and in memory column by column.
        const auto found =
            shoal::detail::bdsv_staged(g, strips{a.data(buffer), knots}, vector{x.data(buffer), knots}, room);
        observe(g, buffer, x, seen);
        trample(g, buffer, scratch);
        g.sync();
        shoal::detail::bdsv_sweeps_staged(
            g, shoal::strip<const T, n, shoal::dynamic, Blocks>{a.data(buffer), knots},
            vector{b.data(buffer), knots}, room,
            found.good() ? shoal::detail::keep::yes : shoal::detail::keep::no);
        trample(g, buffer, scratch);
        constexpr shoal::bdsv_policy memory{.algorithm = shoal::bdsv_algorithm::columns};
        const auto expected = shoal::bdsv<memory>(g, strips{reference_a.data(buffer), knots},
                                                  vector{reference_x.data(buffer), knots});
        knot.mine(g, buffer) = T(found.index(n));
        same.mine(g, buffer) = T(expected.index(n));
    }
};

template <class T>
dense<T> chain(int n, int knots, int blocks, double dominance, random_stream& r) {
    auto s = dense<T>(n * knots, blocks * n);
    for (int i = 0; i < n * knots; ++i) {
        for (int j = 0; j < 2 * n; ++j) s(i, j) = static_cast<T>(r.uniform(-1, 1));
        s(i, n + i % n) += static_cast<T>(dominance * n);
    }
    return s;
}

constexpr place by_rows{.order = storage::row};

template <class T, int n, int Blocks>
void check_chain(const dense<T>& strips, int expected = 0) {
    const int knots = strips.rows() / n;
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots);
    random_stream r(static_cast<std::uint64_t>(knots));
    const auto b = random_matrix<T>(n * knots, 1, r);
    arena<T> a;
    const staged_case<n, Blocks> c{
        a.inout(strips, by_rows), a.inout(b),     a.inout(b),
        a.inout(strips, by_rows), a.inout(b),     a.scratch(shoal::detail::staging<T, n>::size),
        a.per_member(),           a.per_member(), a.output(n * knots, 1)};
    // What is above the diagonal, and what stands where there is no neighbour.
    const auto meaningless = [](int i, int j) { return j > n + i % n || (i < n && j < n); };
    a.forbid(c.a, meaningless);
    a.forbid(c.reference_a, meaningless);
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.knot), expected);
        EXPECT_EQ(out.info(c.same), expected);
        EXPECT_TRUE(bits_equal(out(c.x), out(c.reference_x)));
        EXPECT_TRUE(bits_equal(out(c.x), out(c.seen)));
        EXPECT_TRUE(bits_equal(out(c.b), out(c.reference_x)));
        for (int i = 0; i < n * knots; ++i)
            for (int j = 0; j <= n + i % n; ++j)
                ASSERT_TRUE(same_bits(out(c.a)(i, j), out(c.reference_a)(i, j))) << i << " " << j;
    });
}

template <class T, int n, int Blocks>
void check_knots(std::initializer_list<int> counts) {
    for (const int knots : counts) {
        random_stream r(static_cast<std::uint64_t>(100 * n + knots));
        check_chain<T, n, Blocks>(chain<T>(n, knots, Blocks, 4, r));
    }
}

TEST(bdsv_staged, the_bits_of_the_body_in_memory) {
    check_knots<double, 1, 3>({1, 2, 3, 4, 7});
    check_knots<double, 2, 2>({1, 2, 3, 4, 5, 17});
    check_knots<double, 7, 3>({1, 3, 6});
    check_knots<float, 6, 2>({2, 5});
    check_knots<float, 14, 2>({3});
    check_knots<double, 16, 2>({1, 5});
}

TEST(bdsv_staged, F01_F07_a_bad_pivot_stops_what_is_written) {
    random_stream r(4);
    for (const int bad : {0, 5, 11, 23}) {
        auto strips = chain<double>(4, 6, 2, 4, r);
        strips(bad, 4 + bad % 4) = -1;
        check_chain<double, 4, 2>(strips, bad + 1);
        strips(bad, 4 + bad % 4) = std::numeric_limits<double>::quiet_NaN();
        check_chain<double, 4, 2>(strips, bad + 1);
    }
}

TEST(bdsv_staged, tiny_pivots_have_the_same_roots) {
    random_stream r(6);
    auto strips = chain<double>(3, 5, 2, 4, r);
    for (int i = 0; i < 15; ++i)
        for (int j = 0; j < 6; ++j) strips(i, j) *= 0x1p-960;
    check_chain<double, 3, 2>(strips);
}

}  // namespace
