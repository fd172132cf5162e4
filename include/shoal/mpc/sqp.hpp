#pragma once

/// \file
/// Branch model predictive control by sequential quadratic programming: every scenario has its own trajectory from one
/// shared first input, and every iteration linearises all of them and solves the program of qp.hpp.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/estimator.hpp>
#include <shoal/mpc/guide.hpp>
#include <shoal/mpc/ipm.hpp>
#include <shoal/mpc/linearise.hpp>
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
/// \tparam Solver factors and solves arrow matrices: `factor(view)`, `solve(b)`
template <class Solver>
class branch_controller {
  public:
    branch_controller(const flight_problem& problem, std::vector<quadrotor> scenarios, int stages,
                      Solver& backend, executor& threads, sqp_settings options = {})
        : settings(options),
          reference(std::size_t(stages) + 1),
          problem_(problem),
          scenarios_(std::move(scenarios)),
          data_({int(scenarios_.size()), stages, std::min(int(problem.obstacles.size()), max_slots)}),
          threads_(threads),
          ipm_(data_.shape, backend, threads, options.ipm),
          trajectory_(std::size_t(data_.shape.blocks()) * stage_size),
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
        const qp_shape& shape = data_.shape;
        for (int i = 0; i < shape.scenarios; ++i) {
            quadrotor& q = current_[std::size_t(i)];
            const quadrotor& drawn = scenarios_[std::size_t(i)];
            q.mass = (mean_.mass + spread * (drawn.mass - mean_.mass)) / (1 + offset.thrust_gain);
            for (int a = 0; a < 3; ++a)
                q.acceleration[a] = mean_.acceleration[a] +
                                    spread * (drawn.acceleration[a] - mean_.acceleration[a]) +
                                    offset.acceleration[a];
        }
        if (started_)
            shift();
        else
            start();
        std::copy(x, x + state_size, trajectory_.data() + shape.root() * stage_size);

        sqp_result result;
        result.programs = started_ ? settings.iterations : settings.first_iterations;
        started_ = true;
        const linearisation how{problem_.horizon_seconds / shape.stages, settings.margin, problem_, hover_};
        for (int pass = 0; pass < result.programs; ++pass) {
            threads_.parallel_for(shape.scenarios, [&](std::int64_t i, int) {
                linearise_tail(how, current_[std::size_t(i)], reference, trajectory_.data(), int(i), data_);
            });
            linearise_root(how, trajectory_.data(), data_);
            ipm_.settings = settings.ipm;
            // A failure clears the multipliers, so the second attempt is a cold start.
            for (int attempt = 0; attempt < 2; ++attempt) {
                result.last = ipm_.solve(data_);
                result.ipm_iterations += result.last.iterations;
                add(result.linear, result.last.linear);
                if (usable(result.last.status)) break;
            }
            // Without a plan the shifted one serves for this step.
            if (!usable(result.last.status)) break;
            result.step = take_step();
        }
        const double* root = trajectory_.data() + shape.root() * stage_size;
        for (int j = 0; j < input_size; ++j)
            u[j] = std::clamp(root[state_size + j], problem_.thrust_min, problem_.thrust_max);
        return result;
    }

    [[nodiscard]] const qp_shape& shape() const { return data_.shape; }
    /// (x, u) of every block, in the order of qp_shape::block.
    [[nodiscard]] const std::vector<double>& trajectory() const { return trajectory_; }
    /// The vehicles of the last step, offset included.
    [[nodiscard]] const std::vector<quadrotor>& scenarios() const { return current_; }
    [[nodiscard]] const qp_data& program() const { return data_; }

    sqp_settings settings;
    std::vector<reference_point> reference;  ///< of stages 0..N

  private:
    static bool usable(ipm_status s) { return s == ipm_status::solved || s == ipm_status::iteration_limit; }

    void start() {
        const qp_shape& shape = data_.shape;
        for (int i = 0; i < shape.scenarios; ++i)
            for (int k = 0; k <= shape.stages; ++k) {
                double* z = trajectory_.data() + shape.block(i, k) * stage_size;
                std::fill(z, z + stage_size, 0.0);
                const reference_point& r = reference[std::size_t(k)];
                for (std::size_t a = 0; a < 3; ++a) {
                    z[a] = r.position[a];
                    z[3 + a] = r.velocity[a];
                }
                std::copy(hover_, hover_ + input_size, z + state_size);
            }
    }

    /// One stage on: the shared input becomes the mean of what the scenarios wanted next.
    void shift() {
        const qp_shape& shape = data_.shape;
        double* root = trajectory_.data() + shape.root() * stage_size + state_size;
        if (shape.stages > 1) {
            std::fill(root, root + input_size, 0.0);
            for (int i = 0; i < shape.scenarios; ++i) {
                const double* next = trajectory_.data() + shape.block(i, 1) * stage_size + state_size;
                for (int j = 0; j < input_size; ++j) root[j] += next[j] / shape.scenarios;
            }
        }
        for (int i = 0; i < shape.scenarios; ++i) {
            double* y = ipm_.point.y.data() + shape.block(i, 1) * state_size;
            std::copy(y + state_size, y + std::int64_t{shape.stages} * state_size, y);
            double* first = trajectory_.data() + shape.block(i, 1) * stage_size;
            double* last = trajectory_.data() + shape.block(i, shape.stages) * stage_size;
            std::copy(first + stage_size, last + stage_size, first);
            if (shape.stages > 1) {
                double* previous = last - stage_size;
                std::copy(hover_, hover_ + input_size, previous + state_size);
                rk4(current_[std::size_t(i)], problem_.horizon_seconds / shape.stages, previous,
                    previous + state_size, last);
            }
            std::copy(hover_, hover_ + input_size, last + state_size);
        }
    }

    double take_step() {
        const std::vector<double>& dz = ipm_.point.z;
        const std::int64_t blocks = data_.shape.blocks();
        double turn = 0, move = 0;
        for (std::int64_t b = 0; b < blocks; ++b)
            for (int a = 0; a < 3; ++a) {
                turn = std::max(turn, std::abs(dz[std::size_t(b * stage_size + 6 + a)]));
                move = std::max(move, std::abs(dz[std::size_t(b * stage_size + a)]));
            }
        double step = 1;
        if (turn > settings.longest_turn) step = std::min(step, settings.longest_turn / turn);
        if (move > settings.longest_move) step = std::min(step, settings.longest_move / move);
        for (std::int64_t b = 0; b < blocks; ++b)
            for (int j = 0; j < stage_size; ++j) {
                const auto at = std::size_t(b * stage_size + j);
                trajectory_[at] += step * dz[at] * (j < state_size ? 1.0 : thrust_scale(problem_));
            }
        return step;
    }

    const flight_problem& problem_;
    std::vector<quadrotor> scenarios_;
    qp_data data_;
    executor& threads_;
    ipm_solver<Solver> ipm_;
    std::vector<double> trajectory_;
    std::vector<quadrotor> current_;
    quadrotor mean_;
    double hover_[input_size] = {};
    bool started_ = false;
};

}  // namespace shoal::mpc
