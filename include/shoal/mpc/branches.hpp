#pragma once

/// \file
/// The branches of a controller on the host: the trajectories of all scenarios, and the programs that improve them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/ipm.hpp>
#include <shoal/mpc/linearise.hpp>
#include <shoal/mpc/problem.hpp>

namespace shoal::mpc {

/// What the branches are told in a control step.
struct branch_task {
    const double* x;                                ///< measured state
    const std::vector<quadrotor>& vehicles;         ///< one a scenario
    const std::vector<reference_point>& reference;  ///< of stages 0..N
    linearisation how;
    double longest_turn, longest_move;
    ipm_settings ipm;
};

/// What one program took.
struct program_outcome {
    ipm_result last;  ///< of the last attempt
    int ipm_iterations = 0;
    linear_statistics linear = {};
    double step = 1;  ///< share of the program's step that was taken
};

/// How many obstacles every stage looks at.
inline int obstacle_slots(const flight_problem& problem) {
    return std::min(int(problem.obstacles.size()), max_slots);
}

/// Share of a program's step that turns and moves no stage by more than the task allows.
inline double step_share(const branch_task& task, double turn, double move) {
    double step = 1;
    if (turn > task.longest_turn) step = std::min(step, task.longest_turn / turn);
    if (move > task.longest_move) step = std::min(step, task.longest_move / move);
    return step;
}

/// Trajectories of all scenarios in host memory. `branch_controller` says what the functions of any such class do:
/// `start` or `shift` once a step, then `improve` for every program, then `input`. None of them allocates.
///
/// \tparam Solver factors and solves arrow matrices: `factor(view)`, `solve(b)`
template <class Solver>
class host_branches {
  public:
    host_branches(const flight_problem& problem, int scenarios, int stages, Solver& backend,
                  executor& threads)
        : data_({scenarios, stages, obstacle_slots(problem)}),
          threads_(threads),
          ipm_(data_.shape, backend, threads),
          trajectory_(std::size_t(data_.shape.blocks()) * stage_size) {}

    /// Every branch along the reference, hovering; the root at the measured state.
    void start(const branch_task& task) {
        const qp_shape& shape = data_.shape;
        for (int i = 0; i < shape.scenarios; ++i)
            for (int k = 0; k <= shape.stages; ++k) {
                double* z = block(i, k);
                std::fill(z, z + stage_size, 0.0);
                std::copy(target_of(task.reference, k), target_of(task.reference, k) + 6, z);
                std::copy(task.how.hover, task.how.hover + input_size, z + state_size);
            }
        std::copy(task.x, task.x + state_size, block(0, 0));
    }

    /// One stage on: the shared input becomes the mean of what the scenarios wanted next.
    void shift(const branch_task& task) {
        const qp_shape& shape = data_.shape;
        double* root = block(0, 0) + state_size;
        if (shape.stages > 1) {
            std::fill(root, root + input_size, 0.0);
            for (int i = 0; i < shape.scenarios; ++i)
                for (int j = 0; j < input_size; ++j) root[j] += block(i, 1)[state_size + j] / shape.scenarios;
        }
        for (int i = 0; i < shape.scenarios; ++i) {
            double* y = ipm_.point.y.data() + shape.block(i, 1) * state_size;
            std::copy(y + state_size, y + std::int64_t{shape.stages} * state_size, y);
            double *first = block(i, 1), *last = block(i, shape.stages);
            std::copy(first + stage_size, last + stage_size, first);
            if (shape.stages > 1) {
                double* previous = last - stage_size;
                std::copy(task.how.hover, task.how.hover + input_size, previous + state_size);
                rk4(task.vehicles[std::size_t(i)], task.how.dt, previous, previous + state_size, last);
            }
            std::copy(task.how.hover, task.how.hover + input_size, last + state_size);
        }
        std::copy(task.x, task.x + state_size, block(0, 0));
    }

    /// One program around the branches as they stand, and its step. A failure clears the multipliers, so the second
    /// attempt is a cold start; after two the branches stay.
    program_outcome improve(const branch_task& task) {
        threads_.parallel_for(data_.shape.scenarios, [&](std::int64_t i, int) {
            linearise_tail(task.how, task.vehicles[std::size_t(i)], task.reference, trajectory_.data(),
                           int(i), data_);
        });
        linearise_root(task.how, trajectory_.data(), data_);
        ipm_.settings = task.ipm;
        program_outcome out;
        for (int attempt = 0; attempt < 2; ++attempt) {
            out.last = ipm_.solve(data_);
            out.ipm_iterations += out.last.iterations;
            add(out.linear, out.last.linear);
            if (usable(out.last.status)) break;
        }
        if (usable(out.last.status)) out.step = take_step(task);
        return out;
    }

    /// The input that all scenarios share.
    void input(double* u) { std::copy(block(0, 0) + state_size, block(0, 0) + stage_size, u); }

    [[nodiscard]] const qp_shape& shape() const { return data_.shape; }
    /// (x, u) of every block, in the order of qp_shape::block.
    [[nodiscard]] const std::vector<double>& trajectory() const { return trajectory_; }
    /// The last program.
    [[nodiscard]] const qp_data& program() const { return data_; }

  private:
    double* block(int i, int k) { return trajectory_.data() + data_.shape.block(i, k) * stage_size; }

    double take_step(const branch_task& task) {
        const std::vector<double>& dz = ipm_.point.z;
        double turn = 0, move = 0;
        for (std::size_t b = 0; b < dz.size(); b += stage_size)
            for (std::size_t a = 0; a < 3; ++a) {
                turn = std::max(turn, std::abs(dz[b + 6 + a]));
                move = std::max(move, std::abs(dz[b + a]));
            }
        const double step = step_share(task, turn, move);
        for (std::size_t b = 0; b < dz.size(); b += stage_size)
            for (std::size_t j = 0; j < stage_size; ++j)
                trajectory_[b + j] += step * dz[b + j] * (j < state_size ? 1.0 : task.how.thrust_scale);
        return step;
    }

    qp_data data_;
    executor& threads_;
    ipm_solver<Solver> ipm_;
    std::vector<double> trajectory_;
};

}  // namespace shoal::mpc
