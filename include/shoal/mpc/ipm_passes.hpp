#pragma once

/// \file
/// The passes of one interior-point iteration over the blocks of the program. Every `_tail` function touches the data of
/// one scenario alone, so scenarios may run on different threads; the `_root` functions close the pass, in fixed order.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/core/macros.hpp>
#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/qp.hpp>
#include <shoal/mpc/rows.hpp>

namespace shoal::mpc {

/// Sums and extremes over the blocks of one scenario, or over the root.
struct tail_summary {
    double primal, dual, gradient, complement, rows, step;
};

/// predictor: towards mu = 0. corrector: towards the given mu, with the predictor's second-order terms taken off.
enum class newton_kind { predictor, corrector };

/// max(a, b) that keeps a NaN of either.
SHOAL_HOST_FN double larger(double a, double b) {
    return std::isnan(a) || b <= a ? a : b;
}

/// Everything that an iteration computes besides the matrix. Indexed by block, like qp_point.
struct ipm_work {
    explicit ipm_work(qp_shape shape)
        : grams(std::size_t(shape.tail_blocks()) * block_entries),
          weight(std::size_t(shape.blocks() * shape.rows())),
          shift(weight.size()),
          gap(weight.size()),
          change_t(weight.size()),
          change_s(weight.size()),
          gradient(std::size_t(shape.blocks()) * stage_size),
          base(gradient.size()),
          defect(std::size_t(shape.blocks()) * state_size),
          direction(shape),
          summary(std::size_t(shape.scenarios) + 1) {}

    std::vector<double> grams;               ///< e'e of the step that leads to a block
    double gram_sum[block_entries] = {};     ///< over the steps that leave the root
    std::vector<double> weight, shift, gap;  ///< Z, q and g'z - s + t - h of every row
    std::vector<double> change_t, change_s;  ///< wanted changes of lambda t and nu s
    std::vector<double> gradient;            ///< of the Lagrangian
    std::vector<double> base;                ///< right-hand side without the rows' shift
    std::vector<double> defect;              ///< A z - c
    qp_point direction;
    std::vector<tail_summary> summary;
};

namespace detail {

/// Pointers to what belongs to block b.
struct block_rows {
    block_rows(const qp_data& data, std::int64_t b)
        : first(b * data.shape.rows()),
          rows(data.shape.rows()),
          limit(data.limit.data() + first),
          normals(data.normal.data() + b * data.shape.slots * 3) {}

