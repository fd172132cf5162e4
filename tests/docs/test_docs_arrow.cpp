// The snippets of the page on block-arrow systems.

#include <vector>

#include <gtest/gtest.h>

#include <shoal/arrow/host_solver.hpp>
#include <shoal/arrow/refine.hpp>
#include <shoal/arrow/residual.hpp>
#include <shoal/arrow/storage.hpp>

namespace {

TEST(docs_arrow, assemble_factor_solve) {
    // [assemble]
    constexpr int n = 2;                                       // unknowns of a block
    const shoal::arrow::extent size{.tails = 3, .stages = 5};  // M = 3, N = 5
    shoal::arrow::storage<double, n> K(size);                  // starts as the identity

    for (int i = 0; i < size.tails; ++i) {
        for (int k = 0; k < size.stages; ++k) {
            K.diagonal(i, k)(0, 0) = 4;
            K.diagonal(i, k)(1, 1) = 5;
            if (k + 1 < size.stages) K.lower(i, k)(0, 1) = -1;  // row: stage k + 1, column: stage k
        }
        K.coupling(i)(1, 0) = 0.5;  // row: root, column: first stage of tail i
    }
    K.root()(0, 0) = 10;
    // [end]
    // [solve]
    shoal::arrow::host_solver<double, n> solver(size);  // plans, and takes all the memory there will be
    const shoal::arrow::info info = solver.factor(K);
    if (!info.good()) FAIL() << "tail " << info.tail << ", block " << info.block << ", pivot " << info.pivot;

    std::vector<double> b(static_cast<std::size_t>(solver.unknowns()), 1.0);
    std::vector<double> x = b;
    solver.solve(x.data());  // in place; as often as you like, with any number of right-hand sides
    // [end]
    // [refine]
    shoal::arrow::refiner<double, n> refine(size);
    const auto done = refine(solver, std::as_const(K).view(), b.data(), x.data());
    // [end]

    EXPECT_LE(done.backward_error, 4e-16);
}

TEST(docs_arrow, options) {
    constexpr int n = 2;
    const shoal::arrow::extent size{.tails = 3, .stages = 5};
    const shoal::arrow::storage<double, n> K(size);
    // [options]
    shoal::arrow::host_solver<double, n> solver(size,
                                                {.which = shoal::arrow::order::recursive, .threads = 4});
    // [end]
    ASSERT_TRUE(solver.factor(K).good());
    std::vector<double> x(static_cast<std::size_t>(solver.unknowns()), 3.0);
    solver.solve(x.data());
    EXPECT_EQ(x, std::vector<double>(x.size(), 3.0));
}

TEST(docs_arrow, a_bad_pivot_is_named) {
    // [info]
    shoal::arrow::storage<double, 2> K({.tails = 3, .stages = 5});
    K.diagonal(1, 2)(1, 1) = -1;
    shoal::arrow::host_solver<double, 2> solver(K.size());

    const auto info = solver.factor(K);

    EXPECT_EQ(info.tail, 1);   // counted from 0
    EXPECT_EQ(info.block, 3);  // x_3: blocks are counted from 1, and 0 is the root
    EXPECT_EQ(info.pivot, 2);  // row of the block, counted from 1
    // [end]
}

}  // namespace
