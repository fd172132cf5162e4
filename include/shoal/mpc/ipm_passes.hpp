#pragma once

/// \file
/// The passes of one interior-point iteration over the blocks of the program. Every `_tail` function touches the data of
/// one scenario alone, so scenarios may run on different threads; the `_root` functions close the pass, in fixed order.

#include <algorithm>
#include <cstdint>

#include <shoal/core/macros.hpp>
#include <shoal/core/math.hpp>
#include <shoal/mpc/ipm_work.hpp>
#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/qp.hpp>
#include <shoal/mpc/rows.hpp>

namespace shoal::mpc {

namespace detail {

/// Pointers to what belongs to block b.
struct block_rows {
    SHOAL_FN block_rows(const qp_view& data, std::int64_t b)
        : first(b * data.shape.rows()),
          rows(data.shape.rows()),
          limit(data.limit + first),
          normals(data.normal + b * data.shape.slots * 3) {}

    std::int64_t first;
    int rows;
    const double* limit;
    const double* normals;
};

SHOAL_FN bool present(const block_rows& r, int j) {
    // A limit of NaN is one: the row must not vanish, but be found not finite.
    return !(r.limit[j] >= no_limit);
}

SHOAL_FN row_values load(const point_view& p, std::int64_t i) {
    return {p.t[i], p.lambda[i], p.s[i], p.nu[i]};
}

SHOAL_FN void store(const point_view& p, std::int64_t i, const row_values& v) {
    p.t[i] = v.t;
    p.lambda[i] = v.lambda;
    p.s[i] = v.s;
    p.nu[i] = v.nu;
}

/// z = 0, slacks and multipliers of the rows on the central path of mu.
template <class G>
SHOAL_FN void start_block(const G& g, const qp_view& data, const penalty& w, double mu, std::int64_t b,
                          const point_view& p) {
    for (int i = g.rank(); i < stage_size; i += G::static_size) p.z[b * stage_size + i] = 0;
    const block_rows r(data, b);
    for (int j = g.rank(); j < r.rows; j += G::static_size) {
        row_values row{1, 0, 1, 0};
        if (present(r, j)) {
            const double room = r.limit[j];
            const double floor = 0.1;
            row.t = room < floor ? floor : room;
            row.lambda = mu / row.t;
            if (j >= thrust_rows) {
                row.s = -room + floor < floor ? floor : -room + floor;
                row.lambda = 0.5 * w.weight < row.lambda ? 0.5 * w.weight : row.lambda;
                row.nu = w.weight + w.curvature * row.s - row.lambda;
            }
        }
        store(p, r.first + j, row);
    }
}

/// Everything about block b but the terms of the equations that other blocks contribute to its gradient.
template <class G>
SHOAL_FN void evaluate_block(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                             std::int64_t b, const work_view& work, tail_summary& sum) {
    const block_rows r(data, b);
    const double* z = p.z + b * stage_size;
    const double* y = p.y + b * state_size;
    double* gradient = work.gradient + b * stage_size;
    for (int i = g.rank(); i < stage_size; i += G::static_size) {
        const double linear = data.gradient[b * stage_size + i], size = core::abs(linear);
        gradient[i] = data.hessian[b * stage_size + i] * z[i] + linear + (i < state_size ? y[i] : 0.0);
        sum.gradient = sum.gradient < size ? size : sum.gradient;
    }
    for (int j = g.rank(); j < r.rows; j += G::static_size) {
        const std::int64_t at = r.first + j;
        const row_values row = load(p, at);
        work.gap[at] = 0;
        if (!present(r, j)) continue;
        const bool soft = j >= thrust_rows;
        const double gap = row_product(r.normals, z, j) + row.t - r.limit[j] - (soft ? row.s : 0.0);
        work.gap[at] = gap;
        sum.primal = larger(sum.primal, core::abs(gap));
        sum.complement += row.t * row.lambda;
        sum.rows += 1;
        if (soft) {
            sum.complement += row.s * row.nu;
            sum.rows += 1;
            sum.dual = larger(sum.dual, core::abs(w.weight + w.curvature * row.s - row.lambda - row.nu));
        }
    }
    add_rows_transposed(g, 1.0, data.shape.slots, r.normals, p.lambda + r.first, gradient);
}

/// defect = S z_k - e_{k-1} z_{k-1} - c_{k-1} of block b, whose stage before is block `before`.
template <class G>
SHOAL_FN void defect_block(const G& g, const qp_view& data, const point_view& p, std::int64_t b,
                           std::int64_t before, double* defect) {
    for (int r = g.rank(); r < state_size; r += G::static_size)
        defect[r] = p.z[b * stage_size + r] - data.c[b * state_size + r];
    subtract_product(g, data.step(b), data.row, p.z + before * stage_size, defect);
}

template <class G>
SHOAL_FN void reduce_block(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                           double delta, double mu, newton_kind kind, std::int64_t b, const work_view& work) {
    const block_rows r(data, b);
    for (int j = g.rank(); j < r.rows; j += G::static_size) {
        const std::int64_t at = r.first + j;
        if (!present(r, j)) {
            work.weight[at] = work.shift[at] = work.push[at] = work.change_t[at] = work.change_s[at] = 0;
            continue;
        }
        const row_values v = load(p, at);
        double r_t = mu - v.t * v.lambda, r_s = mu - v.s * v.nu;
        if (kind == newton_kind::corrector) {
            const row_values d = load(work.direction, at);
            r_t -= d.t * d.lambda;
            r_s -= d.s * d.nu;
        }
        const row_reduction reduced = j >= thrust_rows ? reduce_soft(v, w, delta, work.gap[at], r_t, r_s)
                                                       : reduce_hard(v, delta, work.gap[at], r_t);
        work.weight[at] = reduced.Z;
        work.shift[at] = reduced.q;
        work.push[at] = reduced.Z * reduced.q;
        work.change_t[at] = r_t;
        work.change_s[at] = r_s;
    }
}

/// What both right-hand sides share, but for the defects of the blocks that follow.
template <class G>
SHOAL_FN void base_block(const G& g, double delta, std::int64_t b, const work_view& work) {
    for (int j = g.rank(); j < stage_size; j += G::static_size)
        work.base[b * stage_size + j] = -work.gradient[b * stage_size + j] -
                                        (j < state_size ? work.defect[b * state_size + j] / delta : 0.0);
}

template <class G>
SHOAL_FN void largest_gradient(const G& g, std::int64_t b, const work_view& work, tail_summary& sum) {
    for (int i = g.rank(); i < stage_size; i += G::static_size)
        sum.dual = larger(sum.dual, core::abs(work.gradient[b * stage_size + i]));
}

template <class G>
SHOAL_FN void largest_defect(const G& g, std::int64_t b, const work_view& work, tail_summary& sum) {
    for (int i = g.rank(); i < state_size; i += G::static_size)
        sum.primal = larger(sum.primal, core::abs(work.defect[b * state_size + i]));
}

/// Residuals of the optimality conditions at block (i, k), k >= 1.
template <class G>
SHOAL_FN void evaluate_stage(const G& g, const qp_view& data, const point_view& p, const penalty& w, int i,
                             int k, const work_view& work, tail_summary& sum) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.block(i, k);
    evaluate_block(g, data, p, w, b, work, sum);
    if (k < shape.stages)
        add_transposed(g, -1.0, data.step(b + 1), data.row, p.y + (b + 1) * state_size,
                       work.gradient + b * stage_size);
    defect_block(g, data, p, b, shape.block(i, k - 1), work.defect + b * state_size);
    largest_gradient(g, b, work, sum);
    largest_defect(g, b, work, sum);
}

/// The same for the root, but for what the scenarios contribute to its gradient.
template <class G>
SHOAL_FN void evaluate_of_root(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                               const work_view& work, tail_summary& sum) {
    const std::int64_t b = data.shape.root();
    evaluate_block(g, data, p, w, b, work, sum);
    for (int r = g.rank(); r < state_size; r += G::static_size)
        work.defect[b * state_size + r] = p.z[b * stage_size + r] - data.initial[r];
    largest_defect(g, b, work, sum);
}

}  // namespace detail

