// The measures that every other test relies on: they must see errors, NaN above all, and accept what rounding explains.

#include "support/arena.hpp"
#include "support/bits.hpp"
#include "support/error.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace {

using namespace shoal::support;

template <class T>
struct measures : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(measures, scalars);

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

TEST(worst, keeps_a_nan_wherever_it_comes) {
    for (int at = 0; at < 3; ++at) {
        worst w;
        for (int i = 0; i < 3; ++i) w.add(i == at ? nan<wide> : 1.0L * i);
        EXPECT_TRUE(std::isnan(w.value())) << at;
    }
}

TEST(within, no_nan_passes) {
    EXPECT_TRUE(within(1, 1));
    EXPECT_FALSE(within(1.0001, 1));
    EXPECT_FALSE(within(nan<double>, 1));
    EXPECT_FALSE(within(nan<double>, std::numeric_limits<double>::infinity()));
    EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(within(nan<double>, 1)), "error nan exceeds 1");
}

// Every measure, fed with a NaN in each element of the computed result in turn.
template <class T, class Measure>
void every_nan_counts(const dense<T>& x, Measure measure) {
    EXPECT_TRUE(within(measure(x), 1));
    for (int j = 0; j < x.cols(); ++j)
        for (int i = 0; i < x.rows(); ++i) {
            auto bad = x;
            bad(i, j) = nan<T>;
            EXPECT_FALSE(within(measure(bad), 1e300)) << i << ", " << j;
        }
}

TYPED_TEST(measures, nan_in_a_product) {
    using T = TypeParam;
    random_stream r(1);
    const auto a = random_matrix<T>(4, 3, r), b = random_matrix<T>(3, 5, r), c0 = random_matrix<T>(4, 5, r);
    auto c = c0;
    lapack::gemm('N', 'N', T(1.5), a, b, T(-0.5), c);

    every_nan_counts(c, [&](const dense<T>& x) { return product_error(T(1.5), a, b, T(-0.5), c0, x); });
    every_nan_counts(c, [&](const dense<T>& x) { return relative_error(x, c); });
}

TYPED_TEST(measures, nan_in_a_solution) {
    using T = TypeParam;
    random_stream r(2);
    auto a = random_general<T>(6, 100, r);
    const auto b = random_matrix<T>(6, 2, r);
    auto factors = a, x = b;
    std::vector<int> pivots;
    ASSERT_EQ(lapack::gesv(factors, pivots, x), 0);

    every_nan_counts(x, [&](const dense<T>& y) { return solve_error(a, y, b); });
    for (auto& p : pivots) --p;
    every_nan_counts(factors, [&](const dense<T>& f) { return lu_error(a, f, pivots.data()); });
}

TYPED_TEST(measures, nan_in_a_factor) {
    using T = TypeParam;
    random_stream r(3);
    const auto a = random_spd<T>(5, 10, r);
    auto l = a;
    ASSERT_EQ(lapack::potrf('L', l), 0);

    EXPECT_TRUE(within(cholesky_error(a, l), 1));
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) {
            auto bad = l;
            bad(i, j) = nan<T>;
            // The upper triangle is no part of the factor.
            EXPECT_EQ(bool(within(cholesky_error(a, bad), 1)), i < j);
        }
}

TYPED_TEST(measures, see_a_wrong_digit) {
    using T = TypeParam;
    random_stream r(4);
    const auto a = random_spd<T>(8, 10, r);
    const auto b = random_matrix<T>(8, 3, r);
    const T much = 1000 * std::numeric_limits<T>::epsilon();
    auto l = a, x = b;
    ASSERT_EQ(lapack::posv('L', l, x), 0);
    EXPECT_TRUE(within(solve_error(a, x, b), 1));
    EXPECT_TRUE(within(cholesky_error(a, l), 1));

    x(3, 1) += much;
    l(7, 0) += much;

    EXPECT_FALSE(within(solve_error(a, x, b), 1));
    EXPECT_FALSE(within(cholesky_error(a, l), 1));
}

TYPED_TEST(measures, shapes_must_match) {
    using T = TypeParam;
    const dense<T> a(2, 3), b(3, 2);

    EXPECT_FALSE(within(relative_error(a, b), 1));
    EXPECT_FALSE(bits_equal(a, b));
}

TYPED_TEST(measures, bits) {
    using T = TypeParam;
    dense<T> a(2, 2, T(0));
    auto b = a;
    EXPECT_TRUE(bits_equal(a, b));

    b(1, 0) = -T(0);
    EXPECT_FALSE(bits_equal(a, b));
    a = b = dense<T>(2, 2, nan<T>);
    EXPECT_TRUE(bits_equal(a, b));
    b(0, 1) = poison<T>();
    EXPECT_FALSE(bits_equal(a, b));
    EXPECT_TRUE(has_nan(dense<T>(1, 1, poison<T>())));
}

