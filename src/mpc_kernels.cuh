#pragma once

#include "mpc_solve_arrays.hpp"

#include <cstdint>

#include <shoal/group/device.cuh>
#include <shoal/mpc/ipm_steps.hpp>

/// \file
/// The kernels of an interior-point iteration: the bodies of ipm_passes.hpp and ipm_steps.hpp by 16 lanes a block of the
/// program, and between them kernels of one block of threads that add up what concerns all, in fixed order, and decide.
///
///     prepare  judge  (factor, solve)  direct  weigh  correct  (solve)  direct  weigh  advance
///
/// All of them return at once when the solve has halted, so iterations may be launched ahead of what is known.

namespace shoal::mpc::detail {

using lanes = tile_group<stage_size>;
inline constexpr int solve_tiles = 8;  ///< a block of threads
inline constexpr int solve_threads = solve_tiles * stage_size;
inline constexpr int decide_threads = 512;  ///< where one block of threads decides

/// A group's value in the lane `mask` away.
template <class S>
__device__ S exchanged(const S& mine, unsigned members, int mask) {
    constexpr int count = sizeof(S) / sizeof(double);
    static_assert(sizeof(S) % sizeof(double) == 0);
    S other;
    const double* from = reinterpret_cast<const double*>(&mine);
    double* to = reinterpret_cast<double*>(&other);
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = __shfl_xor_sync(members, from[i], mask);
    return other;
}

/// The sum over a block of threads, in thread 0. `shared`: one a warp.
template <int Threads, class S>
__device__ S block_sum(S mine, S* shared) {
    constexpr int warps = Threads / 32;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) mine.add(exchanged(mine, 0xffffffffU, mask));
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < warps; ++i) mine.add(shared[i]);
    return mine;
}

/// What this thread adds up of what the blocks of threads left. The first is loaded before anybody waits for anything.
template <class S>
class own_parts {
  public:
    __device__ own_parts(const S* parts, int count, const S& none)
        : parts_(parts),
          count_(count),
          mine_(static_cast<int>(threadIdx.x) < count ? parts[threadIdx.x] : none) {}
    __device__ S sum() const {
        S all = mine_;
        for (int i = static_cast<int>(threadIdx.x) + decide_threads; i < count_; i += decide_threads)
            all.add(parts_[i]);
        return all;
    }

  private:
    const S* parts_;
    int count_;
    S mine_;
};

/// sum_i part[16 i + c] for c = threadIdx.x of the first 16 threads; the first term is loaded before anybody waits.
class own_share {
  public:
    __device__ own_share(const double* part, int scenarios)
        : part_(part + c()),
          scenarios_(scenarios),
          mine_(row() < scenarios ? part_[row() * stage_size] : 0.0) {}
    /// `shared`: one a thread.
    __device__ double sum(double* shared) const {
        double all = mine_;
        for (int i = row() + rows; i < scenarios_; i += rows) all += part_[std::int64_t{i} * stage_size];
        shared[threadIdx.x] = all;
        __syncthreads();
        all = 0;
        if (row() == 0)
            for (int j = 0; j < rows; ++j) all += shared[j * stage_size + c()];
        __syncthreads();
        return all;
    }

  private:
    static constexpr int rows = decide_threads / stage_size;
    __device__ static int c() { return static_cast<int>(threadIdx.x) % stage_size; }
    __device__ static int row() { return static_cast<int>(threadIdx.x) / stage_size; }

    const double* part_;
    int scenarios_;
    double mine_;
};

__device__ inline std::uint64_t nanoseconds() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ inline std::int64_t tile_block() {
    return std::int64_t{blockIdx.x} * solve_tiles + threadIdx.x / stage_size;
}

/// Scenario and stage of a block that is not the root.
struct place {
    int scenario, stage;
};
__device__ inline place place_of(const qp_shape& shape, std::int64_t b) {
    const auto at = static_cast<unsigned>(b), stages = static_cast<unsigned>(shape.stages);
    return {static_cast<int>(at / stages), static_cast<int>(at % stages) + 1};
}

__device__ inline tail_summary no_step_yet() {
    tail_summary s{};
    s.step = longest_step_considered;
    return s;
}

