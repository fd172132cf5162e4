// The controller on the GPU against the one on the host.
#include "dense_program.hpp"
#include "read_problem.hpp"
#include "reference_arrow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/mpc/closed_loop.hpp>
#include <shoal/mpc/cuda_branches.hpp>

using namespace shoal::mpc;
using mpc_test::reference_solver;

namespace {

ipm_settings exact() {
    ipm_settings s;
    s.tolerance = 1e-9;
    s.max_iterations = 60;
    return s;
}

/// The same program on both.
struct pair_of_solvers {
    explicit pair_of_solvers(qp_shape shape, ipm_settings settings = exact())
        : backend({shape.scenarios, shape.stages}),
          threads(1),
          host(shape, backend, threads, settings),
          device(shape, settings) {}
    reference_solver backend;
    shoal::executor threads;
    ipm_solver<reference_solver> host;
    cuda_ipm_solver device;
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j)
        ASSERT_NEAR(a[j], b[j], tolerance * std::max(1.0, std::abs(a[j]))) << "entry " << j;
}

void expect_same_bits(const qp_point& a, const qp_point& b) {
    EXPECT_EQ(a.z, b.z);
    EXPECT_EQ(a.y, b.y);
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.lambda, b.lambda);
    EXPECT_EQ(a.s, b.s);
    EXPECT_EQ(a.nu, b.nu);
}

class CudaProgram : public testing::TestWithParam<qp_shape> {};

}  // namespace

