#pragma once

/// \file
/// A flight problem: vehicle, uncertainty, start, goal, obstacles, weights, and what counts as success. SI units.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <shoal/mpc/quadrotor.hpp>
#include <shoal/mpc/trim.hpp>

namespace shoal::mpc {

/// A sphere.
struct obstacle {
    double centre[3] = {};
    double radius = 0;
};

/// Weights of the tracking cost; the last stage's state counts `terminal_factor` times.
struct stage_weights {
    double position = 10, velocity = 1, attitude = 1, rate = 0.1, thrust = 0.1;
    double terminal_factor = 10;
};

/// When the goal counts as reached: nearer and slower than the tolerances for so long, before the time limit.
struct success_criterion {
    double position_tolerance = 0.15, speed_tolerance = 0.3, hold_seconds = 0.5, time_limit = 10;
};

/// A flight, in SI units: data/README.md describes the file that it is read from.
struct flight_problem {
    std::string name;
    quadrotor vehicle;  ///< nominal: mean mass, no wind
    double thrust_min = 0, thrust_max = 1;
    double radius = 0;
    double mass_relative_std = 0, wind_acceleration_std = 0;
    std::uint64_t seed = 1;
    double horizon_seconds = 2;
    int default_scenarios = 1, default_stages = 1;
    double start[3] = {}, goal[3] = {};
    std::vector<obstacle> obstacles;
    stage_weights weights;
    double attitude_limit = 1;
    success_criterion success;
};

/// |p - centre| - radius - vehicle radius over the nearest obstacle; a large number where there is none.
inline double clearance(const flight_problem& problem, const double* p) {
    double least = 1e9;
    for (const obstacle& o : problem.obstacles) {
        const double d = std::hypot(p[0] - o.centre[0], p[1] - o.centre[1], p[2] - o.centre[2]);
        least = std::fmin(least, d - o.radius - problem.radius);
    }
    return least;
}

namespace detail {

inline bool finite_and_at_least(double x, double low) {
    return std::isfinite(x) && x >= low;
}
inline bool finite_and_above(double x, double low) {
    return std::isfinite(x) && x > low;
}
/// "name must be so, not 3".
inline std::string must_be(const char* name, const char* so, double given) {
    char number[32];
    std::snprintf(number, sizeof number, "%g", given);
    return std::string(name) + " must " + so + ", not " + number;
}

}  // namespace detail

/// Empty where the problem can be flown at all, otherwise one line that says what is impossible about it.
inline std::string find_fault(const flight_problem& p) {
    using detail::finite_and_above, detail::finite_and_at_least, detail::must_be;
    const quadrotor& v = p.vehicle;
    if (!finite_and_above(v.mass, 0)) return must_be("vehicle.mass", "be positive", v.mass);
    for (double j : v.inertia)
        if (!finite_and_above(j, 0)) return "vehicle.inertia must be three positive numbers";
    for (int i = 0; i < 3; ++i)
        if (v.inertia[i] > v.inertia[(i + 1) % 3] + v.inertia[(i + 2) % 3])
            return "vehicle.inertia is not that of a rigid body: one moment exceeds the sum of the others";
    if (!finite_and_at_least(v.linear_drag, 0))
        return must_be("vehicle.linear_drag", "not be negative", v.linear_drag);
    if (!finite_and_at_least(v.angular_drag, 0))
        return must_be("vehicle.angular_drag", "not be negative", v.angular_drag);
    for (int i = 0; i < input_size; ++i)
        if (!std::isfinite(v.rotor_x[i]) || !std::isfinite(v.rotor_y[i]) || !std::isfinite(v.rotor_yaw[i]))
            return "vehicle.rotors must be finite";
    if (!finite_and_at_least(p.radius, 0)) return must_be("vehicle.radius", "not be negative", p.radius);
    if (!finite_and_above(v.gravity, 0)) return must_be("gravity", "be positive", v.gravity);
    if (!finite_and_at_least(p.thrust_min, 0))
        return must_be("vehicle.rotor_thrust_min", "not be negative", p.thrust_min);
    if (!finite_and_above(p.thrust_max, p.thrust_min))
        return must_be("vehicle.rotor_thrust_max", "exceed rotor_thrust_min", p.thrust_max);
    double hover[input_size];
    if (hover_thrusts(v, hover) != trim_result::found)
        return "vehicle.rotors cannot set thrust and the three torques independently";
    for (double u : hover)
        if (!(u > p.thrust_min && u < p.thrust_max))
            return "the vehicle cannot hover: a rotor would need " + std::to_string(u) +
                   " N, beyond its limits";
    if (!finite_and_at_least(p.mass_relative_std, 0) || p.mass_relative_std > 0.5)
        return must_be("uncertainty.mass_relative_std", "lie in [0, 0.5]", p.mass_relative_std);
    if (!finite_and_at_least(p.wind_acceleration_std, 0))
        return must_be("uncertainty.wind_acceleration_std", "not be negative", p.wind_acceleration_std);
    if (!finite_and_above(p.horizon_seconds, 0))
        return must_be("horizon_seconds", "be positive", p.horizon_seconds);
    const stage_weights& w = p.weights;
    if (!finite_and_above(w.position, 0) || !finite_and_at_least(w.velocity, 0) ||
        !finite_and_at_least(w.attitude, 0) || !finite_and_at_least(w.rate, 0) ||
        !finite_and_at_least(w.thrust, 0) || !finite_and_above(w.terminal_factor, 0))
        return "weights must not be negative, and position and terminal_factor must be positive";
    if (!finite_and_above(p.attitude_limit, 0) || p.attitude_limit >= 1.5)
        return "attitude_limit must lie between 0 and 1.5 rad: Euler angles are singular at pi/2";
    const success_criterion& s = p.success;
    if (!finite_and_above(s.position_tolerance, 0) || !finite_and_above(s.speed_tolerance, 0) ||
        !finite_and_at_least(s.hold_seconds, 0) || !finite_and_above(s.time_limit, s.hold_seconds))
        return "success needs positive tolerances and a time_limit beyond hold_seconds";
    for (int i = 0; i < 3; ++i) {
        if (!std::isfinite(p.start[i])) return "start.position must be finite";
        if (!std::isfinite(p.goal[i])) return "goal.position must be finite";
    }
    for (std::size_t j = 0; j < p.obstacles.size(); ++j) {
        const obstacle& o = p.obstacles[j];
        if (!std::isfinite(o.centre[0] + o.centre[1] + o.centre[2]) || !finite_and_above(o.radius, 0))
            return "obstacle " + std::to_string(j) + " needs a finite centre and a positive radius";
        flight_problem alone;
        alone.radius = p.radius;
        alone.obstacles = {o};
        if (!(clearance(alone, p.start) > 0)) return "the start touches obstacle " + std::to_string(j);
        if (!(clearance(alone, p.goal) > 0)) return "the goal touches obstacle " + std::to_string(j);
    }
    return {};
}

}  // namespace shoal::mpc
