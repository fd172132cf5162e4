#include "arrow/problem.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace shoal::arrow::testing {
namespace {

/// A right-hand side of random numbers; LAPACK's backward error on the same problem is the level to be at.
template <class T, int n>
void expect_level_of_lapack(extent size, order which, random_stream& r) {
    SCOPED_TRACE(::testing::Message() << "n " << n << " M " << size.tails << " N " << size.stages << " order "
                                      << static_cast<int>(which));
    const auto k = random_problem<T, n>(size, r);
    const auto b = random_vector<T>(k.unknowns(), r);
    host_solver<T, n> solver(size, {.which = which});

    ASSERT_EQ(solver.factor(k.view()), success);
    auto x = b;
    solver.solve(x.data());

    // Both are a fraction of one unit on such problems; twice LAPACK's plus half a unit is its level.
    EXPECT_LE(backward_units(k, x.data(), b.data()), 2 * lapack_backward_units(k, b) + 0.5);
}

template <class T, int n>
void expect_level_of_lapack() {
    random_stream r(n + sizeof(T));
    const bool full = std::getenv("SHOAL_TEST_FULL") != nullptr;
    for (int i = 0; i < (full ? 60 : 4); ++i) {
        // The dense matrix that the answers are compared with bounds the size.
        const int stages = r.integer(1, full ? 70 : 24);
        const int tails = r.integer(0, std::min(9, 900 / (stages * n)));
        expect_level_of_lapack<T, n>({tails, stages}, i % 2 == 0 ? order::sequential : order::recursive, r);
    }
}

TEST(arrow_random, double_4) {
    expect_level_of_lapack<double, 4>();
}
TEST(arrow_random, double_6) {
    expect_level_of_lapack<double, 6>();
}
TEST(arrow_random, double_8) {
    expect_level_of_lapack<double, 8>();
}
TEST(arrow_random, double_12) {
    expect_level_of_lapack<double, 12>();
}
TEST(arrow_random, double_16) {
    expect_level_of_lapack<double, 16>();
}
TEST(arrow_random, double_24) {
    expect_level_of_lapack<double, 24>();
}
TEST(arrow_random, double_32) {
    expect_level_of_lapack<double, 32>();
}
TEST(arrow_random, float_4) {
    expect_level_of_lapack<float, 4>();
}
TEST(arrow_random, float_6) {
    expect_level_of_lapack<float, 6>();
}
TEST(arrow_random, float_8) {
    expect_level_of_lapack<float, 8>();
}
TEST(arrow_random, float_12) {
    expect_level_of_lapack<float, 12>();
}
TEST(arrow_random, float_16) {
    expect_level_of_lapack<float, 16>();
}
TEST(arrow_random, float_24) {
    expect_level_of_lapack<float, 24>();
}
TEST(arrow_random, float_32) {
    expect_level_of_lapack<float, 32>();
}

}  // namespace
}  // namespace shoal::arrow::testing
