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

/// rhs = base - G' Z q; the members must see each other's Z q.
template <class G>
SHOAL_FN void rhs_block(const G& g, const qp_view& data, std::int64_t b, const work_view& work, double* rhs) {
    const block_rows r(data, b);
    double* out = rhs + b * stage_size;
    for (int i = g.rank(); i < stage_size; i += G::static_size) out[i] = work.base[b * stage_size + i];
    add_rows_transposed(g, -1.0, data.shape.slots, r.normals, work.push + r.first, out);
}

/// dz is known; the rows' changes follow, and the longest step that keeps the rows positive.
template <class G>
SHOAL_FN void direction_block(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                              const double* dz, std::int64_t b, const work_view& work, tail_summary& sum) {
    const double* z = dz + b * stage_size;
    for (int i = g.rank(); i < stage_size; i += G::static_size) work.direction.z[b * stage_size + i] = z[i];
    const block_rows r(data, b);
    for (int j = g.rank(); j < r.rows; j += G::static_size) {
        const std::int64_t at = r.first + j;
        if (!present(r, j)) {
            store(work.direction, at, {0, 0, 0, 0});
            continue;
        }
        const row_values row = load(p, at);
        const double dlambda = work.weight[at] * (row_product(r.normals, z, j) + work.shift[at]);
        const bool soft = j >= thrust_rows;
        const row_values d = soft ? expand_soft(row, w, dlambda, work.change_t[at], work.change_s[at])
                                  : expand_hard(row, dlambda, work.change_t[at]);
        store(work.direction, at, d);
        sum.step = longest_step(row.t, d.t, sum.step);
        sum.step = longest_step(row.lambda, d.lambda, sum.step);
        sum.linear += row.t * d.lambda + row.lambda * d.t;
        sum.square += d.t * d.lambda;
        if (soft) {
            sum.step = longest_step(row.s, d.s, sum.step);
            sum.step = longest_step(row.nu, d.nu, sum.step);
            sum.linear += row.s * d.nu + row.nu * d.s;
            sum.square += d.s * d.nu;
        }
    }
}

/// dy = (A dz + defect) / delta of block b, and everything of direction_block.
template <class G>
SHOAL_FN void direction_stage(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                              double delta, const double* dz, int i, int k, const work_view& work,
                              tail_summary& sum) {
    const std::int64_t b = data.shape.block(i, k);
    double* dy = work.direction.y + b * state_size;
    for (int r = g.rank(); r < state_size; r += G::static_size)
        dy[r] = dz[b * stage_size + r] + work.defect[b * state_size + r];
    subtract_product(g, data.step(b), data.row, dz + data.shape.block(i, k - 1) * stage_size, dy);
    for (int r = g.rank(); r < state_size; r += G::static_size) dy[r] /= delta;
    direction_block(g, data, p, w, dz, b, work, sum);
}

/// The same for the root.
template <class G>
SHOAL_FN void direction_of_root(const G& g, const qp_view& data, const point_view& p, const penalty& w,
                                double delta, const double* dz, const work_view& work, tail_summary& sum) {
    const std::int64_t b = data.shape.root();
    for (int r = g.rank(); r < state_size; r += G::static_size)
        work.direction.y[b * state_size + r] =
            (dz[b * stage_size + r] + work.defect[b * state_size + r]) / delta;
    direction_block(g, data, p, w, dz, b, work, sum);
}

template <class G>
SHOAL_FN void move(const G& g, double step, double* x, const double* d, std::int64_t first, int count) {
    for (int i = g.rank(); i < count; i += G::static_size) x[first + i] += step * d[first + i];
}

/// p += step * direction.
template <class G>
SHOAL_FN void advance_block(const G& g, const qp_shape& shape, double step, std::int64_t b,
                            const point_view& p, const point_view& d) {
    const int rows = shape.rows();
    move(g, step, p.z, d.z, b * stage_size, stage_size);
    move(g, step, p.y, d.y, b * state_size, state_size);
    move(g, step, p.t, d.t, b * rows, rows);
    move(g, step, p.lambda, d.lambda, b * rows, rows);
    move(g, step, p.s, d.s, b * rows, rows);
    move(g, step, p.nu, d.nu, b * rows, rows);
}

}  // namespace detail

/// rhs = -gradient - 1/delta A' defect - G' Z q.
SHOAL_TARGET_CLONES inline void rhs_tail(const qp_data& data, int i, ipm_work& work, double* rhs) {
    const qp_view view = data.view();
    for (int k = 1; k <= data.shape.stages; ++k)
        detail::rhs_block(thread_group{}, view, data.shape.block(i, k), work.view(), rhs);
}

/// The same for the root.
inline void rhs_root(const qp_data& data, ipm_work& work, double* rhs) {
    detail::rhs_block(thread_group{}, data.view(), data.shape.root(), work.view(), rhs);
}

/// From dz to the direction of everything.
SHOAL_TARGET_CLONES inline void direction_tail(const qp_data& data, qp_point& p, const penalty& w,
                                               double delta, const double* dz, int i, ipm_work& work) {
    const qp_view view = data.view();
    const point_view at = p.view();
    const work_view out = work.view();
    tail_summary sum{};
    sum.step = longest_step_considered;
    for (int k = 1; k <= data.shape.stages; ++k)
        detail::direction_stage(thread_group{}, view, at, w, delta, dz, i, k, out, sum);
    work.summary[std::size_t(i)] = sum;
}

/// The same for the root.
inline void direction_root(const qp_data& data, qp_point& p, const penalty& w, double delta, const double* dz,
                           ipm_work& work) {
    tail_summary sum{};
    sum.step = longest_step_considered;
    detail::direction_of_root(thread_group{}, data.view(), p.view(), w, delta, dz, work.view(), sum);
    work.summary[std::size_t(data.shape.scenarios)] = sum;
}

/// p += step * direction.
inline void advance_tail(const qp_shape& shape, double step, int i, qp_point& p, ipm_work& work) {
    for (int k = 1; k <= shape.stages; ++k)
        detail::advance_block(thread_group{}, shape, step, shape.block(i, k), p.view(),
                              work.direction.view());
}

/// The same for the root.
inline void advance_root(const qp_shape& shape, double step, qp_point& p, ipm_work& work) {
    detail::advance_block(thread_group{}, shape, step, shape.root(), p.view(), work.direction.view());
}

}  // namespace shoal::mpc
