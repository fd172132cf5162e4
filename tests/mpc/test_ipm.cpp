#include "dense_program.hpp"
#include "reference_arrow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <shoal/mpc/ipm.hpp>

using namespace shoal::mpc;
using mpc_test::reference_solver;

namespace {

ipm_settings exact() {
    ipm_settings s;
    s.tolerance = 1e-9;
    s.max_iterations = 60;
    return s;
}

template <class Solver>
struct fixture {
    explicit fixture(qp_shape shape, ipm_settings settings = exact())
        : backend({shape.scenarios, shape.stages}), threads(1), ipm(shape, backend, threads, settings) {}
    Solver backend;
    shoal::executor threads;
    ipm_solver<Solver> ipm;
};

/// The optimality conditions of the program, from its dense definition. They are sufficient: the program is convex.
void expect_optimal(const qp_data& data, const qp_point& p, double tolerance) {
    const auto equations = mpc_test::dense_equations(data);
    const auto G = mpc_test::dense_rows(data);
    std::vector<double> gradient = data.gradient;
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += data.hessian[j] * p.z[j];
    for (std::int64_t r = 0; r < equations.A.rows; ++r) {
        double value = -equations.c[std::size_t(r)];
        for (std::int64_t j = 0; j < equations.A.columns; ++j) {
            value += equations.A(r, j) * p.z[std::size_t(j)];
            gradient[std::size_t(j)] += equations.A(r, j) * p.y[std::size_t(r)];
        }
        EXPECT_NEAR(value, 0, tolerance) << "equation " << r;
    }
    const int rows = data.shape.rows();
    double gap = 0, count = 0;
    for (std::int64_t r = 0; r < G.rows; ++r) {
        const auto at = std::size_t(r);
        if (data.limit[at] >= no_limit) continue;
        double value = 0;
        for (std::int64_t j = 0; j < G.columns; ++j) {
            value += G(r, j) * p.z[std::size_t(j)];
            gradient[std::size_t(j)] += G(r, j) * p.lambda[at];
        }
        const bool soft = r % rows >= thrust_rows;
        const double slack = soft ? p.s[at] : 0;
        const double room = data.limit[at] + slack - value;
        EXPECT_GE(room, -tolerance) << "row " << r;
        EXPECT_GE(p.lambda[at], 0);
        gap += std::abs(room * p.lambda[at]);
        ++count;
        if (!soft) continue;
        const double nu = data.penalty + data.penalty_curvature * slack - p.lambda[at];
        EXPECT_GE(slack, 0);
        EXPECT_GE(nu, -tolerance);
        gap += std::abs(slack * nu);
        ++count;
    }
    EXPECT_LE(gap, tolerance * count) << "complementarity";
    for (std::size_t j = 0; j < gradient.size(); ++j)
        EXPECT_NEAR(gradient[j], 0, 1e3 * tolerance) << "variable " << j;
}

class Program : public testing::TestWithParam<std::pair<qp_shape, unsigned>> {};

}  // namespace

TEST_P(Program, MeetsTheOptimalityConditions) {
    const auto [shape, seed] = GetParam();
    const qp_data data = mpc_test::random_program(shape, seed);
    fixture<reference_solver> f(shape);

    const ipm_result result = f.ipm.solve(data);

    EXPECT_EQ(result.status, ipm_status::solved);
    EXPECT_LT(result.linear.largest_residual, 1e-13);
    expect_optimal(data, f.ipm.point, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Program,
                         testing::Values(std::pair{qp_shape{1, 1, 0}, 1u}, std::pair{qp_shape{1, 3, 2}, 2u},
                                         std::pair{qp_shape{2, 2, 1}, 3u}, std::pair{qp_shape{3, 4, 3}, 4u},
                                         std::pair{qp_shape{2, 5, 8}, 5u}, std::pair{qp_shape{4, 1, 2}, 6u}));

// Without limits the optimum is the solution of one linear system, which elimination finds without any of this.
TEST(Ipm, WithoutLimitsEqualsTheLinearSolution) {
    const qp_shape shape{2, 3, 1};
    qp_data data = mpc_test::random_program(shape, 7);
    std::fill(data.limit.begin(), data.limit.end(), no_limit);
    const auto equations = mpc_test::dense_equations(data);
    const std::int64_t n = equations.A.columns, m = equations.A.rows;
    mpc_test::dense full(n + m, n + m);
    std::vector<double> b(std::size_t(n + m));
    for (std::int64_t i = 0; i < n; ++i) {
        full(i, i) = data.hessian[std::size_t(i)];
        b[std::size_t(i)] = -data.gradient[std::size_t(i)];
        for (std::int64_t r = 0; r < m; ++r) full(i, n + r) = full(n + r, i) = equations.A(r, i);
    }
    for (std::int64_t r = 0; r < m; ++r) b[std::size_t(n + r)] = equations.c[std::size_t(r)];
    const std::vector<double> expected = mpc_test::solve(full, b);
    fixture<reference_solver> f(shape);

    const ipm_result result = f.ipm.solve(data);

    EXPECT_EQ(result.status, ipm_status::solved);
    for (std::int64_t i = 0; i < n; ++i)
        EXPECT_NEAR(f.ipm.point.z[std::size_t(i)], expected[std::size_t(i)], 1e-7);
}

// Attitude limits that contradict each other and an initial state far outside: slacks pay, thrust limits hold.
TEST(Ipm, ContradictingSoftLimitsStayFeasible) {
    const qp_shape shape{2, 4, 1};
    qp_data data = mpc_test::random_program(shape, 9);
    const std::int64_t b = shape.block(1, 3);
    double* limit = data.limit.data() + b * shape.rows();
    limit[8] = limit[10] = -0.4;
    for (double& x : data.initial) x = 3;
    fixture<reference_solver> f(shape);

    const ipm_result result = f.ipm.solve(data);

    EXPECT_EQ(result.status, ipm_status::solved);
    expect_optimal(data, f.ipm.point, 1e-8);
    const auto row = std::size_t(b * shape.rows());
    EXPECT_GE(f.ipm.point.s[row + 8] + f.ipm.point.s[row + 10], 0.8 - 1e-7);
}

// An exact penalty: soft limits that can be met are met, not traded for cost.
TEST(Ipm, AttainableSoftLimitsAreMet) {
    const qp_shape shape{1, 3, 0};
    qp_data data = mpc_test::random_program(shape, 12);
    std::fill(data.limit.begin(), data.limit.end(), no_limit);
    std::fill(data.c.begin(), data.c.end(), 0.0);
    std::fill(std::begin(data.initial), std::end(data.initial), 0.0);
    const std::int64_t b = shape.block(0, 3);
    data.gradient[std::size_t(b * stage_size + 6)] = -4;
    data.limit[std::size_t(b * shape.rows() + 10)] = 0.05;
    data.penalty = 1e3;
    fixture<reference_solver> f(shape);

    EXPECT_EQ(f.ipm.solve(data).status, ipm_status::solved);

    EXPECT_NEAR(f.ipm.point.z[std::size_t(b * stage_size + 6)], 0.05, 1e-7);
    EXPECT_LT(f.ipm.point.s[std::size_t(b * shape.rows() + 10)], 1e-7);
}

namespace {

/// Reports a bad pivot for the first `failures` factorisations.
struct failing_solver : reference_solver {
    using reference_solver::reference_solver;
    shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) {
        if (failures-- > 0) return {1, 2, 3};
        return reference_solver::factor(K);
    }
    int failures = 0;
};

}  // namespace

