// What docs/tiled_lu.md shows.

#include <vector>

#include <gtest/gtest.h>

// [local]
#include <shoal/tiled_lu/tiled_lu.hpp>

namespace lu = shoal::tiled_lu;

/// A^-1 y in place of y; 0, or the first column without a pivot, from 1.
int solve_point(double (&A)[9], double (&y)[3]) {
    int pivots[3];
    return lu::solve_inplace(lu::local(A), lu::local(pivots), lu::local(y));
}
// [end]

namespace {

TEST(docs_tiled_lu, one_system_in_arrays_of_the_thread) {
    double A[9] = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    double y[3] = {8, 10, 22};
    EXPECT_EQ(solve_point(A, y), 0);
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], 2);
    EXPECT_EQ(y[2], 3);
}

TEST(docs_tiled_lu, the_same_call_anywhere) {
    constexpr int batch = 4;
    constexpr int n = 3;
    const double values[] = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    const double sides[] = {8, 10, 22};
    std::vector<double> interleaved_A(9 * batch);
    std::vector<double> interleaved_y(3 * batch);
    std::vector<double> packed_A(9 * batch);
    std::vector<double> packed_y(3 * batch);
    std::vector<int> p(3 * batch);
    for (std::size_t s = 0; s < batch; ++s) {
        for (std::size_t e = 0; e < 9; ++e) interleaved_A[e * batch + s] = packed_A[s * 9 + e] = values[e];
        for (std::size_t i = 0; i < 3; ++i) interleaved_y[i * batch + s] = packed_y[s * 3 + i] = sides[i];
    }
    for (int s = 0; s < batch; ++s) {
        double* const A = interleaved_A.data();
        double* const y = interleaved_y.data();
        double* const A_packed = packed_A.data();
        double* const y_packed = packed_y.data();
        int* const pivots = p.data();
        // [anywhere]
        // SoA: element e of system s at e * batch + s; the order is static, the pivots stay with the thread.
        int own[3];
        int info = lu::solve_inplace(lu::of_order<3>(lu::strided(A + s, batch)), lu::local(own),
                                     lu::strided(y + s, batch));

        // AoS, and the order known at run time.
        info += lu::solve_inplace(lu::of_order(lu::strided<1>(A_packed + s * n * n), n),
                                  lu::strided<1>(pivots + s * n), lu::strided<1>(y_packed + s * n));
        // [end]
        EXPECT_EQ(info, 0);
    }
    for (std::size_t s = 0; s < batch; ++s) {
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(interleaved_y[i * batch + s], static_cast<double>(i + 1));
            EXPECT_EQ(packed_y[s * 3 + i], static_cast<double>(i + 1));
        }
    }
}

TEST(docs_tiled_lu, factor_once) {
    double A[9] = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    double b[3] = {8, 10, 22};
    double x[3];
    double columns_of_inverse[2 * 3];
    int pivots[3];
    // [factor]
    constexpr lu::config<double> choice{.tile_size = 4, .schedule = lu::looking::left};

    const int info = lu::factorize<choice>(lu::local(A), lu::local(pivots));
    lu::substitute<choice>(lu::local(A), lu::local(pivots), lu::local(b), lu::local(x));
    lu::substitute_transposed_inplace<choice>(lu::local(A), lu::local(pivots), lu::local(b));
    lu::substitute_canonical<choice>(lu::local(A), lu::local(pivots), 0,
                                     lu::columns<2>(lu::local(columns_of_inverse)));
    // [end]
    EXPECT_EQ(info, 0);
    EXPECT_NEAR(x[2], 3, 1e-14);
    EXPECT_NEAR(columns_of_inverse[0], -4.5, 1e-13);
    EXPECT_NEAR(0 * b[0] + 1 * b[1] + 4 * b[2], 8, 1e-12);
}

}  // namespace
