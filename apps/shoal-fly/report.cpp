#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include <nlohmann/json.hpp>

namespace shoal_fly {
namespace {

using nlohmann::json;
using namespace shoal::mpc;

/// Nine digits: a micrometre in a kilometre, at half the size of the full ones.
double shortened(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return std::strtod(text, nullptr);
}

template <class Range>
json numbers(const Range& range) {
    json out = json::array();
    for (double x : range) out.push_back(shortened(x));
    return out;
}

const char* name(ipm_status status) {
    switch (status) {
        case ipm_status::solved:
            return "solved";
        case ipm_status::iteration_limit:
            return "iteration_limit";
        case ipm_status::factorization_failed:
            return "factorization_failed";
        case ipm_status::not_finite:
            return "not_finite";
    }
    return "unknown";
}

json describe(const flight_problem& p) {
    json obstacles = json::array();
    for (const obstacle& o : p.obstacles)
        obstacles.push_back({{"centre", numbers(o.centre)}, {"radius", o.radius}});
    return {{"name", p.name},
            {"start", numbers(p.start)},
            {"goal", numbers(p.goal)},
            {"obstacles", obstacles},
            {"vehicle_radius", p.radius},
            {"mass", p.vehicle.mass},
            {"rotor_thrust_min", p.thrust_min},
            {"rotor_thrust_max", p.thrust_max},
            {"attitude_limit", p.attitude_limit},
            {"horizon_seconds", p.horizon_seconds},
            {"success",
             {{"position_tolerance", p.success.position_tolerance},
              {"speed_tolerance", p.success.speed_tolerance},
              {"hold_seconds", p.success.hold_seconds},
              {"time_limit", p.success.time_limit}}}};
}

template <class F>
json column(const flight_result& r, F&& value) {
    json out = json::array();
    for (const flight_step& s : r.steps) out.push_back(value(s));
    return out;
}

json describe_steps(const flight_result& r) {
    using step = const flight_step&;
    return {
        {"time", column(r, [](step s) { return shortened(s.time); })},
        {"states", column(r, [](step s) { return numbers(s.x); })},
        {"inputs", column(r, [](step s) { return numbers(s.u); })},
        {"estimated_acceleration", column(r, [](step s) { return numbers(s.offset.acceleration); })},
        {"clearance", column(r, [](step s) { return shortened(s.clearance); })},
        {"controller_seconds", column(r, [](step s) { return shortened(s.seconds); })},
        {"factor_seconds", column(r, [](step s) { return shortened(s.control.linear.factor_seconds); })},
        {"solve_seconds", column(r, [](step s) { return shortened(s.control.linear.solve_seconds); })},
        {"programs", column(r, [](step s) { return s.control.programs; })},
        {"iterations", column(r, [](step s) { return s.control.ipm_iterations; })},
        {"factorizations", column(r, [](step s) { return s.control.linear.factorizations; })},
        {"solves", column(r, [](step s) { return s.control.linear.solves; })},
        {"refinements", column(r, [](step s) { return s.control.linear.refinements; })},
        {"largest_relative_residual", column(r, [](step s) { return s.control.linear.largest_residual; })},
        {"status", column(r, [](step s) { return name(s.control.last.status); })}};
}

json describe_branches(const std::vector<branch_snapshot>& branches) {
    json out = json::array();
    for (const branch_snapshot& b : branches) {
        json scenarios = json::array();
        for (const auto& path : b.positions) {
            json points = json::array();
            for (const point3& p : path) {
                json point = json::array();
                // Millimetres do for a drawing.
                for (double x : p) point.push_back(std::round(x * 1e4) / 1e4);
                points.push_back(std::move(point));
            }
            scenarios.push_back(std::move(points));
        }
        out.push_back({{"step", b.step}, {"time", shortened(b.time)}, {"positions", std::move(scenarios)}});
    }
    return out;
}

}  // namespace

flight_summary summarise(const flight_report& report) {
    const flight_result& r = report.result;
    flight_summary s{};
    s.reached_goal = r.reached_goal();
    s.goal_time = r.goal_time;
    s.smallest_clearance = r.smallest_clearance;
    s.steps = int(r.steps.size());
    int iterations = 0;
    for (const flight_step& step : r.steps) {
        s.controller_seconds += step.seconds;
        s.factor_seconds += step.control.linear.factor_seconds;
        s.solve_seconds += step.control.linear.solve_seconds;
        iterations += step.control.ipm_iterations;
        if (step.control.last.status != ipm_status::solved) ++s.unsolved;
        const double residual = step.control.linear.largest_residual;
        if (!(residual <= s.largest_relative_residual)) s.largest_relative_residual = residual;
    }
    if (s.controller_seconds > 0) {
        s.steps_per_second = s.steps / s.controller_seconds;
        s.share_in_linear_solver = (s.factor_seconds + s.solve_seconds) / s.controller_seconds;
    }
    if (s.steps > 0) s.iterations_per_step = double(iterations) / s.steps;
    return s;
}

void write_json(const flight_report& report, const flight_summary& s, std::ostream& out) {
    const flight_problem& p = *report.problem;
    const quadrotor truth = sample_truth(p, report.settings.seed);
    json guide = json::array();
    for (const point3& q : report.guide) guide.push_back(numbers(q));
    json file = {
        {"problem_file", report.problem_file},
        {"problem", describe(p)},
        {"seed", report.settings.seed},
        {"threads", report.threads},
        {"step_seconds", p.horizon_seconds / report.settings.stages},
        {"truth", {{"mass", shortened(truth.mass)}, {"wind_acceleration", numbers(truth.acceleration)}}},
        {"guide", guide},
        {"steps", describe_steps(report.result)},
        {"final_state", numbers(report.result.final_state)},
        {"branches", describe_branches(report.branches)},
        {"summary",
         {{"reached_goal", s.reached_goal},
          {"goal_seconds", s.reached_goal ? json(shortened(s.goal_time)) : json(nullptr)},
          {"smallest_clearance", p.obstacles.empty() ? json(nullptr) : json(shortened(s.smallest_clearance))},
          {"steps", s.steps},
          {"steps_per_second", shortened(s.steps_per_second)},
          {"controller_seconds", shortened(s.controller_seconds)},
          {"share_in_linear_solver", shortened(s.share_in_linear_solver)},
          {"iterations_per_step", shortened(s.iterations_per_step)},
          {"unsolved_steps", s.unsolved},
          {"largest_relative_residual", s.largest_relative_residual},
          {"device", report.device},
          {"scenarios", report.settings.scenarios},
          {"stages", report.settings.stages}}}};
    out << file.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
}

void print_table(const flight_report& report, const flight_summary& s, std::ostream& out) {
    auto row = [&](const char* label, const std::string& value) {
        out << "  " << label << std::string(30 - std::min<std::size_t>(29, std::string(label).size()), ' ')
            << value << '\n';
    };
    auto text = [](const char* format, auto... values) {
        char buffer[160];
        std::snprintf(buffer, sizeof buffer, format, values...);
        return std::string(buffer);
    };
    out << report.problem->name << '\n';
    row("reached the goal", s.reached_goal ? text("yes, after %.2f s", s.goal_time) : "no");
    row("smallest clearance",
        report.problem->obstacles.empty() ? "no obstacles" : text("%.3f m", s.smallest_clearance));
    row("scenarios x stages", text("%d x %d", report.settings.scenarios, report.settings.stages));
    row("seed", std::to_string(report.settings.seed));
    row("device", report.device + ", " + std::to_string(report.threads) +
                      (report.threads == 1 ? " host thread" : " host threads"));
    row("control steps", text("%d, %.1f a second", s.steps, s.steps_per_second));
    row("interior-point iterations", text("%.1f a step", s.iterations_per_step));
    row("share in factor and solve", text("%.0f %% (factor %.2f s, solve %.2f s)",
                                          100 * s.share_in_linear_solver, s.factor_seconds, s.solve_seconds));
    row("largest relative residual", text("%.1e", s.largest_relative_residual));
    if (s.unsolved > 0) row("steps not solved to tolerance", std::to_string(s.unsolved));
}

}  // namespace shoal_fly