TEST(Ipm, FailedFactorisationIsRepeatedWithMoreRegularisation) {
    const qp_shape shape{2, 3, 1};
    const qp_data data = mpc_test::random_program(shape, 3);
    fixture<failing_solver> f(shape);
    f.backend.failures = 2;

    const ipm_result result = f.ipm.solve(data);

    EXPECT_EQ(result.status, ipm_status::solved);
    EXPECT_EQ(result.regularised, 2);
    EXPECT_EQ(result.linear.factorizations, result.iterations + 2);
    expect_optimal(data, f.ipm.point, 1e-8);
}

TEST(Ipm, PersistentFailureIsReportedWithItsPlace) {
    const qp_shape shape{2, 3, 1};
    const qp_data data = mpc_test::random_program(shape, 3);
    fixture<failing_solver> f(shape);
    f.backend.failures = 1000;

    const ipm_result result = f.ipm.solve(data);

    EXPECT_EQ(result.status, ipm_status::factorization_failed);
    EXPECT_EQ(result.failure, (shoal::arrow::info{1, 2, 3}));
    EXPECT_EQ(result.linear.factorizations, f.ipm.settings.retries + 1);
}

TEST(Ipm, NanIsReportedAndLeavesNoTrace) {
    const qp_shape shape{2, 3, 1};
    const qp_data good = mpc_test::random_program(shape, 3);
    qp_data bad = good;
    bad.step(2)[5] = std::numeric_limits<double>::quiet_NaN();
    fixture<reference_solver> f(shape);

    const ipm_status first = f.ipm.solve(bad).status;
    const ipm_status second = f.ipm.solve(good).status;

    EXPECT_TRUE(first == ipm_status::not_finite || first == ipm_status::factorization_failed);
    EXPECT_EQ(second, ipm_status::solved);
    expect_optimal(good, f.ipm.point, 1e-8);
}

// Without rows there is no mu that a NaN could reach.
TEST(Ipm, NanIsReportedWithoutAnyRow) {
    const qp_shape shape{1, 2, 0};
    qp_data data = mpc_test::random_program(shape, 3);
    std::fill(data.limit.begin(), data.limit.end(), no_limit);
    data.gradient[4] = std::numeric_limits<double>::quiet_NaN();
    fixture<reference_solver> f(shape);

    EXPECT_EQ(f.ipm.solve(data).status, ipm_status::not_finite);
}

TEST(Ipm, ThreadsDoNotChangeTheBits) {
    const qp_shape shape{5, 4, 2};
    const qp_data data = mpc_test::random_program(shape, 21);
    fixture<reference_solver> one(shape);
    reference_solver backend({shape.scenarios, shape.stages});
    shoal::executor threads(3);
    ipm_solver<reference_solver> three(shape, backend, threads, exact());

    one.ipm.solve(data);
    three.solve(data);

    EXPECT_EQ(one.ipm.point.z, three.point.z);
    EXPECT_EQ(one.ipm.point.lambda, three.point.lambda);
}

// The recorder sees matrices from harmless to nearly singular: the ratio of 1/delta to the weakest curvature grows.
TEST(Ipm, RecorderSeesEveryMatrix) {
    const qp_shape shape{2, 4, 2};
    const qp_data data = mpc_test::random_program(shape, 5);
    fixture<reference_solver> f(shape);
    int count = 0;
    double first = 0, last = 0;

    const ipm_result result = f.ipm.solve(data, [&](const ipm_snapshot& s) {
        EXPECT_EQ(s.iteration, count++);
        EXPECT_EQ(s.rhs.size(), std::size_t(shape.blocks()) * stage_size);
        const double top = *std::max_element(s.matrix.diagonal.begin(), s.matrix.diagonal.end());
        if (s.iteration == 0) first = top;
        last = top;
    });

    EXPECT_EQ(count, result.iterations);
    EXPECT_LT(first, 1e6);
    EXPECT_GT(last, 1e9);
}
