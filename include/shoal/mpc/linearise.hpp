#pragma once

/// \file
/// From trajectories to the program of qp.hpp: dynamics, costs and limits around the branches as they stand.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/guide.hpp>
#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/qp.hpp>

namespace shoal::mpc {

/// The program's inputs are in units of the hover thrust, so that vehicles of 28 g and of 1 kg look alike to it.
inline double thrust_scale(const flight_problem& p) {
    return p.vehicle.mass * p.vehicle.gravity / input_size;
}

/// What the linearisation of every stage needs to know.
struct linearisation {
    double dt;
    double margin;
    const flight_problem& problem;
    const double* hover;
};

namespace detail {

inline void linearise_inputs(const linearisation& how, const double* u, double weight, std::int64_t b,
                             qp_data& data) {
    const double scale = thrust_scale(how.problem);
    double* limit = data.limit.data() + b * data.shape.rows();
    for (int j = 0; j < input_size; ++j) {
        const auto at = std::size_t(b * stage_size + state_size + j);
        data.hessian[at] = weight * how.problem.weights.thrust * scale * scale;
        data.gradient[at] = weight * how.problem.weights.thrust * scale * (u[j] - how.hover[j]);
        limit[j] = (u[j] - how.problem.thrust_min) / scale;
        limit[input_size + j] = (how.problem.thrust_max - u[j]) / scale;
    }
}

inline void linearise_states(const linearisation& how, const reference_point& r, const double* x,
                             double weight, std::int64_t b, qp_data& data) {
    const stage_weights& w = how.problem.weights;
    for (int i = 0; i < state_size; ++i) {
        const double q = weight * (i < 3 ? w.position : i < 6 ? w.velocity : i < 9 ? w.attitude : w.rate);
        const double target = i < 3   ? r.position[std::size_t(i)]
                              : i < 6 ? r.velocity[std::size_t(i - 3)]
                                      : 0.0;
        data.hessian[std::size_t(b * stage_size + i)] = q;
        data.gradient[std::size_t(b * stage_size + i)] = q * (x[i] - target);
    }
    double* limit = data.limit.data() + b * data.shape.rows() + thrust_rows;
    for (int i = 0; i < 2; ++i) {
        limit[i] = how.problem.attitude_limit + x[6 + i];
        limit[2 + i] = how.problem.attitude_limit - x[6 + i];
    }
}

/// Half-spaces that touch the nearest obstacles. A ball's complement contains each of them, so a plan that respects the
/// half-space clears the obstacle by at least as much.
inline void linearise_obstacles(const linearisation& how, const double* p, const point3& fallback,
                                std::int64_t b, qp_data& data) {
    const int slots = data.shape.slots;
    double* limit = data.limit.data() + b * data.shape.rows() + fixed_rows;
    double* normal = data.normal.data() + b * slots * 3;
    const auto& obstacles = how.problem.obstacles;
    auto gap = [&](const obstacle& o) {
        return std::hypot(p[0] - o.centre[0], p[1] - o.centre[1], p[2] - o.centre[2]) - o.radius;
    };
    // Insertion into the list of the nearest: no allocation, and few slots.
    int nearest[max_slots];
    double distances[max_slots];
    int count = 0;
    for (int j = 0; j < int(obstacles.size()); ++j) {
        const double d = gap(obstacles[std::size_t(j)]);
        int at = count < slots ? count++ : slots;
        if (at == slots) {
            if (d >= distances[slots - 1]) continue;
            at = slots - 1;
        }
        for (; at > 0 && distances[at - 1] > d; --at) {
            distances[at] = distances[at - 1];
            nearest[at] = nearest[at - 1];
        }
        distances[at] = d;
        nearest[at] = j;
    }
    for (int j = 0; j < slots; ++j) {
        const obstacle& o = obstacles[std::size_t(nearest[j])];
        double n[3], length = distances[j] + o.radius;
        for (int i = 0; i < 3; ++i) n[i] = p[i] - o.centre[i];
        if (length < 1e-6) {
            for (std::size_t i = 0; i < 3; ++i) n[i] = fallback[i] - o.centre[i];
            length = std::max(1e-9, std::hypot(n[0], n[1], n[2]));
        }
        for (int i = 0; i < 3; ++i) normal[3 * j + i] = n[i] / length;
        const double room = distances[j] - how.problem.radius - how.margin;
        limit[j] = room < 1.5 ? room : no_limit;
    }
}

}  // namespace detail

/// Blocks of scenario i around trajectory (16 per block, in the order of qp_shape::block).
inline void linearise_tail(const linearisation& how, const quadrotor& q,
                           const std::vector<reference_point>& reference, const double* trajectory, int i,
                           qp_data& data) {
    const qp_shape& shape = data.shape;
    const double scale = thrust_scale(how.problem);
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        const double* before = trajectory + shape.block(i, k - 1) * stage_size;
        const double* z = trajectory + b * stage_size;
        double next[state_size];
        double* e = data.step(b);
        rk4_jacobian(q, how.dt, before, before + state_size, next, e);
        for (int r = 0; r < state_size; ++r) {
            data.c[std::size_t(b * state_size + r)] = next[r] - z[r];
            for (int c = state_size; c < stage_size; ++c) e[r * stage_size + c] *= scale;
        }
        const reference_point& target = reference[std::size_t(k)];
        const bool last = k == shape.stages;
        detail::linearise_states(how, target, z, last ? how.problem.weights.terminal_factor : 1.0, b, data);
        if (last) {
            // No input follows the last stage: a unit block that stays at zero.
            for (int j = 0; j < input_size; ++j) {
                data.hessian[std::size_t(b * stage_size + state_size + j)] = 1;
                data.gradient[std::size_t(b * stage_size + state_size + j)] = 0;
            }
        } else {
            detail::linearise_inputs(how, z + state_size, 1.0, b, data);
        }
        detail::linearise_obstacles(how, z, target.position, b, data);
    }
}

/// The root: its state is given, its input serves every scenario.
inline void linearise_root(const linearisation& how, const double* trajectory, qp_data& data) {
    const std::int64_t b = data.shape.root();
    for (int i = 0; i < state_size; ++i) {
        data.hessian[std::size_t(b * stage_size + i)] = 1;
        data.gradient[std::size_t(b * stage_size + i)] = 0;
        data.initial[i] = 0;
    }
    detail::linearise_inputs(how, trajectory + b * stage_size + state_size, data.shape.scenarios, b, data);
}

}  // namespace shoal::mpc
