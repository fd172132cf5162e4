#pragma once

/// \file
/// The second half of an interior-point iteration: right-hand side, direction, step. Same conventions as ipm_passes.hpp.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <shoal/core/macros.hpp>
#include <shoal/mpc/ipm_passes.hpp>

namespace shoal::mpc {

namespace detail {

SHOAL_HOST_FN void rhs_block(const qp_data& data, std::int64_t b, const ipm_work& work, double* rhs) {
    const block_rows r(data, b);
    double v[fixed_rows + max_slots];
    for (int j = 0; j < r.rows; ++j) {
        const auto at = std::size_t(r.first + j);
        v[j] = work.weight[at] * work.shift[at];
    }
    double* out = rhs + b * stage_size;
    for (int i = 0; i < stage_size; ++i) out[i] = work.base[std::size_t(b * stage_size + i)];
    add_rows_transposed(-1.0, data.shape.slots, r.normals, v, out);
}

/// dz is known; the equations' and rows' changes follow, and the longest step that keeps the rows positive.
SHOAL_HOST_FN void direction_block(const qp_data& data, const qp_point& p, const penalty& w, std::int64_t b,
                                   ipm_work& work, tail_summary& sum) {
    const block_rows r(data, b);
    double v[fixed_rows + max_slots];
    apply_rows(data.shape.slots, r.normals, work.direction.z.data() + b * stage_size, v);
    for (int j = 0; j < r.rows; ++j) {
        if (!present(r, j)) {
            store(work.direction, r.first + j, {0, 0, 0, 0});
            continue;
        }
        const auto at = std::size_t(r.first + j);
        const row_values row = load(p, r.first + j);
        const double dlambda = work.weight[at] * (v[j] + work.shift[at]);
        const bool soft = j >= thrust_rows;
        const row_values d = soft ? expand_soft(row, w, dlambda, work.change_t[at], work.change_s[at])
                                  : expand_hard(row, dlambda, work.change_t[at]);
        store(work.direction, r.first + j, d);
        sum.step = longest_step(row.t, d.t, sum.step);
        sum.step = longest_step(row.lambda, d.lambda, sum.step);
        if (soft) {
            sum.step = longest_step(row.s, d.s, sum.step);
            sum.step = longest_step(row.nu, d.nu, sum.step);
        }
    }
}

SHOAL_HOST_FN void advance_block(const qp_shape& shape, double step, std::int64_t b, qp_point& p,
                                 const ipm_work& work) {
    auto move = [&](std::vector<double>& x, const std::vector<double>& d, std::int64_t first, int count) {
        for (auto i = std::size_t(first); i < std::size_t(first + count); ++i) x[i] += step * d[i];
    };
    const qp_point& d = work.direction;
    move(p.z, d.z, b * stage_size, stage_size);
    move(p.y, d.y, b * state_size, state_size);
    move(p.t, d.t, b * shape.rows(), shape.rows());
    move(p.lambda, d.lambda, b * shape.rows(), shape.rows());
    move(p.s, d.s, b * shape.rows(), shape.rows());
    move(p.nu, d.nu, b * shape.rows(), shape.rows());
}

}  // namespace detail

/// rhs = -gradient - 1/delta A' defect - G' Z q.
SHOAL_TARGET_CLONES inline void rhs_tail(const qp_data& data, int i, const ipm_work& work, double* rhs) {
    for (int k = 1; k <= data.shape.stages; ++k) detail::rhs_block(data, data.shape.block(i, k), work, rhs);
}

/// The same for the root.
inline void rhs_root(const qp_data& data, const ipm_work& work, double* rhs) {
    detail::rhs_block(data, data.shape.root(), work, rhs);
}

/// From dz to the direction of everything: dy = (A dz + defect) / delta, and the rows.
SHOAL_TARGET_CLONES inline void direction_tail(const qp_data& data, const qp_point& p, const penalty& w,
                                               double delta, const double* dz, int i, ipm_work& work) {
    const qp_shape& shape = data.shape;
    tail_summary& sum = work.summary[std::size_t(i)];
    sum.step = longest_step_considered;
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        double change[state_size];
        for (int r = 0; r < state_size; ++r)
            change[r] = dz[b * stage_size + r] + work.defect[std::size_t(b * state_size + r)];
        subtract_product(data.step(b), dz + shape.block(i, k - 1) * stage_size, change);
        for (int r = 0; r < state_size; ++r)
            work.direction.y[std::size_t(b * state_size + r)] = change[r] / delta;
        std::copy(dz + b * stage_size, dz + (b + 1) * stage_size, work.direction.z.data() + b * stage_size);
        detail::direction_block(data, p, w, b, work, sum);
    }
}

/// The same for the root.
inline void direction_root(const qp_data& data, const qp_point& p, const penalty& w, double delta,
                           const double* dz, ipm_work& work) {
    const std::int64_t b = data.shape.root();
    tail_summary& sum = work.summary[std::size_t(data.shape.scenarios)];
    sum.step = longest_step_considered;
    for (int r = 0; r < state_size; ++r) {
        const auto at = std::size_t(b * state_size + r);
        work.direction.y[at] = (dz[b * stage_size + r] + work.defect[at]) / delta;
    }
    std::copy(dz + b * stage_size, dz + (b + 1) * stage_size, work.direction.z.data() + b * stage_size);
    detail::direction_block(data, p, w, b, work, sum);
}

/// sum of t lambda and nu s after a step along the direction, over the blocks first <= b < last.
inline double complement_ahead(const qp_data& data, const qp_point& p, const ipm_work& work, double step,
                               std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t b = first; b < last; ++b) {
        const detail::block_rows r(data, b);
        for (int j = 0; j < r.rows; ++j) {
            if (!detail::present(r, j)) continue;
            const row_values v = detail::load(p, r.first + j), d = detail::load(work.direction, r.first + j);
            sum += (v.t + step * d.t) * (v.lambda + step * d.lambda);
            if (j >= thrust_rows) sum += (v.s + step * d.s) * (v.nu + step * d.nu);
        }
    }
    return sum;
}

/// p += step * direction.
inline void advance_tail(const qp_shape& shape, double step, int i, qp_point& p, const ipm_work& work) {
    for (int k = 1; k <= shape.stages; ++k) detail::advance_block(shape, step, shape.block(i, k), p, work);
}

/// The same for the root.
inline void advance_root(const qp_shape& shape, double step, qp_point& p, const ipm_work& work) {
    detail::advance_block(shape, step, shape.root(), p, work);
}

}  // namespace shoal::mpc
