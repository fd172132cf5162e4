#pragma once

#include <cstdint>

#include <shoal/arrow/types.hpp>
#include <shoal/mpc/ipm_progress.hpp>
#include <shoal/mpc/linear_system.hpp>

/// \file
/// What the kernels of a solve share: where everything lies on the device, and the scalars that steer it there.

namespace shoal::mpc::detail {

/// Why the kernels of the iterations that were launched ahead do nothing any more.
enum class halt {
    none,
    finished,
    refactor,          ///< the factorisation failed
    refine_predictor,  ///< the predictor's solution is not good enough
    refine_corrector,  ///< the corrector's
};

/// The scalars of a solve. One kernel at a time writes them, a whole grid after the one that wrote before.
struct solve_control {
    ipm_settings settings;
    penalty w;
    ipm_progress progress;
    halt state;
    int attempts;  ///< at this factorisation
    int passes;    ///< of refinement, at this solution
    double step;
    arrow::info failure;
    linear_statistics linear;
    /// Nanoseconds: begin of what is being timed; factor and first solve; second solve.
    std::uint64_t began, both, second;
    std::uint64_t turn, move;  ///< largest of the program's step, as magnitude keys
    double share;              ///< of the program's step that was taken
};

/// Residuals over some blocks.
struct evaluation_sum {
    tail_summary s;

    SHOAL_FN void add(const evaluation_sum& other) { add_residuals(s, other.s); }
};

/// Steps over some blocks, and how well K x = b holds there.
struct direction_sum {
    tail_summary s;
    double residual, solution, rhs, norm;

    SHOAL_FN void add(const direction_sum& other) {
        add_direction(s, other.s);
        residual = larger(residual, other.residual);
        solution = at_least(solution, other.solution);
        rhs = at_least(rhs, other.rhs);
        norm = at_least(norm, other.norm);
    }
};

/// All in device memory.
struct device_solve {
    qp_arrays<double> data;
    point_view point;
    work_view work;
    arrow_blocks K;
    double *right, *solution, *residual;
    /// Scenario i's part of what the root sums up, 16 numbers each: e'y, e'defect, -C x.
    double *pull, *drag, *product;
    evaluation_sum* evaluated;  ///< one a block of threads
    direction_sum* directed;
    solve_control* control;
    const arrow::info* found;

    [[nodiscard]] SHOAL_FN qp_view program() const { return data; }
    [[nodiscard]] SHOAL_FN arrow::matrix_view<const double> matrix() const {
        return {K.diagonal, K.lower, K.coupling, K.root};
    }
};

}  // namespace shoal::mpc::detail
