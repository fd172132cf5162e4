#pragma once

/// \file
/// Branch model predictive control by sequential quadratic programming: every scenario has its own trajectory from one
/// shared first input, and every iteration linearises all of them and solves the program of qp.hpp.

#include <algorithm>
#include <vector>

#include <shoal/mpc/branches.hpp>
#include <shoal/mpc/estimator.hpp>
#include <shoal/mpc/guide.hpp>
#include <shoal/mpc/ipm.hpp>
#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/trim.hpp>

namespace shoal::mpc {

/// Choices of a branch_controller.
struct sqp_settings {
    int iterations = 1;         ///< quadratic programs a step
    int first_iterations = 5;   ///< and before the first step
    double margin = 0.08;       ///< m, kept from obstacles beyond the vehicle's radius
    double longest_turn = 0.5;  ///< rad, largest change of an Euler angle in one iteration
    double longest_move = 0.5;  ///< m, of a position
    ipm_settings ipm = {};
};

/// What one control step took.
struct sqp_result {
    ipm_result last;  ///< of the last program
    int programs = 0;
    int ipm_iterations = 0;
    linear_statistics linear = {};
    double step = 1;  ///< share of the last program's step that was taken
};

/// Branch model predictive control by sequential quadratic programming: from the measured state, the first input that all
/// scenarios share. Each step starts from the trajectory of the one before.
///
/// \tparam Branches keeps the trajectories and improves them: host_branches, or cuda_branches
template <class Branches>
class branch_controller {
  public:
    branch_controller(const flight_problem& problem, std::vector<quadrotor> scenarios, Branches& branches,
                      sqp_settings options = {})
        : settings(options),
          reference(std::size_t(branches.shape().stages) + 1),
          problem_(problem),
          scenarios_(std::move(scenarios)),
          branches_(branches),
          current_(scenarios_) {
        hover_thrusts(problem_.vehicle, hover_);
        mean_ = problem_.vehicle;
        mean_.mass = 0;
        for (const quadrotor& q : scenarios_) {
            mean_.mass += q.mass / double(scenarios_.size());
            for (int a = 0; a < 3; ++a)
                mean_.acceleration[a] += q.acceleration[a] / double(scenarios_.size());
        }
    }

    /// The input for the measured state x. offset: what the vehicle shows beyond the scenarios' mean.
    /// spread in [0, 1]: how far the scenarios still lie apart, as a share of how far they were drawn.
    /// `reference` must hold the points for stages 0..N.
    sqp_result step(const double* x, const vehicle_offset& offset, double spread, double* u) {
        for (std::size_t i = 0; i < scenarios_.size(); ++i) {
            quadrotor& q = current_[i];
            const quadrotor& drawn = scenarios_[i];
            q.mass = (mean_.mass + spread * (drawn.mass - mean_.mass)) / (1 + offset.thrust_gain);
            for (int a = 0; a < 3; ++a)
                q.acceleration[a] = mean_.acceleration[a] +
                                    spread * (drawn.acceleration[a] - mean_.acceleration[a]) +
                                    offset.acceleration[a];
        }
        const double dt = problem_.horizon_seconds / shape().stages;
        const branch_task task{x,
                               current_,
                               reference,
                               make_linearisation(problem_, dt, settings.margin, hover_),
                               settings.longest_turn,
                               settings.longest_move,
                               settings.ipm};
        sqp_result result;
        result.programs = started_ ? settings.iterations : settings.first_iterations;
        if (started_)
            branches_.shift(task);
        else
            branches_.start(task);
        started_ = true;
        for (int pass = 0; pass < result.programs; ++pass) {
            const program_outcome out = branches_.improve(task);
            result.last = out.last;
            result.ipm_iterations += out.ipm_iterations;
            add(result.linear, out.linear);
            // Without a plan the shifted one serves for this step.
            if (!usable(out.last.status)) break;
            result.step = out.step;
        }
        branches_.input(u);
        for (int j = 0; j < input_size; ++j)
            u[j] = std::clamp(u[j], problem_.thrust_min, problem_.thrust_max);
        return result;
    }

    [[nodiscard]] const qp_shape& shape() const { return branches_.shape(); }
    /// (x, u) of every block, in the order of qp_shape::block.
    [[nodiscard]] const std::vector<double>& trajectory() const { return branches_.trajectory(); }
    /// The vehicles of the last step, offset included.
    [[nodiscard]] const std::vector<quadrotor>& scenarios() const { return current_; }

    sqp_settings settings;
    std::vector<reference_point> reference;  ///< of stages 0..N

  private:
    const flight_problem& problem_;
    std::vector<quadrotor> scenarios_;
    Branches& branches_;
    std::vector<quadrotor> current_;
    quadrotor mean_;
    double hover_[input_size] = {};
    bool started_ = false;
};

}  // namespace shoal::mpc