/// The start of one scenario.
SHOAL_TARGET_CLONES inline void start_tail(const qp_data& data, const penalty& w, double mu, int i,
                                           qp_point& p, ipm_work& work) {
    const qp_view view = data.view();
    for (int k = 1; k <= data.shape.stages; ++k) {
        const std::int64_t b = data.shape.block(i, k);
        gram(thread_group{}, data.step(b), work.grams.data() + b * block_entries);
        detail::start_block(thread_group{}, view, w, mu, b, p.view());
    }
}

/// The same for the root.
inline void start_root(const qp_data& data, const penalty& w, double mu, qp_point& p, ipm_work& work) {
    std::fill(work.gram_sum, work.gram_sum + block_entries, 0.0);
    for (int i = 0; i < data.shape.scenarios; ++i) {
        const double* G = work.grams.data() + data.shape.block(i, 1) * block_entries;
        for (int j = 0; j < block_entries; ++j) work.gram_sum[j] += G[j];
    }
    detail::start_block(thread_group{}, data.view(), w, mu, data.shape.root(), p.view());
}

/// Residuals of the optimality conditions at p.
SHOAL_TARGET_CLONES inline void evaluate_tail(const qp_data& data, qp_point& p, const penalty& w, int i,
                                              ipm_work& work) {
    const qp_view view = data.view();
    const point_view at = p.view();
    const work_view out = work.view();
    tail_summary sum{};
    for (int k = 1; k <= data.shape.stages; ++k)
        detail::evaluate_stage(thread_group{}, view, at, w, i, k, out, sum);
    work.summary[std::size_t(i)] = sum;
}