/// Copies of 16-wide rows have them this far apart: 16 lanes with a row each then read from 16 banks.
inline constexpr int staged_row = stage_size + 1;

/// The program with e of `count` blocks, from the first of this block of threads on, in shared memory. A lane that goes
/// along a row of its own would fetch a line of global memory for every number.
__device__ inline qp_view with_staged_steps(const device_solve& d, int count, double* shared) {
    qp_view program = d.program();
    const std::int64_t first = std::int64_t{blockIdx.x} * solve_tiles,
                       left = program.shape.tail_blocks() - first;
    const int numbers = static_cast<int>(left < count ? left : count) * state_size * stage_size;
    const double* from = program.step(first) + threadIdx.x;
    constexpr int each = (solve_tiles + 1) * state_size * stage_size / solve_threads + 1;
    double x[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int j = static_cast<int>(threadIdx.x) + i * solve_threads;
        x[i] = j < numbers ? from[i * solve_threads] : 0.0;
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int j = static_cast<int>(threadIdx.x) + i * solve_threads;
        if (j < numbers) shared[j + j / stage_size] = x[i];
    }
    __syncthreads();
    program.row = staged_row;
    program.e = shared - first * state_size * staged_row;
    return program;
}

/// The right-hand side is also where the solution will be.
__device__ inline void write_right(const lanes& g, const device_solve& d, std::int64_t b) {
    rhs_block(g, d.program(), b, d.work, d.right);
    d.solution[b * stage_size + g.rank()] = d.right[b * stage_size + g.rank()];
}

/// Residuals, the predictor's right-hand side, the matrix; of the root what does not depend on the scenarios.
__global__ void __launch_bounds__(solve_threads, 6) prepare_kernel(const __grid_constant__ device_solve d) {
    __shared__ double steps[(solve_tiles + 1) * state_size * staged_row];
    __shared__ double ahead[solve_tiles][state_size];
    __shared__ evaluation_sum sums[solve_threads / 32];
    if (d.control->state != halt::none) return;
    const lanes g;
    const qp_view data = with_staged_steps(d, solve_tiles + 1, steps);
    const qp_shape& shape = data.shape;
    const std::int64_t b = tile_block();
    const penalty w = d.control->w;
    const double rho = d.control->progress.rho, delta = d.control->progress.delta;
    // Other blocks of threads have the part of the matrix that depends on nothing else.
    if (blockIdx.y > 0) {
        if (b >= shape.tail_blocks()) return;
        const auto [i, k] = place_of(shape, b);
        assemble_links(g, data, 1 / delta, i, k, d.K);
        return;
    }
    evaluation_sum mine{};
    if (b < shape.tail_blocks()) {
        const auto [i, k] = place_of(shape, b);
        evaluate_stage(g, data, d.point, w, i, k, d.work, mine.s);
        reduce_block(g, data, d.point, w, delta, 0.0, newton_kind::predictor, b, d.work);
        base_block(g, delta, b, d.work);
        if (k < shape.stages) {
            // The neighbour's defect once more: it may not have written its own yet.
            double* next = ahead[threadIdx.x / stage_size];
            defect_block(g, data, d.point, b + 1, b, next);
            g.sync();
            add_transposed(g, 1 / delta, data.step(b + 1), data.row, next, d.work.base + b * stage_size);
        }
        g.sync();
        write_right(g, d, b);
        assemble_stage(g, data, d.work.grams, d.work.weight, rho, 1 / delta, i, k, d.K);
        if (k == 1) {
            const std::int64_t share = std::int64_t{i} * stage_size;
            d.pull[share + g.rank()] = d.drag[share + g.rank()] = 0;
            add_transposed(g, 1.0, data.step(b), data.row, d.point.y + b * state_size, d.pull + share);
            add_transposed(g, 1.0, data.step(b), data.row, d.work.defect + b * state_size, d.drag + share);
        }
    } else if (b == shape.root()) {
        evaluate_of_root(g, data, d.point, w, d.work, mine.s);
        reduce_block(g, data, d.point, w, delta, 0.0, newton_kind::predictor, b, d.work);
        base_block(g, delta, b, d.work);
        g.sync();
        assemble_diagonal(g, data, b, d.work.gram_sum, d.work.weight + b * shape.rows(), rho, 1 / delta,
                          d.K.root);
    }
    const evaluation_sum all = block_sum<solve_threads>(mine, sums);
    if (threadIdx.x == 0) d.evaluated[blockIdx.x] = all;
}

