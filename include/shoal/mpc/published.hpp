#pragma once

/// \file
/// The matrices of the published branch-MPC experiment: K = diag(P) + A'A for a quadrotor of 16 unknowns a block, M
/// scenarios of N stages, linearised along a rollout from the origin, and a normal right-hand side.
///
/// Blocks: stage k of a tail is (u_{k-1}, x_k); x_1 carries four dummy unknowns instead of u_0, pinned by an identity;
/// the root is (x_0, u_0). Rows of A, with J = [J_x J_u] of one Runge-Kutta step:
///
///     dynamics    [-J_x on x_t, -J_u on u_t, I on x_{t+1}], each divided by sqrt(1 + |row of J_x|^2 + |row of J_u|^2)
///     obstacles   -(p - o)' / |p - o| on every x_k, one a ball
///     I_12 on x_N,  I_4 on every u,  I_16 on the root
///
/// P = 1e-8 I, plus 2 dt on u_0 and 2 dt / M on every other u.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/quadrotor.hpp>
#include <shoal/mpc/scenarios.hpp>

namespace shoal::mpc {

/// A matrix of the published experiment, with its right-hand side.
struct published_system {
    arrow_storage matrix;
    std::vector<double> rhs;
};

namespace detail {

/// D += a' a over the columns of one row of A, both triangles.
inline void add_outer(const double* a, double* D) {
    for (int c = 0; c < stage_size; ++c)
        for (int r = 0; r < stage_size; ++r) D[c * stage_size + r] += a[r] * a[c];
}

/// The published vehicle, which shared data files describe as well.
inline quadrotor published_vehicle() {
    quadrotor q;
    q.mass = 1;
    q.inertia[0] = q.inertia[1] = 0.010;
    q.inertia[2] = 0.018;
    constexpr double arm = 0.17, yaw = 0.016;
    q.rotor_x[0] = arm;
    q.rotor_y[1] = arm;
    q.rotor_x[2] = -arm;
    q.rotor_y[3] = -arm;
    for (int i = 0; i < input_size; ++i) q.rotor_yaw[i] = i % 2 ? -yaw : yaw;
    q.linear_drag = 0.30;
    q.angular_drag = 0.05;
    return q;
}

inline constexpr double published_balls[3][3] = {{0.7, 0.3, 0.4}, {1.3, 0.7, 0.7}, {1.0, 0.2, 1.1}};

/// The obstacles' rows of A, on the block (u, x).
inline void add_obstacle_rows(const double* position, double* D) {
    for (const auto& o : published_balls) {
        double n[3], row[stage_size] = {};
        for (int i = 0; i < 3; ++i) n[i] = position[i] - o[i];
        const double length = std::hypot(n[0], n[1], n[2]);
        for (int i = 0; i < 3; ++i) row[input_size + i] = -n[i] / length;
        add_outer(row, D);
    }
}

}  // namespace detail

/// One scenario: a vehicle drawn from `normal`, and its linearisation along the rollout from the origin over 3 s.
/// visit(t, J, x) for t = 0 .. stages - 1: J = [J_x J_u] from stage t, 12 x 16 row-major; x, the state that it leads to.
template <class Visit>
void published_rollout(normal_stream& normal, int stages, Visit visit) {
    quadrotor q = detail::published_vehicle();
    q.mass *= 1 + 0.10 * normal();
    for (double& a : q.acceleration) a = 0.25 * normal();
    double x[state_size] = {};
    for (int t = 0; t < stages; ++t) {
        double u[input_size], next[state_size], J[state_size * stage_size];
        for (int j = 0; j < input_size; ++j)
            u[j] = q.gravity / 4 * (1 + 0.06 * std::sin(6.283185307179586 * t / stages + 1.5 * j));
        rk4_jacobian(q, 3.0 / stages, x, u, next, J);
        visit(t, static_cast<const double*>(J), static_cast<const double*>(next));
        std::copy(next, next + state_size, x);
    }
}

/// The system for M >= 1 scenarios and N >= 1 stages.
inline published_system published_experiment(int scenarios, int stages, std::uint64_t seed) {
    published_system out{arrow_storage({scenarios, stages}), {}};
    arrow_storage& K = out.matrix;
    normal_stream normal(seed, 0);
    const double dt = 3.0 / stages, light = 1e-8;
    constexpr int n = stage_size;

    for (int i = 0; i < n; ++i)
        K.root[std::size_t(i * (n + 1))] = 1 + light + (i < state_size ? 0.0 : 2 * dt);
    for (int i = 0; i < scenarios; ++i) {
        published_rollout(normal, stages, [&](int t, const double* jacobian, const double* next) {
            double* D = K.diagonal_block(i, t);
            const double input_weight = t == 0 ? 0.0 : 2 * dt / scenarios;
            for (int j = 0; j < n; ++j) D[j * (n + 1)] += light + (j < input_size ? input_weight : 0.0);
            detail::add_obstacle_rows(next, D);
            const int pinned = t + 1 == stages ? n : input_size;
            for (int j = 0; j < pinned; ++j) D[j * (n + 1)] += 1;
            for (int r = 0; r < state_size; ++r) {
                const double* J = jacobian + r * n;
                double norm = 1;
                for (int c = 0; c < n; ++c) norm += J[c] * J[c];
                norm = std::sqrt(norm);
                // One dynamics row: what it does to the block that it leads to, and to the one that it comes from.
                double to[n] = {}, from[n] = {};
                to[input_size + r] = 1 / norm;
                for (int c = 0; c < state_size; ++c) from[t == 0 ? c : input_size + c] = -J[c] / norm;
                for (int c = 0; c < input_size; ++c)
                    (t == 0 ? from + state_size : to)[c] = -J[state_size + c] / norm;
                detail::add_outer(to, D);
                detail::add_outer(from, t == 0 ? K.root.data() : K.diagonal_block(i, t - 1));
                double* coupling = t == 0 ? K.coupling_block(i) : K.lower_block(i, t - 1);
                const double* row = t == 0 ? from : to;
                const double* column = t == 0 ? to : from;
                for (int c = 0; c < n; ++c)
                    for (int k = 0; k < n; ++k) coupling[c * n + k] += row[k] * column[c];
            }
        });
    }
    out.rhs.resize(std::size_t(std::int64_t{scenarios} * stages + 1) * n);
    for (double& b : out.rhs) b = normal();
    return out;
}

}  // namespace shoal::mpc