TEST_P(CudaProgram, AgreesWithTheHost) {
    const qp_shape shape = GetParam();
    pair_of_solvers both(shape);
    for (const unsigned seed : {3u, 4u}) {
        const qp_data data = mpc_test::random_program(shape, seed);

        const ipm_result h = both.host.solve(data), d = both.device.solve(data);

        EXPECT_EQ(h.status, ipm_status::solved);
        EXPECT_EQ(d.status, ipm_status::solved);
        EXPECT_NEAR(d.iterations, h.iterations, 1);
        EXPECT_EQ(d.linear.factorizations, d.iterations);
        EXPECT_EQ(d.linear.solves, 2 * d.iterations);
        EXPECT_LT(d.linear.largest_residual, 1e-13);
        EXPECT_LE(d.primal_residual, 1e-9);
        expect_near(both.host.point.z, both.device.point.z, 1e-7);
        expect_near(both.host.point.y, both.device.point.y, 1e-5);
        expect_near(both.host.point.s, both.device.point.s, 1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CudaProgram,
                         testing::Values(qp_shape{1, 1, 0}, qp_shape{3, 1, 2}, qp_shape{1, 5, 8},
                                         qp_shape{4, 7, 3}, qp_shape{40, 12, 4}, qp_shape{7, 41, 1},
                                         qp_shape{0, 2, 1}));

TEST(CudaIpm, SameBitsEveryTime) {
    const qp_shape shape{9, 11, 3};
    const qp_data data = mpc_test::random_program(shape, 21);
    cuda_ipm_solver first(shape, exact()), second(shape, exact());

    first.solve(data);
    second.solve(mpc_test::random_program(shape, 5));
    std::fill(second.point.y.begin(), second.point.y.end(), 0.0);
    second.solve(data);

    expect_same_bits(first.point, second.point);
}

TEST(CudaIpm, RefinesWhereItIsAskedTo) {
    const qp_shape shape{5, 6, 2};
    ipm_settings settings = exact();
    settings.refine_above = 0;
    pair_of_solvers both(shape, settings);
    const qp_data data = mpc_test::random_program(shape, 8);

    const ipm_result h = both.host.solve(data), d = both.device.solve(data);

    EXPECT_EQ(d.status, ipm_status::solved);
    EXPECT_GT(d.linear.refinements, d.iterations);
    EXPECT_EQ(d.linear.solves, 2 * d.iterations + d.linear.refinements);
    EXPECT_EQ(d.iterations, h.iterations);
    expect_near(both.host.point.z, both.device.point.z, 1e-7);
    // Once more with the iterations launched ahead of what the first refinement changes.
    std::fill(both.device.point.y.begin(), both.device.point.y.end(), 0.0);
    const std::vector<double> z = both.device.point.z;
    EXPECT_EQ(both.device.solve(data).linear.refinements, d.linear.refinements);
    EXPECT_EQ(both.device.point.z, z);
}

TEST(CudaIpm, StopsAtTheLimitOfIterations) {
    const qp_shape shape{3, 4, 2};
    ipm_settings settings = exact();
    pair_of_solvers both(shape, settings);
    const qp_data data = mpc_test::random_program(shape, 3);
    both.device.solve(data);  // the next solve is launched as far ahead as this one went
    std::fill(both.device.point.y.begin(), both.device.point.y.end(), 0.0);
    both.host.settings.max_iterations = both.device.settings.max_iterations = 3;

    const ipm_result h = both.host.solve(data), d = both.device.solve(data);

    EXPECT_EQ(d.status, ipm_status::iteration_limit);
    EXPECT_EQ(d.iterations, 3);
    EXPECT_NEAR(d.mu, h.mu, 1e-9 * h.mu);
    expect_near(both.host.point.z, both.device.point.z, 1e-8);
}

TEST(CudaIpm, ContradictingSoftLimitsStayFeasible) {
    const qp_shape shape{2, 4, 1};
    qp_data data = mpc_test::random_program(shape, 9);
    const auto row = std::size_t(shape.block(1, 3) * shape.rows());
    data.limit[row + 8] = data.limit[row + 10] = -0.4;
    for (double& x : data.initial) x = 3;
    pair_of_solvers both(shape);

    EXPECT_EQ(both.host.solve(data).status, ipm_status::solved);
    EXPECT_EQ(both.device.solve(data).status, ipm_status::solved);

    EXPECT_GE(both.device.point.s[row + 8] + both.device.point.s[row + 10], 0.8 - 1e-7);
    expect_near(both.host.point.z, both.device.point.z, 1e-6);
}

TEST(CudaIpm, NanIsReportedAndLeavesNoTrace) {
    const qp_shape shape{2, 3, 1};
    const qp_data good = mpc_test::random_program(shape, 3);
    qp_data bad = good;
    bad.step(2)[5] = std::numeric_limits<double>::quiet_NaN();
    pair_of_solvers both(shape);

    const ipm_status first = both.device.solve(bad).status;
    const ipm_status second = both.device.solve(good).status;
    both.host.solve(good);

    EXPECT_TRUE(first == ipm_status::not_finite || first == ipm_status::factorization_failed);
    EXPECT_EQ(second, ipm_status::solved);
    expect_near(both.host.point.z, both.device.point.z, 1e-7);
}

// A concave program: what a larger rho can mend is mended, what it cannot is reported with its place, as on the host.
TEST(CudaIpm, FailedFactorisationsAreRepeatedWithMoreRegularisation) {
    const qp_shape shape{3, 3, 0};
    for (const double curvature : {-1e-5, -1e9}) {
        qp_data data = mpc_test::random_program(shape, 3);
        std::fill(data.limit.begin(), data.limit.end(), no_limit);
        // No input follows the last stage, so nothing else lies on this diagonal entry.
        data.hessian[std::size_t(shape.block(1, 3) * stage_size + 13)] = curvature;
        pair_of_solvers both(shape);
        both.host.settings.max_iterations = both.device.settings.max_iterations = 2;

        const ipm_result h = both.host.solve(data), d = both.device.solve(data);

        EXPECT_EQ(d.status, h.status);
        EXPECT_EQ(d.regularised, h.regularised);
        EXPECT_EQ(d.linear.factorizations, h.linear.factorizations);
        EXPECT_EQ(d.failure, h.failure);
        if (curvature < -1) {
            EXPECT_EQ(d.status, ipm_status::factorization_failed);
            EXPECT_EQ(d.failure, (shoal::arrow::info{1, 3, 14}));
            EXPECT_EQ(d.regularised, both.device.settings.retries);
        } else {
            EXPECT_GT(d.regularised, 0);
        }
    }
}

namespace {

flight_problem load(const char* file) {
    return shoal_fly::read_problem(std::string(SHOAL_DATA_DIR) + "/" + file);
}

template <class Branches>
flight_result run(const flight_problem& problem, const flight_settings& settings, Branches& branches,
                  std::vector<double>& trajectory) {
    return fly(problem, settings, branches,
               [&](const auto& controller, const flight_step&) { trajectory = controller.trajectory(); });
}

}  // namespace

TEST(CudaBranches, FollowTheHostStepByStep) {
    for (const int stages : {1, 2, 15}) {
        const flight_problem problem = load("crazyflie_gates.json");
        flight_settings settings;
        settings.scenarios = 5;
        settings.stages = stages;
        settings.seed = 7;
        settings.max_steps = stages > 2 ? 6 : 3;
        reference_solver backend({5, stages});
        shoal::executor threads(1);
        host_branches<reference_solver> on_host(problem, 5, stages, backend, threads);
        cuda_branches on_device(problem, 5, stages);
        std::vector<double> a, b;

        const flight_result h = run(problem, settings, on_host, a);
        const flight_result d = run(problem, settings, on_device, b);

        ASSERT_EQ(h.steps.size(), d.steps.size());
        for (std::size_t n = 0; n < h.steps.size(); ++n) {
            EXPECT_EQ(d.steps[n].control.last.status, h.steps[n].control.last.status);
            for (int j = 0; j < input_size; ++j)
                EXPECT_NEAR(d.steps[n].u[j], h.steps[n].u[j], 1e-4 * problem.thrust_max) << "step " << n;
        }
        expect_near(a, b, 1e-3);
    }
}

TEST(CudaBranches, ReachTheGoalWithTheSameBitsEveryTime) {
    for (const char* file : {"crazyflie_gates.json", "quadrotor_published.json"}) {
        const flight_problem problem = load(file);
        flight_settings settings;
        settings.scenarios = 10;
        settings.stages = 20;
        settings.seed = 2;
        cuda_branches first(problem, 10, 20), second(problem, 10, 20);
        std::vector<double> a, b;

        const flight_result r = run(problem, settings, first, a);
        run(problem, settings, second, b);

        EXPECT_TRUE(r.reached_goal());
        EXPECT_GT(r.smallest_clearance, 0);
        for (const flight_step& s : r.steps) EXPECT_EQ(s.control.last.status, ipm_status::solved);
        EXPECT_EQ(a, b);
    }
}
