// The examples of the page on TDLS, word for word.

#include <gtest/gtest.h>

// [point]
#include <shoal/compat/tdls.hpp>  // instead of the headers of TDLS

using solver = tdls::TiledLUppSolverStatic<double, 7>;

/// One of `count` material points, interleaved in memory: an increment, and six columns of the inverse.
bool newton_step(int point, int count, double* J, double* residual, double* columns) {
    int piv[7];
    double* const A = J + point;
    if (!solver::factorize<true, false>(A, count, piv, 1)) return false;
    solver::substitute_inplace<false, true, false>(A, count, piv, 1, residual + point, count);
    solver::substitute_canonical_multirhs<6, false, true, false>(A, count, piv, 1, 0, columns + point, count,
                                                                 7 * count);
    return true;
}
// [end]

// [native]
#include <shoal/tiled_lu/tiled_lu.hpp>

int newton_step_without_positions(int point, int count, double* J, double* residual, double* columns) {
    namespace lu = shoal::tiled_lu;
    int piv[7];
    const auto A = lu::of_order<7>(lu::strided(J + point, count));
    const int info = lu::factorize(A, lu::local(piv));
    if (info != 0) return info;  // the first column without a pivot, from 1
    lu::substitute_inplace(A, lu::local(piv), lu::strided(residual + point, count));
    lu::substitute_canonical(A, lu::local(piv), 0, lu::columns<6>(lu::strided(columns + point, count)));
    return 0;
}
// [end]

TEST(docs_tdls, both_ways_solve_every_point) {
    constexpr int count = 3;
    double J[49 * count], residual[7 * count], columns[42 * count];
    for (int way = 0; way < 2; ++way) {
        // The identity plus ones: the inverse is the identity less an eighth.
        for (int e = 0; e < 49 * count; ++e) J[e] = e / count % 8 == 0 ? 2 : 1;
        for (double& r : residual) r = 8;
        for (int point = 0; point < count; ++point) {
            if (way == 0) {
                EXPECT_TRUE(newton_step(point, count, J, residual, columns));
            } else {
                EXPECT_EQ(newton_step_without_positions(point, count, J, residual, columns), 0);
            }
        }
        for (const double x : residual) EXPECT_NEAR(x, 1, 1e-14);
        for (int e = 0; e < 42 * count; ++e)
            EXPECT_NEAR(columns[e], (e / count % 8 == 0 ? 1 : 0) - 0.125, 1e-15);
    }
}