TYPED_TEST(measures, computed_nans_are_alike_and_poison_is_not) {
    using T = TypeParam;
    EXPECT_TRUE(same_result(nan<T>, -nan<T>));
    EXPECT_TRUE(same_result(poison<T>(), poison<T>()));
    EXPECT_FALSE(same_result(nan<T>, poison<T>()));
    EXPECT_FALSE(same_result(nan<T>, T(1)));
    EXPECT_FALSE(same_result(T(0), -T(0)));
}

TYPED_TEST(measures, random_spd_has_its_condition) {
    using T = TypeParam;
    random_stream r(5);
    auto a = random_spd<T>(12, 1000, r);
    dense<T> w;

    ASSERT_EQ(lapack::syev('N', 'L', a, w), 0);

    EXPECT_NEAR(static_cast<double>(w(11)), 1, 1e-5);
    EXPECT_NEAR(static_cast<double>(w(0)), 1e-3, 1e-5);
}

// The oracles against each other.
TYPED_TEST(measures, oracles_agree) {
    using T = TypeParam;
    random_stream r(6);
    const int n = 9;
    const auto a = random_spd<T>(n, 50, r);
    const auto b = random_matrix<T>(n, 4, r);
    const auto l = random_lower<T>(n, r);
    const T eps = std::numeric_limits<T>::epsilon();

    auto factor = a.template as<wide>();
    auto lapack_factor = a;
    ASSERT_EQ(naive::potrf(factor), 0);
    ASSERT_EQ(lapack::potrf('L', lapack_factor), 0);
    EXPECT_TRUE(within(relative_error(lower_part(lapack_factor), factor), 100 * eps));

    auto x = b;
    ASSERT_EQ(lapack::potrs('L', lapack_factor, x), 0);
    EXPECT_TRUE(
        within(relative_error(x, naive::solve(a.template as<wide>(), b.template as<wide>())), 2000 * eps));

    auto y = b;
    lapack::trsm('L', 'L', 'N', 'N', T(1), l, y);
    EXPECT_TRUE(within(relative_error(y, naive::solve_lower(l.template as<wide>(), b.template as<wide>())),
                       100 * eps));
    auto z = b;
    lapack::trsm('L', 'L', 'T', 'N', T(1), l, z);
    const auto u = transpose(l).template as<wide>();
    EXPECT_TRUE(within(relative_error(z, naive::solve_upper(u, b.template as<wide>())), 100 * eps));
}

TEST(arena, promises) {
    random_stream r(7);
    arena<double> a;
    const auto in = a.input(random_matrix<double>(3, 2, r), {.padding = 2});
    const auto out = a.output(3, 3, {.order = storage::row, .padding = 1});
    const auto room = a.scratch(4);
    const auto info = a.per_member();
    a.forbid_above_diagonal(out);
    const std::vector<double> before(a.initial(), a.initial() + a.size());
    const auto touched = [&](int e) {
        auto v = before;
        v[static_cast<std::size_t>(e)] = 0.5;
        return a.violation(v.data(), 4);
    };

    EXPECT_EQ(a.violation(before.data(), 4), "");
    EXPECT_EQ(touched(out.at(1, 0)), "");
    EXPECT_EQ(touched(room.at(3)), "");
    EXPECT_NE(touched(in.at(2, 1)).find("read-only operand 0 (3 x 2), element (2, 1)"), std::string::npos);
    EXPECT_NE(touched(out.at(0, 2)).find("forbidden operand 1 (3 x 3), element (0, 2)"), std::string::npos);
    EXPECT_NE(touched(in.at(2, 0) + 1).find("padding"), std::string::npos);
    EXPECT_NE(touched(out.at(2, 2) + 1).find("padding"), std::string::npos);
    EXPECT_NE(touched(in.at(0, 0) - 1).find("red zone"), std::string::npos);
    EXPECT_NE(touched(room.at(3) + 1).find("red zone"), std::string::npos);
    EXPECT_NE(touched(info.at(2)).find("member 2 says"), std::string::npos);
    EXPECT_NE(touched(info.at(4)).find("beyond the group"), std::string::npos);
    EXPECT_NE(touched(a.size() - 1).find("red zone"), std::string::npos);
}

TEST(arena, every_touchable_element_is_an_operand) {
    arena<float> a;
    const auto x = a.inout(dense<float>(4, 3, 1.0f), {.padding = 1, .stride = 2, .shift = 3});
    int counted = 0;

    for (int e = 0; e < a.size(); ++e) counted += !a.untouchable(e);

    EXPECT_EQ(counted, 12);
    EXPECT_EQ(x.row_step, 2);
    EXPECT_EQ(x.col_step, 10);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) EXPECT_EQ(a.initial()[x.at(i, j)], 1.0f);
}

}  // namespace
