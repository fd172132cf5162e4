#pragma once

/// \file
/// The arrays of an interior-point iteration besides the matrix, and the sums over blocks that it decides by.

#include <cstddef>
#include <vector>

#include <shoal/core/macros.hpp>
#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/qp.hpp>

namespace shoal::mpc {

/// Sums and extremes over the blocks of one scenario, or over the root.
struct tail_summary {
    double primal, dual, gradient, complement, rows;
    double step;            ///< largest that every row allows
    double linear, square;  ///< complement after a step s: complement + s (linear + s square)
};

/// predictor: towards mu = 0. corrector: towards the given mu, with the predictor's second-order terms taken off.
enum class newton_kind { predictor, corrector };

/// max(a, b) that keeps a NaN of either.
SHOAL_FN double larger(double a, double b) {
    return a != a || b <= a ? a : b;
}

/// Where the numbers of an iteration besides the matrix lie; see ipm_work.
struct work_view {
    double *grams, *gram_sum, *weight, *shift, *push, *gap, *change_t, *change_s, *gradient, *base, *defect;
    point_view direction;
};

/// Everything that an iteration computes besides the matrix. Indexed by block, like qp_point.
struct ipm_work {
    explicit ipm_work(qp_shape shape)
        : grams(std::size_t(shape.tail_blocks()) * block_entries),
          weight(std::size_t(shape.blocks() * shape.rows())),
          shift(weight.size()),
          push(weight.size()),
          gap(weight.size()),
          change_t(weight.size()),
          change_s(weight.size()),
          gradient(std::size_t(shape.blocks()) * stage_size),
          base(gradient.size()),
          defect(std::size_t(shape.blocks()) * state_size),
          direction(shape),
          summary(std::size_t(shape.scenarios) + 1) {}

    [[nodiscard]] work_view view() {
        return {grams.data(),    gram_sum,    weight.data(),   shift.data(),
                push.data(),     gap.data(),  change_t.data(), change_s.data(),
                gradient.data(), base.data(), defect.data(),   direction.view()};
    }

    std::vector<double> grams;                ///< e'e of the step that leads to a block
    double gram_sum[block_entries] = {};      ///< over the steps that leave the root
    std::vector<double> weight, shift, push;  ///< Z, q and Z q of every row
    std::vector<double> gap;                  ///< g'z - s + t - h
    std::vector<double> change_t, change_s;   ///< wanted changes of lambda t and nu s
    std::vector<double> gradient;             ///< of the Lagrangian
    std::vector<double> base;                 ///< right-hand side without the rows' shift
    std::vector<double> defect;               ///< A z - c
    qp_point direction;
    std::vector<tail_summary> summary;
};

}  // namespace shoal::mpc
