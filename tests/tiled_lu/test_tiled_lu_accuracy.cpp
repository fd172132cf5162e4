// Backward errors over families of matrices, against LAPACK's gesv: pivoting that deserves the name.

#include "../../bench/support/accuracy_solvers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace lu = shoal::tiled_lu;
using lu::config;
using shoal::bench::system_of;
using shoal::bench::with_lapack;
using shoal::bench::with_shoal;

/// Whether A has numbers so small that the pivots made of them fall below the floor, where LAPACK goes on.
template <class T>
bool reaches_the_floor(const system_of<T>& s) {
    return std::any_of(s.a.begin(), s.a.end(),
                       [](T x) { return x != 0 && std::abs(x) < std::numeric_limits<T>::min() * 64; });
}

/// Every system of a family meets 50 times the largest error that partial pivoting makes in that family and order.
template <class T>
void expect_errors_of_partial_pivoting() {
    constexpr config<T> documented;
    constexpr config<T> left{.tile_size = 8, .schedule = lu::looking::left};
    for (const auto& family : shoal::bench::families<T>()) {
        for (const int n : {1, 2, 3, 4, 5, 8, 12, 16, 31, 64, 128}) {
            if (n < family.smallest) continue;
            double theirs = std::numeric_limits<T>::epsilon() / 8;
            double ours = 0;
            for (int k = 0; k < 6; ++k) {
                const auto s = family.make(n, k);
                const auto lapack = with_lapack(s);
                EXPECT_EQ(lapack.info, 0);
                theirs = std::max(theirs, s.backward_error(lapack.x));
                const auto found = with_shoal<documented>(s);
                if (found.info != 0) {
                    EXPECT_TRUE(reaches_the_floor(s))
                        << family.name << ", n = " << n << ", info " << found.info;
                    continue;
                }
                const double error = s.backward_error(found.x);
                EXPECT_FALSE(std::isnan(error));
                ours = std::max(ours, error);
                EXPECT_EQ(with_shoal<left>(s).x, found.x) << family.name << ", n = " << n;
            }
            EXPECT_LE(ours, 50 * theirs) << family.name << ", n = " << n;
        }
    }
}

TEST(tiled_lu_accuracy, errors_of_partial_pivoting_in_double) {
    expect_errors_of_partial_pivoting<double>();
}
TEST(tiled_lu_accuracy, errors_of_partial_pivoting_in_float) {
    expect_errors_of_partial_pivoting<float>();
}

TEST(tiled_lu_accuracy, rows_in_the_order_of_lapack) {
    constexpr config<double> physical{.tile_size = 5, .row_interchange = lu::interchange::physical};
    for (const auto& family : shoal::bench::families<double>()) {
        if (family.name.rfind("random", 0) != 0) continue;
        for (const int n : {1, 7, 40}) {
            const auto s = family.make(n, 1);
            auto theirs = with_lapack(s);
            EXPECT_EQ(theirs.info, 0);
            for (int& p : theirs.pivots) --p;
            EXPECT_EQ(with_shoal<physical>(s).pivots, theirs.pivots) << family.name << ", n = " << n;
        }
    }
}

/// Powers of two change no digit of the solution, as long as nothing leaves the range.
TEST(tiled_lu_accuracy, powers_of_two_change_nothing) {
    constexpr config<double> documented;
    const auto families = shoal::bench::families<double>();
    const auto s = families.front().make(12, 3);
    const auto x = with_shoal<documented>(s).x;
    for (const int e : {-900, -333, 1, 500, 900}) {
        auto scaled = s;
        for (double& a : scaled.a) a = std::ldexp(a, e);
        for (double& b : scaled.b) b = std::ldexp(b, e);
        const auto found = with_shoal<documented>(scaled);
        EXPECT_EQ(found.info, 0);
        EXPECT_EQ(found.x, x) << e;
    }
}

}  // namespace
