#include <cmath>

#include <gtest/gtest.h>

#include <shoal/mpc/scenarios.hpp>

using namespace shoal::mpc;

namespace {

flight_problem uncertain() {
    flight_problem p;
    p.vehicle.mass = 2;
    p.mass_relative_std = 0.1;
    p.wind_acceleration_std = 0.5;
    return p;
}

}  // namespace

// The numbers themselves: another standard library, compiler or machine must fly the same scenarios.
TEST(Scenarios, TheStreamIsFixed) {
    normal_stream first(2015, 0), second(2015, 1);
    const double a = first(), b = first(), c = second();

    EXPECT_NEAR(a, -1.3085628536610583, 1e-12);
    EXPECT_NEAR(b, -0.72491043234251806, 1e-12);
    EXPECT_NEAR(c, -0.5610988234051083, 1e-12);
}

TEST(Scenarios, SameSeedSameScenariosAndMoreOfThemOnlyAppend) {
    const auto few = sample_scenarios(uncertain(), 3, 5), many = sample_scenarios(uncertain(), 3, 50);
    for (std::size_t i = 0; i < few.size(); ++i) {
        EXPECT_EQ(few[i].mass, many[i].mass);
        for (int a = 0; a < 3; ++a) EXPECT_EQ(few[i].acceleration[a], many[i].acceleration[a]);
    }
    EXPECT_NE(sample_scenarios(uncertain(), 4, 1)[0].mass, few[0].mass);
}

TEST(Scenarios, TheTrueVehicleIsNoneOfTheScenarios) {
    const quadrotor truth = sample_truth(uncertain(), 3);
    for (const quadrotor& q : sample_scenarios(uncertain(), 3, 1000)) EXPECT_NE(q.mass, truth.mass);
}

TEST(Scenarios, FollowTheDistribution) {
    const int count = 40000;
    double mean_mass = 0, var_mass = 0, mean_wind[3] = {}, var_wind[3] = {}, cross = 0, fourth = 0;
    for (const quadrotor& q : sample_scenarios(uncertain(), 8, count)) {
        const double m = (q.mass / 2 - 1) / 0.1;
        mean_mass += m / count;
        var_mass += m * m / count;
        fourth += m * m * m * m / count;
        for (int a = 0; a < 3; ++a) {
            mean_wind[a] += q.acceleration[a] / 0.5 / count;
            var_wind[a] += q.acceleration[a] * q.acceleration[a] / 0.25 / count;
        }
        cross += m * q.acceleration[0] / 0.5 / count;
    }
    // Five standard errors.
    const double bound = 5 / std::sqrt(double(count));
    EXPECT_NEAR(mean_mass, 0, bound);
    EXPECT_NEAR(var_mass, 1, bound * std::sqrt(2.0));
    EXPECT_NEAR(fourth, 3, bound * std::sqrt(96.0));
    EXPECT_NEAR(cross, 0, bound);
    for (int a = 0; a < 3; ++a) {
        EXPECT_NEAR(mean_wind[a], 0, bound);
        EXPECT_NEAR(var_wind[a], 1, bound * std::sqrt(2.0));
    }
}

TEST(Scenarios, MassStaysPositiveUnderWideUncertainty) {
    flight_problem p = uncertain();
    p.mass_relative_std = 0.5;
    for (const quadrotor& q : sample_scenarios(p, 1, 20000)) ASSERT_GE(q.mass, 0.2);
}