    std::int64_t first;
    int rows;
    const double* limit;
    const double* normals;
};

SHOAL_HOST_FN bool present(const block_rows& r, int j) {
    return r.limit[j] < no_limit;
}

SHOAL_HOST_FN row_values load(const qp_point& p, std::int64_t j) {
    const auto i = std::size_t(j);
    return {p.t[i], p.lambda[i], p.s[i], p.nu[i]};
}

SHOAL_HOST_FN void store(qp_point& p, std::int64_t j, const row_values& v) {
    const auto i = std::size_t(j);
    p.t[i] = v.t;
    p.lambda[i] = v.lambda;
    p.s[i] = v.s;
    p.nu[i] = v.nu;
}

SHOAL_HOST_FN void start_block(const qp_data& data, const penalty& w, double mu, std::int64_t b,
                               qp_point& p) {
    const block_rows r(data, b);
    double v[fixed_rows + max_slots];
    apply_rows(data.shape.slots, r.normals, p.z.data() + b * stage_size, v);
    for (int j = 0; j < r.rows; ++j) {
        row_values row{1, 0, 1, 0};
        if (present(r, j)) {
            const double room = r.limit[j] - v[j];
            const double floor = 0.1;
            const bool soft = j >= thrust_rows;
            row.t = std::max(room, floor);
            row.lambda = mu / row.t;
            if (soft) {
                row.s = std::max(-room + floor, floor);
                row.lambda = std::min(row.lambda, 0.5 * w.weight);
                row.nu = w.weight + w.curvature * row.s - row.lambda;
            }
        }
        store(p, r.first + j, row);
    }
}

/// Everything about block b but the terms of the equations that other blocks contribute to its gradient.
SHOAL_HOST_FN void evaluate_block(const qp_data& data, const qp_point& p, const penalty& w, std::int64_t b,
                                  ipm_work& work, tail_summary& sum) {
    const block_rows r(data, b);
    const double* z = p.z.data() + b * stage_size;
    const double* y = p.y.data() + b * state_size;
    double* gradient = work.gradient.data() + b * stage_size;
    for (int i = 0; i < stage_size; ++i) {
        const auto at = std::size_t(b * stage_size + i);
        gradient[i] = data.hessian[at] * z[i] + data.gradient[at] + (i < state_size ? y[i] : 0.0);
        sum.gradient = std::max(sum.gradient, std::abs(data.gradient[at]));
    }
    double v[fixed_rows + max_slots], lambda[fixed_rows + max_slots];
    apply_rows(data.shape.slots, r.normals, z, v);
    for (int j = 0; j < r.rows; ++j) {
        const row_values row = load(p, r.first + j);
        const auto at = std::size_t(r.first + j);
        lambda[j] = row.lambda;
        work.gap[at] = 0;
        if (!present(r, j)) continue;
        const bool soft = j >= thrust_rows;
        work.gap[at] = v[j] + row.t - r.limit[j] - (soft ? row.s : 0.0);
        sum.primal = larger(sum.primal, std::abs(work.gap[at]));
        sum.complement += row.t * row.lambda;
        sum.rows += 1;
        if (soft) {
            sum.complement += row.s * row.nu;
            sum.rows += 1;
            sum.dual = larger(sum.dual, std::abs(w.weight + w.curvature * row.s - row.lambda - row.nu));
        }
    }
    add_rows_transposed(1.0, data.shape.slots, r.normals, lambda, gradient);
}

SHOAL_HOST_FN void reduce_block(const qp_data& data, const qp_point& p, const penalty& w, double delta,
                                double mu, newton_kind kind, std::int64_t b, ipm_work& work) {
    const block_rows r(data, b);
    for (int j = 0; j < r.rows; ++j) {
        const auto at = std::size_t(r.first + j);
        if (!present(r, j)) {
            work.weight[at] = work.shift[at] = work.change_t[at] = work.change_s[at] = 0;
            continue;
        }
        const row_values v = load(p, r.first + j);
        double r_t = mu - v.t * v.lambda, r_s = mu - v.s * v.nu;
        if (kind == newton_kind::corrector) {
            const row_values d = load(work.direction, r.first + j);
            r_t -= d.t * d.lambda;
            r_s -= d.s * d.nu;
        }
        const row_reduction reduced = j >= thrust_rows ? reduce_soft(v, w, delta, work.gap[at], r_t, r_s)
                                                       : reduce_hard(v, delta, work.gap[at], r_t);
        work.weight[at] = reduced.Z;
        work.shift[at] = reduced.q;
        work.change_t[at] = r_t;
        work.change_s[at] = r_s;
    }
}

SHOAL_HOST_FN void largest_entries(const qp_shape&, std::int64_t b, const ipm_work& work, tail_summary& sum) {
    for (int i = 0; i < stage_size; ++i)
        sum.dual = larger(sum.dual, std::abs(work.gradient[std::size_t(b * stage_size + i)]));
    for (int i = 0; i < state_size; ++i)
        sum.primal = larger(sum.primal, std::abs(work.defect[std::size_t(b * state_size + i)]));
}

}  // namespace detail

/// The start of one scenario: z = 0, slacks and multipliers of the rows on the central path of mu.
SHOAL_TARGET_CLONES inline void start_tail(const qp_data& data, const penalty& w, double mu, int i,
                                           qp_point& p, ipm_work& work) {
    for (int k = 1; k <= data.shape.stages; ++k) {
        const std::int64_t b = data.shape.block(i, k);
        std::fill(p.z.begin() + b * stage_size, p.z.begin() + (b + 1) * stage_size, 0.0);
        gram(data.step(b), work.grams.data() + b * block_entries);
        detail::start_block(data, w, mu, b, p);
    }
}

/// The same for the root.
inline void start_root(const qp_data& data, const penalty& w, double mu, qp_point& p, ipm_work& work) {
    std::fill(work.gram_sum, work.gram_sum + block_entries, 0.0);
    for (int i = 0; i < data.shape.scenarios; ++i) {
        const double* G = work.grams.data() + data.shape.block(i, 1) * block_entries;
        for (int j = 0; j < block_entries; ++j) work.gram_sum[j] += G[j];
    }
    std::fill(p.z.begin() + data.shape.root() * stage_size, p.z.end(), 0.0);
    detail::start_block(data, w, mu, data.shape.root(), p);
}

/// Residuals of the optimality conditions at p.
SHOAL_TARGET_CLONES inline void evaluate_tail(const qp_data& data, const qp_point& p, const penalty& w, int i,
                                              ipm_work& work) {
    const qp_shape& shape = data.shape;
    tail_summary sum{};
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        detail::evaluate_block(data, p, w, b, work, sum);
        if (k < shape.stages)
            add_transposed(-1.0, data.step(b + 1), p.y.data() + (b + 1) * state_size,
                           work.gradient.data() + b * stage_size);
        double* defect = work.defect.data() + b * state_size;
        const double* z = p.z.data() + b * stage_size;
        const double* c = data.c.data() + b * state_size;
        for (int r = 0; r < state_size; ++r) defect[r] = z[r] - c[r];
        subtract_product(data.step(b), p.z.data() + shape.block(i, k - 1) * stage_size, defect);
        detail::largest_entries(shape, b, work, sum);
    }
    work.summary[std::size_t(i)] = sum;
}

