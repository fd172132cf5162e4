#pragma once

/// \file
/// The closed loop: a true vehicle, whose mass and wind the controller does not know, flown by a branch_controller.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/estimator.hpp>
#include <shoal/mpc/guide.hpp>
#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/scenarios.hpp>
#include <shoal/mpc/sqp.hpp>

namespace shoal::mpc {

/// Choices of fly().
struct flight_settings {
    int scenarios = 1;
    int stages = 1;
    std::uint64_t seed = 1;
    int max_steps = 0;  ///< 0: until the goal is held or the time is up
    /// The scenarios draw together as the estimator learns which vehicle this is, from all of their spread to this share,
    /// with this time constant. Without it a controller in strong wind can put off the way to the goal for ever: every
    /// branch plans to go there right after having dealt with a gust that never comes.
    double spread_floor = 0.4;
    double spread_seconds = 0.5;
    double acceleration = 1.0;  ///< m/s^2, along the guide
    sqp_settings sqp = {};
};

/// One control step as it was flown.
struct flight_step {
    double time;
    double x[state_size];  ///< at the beginning of the step
    double u[input_size];
    vehicle_offset offset;  ///< estimated from the step's end, against the mean of the scenarios
    double off_path;        ///< distance from the guide
    double clearance;       ///< smallest within the step
    double seconds;         ///< that the controller took
    sqp_result control;
};

/// A whole flight.
struct flight_result {
    std::vector<flight_step> steps;
    double final_state[state_size] = {};
    double smallest_clearance = 1e9;
    double goal_time = -1;  ///< when the goal had been held for long enough; < 0: it was not
    [[nodiscard]] bool reached_goal() const { return goal_time >= 0; }
};

/// Substeps of the true vehicle in one step of the controller.
inline constexpr int fine_steps = 10;

/// Flies until the goal is held, the time is up, or max_steps. observe(controller, step) is called after every control
/// step. branches: of settings.scenarios and settings.stages.
template <class Branches, class Observer>
flight_result fly(const flight_problem& problem, const flight_settings& settings, Branches& branches,
                  Observer&& observe) {
    const double dt = problem.horizon_seconds / settings.stages;
    const quadrotor truth = sample_truth(problem, settings.seed);
    const std::vector<quadrotor> scenarios = sample_scenarios(problem, settings.seed, settings.scenarios);
    branch_controller<Branches> controller(problem, scenarios, branches, settings.sqp);
    auto path = plan_path(problem, problem.start);
    if (path.empty()) path = {detail::to_point(problem.start), detail::to_point(problem.goal)};
    double length = 0;
    for (std::size_t j = 1; j < path.size(); ++j) length += detail::distance(path[j - 1], path[j]);
    // Half of the time for the way, the rest for detours and for settling.
    const double cruise = std::max(0.2, length / (0.5 * problem.success.time_limit));
    guide guide(path, cruise, settings.acceleration);
    vehicle_estimator estimator(problem, dt);

    flight_result result;
    double x[state_size] = {};
    std::copy(problem.start, problem.start + 3, x);
    double held = 0;
    const double h = dt / fine_steps;
    const int limit = int(std::min(std::floor(problem.success.time_limit / dt + 1e-9), 1e9));
    for (int n = 0; n < limit && (settings.max_steps == 0 || n < settings.max_steps); ++n) {
        flight_step step{};
        step.time = n * dt;
        std::copy(x, x + state_size, step.x);
        const auto begin = std::chrono::steady_clock::now();
        const double spread = settings.spread_floor +
                              (1 - settings.spread_floor) * std::exp(-step.time / settings.spread_seconds);
        if (n > 0) step.off_path = guide.follow(x, dt);
        guide.reference(dt, controller.reference);
        step.control = controller.step(x, estimator.offset(), spread, step.u);
        step.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

        step.clearance = clearance(problem, x);
        bool reached = false;
        for (int j = 0; j < fine_steps && !reached; ++j) {
            rk4(truth, h, x, step.u, x);
            step.clearance = std::min(step.clearance, clearance(problem, x));
            const double away =
                std::hypot(x[0] - problem.goal[0], x[1] - problem.goal[1], x[2] - problem.goal[2]);
            const double speed = std::hypot(x[3], x[4], x[5]);
            const bool inside =
                away <= problem.success.position_tolerance && speed <= problem.success.speed_tolerance;
            held = inside ? held + h : 0;
            if (inside && held >= problem.success.hold_seconds - 1e-9) {
                reached = true;
                result.goal_time = step.time + (j + 1) * h;
            }
        }
        estimator.update(controller.scenarios(), step.x, step.u, x);
        step.offset = estimator.offset();
        result.smallest_clearance = std::min(result.smallest_clearance, step.clearance);
        result.steps.push_back(step);
        observe(controller, result.steps.back());
        if (reached || !std::isfinite(x[0] + x[1] + x[2])) break;
    }
    std::copy(x, x + state_size, result.final_state);
    return result;
}

/// The same with branches on the host, whose linear systems the backend solves: `factor(view)`, `solve(b)`.
template <class Solver, class Observer>
flight_result fly(const flight_problem& problem, const flight_settings& settings, Solver& backend,
                  executor& threads, Observer&& observe) {
    host_branches<Solver> branches(problem, settings.scenarios, settings.stages, backend, threads);
    return fly(problem, settings, branches, observe);
}

}  // namespace shoal::mpc
