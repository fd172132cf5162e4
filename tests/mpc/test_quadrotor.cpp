#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <shoal/mpc/quadrotor.hpp>

using namespace shoal::mpc;

namespace {

quadrotor sample_vehicle() {
    quadrotor q;
    q.mass = 0.031;
    const double inertia[3] = {1.6e-5, 1.7e-5, 2.9e-5};
    const double x[4] = {0.03, -0.035, -0.03, 0.04}, y[4] = {-0.032, -0.03, 0.035, 0.03};
    for (int i = 0; i < 3; ++i) q.inertia[i] = inertia[i];
    for (int i = 0; i < 4; ++i) {
        q.rotor_x[i] = x[i];
        q.rotor_y[i] = y[i];
        q.rotor_yaw[i] = (i % 2 ? -1 : 1) * 0.006;
    }
    q.linear_drag = 0.02;
    q.angular_drag = 0.3;
    q.acceleration[0] = 0.4;
    q.acceleration[1] = -0.7;
    q.acceleration[2] = 0.2;
    return q;
}

}  // namespace

TEST(Quadrotor, HoverIsAnEquilibrium) {
    quadrotor q = sample_vehicle();
    for (double& a : q.acceleration) a = 0;
    for (int i = 0; i < 4; ++i) {
        q.rotor_x[i] = i < 2 ? 0.1 : -0.1;
        q.rotor_y[i] = i % 3 == 0 ? 0.1 : -0.1;
    }
    const double x[12] = {1, 2, 3}, hover = q.mass * q.gravity / 4, u[4] = {hover, hover, hover, hover};

    double next[12];
    rk4(q, 0.1, x, u, next);

    for (int i = 0; i < 12; ++i) EXPECT_NEAR(next[i], x[i], 1e-15);
}

TEST(Quadrotor, TorquesFollowTheRotorPositions) {
    quadrotor q = sample_vehicle();
    const double x[12] = {};
    for (int rotor = 0; rotor < 4; ++rotor) {
        double u[4] = {}, dx[12];
        u[rotor] = 0.1;

        derivative(q, x, u, dx);

        EXPECT_NEAR(dx[9] * q.inertia[0], q.rotor_y[rotor] * 0.1, 1e-15);
        EXPECT_NEAR(dx[10] * q.inertia[1], -q.rotor_x[rotor] * 0.1, 1e-15);
        EXPECT_NEAR(dx[11] * q.inertia[2], q.rotor_yaw[rotor] * 0.1, 1e-15);
        EXPECT_NEAR(dx[5], 0.1 / q.mass - q.gravity + q.acceleration[2], 1e-12);
    }
}

// With no drag and no torque the angular momentum in the world frame is conserved, which ties the Euler-angle
// kinematics, the gyroscopic term and R e3 together.
TEST(Quadrotor, ConservesAngularMomentum) {
    quadrotor q = sample_vehicle();
    q.angular_drag = 0;
    double x[12] = {0, 0, 0, 0, 0, 0, 0.3, -0.2, 0.5, 1.0, -1.5, 0.7};
    const double u[4] = {};
    auto momentum = [&](double* L) {
        const auto t = detail::make_attitude(x);
        const double sf = t.sin_phi, cf = t.cos_phi, st = t.sin_theta, ct = t.cos_theta, sp = t.sin_psi,
                     cp = t.cos_psi;
        const double R[3][3] = {{cp * ct, cp * st * sf - sp * cf, cp * st * cf + sp * sf},
                                {sp * ct, sp * st * sf + cp * cf, sp * st * cf - cp * sf},
                                {-st, ct * sf, ct * cf}};
        for (int i = 0; i < 3; ++i) {
            L[i] = 0;
            for (int j = 0; j < 3; ++j) L[i] += R[i][j] * q.inertia[j] * x[9 + j];
        }
    };
    double before[3], after[3];
    momentum(before);

    for (int step = 0; step < 400; ++step) rk4(q, 0.001, x, u, x);

    momentum(after);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(after[i], before[i], 1e-15);
}

TEST(Quadrotor, JacobianOfTheStepMatchesFiniteDifferences) {
    const quadrotor q = sample_vehicle();
    std::mt19937 engine(3);
    std::uniform_real_distribution<double> draw(-0.7, 0.7);
    for (int trial = 0; trial < 20; ++trial) {
        double z[16], next[12], plain[12], e[12 * 16];
        for (double& v : z) v = draw(engine);
        for (int i = 12; i < 16; ++i) z[i] = 0.07 + 0.05 * z[i];
        const double h = trial % 2 ? 0.05 : 0.1;

        rk4_jacobian(q, h, z, z + 12, next, e);

        rk4(q, h, z, z + 12, plain);
        for (int i = 0; i < 12; ++i)
            EXPECT_NEAR(next[i], plain[i], 1e-13 * std::max(1.0, std::abs(plain[i])));
        for (int c = 0; c < 16; ++c) {
            // Fourth-order central differences: truncation h^4 and rounding eps/h meet near 1e-3 of the variable's scale.
            const double step = c < 12 ? 1e-3 : 1e-4;
            double shifted[4][12];
            for (int s = 0; s < 4; ++s) {
                double y[16];
                std::copy(z, z + 16, y);
                y[c] += step * (s < 2 ? s - 2 : s - 1);
                rk4(q, h, y, y + 12, shifted[s]);
            }
            double column = 1;
            for (int r = 0; r < 12; ++r) column = std::max(column, std::abs(e[r * 16 + c]));
            for (int r = 0; r < 12; ++r) {
                const double difference =
                    (8 * (shifted[2][r] - shifted[1][r]) - (shifted[3][r] - shifted[0][r])) / (12 * step);
                EXPECT_NEAR(e[r * 16 + c], difference, 1e-8 * column) << "row " << r << " column " << c;
            }
        }
    }
}
