#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <shoal/mpc/closed_loop.hpp>
#include <shoal/mpc/problem.hpp>

namespace shoal_fly {

/// Predicted positions of every stage of some scenarios at one control step.
struct branch_snapshot {
    int step;
    double time;
    std::vector<std::vector<shoal::mpc::point3>> positions;
};

/// Everything that is written about a flight.
struct flight_report {
    std::string problem_file, device;
    int threads = 1;
    const shoal::mpc::flight_problem* problem = nullptr;
    shoal::mpc::flight_settings settings;
    shoal::mpc::flight_result result;
    std::vector<shoal::mpc::point3> guide;
    std::vector<branch_snapshot> branches;
};

struct flight_summary {
    bool reached_goal;
    double goal_time, smallest_clearance, steps_per_second, share_in_linear_solver, largest_relative_residual;
    double controller_seconds, factor_seconds, solve_seconds, iterations_per_step;
    int steps, unsolved;
};

flight_summary summarise(const flight_report& report);
void write_json(const flight_report& report, const flight_summary& summary, std::ostream& out);
void print_table(const flight_report& report, const flight_summary& summary, std::ostream& out);

}  // namespace shoal_fly
