#include "read_problem.hpp"
#include "reference_arrow.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <shoal/arrow/host_solver.hpp>
#include <shoal/mpc/closed_loop.hpp>

using namespace shoal::mpc;

namespace {

using host = shoal::arrow::host_solver<double, stage_size>;

flight_problem load(const char* file) {
    return shoal_fly::read_problem(std::string(SHOAL_DATA_DIR) + "/" + file);
}

flight_settings with(int scenarios, int stages, std::uint64_t seed) {
    flight_settings s;
    s.scenarios = scenarios;
    s.stages = stages;
    s.seed = seed;
    return s;
}

template <class Solver>
flight_result run(const flight_problem& problem, const flight_settings& settings, Solver& backend) {
    shoal::executor threads(1);
    return fly(problem, settings, backend, threads, [](const auto&, const flight_step&) {});
}

struct flight_case {
    const char* file;
    int scenarios, stages;
    std::uint64_t seed;
};

class Flight : public testing::TestWithParam<flight_case> {};

}  // namespace

TEST_P(Flight, ReachesTheGoalWithoutTouching) {
    const flight_case c = GetParam();
    const flight_problem problem = load(c.file);
    host backend({c.scenarios, c.stages}, {.threads = 1});

    const flight_result r = run(problem, with(c.scenarios, c.stages, c.seed), backend);

    EXPECT_TRUE(r.reached_goal());
    EXPECT_LE(r.goal_time, problem.success.time_limit);
    EXPECT_GT(r.smallest_clearance, 0);
    const double* g = problem.goal;
    EXPECT_LE(std::hypot(r.final_state[0] - g[0], r.final_state[1] - g[1], r.final_state[2] - g[2]),
              problem.success.position_tolerance);
    for (const flight_step& s : r.steps) {
        EXPECT_EQ(s.control.last.status, ipm_status::solved) << "at " << s.time;
        EXPECT_LT(s.control.linear.largest_residual, 1e-12);
        for (double u : s.u) {
            EXPECT_GE(u, problem.thrust_min);
            EXPECT_LE(u, problem.thrust_max);
        }
        for (int a = 6; a < 8; ++a) EXPECT_LE(std::abs(s.x[a]), problem.attitude_limit + 0.05);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Flight,
                         testing::Values(flight_case{"crazyflie_gates.json", 5, 20, 2015},
                                         flight_case{"crazyflie_gates.json", 5, 20, 1},
                                         flight_case{"crazyflie_gates.json", 10, 25, 2},
                                         flight_case{"crazyflie_gates.json", 1, 20, 3},
                                         flight_case{"quadrotor_published.json", 5, 20, 7},
                                         flight_case{"quadrotor_published.json", 5, 20, 1},
                                         flight_case{"quadrotor_published.json", 10, 15, 2},
                                         flight_case{"quadrotor_published.json", 1, 20, 3}));

TEST(ClosedLoop, SameSeedSameFlightOnAnyNumberOfThreads) {
    const flight_problem problem = load("quadrotor_published.json");
    flight_settings settings = with(4, 15, 7);
    settings.max_steps = 6;
    host backend({4, 15}, {.threads = 1});
    shoal::executor one(1), three(3);
    auto ignore = [](const auto&, const flight_step&) {};

    const flight_result a = fly(problem, settings, backend, one, ignore);
    const flight_result b = fly(problem, settings, backend, three, ignore);

    ASSERT_EQ(a.steps.size(), 6u);
    for (int i = 0; i < state_size; ++i) EXPECT_EQ(a.final_state[i], b.final_state[i]);
}

// The controller must not see the true vehicle; the estimate has to find what it differs by.
TEST(ClosedLoop, EstimatorFindsMassAndWind) {
    flight_problem problem = load("crazyflie_gates.json");
    for (const std::uint64_t seed : {11u, 12u, 13u}) {
        flight_settings settings = with(1, 20, seed);
        settings.max_steps = 40;
        host backend({1, 20}, {.threads = 1});

        const flight_result r = run(problem, settings, backend);

        const quadrotor truth = sample_truth(problem, seed), scenario = sample_scenarios(problem, seed, 1)[0];
        const vehicle_offset& offset = r.steps.back().offset;
        EXPECT_NEAR(scenario.mass / (1 + offset.thrust_gain), truth.mass, 0.02 * truth.mass);
        for (int a = 0; a < 3; ++a)
            EXPECT_NEAR(offset.acceleration[a] + scenario.acceleration[a], truth.acceleration[a], 0.2);
    }
}

// Weak enforcement of the equations at the start lets mu run far ahead of them unless it is held back.
TEST(ClosedLoop, SlowProximalScheduleStillConverges) {
    const flight_problem problem = load("crazyflie_gates.json");
    flight_settings settings = with(10, 20, problem.seed);
    settings.sqp.ipm.rho = 0.1;
    settings.sqp.ipm.delta = 10;
    settings.sqp.ipm.shrink = 0.05;
    settings.max_steps = 16;
    host backend({10, 20}, {.threads = 1});

    const flight_result r = run(problem, settings, backend);

    for (const flight_step& s : r.steps) {
        EXPECT_EQ(s.control.last.status, ipm_status::solved) << "at " << s.time;
        EXPECT_LT(s.control.last.iterations, 25);
    }
}

namespace {

/// Every fifth factorisation fails.
struct unreliable : mpc_test::reference_solver {
    using reference_solver::reference_solver;
    shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) {
        return ++calls % 5 == 0 ? shoal::arrow::info{0, 1, 1} : reference_solver::factor(K);
    }
    int calls = 0;
};

/// No factorisation ever succeeds.
struct broken : mpc_test::reference_solver {
    using reference_solver::reference_solver;
    shoal::arrow::info factor(shoal::arrow::matrix_view<const double>) { return {0, 1, 1}; }
};

}  // namespace

TEST(ClosedLoop, FliesOnThroughFailedFactorisations) {
    const flight_problem problem = load("quadrotor_published.json");
    unreliable backend({3, 15});

    const flight_result r = run(problem, with(3, 15, 7), backend);

    EXPECT_TRUE(r.reached_goal());
    EXPECT_GT(r.smallest_clearance, 0);
}

TEST(ClosedLoop, ReportsASolverThatNeverWorks) {
    const flight_problem problem = load("quadrotor_published.json");
    broken backend({2, 10});
    flight_settings settings = with(2, 10, 7);
    settings.max_steps = 3;

    const flight_result r = run(problem, settings, backend);

    ASSERT_EQ(r.steps.size(), 3u);
    EXPECT_FALSE(r.reached_goal());
    for (const flight_step& s : r.steps) {
        EXPECT_EQ(s.control.last.status, ipm_status::factorization_failed);
        EXPECT_EQ(s.control.last.failure.pivot, 1);
        for (double u : s.u) EXPECT_TRUE(std::isfinite(u));
    }
}
