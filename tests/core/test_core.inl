// The scalar operations: one source, included by test_core.cpp (host) and test_core.cu (device).

#include "support/lane.hpp"

#include <cmath>
#include <limits>

#include <shoal/core/math.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct core : testing::Test {};
TYPED_TEST_SUITE(core, scalars);

template <class T>
using limits = std::numeric_limits<T>;

/// Every scalar operation on every x, one member an element.
struct scalar_case {
    piece x, fma, abs, sqrt, reciprocal, good, root, root_reciprocal, key_order, bits;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        for (int i = g.rank(); i < x.rows; i += g.size()) {
            const T v = buffer[x.at(i)];
            const T next = buffer[x.at((i + 1) % x.rows)];
            buffer[fma.at(i)] = shoal::core::fma(v, next, T(1));
            buffer[abs.at(i)] = shoal::core::abs(v);
            buffer[sqrt.at(i)] = shoal::core::sqrt(shoal::core::abs(v));
            buffer[reciprocal.at(i)] = shoal::core::pivot_reciprocal(v);
            buffer[good.at(i)] = shoal::core::good_pivot(v) ? T(1) : T(0);
            const auto r = shoal::core::pivot_rsqrt(shoal::core::abs(v));
            buffer[root.at(i)] = r.root;
            buffer[root_reciprocal.at(i)] = r.reciprocal;
            buffer[key_order.at(i)] =
                shoal::core::magnitude_key(v) < shoal::core::magnitude_key(next) ? T(1) : T(0);
            buffer[bits.at(i)] = shoal::core::from_bits(shoal::core::magnitude_key(v));
        }
    }
};

/// Numbers of every size, and the special ones.
template <class T>
dense<T> numbers() {
    random_stream r(1);
    std::vector<T> x{T(0),
                     T(-0.0),
                     T(1),
                     T(-1),
                     T(4),
                     T(2.25),
                     limits<T>::max(),
                     -limits<T>::max(),
                     limits<T>::min(),
                     limits<T>::denorm_min(),
                     -limits<T>::denorm_min(),
                     limits<T>::infinity(),
                     -limits<T>::infinity(),
                     limits<T>::quiet_NaN(),
                     T(1) + limits<T>::epsilon()};
    for (int k = 0; k < 500; ++k)
        x.push_back(static_cast<T>(std::ldexp(
            r.uniform(-1, 1), r.integer(limits<T>::min_exponent + 2, limits<T>::max_exponent - 2))));
    return dense<T>::from(static_cast<int>(x.size()), 1,
                          [&](int i, int) { return x[static_cast<std::size_t>(i)]; });
}

/// Distance of two positive numbers in units of the last place of `exact`.
template <class T>
double units(T got, wide exact) {
    const wide ulp =
        std::ldexp(wide(1), std::max(std::ilogb(exact), limits<T>::min_exponent - 1) - limits<T>::digits + 1);
    return static_cast<double>(std::abs(static_cast<wide>(got) - exact) / ulp);
}

TYPED_TEST(core, scalar_operations_round_as_documented) {
    using T = TypeParam;
    const auto x = numbers<T>();
    const int n = x.rows();
    arena<T> a;
    scalar_case c{};
    c.x = a.input(x);
    for (piece* const p : {&c.fma, &c.abs, &c.sqrt, &c.reciprocal, &c.good, &c.root, &c.root_reciprocal,
                           &c.key_order, &c.bits})
        *p = a.output(n, 1);
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto equal = [](T got, T expected) {
            return std::isnan(expected) ? std::isnan(got) : same_bits(got, expected);
        };
        for (int i = 0; i < n; ++i) {
            SCOPED_TRACE(testing::Message() << "x = " << x(i));
            const T v = x(i);
            const T next = x((i + 1) % n);
            EXPECT_TRUE(equal(out(c.fma)(i), std::fma(v, next, T(1))));
            EXPECT_TRUE(equal(out(c.abs)(i), std::abs(v)));
            EXPECT_TRUE(equal(out(c.sqrt)(i), std::sqrt(std::abs(v))));
            EXPECT_TRUE(equal(out(c.reciprocal)(i), T(1) / v));
            EXPECT_EQ(out(c.good)(i), v > 0 && !std::isinf(v) ? T(1) : T(0));
            EXPECT_TRUE(equal(out(c.bits)(i), std::abs(v)));
            const bool less = std::isnan(next) ? !std::isnan(v) : std::abs(v) < std::abs(next);
            EXPECT_EQ(out(c.key_order)(i), less ? T(1) : T(0));
            const T d = std::abs(v);
            if (!(d > 0) || std::isinf(d)) continue;
            const wide root = std::sqrt(static_cast<wide>(d));
            EXPECT_TRUE(within(units(out(c.root)(i), root), d >= 64 * limits<T>::min() ? 1 : 3));
            EXPECT_TRUE(within(units(out(c.root_reciprocal)(i), 1 / root), 2));
        }
    });
}

TYPED_TEST(core, roots_of_squares_are_exact) {
    using T = TypeParam;
    const auto x = dense<T>::from(200, 1, [](int i, int) { return static_cast<double>((i + 1) * (i + 1)); });
    arena<T> a;
    scalar_case c{};
    c.x = a.input(x);
    for (piece* const p : {&c.fma, &c.abs, &c.sqrt, &c.reciprocal, &c.good, &c.root, &c.root_reciprocal,
                           &c.key_order, &c.bits})
        *p = a.output(200, 1);
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        for (int i = 0; i < 200; ++i) EXPECT_EQ(out(c.root)(i), static_cast<T>(i + 1));
    });
}

/// What four loops see of 0 .. 8.
SHOAL_FN void visit(int (&seen)[3][9]) {
    shoal::core::loop(shoal::core::flat{}, 2, 9, [&](int i) { ++seen[0][i]; });
    shoal::core::loop(shoal::core::rolled{}, 2, 9, [&](int i) { ++seen[1][i]; });
    shoal::core::loop(shoal::core::flat{}, 1, 9, 3, [&](int i) { ++seen[2][i]; });
    shoal::core::loop(shoal::core::rolled{}, 5, 5, [&](int i) { ++seen[2][i]; });
}

TEST(core, loops_visit_each_index_once_flat_or_rolled) {
    int seen[3][9] = {};
    visit(seen);
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(seen[0][i], i >= 2 ? 1 : 0);
        EXPECT_EQ(seen[1][i], i >= 2 ? 1 : 0);
        EXPECT_EQ(seen[2][i], i % 3 == 1 ? 1 : 0);
    }
}

}  // namespace
