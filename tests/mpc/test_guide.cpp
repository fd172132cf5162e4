#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <shoal/mpc/guide.hpp>

using namespace shoal::mpc;

namespace {

flight_problem with_obstacles(std::vector<obstacle> obstacles) {
    flight_problem p;
    p.radius = 0.1;
    p.goal[0] = 3;
    p.obstacles = std::move(obstacles);
    return p;
}

double smallest_clearance(const flight_problem& p, const std::vector<point3>& path) {
    double least = 1e9;
    for (std::size_t j = 1; j < path.size(); ++j)
        for (int s = 0; s <= 100; ++s)
            least = std::min(least, clearance(p, detail::along(path[j - 1], path[j], s / 100.0).data()));
    return least;
}

double length(const std::vector<point3>& path) {
    double sum = 0;
    for (std::size_t j = 1; j < path.size(); ++j) sum += detail::distance(path[j - 1], path[j]);
    return sum;
}

}  // namespace

TEST(Guide, StraightWhereNothingIsInTheWay) {
    const auto p = with_obstacles({{{1.5, 2, 0}, 0.5}});
    const auto path = plan_path(p, p.start);
    EXPECT_EQ(path.size(), 2u);
    EXPECT_NEAR(length(path), 3, 1e-12);
}

TEST(Guide, AroundAnObstacleThatIsDeadAhead) {
    const auto p = with_obstacles({{{1.5, 0, 0}, 0.5}});
    const auto path = plan_path(p, p.start);
    ASSERT_GT(path.size(), 2u);
    EXPECT_GT(smallest_clearance(p, path), 0.04);
    // The taut string around a ball of radius 0.65 is 3.29 m long; the nodes are a finite choice.
    EXPECT_LT(length(path), 1.1 * 3.29);
}

TEST(Guide, TakesTheGapThatFits) {
    // A wall of balls across the way, one ball missing.
    std::vector<obstacle> wall;
    for (int y = -4; y <= 4; ++y)
        for (int z = -4; z <= 4; ++z)
            if (y != 2 || z != 1) wall.push_back({{1.5, 0.5 * y, 0.5 * z}, 0.35});
    const auto p = with_obstacles(wall);
    const auto path = plan_path(p, p.start);
    ASSERT_GT(path.size(), 2u);
    EXPECT_GT(smallest_clearance(p, path), 0);
}

TEST(Guide, NoPathOutOfACage) {
    std::vector<obstacle> cage;
    for (int j = 0; j < 60; ++j) {
        const double z = 1 - (2 * j + 1.0) / 60, r = std::sqrt(1 - z * z), a = 2.399963 * j;
        cage.push_back({{r * std::cos(a), r * std::sin(a), z}, 0.35});
    }
    const auto p = with_obstacles(cage);
    ASSERT_GT(clearance(p, p.start), 0);
    EXPECT_TRUE(plan_path(p, p.start).empty());
}

TEST(Guide, ReferenceKeepsToSpeedAndPathAndStopsAtTheEnd) {
    const double speed = 0.8, acceleration = 1.0, dt = 0.05;
    guide route({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, speed, acceleration);
    std::vector<reference_point> out(200);

    route.reference(dt, out);

    EXPECT_EQ(out.front().position, (point3{0, 0, 0}));
    EXPECT_NEAR(detail::distance(out.back().position, {1, 1, 0}), 0, 1e-9);
    EXPECT_NEAR(std::hypot(out.back().velocity[0], out.back().velocity[1]), 0, 1e-6);
    for (std::size_t j = 0; j + 1 < out.size(); ++j) {
        EXPECT_LE(detail::distance(out[j].position, out[j + 1].position), speed * dt + 1e-12);
        EXPECT_LE(std::hypot(out[j].velocity[0], out[j].velocity[1]), speed + 1e-12);
        const point3& p = out[j].position;
        EXPECT_LT(std::min(std::abs(p[1]), std::abs(p[0] - 1)), 1e-12) << "off the path";
    }
}

TEST(Guide, WaitsForAVehicleThatIsHeldBack) {
    guide route({{0, 0, 0}, {5, 0, 0}}, 1.0, 1.0);
    const double stuck[3] = {0.1, 0.2, 0};
    double away = 0;

    for (int n = 0; n < 200; ++n) away = route.follow(stuck, 0.05);

    EXPECT_LT(route.progress(), 0.5);
    EXPECT_NEAR(away, 0.2, 1e-3);
}
