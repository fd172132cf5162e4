// Backward errors over families of matrices, against LAPACK's gesv: pivoting that deserves the name.

#include "../../bench/support/accuracy_families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/tiled_lu/tiled_lu.hpp>

extern "C" {
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
void sgesv_(const int*, const int*, float*, const int*, int*, float*, const int*, int*);
}

namespace {

namespace lu = shoal::tiled_lu;
using lu::config;
using lu::strided;
using shoal::bench::system_of;

int gesv(int n, double* a, int* pivots, double* x) {
    const int one = 1;
    int info = 0;
    dgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    return info;
}
int gesv(int n, float* a, int* pivots, float* x) {
    const int one = 1;
    int info = 0;
    sgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    return info;
}

/// LAPACK's solution, and the order in which it takes the rows.
template <class T>
std::vector<T> with_lapack(const system_of<T>& s, std::vector<int>& pivots) {
    std::vector<T> a(s.a.size());
    for (int i = 0; i < s.n; ++i)
        for (int j = 0; j < s.n; ++j) a[s.at(j, i)] = s.a[s.at(i, j)];
    auto x = s.b;
    pivots.resize(s.b.size());
    EXPECT_EQ(gesv(s.n, a.data(), pivots.data(), x.data()), 0);
    return x;
}

template <auto Config, class T>
std::vector<T> with_shoal(const system_of<T>& s, std::vector<int>& pivots, int& info) {
    auto a = s.a;
    auto x = s.b;
    pivots.resize(s.b.size());
    const auto matrix = lu::of_order(strided<1>(a.data()), s.n);
    info = lu::solve_inplace<Config>(matrix, strided<1>(pivots.data()), strided<1>(x.data()));
    return x;
}

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
                std::vector<int> pivots;
                std::vector<int> expected;
                theirs = std::max(theirs, s.backward_error(with_lapack(s, expected)));
                int info = 0;
                auto x = with_shoal<documented>(s, pivots, info);
                if (info != 0) {
                    EXPECT_TRUE(reaches_the_floor(s)) << family.name << ", n = " << n << ", info " << info;
                    continue;
                }
                const double error = s.backward_error(x);
                EXPECT_FALSE(std::isnan(error));
                ours = std::max(ours, error);
                const auto y = with_shoal<left>(s, pivots, info);
                EXPECT_EQ(x, y) << family.name << ", n = " << n;
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
            std::vector<int> theirs;
            std::vector<int> ours;
            with_lapack(s, theirs);
            int info = 0;
            with_shoal<physical>(s, ours, info);
            for (int& p : theirs) --p;
            EXPECT_EQ(ours, theirs) << family.name << ", n = " << n;
        }
    }
}

/// Powers of two change no digit of the solution, as long as nothing leaves the range.
TEST(tiled_lu_accuracy, powers_of_two_change_nothing) {
    constexpr config<double> documented;
    const auto families = shoal::bench::families<double>();
    const auto s = families.front().make(12, 3);
    std::vector<int> pivots;
    int info = 0;
    const auto x = with_shoal<documented>(s, pivots, info);
    for (const int e : {-900, -333, 1, 500, 900}) {
        auto scaled = s;
        for (double& a : scaled.a) a = std::ldexp(a, e);
        for (double& b : scaled.b) b = std::ldexp(b, e);
        EXPECT_EQ(with_shoal<documented>(scaled, pivots, info), x) << e;
        EXPECT_EQ(info, 0);
    }
}

}  // namespace