/// The same for the root.
inline void evaluate_root(const qp_data& data, const qp_point& p, const penalty& w, ipm_work& work) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.root();
    tail_summary sum{};
    detail::evaluate_block(data, p, w, b, work, sum);
    for (int i = 0; i < shape.scenarios; ++i) {
        const std::int64_t first = shape.block(i, 1);
        add_transposed(-1.0, data.step(first), p.y.data() + first * state_size,
                       work.gradient.data() + b * stage_size);
    }
    for (int r = 0; r < state_size; ++r)
        work.defect[std::size_t(b * state_size + r)] = p.z[std::size_t(b * stage_size + r)] - data.initial[r];
    detail::largest_entries(shape, b, work, sum);
    work.summary[std::size_t(shape.scenarios)] = sum;
}

/// Z and q of every row, and for the predictor the part of the right-hand side that both right-hand sides share.
SHOAL_TARGET_CLONES inline void reduce_tail(const qp_data& data, const qp_point& p, const penalty& w,
                                            double delta, double mu, newton_kind kind, int i,
                                            ipm_work& work) {
    const qp_shape& shape = data.shape;
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        detail::reduce_block(data, p, w, delta, mu, kind, b, work);
        if (kind == newton_kind::corrector) continue;
        double* base = work.base.data() + b * stage_size;
        const double* defect = work.defect.data() + b * state_size;
        for (int j = 0; j < stage_size; ++j)
            base[j] =
                -work.gradient[std::size_t(b * stage_size + j)] - (j < state_size ? defect[j] / delta : 0.0);
        if (k < shape.stages) add_transposed(1 / delta, data.step(b + 1), defect + state_size, base);
    }
}

/// The same for the root.
inline void reduce_root(const qp_data& data, const qp_point& p, const penalty& w, double delta, double mu,
                        newton_kind kind, ipm_work& work) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.root();
    detail::reduce_block(data, p, w, delta, mu, kind, b, work);
    if (kind == newton_kind::corrector) return;
    double* base = work.base.data() + b * stage_size;
    const double* defect = work.defect.data() + b * state_size;
    for (int j = 0; j < stage_size; ++j)
        base[j] =
            -work.gradient[std::size_t(b * stage_size + j)] - (j < state_size ? defect[j] / delta : 0.0);
    for (int i = 0; i < shape.scenarios; ++i) {
        const std::int64_t first = shape.block(i, 1);
        add_transposed(1 / delta, data.step(first), work.defect.data() + first * state_size, base);
    }
}

}  // namespace shoal::mpc