/// The same for the root.
inline void evaluate_root(const qp_data& data, qp_point& p, const penalty& w, ipm_work& work) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.root();
    tail_summary sum{};
    detail::evaluate_of_root(thread_group{}, data.view(), p.view(), w, work.view(), sum);
    for (int i = 0; i < shape.scenarios; ++i) {
        const std::int64_t first = shape.block(i, 1);
        add_transposed(thread_group{}, -1.0, data.step(first), stage_size, p.y.data() + first * state_size,
                       work.gradient.data() + b * stage_size);
    }
    detail::largest_gradient(thread_group{}, b, work.view(), sum);
    work.summary[std::size_t(shape.scenarios)] = sum;
}

/// Z and q of every row, and for the predictor the part of the right-hand side that both right-hand sides share.
SHOAL_TARGET_CLONES inline void reduce_tail(const qp_data& data, qp_point& p, const penalty& w, double delta,
                                            double mu, newton_kind kind, int i, ipm_work& work) {
    const qp_shape& shape = data.shape;
    const qp_view view = data.view();
    const work_view out = work.view();
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        detail::reduce_block(thread_group{}, view, p.view(), w, delta, mu, kind, b, out);
        if (kind == newton_kind::corrector) continue;
        detail::base_block(thread_group{}, delta, b, out);
        if (k < shape.stages)
            add_transposed(thread_group{}, 1 / delta, view.step(b + 1), stage_size,
                           out.defect + (b + 1) * state_size, out.base + b * stage_size);
    }
}

/// The same for the root.
inline void reduce_root(const qp_data& data, qp_point& p, const penalty& w, double delta, double mu,
                        newton_kind kind, ipm_work& work) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.root();
    detail::reduce_block(thread_group{}, data.view(), p.view(), w, delta, mu, kind, b, work.view());
    if (kind == newton_kind::corrector) return;
    detail::base_block(thread_group{}, delta, b, work.view());
    for (int i = 0; i < shape.scenarios; ++i) {
        const std::int64_t first = shape.block(i, 1);
        add_transposed(thread_group{}, 1 / delta, data.step(first), stage_size,
                       work.defect.data() + first * state_size, work.base.data() + b * stage_size);
    }
}

}  // namespace shoal::mpc
