#pragma once

/// \file
/// From trajectories to the program of qp.hpp: dynamics, costs and limits around the branches as they stand.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/guide.hpp>
#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/qp.hpp>

namespace shoal::mpc {

/// The program's inputs are in units of the hover thrust, so that vehicles of 28 g and of 1 kg look alike to it.
inline double thrust_scale(const flight_problem& p) {
    return p.vehicle.mass * p.vehicle.gravity / input_size;
}

/// What the linearisation of every stage needs to know; `obstacles` may lie on a device.
struct linearisation {
    double dt, margin, radius, attitude_limit, thrust_min, thrust_max, thrust_scale;
    double hover[input_size];
    stage_weights weights;
    const obstacle* obstacles;
    int obstacle_count;
};

/// hover: the nominal vehicle's thrusts.
inline linearisation make_linearisation(const flight_problem& p, double dt, double margin,
                                        const double* hover) {
    linearisation how{dt,
                      margin,
                      p.radius,
                      p.attitude_limit,
                      p.thrust_min,
                      p.thrust_max,
                      thrust_scale(p),
                      {},
                      p.weights,
                      p.obstacles.data(),
                      int(p.obstacles.size())};
    std::copy(hover, hover + input_size, how.hover);
    return how;
}

namespace detail {

SHOAL_FN double length3(double x, double y, double z) {
#if defined(SHOAL_DEVICE_CODE)
    return ::norm3d(x, y, z);
#else
    return std::hypot(x, y, z);
#endif
}

template <class G>
SHOAL_FN void linearise_inputs(const G& g, const linearisation& how, const double* u, double weight,
                               std::int64_t b, const qp_arrays<double>& data) {
    const double scale = how.thrust_scale;
    double* limit = data.limit + b * data.shape.rows();
    for (int j = g.rank(); j < input_size; j += G::static_size) {
        const std::int64_t at = b * stage_size + state_size + j;
        data.hessian[at] = weight * how.weights.thrust * scale * scale;
        data.gradient[at] = weight * how.weights.thrust * scale * (u[j] - how.hover[j]);
        limit[j] = (u[j] - how.thrust_min) / scale;
        limit[input_size + j] = (how.thrust_max - u[j]) / scale;
    }
}

/// target: position and velocity.
template <class G>
SHOAL_FN void linearise_states(const G& g, const linearisation& how, const double* target, const double* x,
                               double weight, std::int64_t b, const qp_arrays<double>& data) {
    const stage_weights& w = how.weights;
    for (int i = g.rank(); i < state_size; i += G::static_size) {
        const double q = weight * (i < 3 ? w.position : i < 6 ? w.velocity : i < 9 ? w.attitude : w.rate);
        data.hessian[b * stage_size + i] = q;
        data.gradient[b * stage_size + i] = q * (x[i] - (i < 6 ? target[i] : 0.0));
    }
    double* limit = data.limit + b * data.shape.rows() + thrust_rows;
    for (int i = g.rank(); i < 2; i += G::static_size) {
        limit[i] = how.attitude_limit + x[6 + i];
        limit[2 + i] = how.attitude_limit - x[6 + i];
    }
}

/// Half-spaces that touch the nearest obstacles. A ball's complement contains each of them, so a plan that respects the
/// half-space clears the obstacle by at least as much.
SHOAL_FN void linearise_obstacles(const linearisation& how, const double* p, const double* fallback,
                                  std::int64_t b, const qp_arrays<double>& data) {
    const int slots = data.shape.slots;
    double* limit = data.limit + b * data.shape.rows() + fixed_rows;
    double* normal = data.normal + b * slots * 3;
    // Insertion into the list of the nearest: no allocation, and few slots.
    int nearest[max_slots];
    double distances[max_slots];
    int count = 0;
    for (int j = 0; j < how.obstacle_count; ++j) {
        const obstacle& o = how.obstacles[j];
        const double d = length3(p[0] - o.centre[0], p[1] - o.centre[1], p[2] - o.centre[2]) - o.radius;
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
        const obstacle& o = how.obstacles[nearest[j]];
        double n[3], length = distances[j] + o.radius;
        for (int i = 0; i < 3; ++i) n[i] = p[i] - o.centre[i];
        if (length < 1e-6) {
            for (int i = 0; i < 3; ++i) n[i] = fallback[i] - o.centre[i];
            length = length3(n[0], n[1], n[2]);
            if (length < 1e-9) length = 1e-9;
        }
        for (int i = 0; i < 3; ++i) normal[3 * j + i] = n[i] / length;
        const double room = distances[j] - how.radius - how.margin;
        limit[j] = room < 1.5 ? room : no_limit;
    }
}

/// Everything about block (i, k), k >= 1, around the trajectory. target: position and velocity of stage k.
template <class G>
SHOAL_FN void linearise_stage(const G& g, const linearisation& how, const quadrotor& q, const double* target,
                              const double* trajectory, int i, int k, const qp_arrays<double>& data) {
    constexpr int W = G::static_size;
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.block(i, k);
    const double* before = trajectory + shape.block(i, k - 1) * stage_size;
    const double* z = trajectory + b * stage_size;
    double next[state_size];
    double* e = data.step(b);
    rk4_jacobian(g, q, how.dt, before, before + state_size, next, e);
    SHOAL_UNROLL
    for (int r = 0; r < state_size; ++r) {
        if (r % W == g.rank()) data.c[b * state_size + r] = next[r] - z[r];
        for (int c = first_from(g, state_size); c < stage_size; c += W)
            e[r * stage_size + c] *= how.thrust_scale;
    }
    const bool last = k == shape.stages;
    linearise_states(g, how, target, z, last ? how.weights.terminal_factor : 1.0, b, data);
    if (last) {
        // No input follows the last stage: a unit block that stays at zero.
        for (int j = first_from(g, state_size); j < stage_size; j += W) {
            data.hessian[b * stage_size + j] = 1;
            data.gradient[b * stage_size + j] = 0;
        }
    } else {
        linearise_inputs(g, how, z + state_size, 1.0, b, data);
    }
    if (g.rank() == 0) linearise_obstacles(how, z, target, b, data);
}

/// The root: its state is given, its input serves every scenario.
template <class G>
SHOAL_FN void linearise_root(const G& g, const linearisation& how, const double* trajectory,
                             const qp_arrays<double>& data) {
    const std::int64_t b = data.shape.root();
    for (int i = g.rank(); i < state_size; i += G::static_size) {
        data.hessian[b * stage_size + i] = 1;
        data.gradient[b * stage_size + i] = 0;
        data.initial[i] = 0;
    }
    linearise_inputs(g, how, trajectory + b * stage_size + state_size, data.shape.scenarios, b, data);
}

}  // namespace detail

/// Position and velocity of stage k, six numbers in a row.
inline const double* target_of(const std::vector<reference_point>& reference, int k) {
    static_assert(sizeof(reference_point) == 6 * sizeof(double));
    return reinterpret_cast<const double*>(reference.data() + k);
}

/// Blocks of scenario i around trajectory (16 per block, in the order of qp_shape::block).
inline void linearise_tail(const linearisation& how, const quadrotor& q,
                           const std::vector<reference_point>& reference, const double* trajectory, int i,
                           qp_data& data) {
    for (int k = 1; k <= data.shape.stages; ++k)
        detail::linearise_stage(thread_group{}, how, q, target_of(reference, k), trajectory, i, k,
                                data.view());
}

/// The same for the root.
inline void linearise_root(const linearisation& how, const double* trajectory, qp_data& data) {
    detail::linearise_root(thread_group{}, how, trajectory, data.view());
}

}  // namespace shoal::mpc
