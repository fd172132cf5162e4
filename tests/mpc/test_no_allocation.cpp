// Replaces the global allocation functions of this program, so that a solve that allocates is caught.

#include "dense_program.hpp"
#include "reference_arrow.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include <shoal/mpc/closed_loop.hpp>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size ? size : 1)) return p;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete[](void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
    std::free(p);
}

using namespace shoal::mpc;

TEST(NoAllocation, TheGuardCounts) {
    const long before = allocations;
    std::vector<double> v(10);
    EXPECT_GT(allocations, before);
    EXPECT_EQ(v.size(), 10u);
}

TEST(NoAllocation, InteriorPointSolve) {
    const qp_shape shape{3, 4, 2};
    const qp_data data = mpc_test::random_program(shape, 3);
    mpc_test::reference_solver backend({shape.scenarios, shape.stages});
    shoal::executor threads(2);
    ipm_solver<mpc_test::reference_solver> ipm(shape, backend, threads);
    const long before = allocations;

    const ipm_result result = ipm.solve(data);

    EXPECT_EQ(allocations, before);
    EXPECT_EQ(result.status, ipm_status::solved);
}

TEST(NoAllocation, ControlStep) {
    flight_problem problem;
    const double arm[4][2] = {{0.1, 0}, {0, 0.1}, {-0.1, 0}, {0, -0.1}};
    for (int i = 0; i < 4; ++i) {
        problem.vehicle.rotor_x[i] = arm[i][0];
        problem.vehicle.rotor_y[i] = arm[i][1];
        problem.vehicle.rotor_yaw[i] = i % 2 ? -0.02 : 0.02;
    }
    for (double& j : problem.vehicle.inertia) j = 0.01;
    problem.thrust_max = 6;
    problem.wind_acceleration_std = 0.3;
    problem.goal[0] = 1;
    problem.obstacles = {{{0.5, 0.1, 0}, 0.2}, {{0.5, -0.5, 0}, 0.2}};
    ASSERT_EQ(find_fault(problem), "");
    const int stages = 6;
    mpc_test::reference_solver backend({3, stages});
    shoal::executor threads(2);
    host_branches<mpc_test::reference_solver> branches(problem, 3, stages, backend, threads);
    branch_controller<host_branches<mpc_test::reference_solver>> controller(
        problem, sample_scenarios(problem, 1, 3), branches);
    guide route(plan_path(problem, problem.start), 0.5, 1.0);
    vehicle_estimator estimator(problem, 0.1);
    double x[state_size] = {}, u[input_size];
    const long before = allocations;

    for (int n = 0; n < 3; ++n) {
        double previous[state_size];
        std::copy(x, x + state_size, previous);
        route.follow(x, 0.1);
        route.reference(0.1, controller.reference);
        const sqp_result result = controller.step(x, estimator.offset(), 0.7, u);
        EXPECT_EQ(result.last.status, ipm_status::solved);
        rk4(problem.vehicle, 0.1, x, u, x);
        estimator.update(controller.scenarios(), previous, u, x);
    }

    EXPECT_EQ(allocations, before);
}
