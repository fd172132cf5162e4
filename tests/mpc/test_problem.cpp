#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/trim.hpp>

using namespace shoal::mpc;

namespace {

flight_problem possible() {
    flight_problem p;
    const double x[4] = {0.1, -0.1, -0.1, 0.1}, y[4] = {-0.1, -0.1, 0.1, 0.1};
    for (int i = 0; i < 4; ++i) {
        p.vehicle.rotor_x[i] = x[i];
        p.vehicle.rotor_y[i] = y[i];
        p.vehicle.rotor_yaw[i] = i % 2 ? -0.01 : 0.01;
    }
    p.thrust_max = 5;
    p.radius = 0.1;
    p.goal[0] = 2;
    p.obstacles = {{{1, 0, 0}, 0.3}};
    return p;
}

struct fault {
    const char* name;
    std::function<void(flight_problem&)> make;
    const char* message;
};

class Fault : public testing::TestWithParam<fault> {};

}  // namespace

TEST(Problem, APossibleOneHasNoFault) {
    EXPECT_EQ(find_fault(possible()), "");
}

TEST_P(Fault, IsFound) {
    flight_problem p = possible();
    GetParam().make(p);
    EXPECT_NE(find_fault(p).find(GetParam().message), std::string::npos) << find_fault(p);
    EXPECT_EQ(find_fault(p).find('\n'), std::string::npos);
}

static const double nan_value = std::numeric_limits<double>::quiet_NaN();
static const double infinite = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Every, Fault,
    testing::Values(
        fault{"mass", [](auto& p) { p.vehicle.mass = 0; }, "vehicle.mass"},
        fault{"nan_mass", [](auto& p) { p.vehicle.mass = nan_value; }, "vehicle.mass"},
        fault{"inertia", [](auto& p) { p.vehicle.inertia[1] = -1; }, "vehicle.inertia"},
        fault{"triangle", [](auto& p) { p.vehicle.inertia[1] = 9; }, "rigid body"},
        fault{"drag", [](auto& p) { p.vehicle.linear_drag = -0.1; }, "linear_drag"},
        fault{"angular_drag", [](auto& p) { p.vehicle.angular_drag = nan_value; }, "angular_drag"},
        fault{"rotor", [](auto& p) { p.vehicle.rotor_x[2] = infinite; }, "rotors"},
        fault{"radius", [](auto& p) { p.radius = -1; }, "radius"},
        fault{"gravity", [](auto& p) { p.vehicle.gravity = 0; }, "gravity"},
        fault{"thrust_order", [](auto& p) { p.thrust_min = 6; }, "rotor_thrust_max"},
        fault{"too_heavy", [](auto& p) { p.vehicle.mass = 3; }, "cannot hover"},
        fault{"spins",
              [](auto& p) {
                  for (double& r : p.vehicle.rotor_yaw) r = 0.01;
              },
              "vehicle.rotors cannot"},
        fault{"line",
              [](auto& p) {
                  for (double& r : p.vehicle.rotor_x) r = 0;
              },
              "vehicle.rotors cannot"},
        fault{"off_centre",
              [](auto& p) {
                  for (double& r : p.vehicle.rotor_x) r += 0.5;
              },
              "cannot hover"},
        fault{"mass_std", [](auto& p) { p.mass_relative_std = -0.1; }, "mass_relative_std"},
        fault{"mass_std_high", [](auto& p) { p.mass_relative_std = 0.6; }, "mass_relative_std"},
        fault{"wind", [](auto& p) { p.wind_acceleration_std = nan_value; }, "wind"},
        fault{"horizon", [](auto& p) { p.horizon_seconds = 0; }, "horizon"},
        fault{"weights", [](auto& p) { p.weights.velocity = -1; }, "weights"},
        fault{"attitude", [](auto& p) { p.attitude_limit = 1.6; }, "attitude_limit"},
        fault{"tolerance", [](auto& p) { p.success.position_tolerance = 0; }, "success"},
        fault{"time", [](auto& p) { p.success.time_limit = 0.1; }, "success"},
        fault{"start", [](auto& p) { p.start[1] = nan_value; }, "start"},
        fault{"goal", [](auto& p) { p.goal[1] = infinite; }, "goal"},
        fault{"obstacle", [](auto& p) { p.obstacles[0].radius = 0; }, "obstacle 0"},
        fault{"obstacle_nan", [](auto& p) { p.obstacles[0].centre[2] = nan_value; }, "obstacle 0"},
        fault{"start_inside", [](auto& p) { p.start[0] = 0.65; }, "start touches obstacle 0"},
        fault{"goal_inside", [](auto& p) { p.goal[0] = 1.2; }, "goal touches obstacle 0"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Trim, BalancesAnUnevenVehicle) {
    quadrotor q = possible().vehicle;
    q.rotor_x[0] = 0.15;
    q.rotor_y[3] = 0.12;
    double u[4];

    ASSERT_EQ(hover_thrusts(q, u), trim_result::found);

    const double x[12] = {};
    double dx[12];
    derivative(q, x, u, dx);
    for (double d : dx) EXPECT_NEAR(d, 0, 1e-12);
}

TEST(Problem, ClearanceIsToTheSurfaceOfTheNearestObstacle) {
    flight_problem p = possible();
    p.obstacles.push_back({{1, 1, 0}, 0.2});
    const double at[3] = {1, 0.6, 0};
    EXPECT_NEAR(clearance(p, at), 0.4 - 0.2 - 0.1, 1e-15);
}