/// What the scenarios contribute to the root, and whether the solve ends here.
__global__ void __launch_bounds__(decide_threads, 1)
    judge_kernel(const __grid_constant__ device_solve d, const int parts) {
    __shared__ evaluation_sum sums[decide_threads / 32];
    __shared__ double shares[decide_threads];
    const own_parts<evaluation_sum> evaluated(d.evaluated, parts, {});
    const own_share pull(d.pull, d.data.shape.scenarios), drag(d.drag, d.data.shape.scenarios);
    solve_control control;
    if (threadIdx.x == 0) control = *d.control;
    if (d.control->state != halt::none) return;
    const double pulled = pull.sum(shares), dragged = drag.sum(shares);
    evaluation_sum mine = evaluated.sum();
    if (threadIdx.x < stage_size) {
        const lanes g;
        const std::int64_t b = d.data.shape.root(), at = b * stage_size + g.rank();
        d.work.gradient[at] -= pulled;
        d.work.base[at] += pulled + dragged / d.control->progress.delta;
        largest_gradient(g, b, d.work, mine.s);
        write_right(g, d, b);
    }
    const evaluation_sum all = block_sum<decide_threads>(mine, sums);
    if (threadIdx.x > 0) return;
    control.passes = 0;
    if (judge(control.progress, all.s, control.settings)) control.state = halt::finished;
    control.began = nanoseconds();
    *d.control = control;
}

/// From dz to the direction of everything, and, by other blocks of threads, how well K dz = b holds; of the root's row
/// what does not depend on the scenarios.
__global__ void __launch_bounds__(solve_threads, 6)
    direct_kernel(const __grid_constant__ device_solve d, const newton_kind kind) {
    __shared__ double staged[solve_tiles * stage_size * staged_row];
    __shared__ direction_sum sums[solve_threads / 32];
    if (d.control->state != halt::none) return;
    if (blockIdx.x + blockIdx.y + threadIdx.x == 0 && d.control->passes == 0) {
        const std::uint64_t took = nanoseconds() - d.control->began;
        (kind == newton_kind::predictor ? d.control->both : d.control->second) += took;
    }
    const lanes g;
    const qp_shape& shape = d.data.shape;
    const std::int64_t b = tile_block(), at = b * stage_size + g.rank();
    const penalty w = d.control->w;
    const double delta = d.control->progress.delta;
    direction_sum mine{no_step_yet()};
    const bool in_tail = b < shape.tail_blocks(), is_root = b == shape.root();
    const auto [i, k] = place_of(shape, b);
    if (blockIdx.y == 0) {
        const qp_view data = with_staged_steps(d, solve_tiles, staged);
        if (in_tail)
            direction_stage(g, data, d.point, w, delta, d.solution, i, k, d.work, mine.s);
        else if (is_root)
            direction_of_root(g, data, d.point, w, delta, d.solution, d.work, mine.s);
    } else if (in_tail || is_root) {
        mine.solution = core::abs(d.solution[at]);
        mine.rhs = core::abs(d.right[at]);
        d.residual[at] = d.right[at];
        if (is_root) {
            subtract_columns(g, d.K.root, d.solution + b * stage_size, d.residual + b * stage_size);
            mine.norm = core::abs(d.K.root[g.rank() * (stage_size + 1)]);
        } else {
            double* next = staged + static_cast<int>(threadIdx.x) / stage_size * stage_size * staged_row;
            if (k < shape.stages) {
                const double* E = d.K.lower + (b - i) * block_entries;
                double x[stage_size];
#pragma unroll
                for (int c = 0; c < stage_size; ++c) x[c] = E[c * stage_size + g.rank()];
#pragma unroll
                for (int c = 0; c < stage_size; ++c) next[c * staged_row + g.rank()] = x[c];
                g.sync();
            }
            subtract_block(g, d.matrix(), {shape.scenarios, shape.stages}, next, staged_row, d.solution, i,
                           k - 1, d.residual, mine.norm);
            mine.residual = core::abs(d.residual[at]);
        }
        if (in_tail && k == 1) {
            double* share = d.product + std::int64_t{i} * stage_size;
            share[g.rank()] = 0;
            subtract_columns(g, d.K.coupling + std::int64_t{i} * block_entries, d.solution + b * stage_size,
                             share);
        }
    }
    const direction_sum all = block_sum<solve_threads>(mine, sums);
    if (threadIdx.x == 0) d.directed[blockIdx.x + gridDim.x * blockIdx.y] = all;
}

/// What follows from a solution: that the factorisation failed, that the solution is to be refined, the corrector's target,
/// or the step.
__device__ inline void decide(solve_control& control, const direction_sum& all, const arrow::info& found,
                              newton_kind kind) {
    const bool predicts = kind == newton_kind::predictor;
    if (predicts && control.passes == 0) {
        ++control.linear.factorizations;
        control.failure = found;
        if (found.pivot != 0) {
            control.state = halt::refactor;
            return;
        }
    }
    ++control.linear.solves;
    double error = all.residual > 0 ? all.residual / (all.norm * all.solution + all.rhs) : 0.0;
    // Infinite counts as NaN does.
    if (!(all.residual <= core::largest_finite<double>)) error = all.residual - all.residual;
    if (error > control.settings.refine_above && control.passes < most_refinements) {
        ++control.passes;
        ++control.linear.refinements;
        control.state = predicts ? halt::refine_predictor : halt::refine_corrector;
        return;
    }
    if (!(error <= control.linear.largest_residual)) control.linear.largest_residual = error;
    control.passes = 0;
    if (predicts)
        aim(control.progress, all.s, control.settings);
    else
        control.step = shortened_step(all.s);
}

/// The rest of the root's row; then the corrector's target, or the step.
__global__ void __launch_bounds__(decide_threads, 1)
    weigh_kernel(const __grid_constant__ device_solve d, const int parts, const newton_kind kind) {
    __shared__ direction_sum sums[decide_threads / 32];
    __shared__ double shares[decide_threads];
    const own_parts<direction_sum> directed(d.directed, parts, {no_step_yet()});
    const own_share product(d.product, d.data.shape.scenarios);
    solve_control control;
    arrow::info found;
    if (threadIdx.x == 0) {
        control = *d.control;
        found = *d.found;
    }
    if (d.control->state != halt::none) return;
    const double from_tails = product.sum(shares);
    direction_sum mine = directed.sum();
    if (threadIdx.x < stage_size) {
        double& left = d.residual[d.data.shape.root() * stage_size + threadIdx.x];
        const double residual = left + from_tails;
        left = residual;
        mine.residual = larger(mine.residual, core::abs(residual));
    }
    const direction_sum all = block_sum<decide_threads>(mine, sums);
    if (threadIdx.x > 0) return;
    decide(control, all, found, kind);
    *d.control = control;
}

/// The corrector's right-hand side, the root's too.
__global__ void __launch_bounds__(solve_threads) correct_kernel(const __grid_constant__ device_solve d) {
    if (d.control->state != halt::none) return;
    const lanes g;
    const std::int64_t b = tile_block();
    if (b < d.data.shape.blocks()) {
        const ipm_progress& p = d.control->progress;
        reduce_block(g, d.program(), d.point, d.control->w, p.delta, p.target, newton_kind::corrector, b,
                     d.work);
        g.sync();
        write_right(g, d, b);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) d.control->began = nanoseconds();
}

/// point += step * direction.
__global__ void __launch_bounds__(solve_threads) advance_kernel(const __grid_constant__ device_solve d) {
    if (d.control->state != halt::none) return;
    const std::int64_t b = tile_block();
    if (b < d.data.shape.blocks())
        advance_block(lanes{}, d.data.shape, d.control->step, b, d.point, d.work.direction);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        next_iteration(d.control->progress, d.control->settings);
        d.control->attempts = 0;
    }
}

}  // namespace shoal::mpc::detail
