#pragma once

#include "mpc_kernels.cuh"

#include <shoal/mpc/linearise.hpp>

/// \file
/// The kernels around the iterations: the start of a solve, and what a control step does with trajectories that stay on
/// the device.

namespace shoal::mpc::detail {

/// Trajectories and what a step brings in, all in device memory.
struct device_branches {
    qp_shape shape;
    double* trajectory;     ///< 16 per block
    const double* x;        ///< measured state
    const double* targets;  ///< position and velocity of stages 0..N
    const quadrotor* vehicles;
    double* multipliers;  ///< of the equations, 12 per block
    linearisation how;    ///< obstacles on the device
};

/// The scalars of a solve that begins.
__global__ void __launch_bounds__(1)
    begin_kernel(const __grid_constant__ device_solve d, const ipm_settings settings, const penalty w) {
    solve_control control{};
    control.settings = settings;
    control.w = w;
    control.progress = begin_progress(settings);
    control.failure = {-1, 0, 0};  // nothing is wrong
    *d.control = control;
}

/// The first point, and e'e of every step.
__global__ void __launch_bounds__(solve_threads)
    first_point_kernel(const __grid_constant__ device_solve d, const double mu, const penalty w) {
    const lanes g;
    const std::int64_t b = tile_block();
    if (b >= d.data.shape.blocks()) return;
    if (b < d.data.shape.tail_blocks()) gram(g, d.data.step(b), d.work.grams + b * block_entries);
    start_block(g, d.program(), w, mu, b, d.point);
}

/// gram_sum, 32 entries a block of threads.
__global__ void __launch_bounds__(decide_threads) gram_sum_kernel(const __grid_constant__ device_solve d) {
    constexpr int rows = decide_threads / 32;
    __shared__ double shared[decide_threads];
    const int row = static_cast<int>(threadIdx.x) / 32;
    const auto entry = blockIdx.x * 32 + threadIdx.x % 32;
    const qp_shape& shape = d.data.shape;
    double sum = 0;
    for (int i = row; i < shape.scenarios; i += rows)
        sum += d.work.grams[shape.block(i, 1) * block_entries + entry];
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (row > 0) return;
    sum = 0;
    for (int j = 0; j < rows; ++j) sum += shared[j * 32 + threadIdx.x];
    d.work.gram_sum[entry] = sum;
}

/// After a failed factorisation.
__global__ void __launch_bounds__(1) regularise_kernel(const __grid_constant__ device_solve d) {
    regularise(d.control->progress);
    ++d.control->attempts;
    d.control->state = halt::none;
}

/// solution = the direction so far + what the residual was solved to. Solves that were launched ahead have overwritten
/// the solution itself.
__global__ void __launch_bounds__(solve_threads) refine_kernel(const __grid_constant__ device_solve d) {
    const std::int64_t i = std::int64_t{blockIdx.x} * solve_threads + threadIdx.x;
    if (i < d.data.shape.blocks() * stage_size) d.solution[i] = d.work.direction.z[i] + d.residual[i];
    if (i == 0) d.control->state = halt::none;
}

/// Every branch along the reference, hovering; the root at the measured state.
__global__ void __launch_bounds__(solve_threads) along_kernel(const __grid_constant__ device_branches d) {
    const std::int64_t b = tile_block();
    const int c = static_cast<int>(threadIdx.x) % stage_size;
    if (b > d.shape.root()) return;
    double z = c < state_size ? 0.0 : d.how.hover[c - state_size];
    if (b == d.shape.root()) {
        if (c < state_size) z = d.x[c];
    } else if (c < 6) {
        z = d.targets[6 * place_of(d.shape, b).stage + c];
    }
    d.trajectory[b * stage_size + c] = z;
}

/// The root of the next step: the measured state, and the mean of what the scenarios wanted next.
__global__ void __launch_bounds__(decide_threads)
    next_root_kernel(const __grid_constant__ device_branches d) {
    constexpr int rows = decide_threads / input_size;
    __shared__ double shared[decide_threads];
    const int t = static_cast<int>(threadIdx.x), j = t % input_size, row = t / input_size;
    double* root = d.trajectory + d.shape.root() * stage_size;
    if (t < state_size) root[t] = d.x[t];
    if (d.shape.stages == 1) return;
    double sum = 0;
    for (int i = row; i < d.shape.scenarios; i += rows)
        sum += d.trajectory[d.shape.block(i, 1) * stage_size + state_size + j];
    shared[t] = sum;
    __syncthreads();
    if (row > 0) return;
    sum = 0;
    for (int r = 0; r < rows; ++r) sum += shared[r * input_size + j];
    root[state_size + j] = sum / d.shape.scenarios;
}

/// p[j] = p[j + by] for j < count, by the block of threads.
__device__ inline void move_down(double* p, std::int64_t count, int by) {
    for (std::int64_t first = 0; first < count; first += blockDim.x) {
        const std::int64_t j = first + threadIdx.x;
        const double next = j < count ? p[j + by] : 0.0;
        // Threads ahead have read before this one writes; the next round reads beyond all that was written.
        __syncthreads();
        if (j < count) p[j] = next;
    }
}

/// One scenario a block of threads: one stage on, with a new last stage.
__global__ void __launch_bounds__(solve_threads) shift_kernel(const __grid_constant__ device_branches d) {
    const int i = static_cast<int>(blockIdx.x);
    const qp_shape& shape = d.shape;
    double* first = d.trajectory + shape.block(i, 1) * stage_size;
    double* last = d.trajectory + shape.block(i, shape.stages) * stage_size;
    move_down(d.multipliers + shape.block(i, 1) * state_size, std::int64_t{shape.stages - 1} * state_size,
              state_size);
    move_down(first, std::int64_t{shape.stages - 1} * stage_size, stage_size);
    __syncthreads();
    if (threadIdx.x > 0) return;
    if (shape.stages > 1) {
        double* previous = last - stage_size;
        for (int j = 0; j < input_size; ++j) previous[state_size + j] = d.how.hover[j];
        rk4(d.vehicles[i], d.how.dt, previous, previous + state_size, last);
    }
    for (int j = 0; j < input_size; ++j) last[state_size + j] = d.how.hover[j];
}

/// The program around the trajectories.
__global__ void __launch_bounds__(solve_threads)
    linearise_kernel(const __grid_constant__ device_branches d, const qp_arrays<double> data) {
    const lanes g;
    const std::int64_t b = tile_block();
    if (b > d.shape.root()) return;
    if (b == d.shape.root()) {
        linearise_root(g, d.how, d.trajectory, data);
        return;
    }
    const auto [i, k] = place_of(d.shape, b);
    linearise_stage(g, d.how, d.vehicles[i], d.targets + 6 * k, d.trajectory, i, k, data);
}

/// Whether a plan came out of the solve.
__device__ inline bool has_plan(const solve_control& c) {
    return c.state == halt::finished && usable(c.progress.status);
}

/// How far the program's step turns and moves a stage.
__global__ void __launch_bounds__(decide_threads) measure_kernel(const __grid_constant__ device_solve d) {
    if (!has_plan(*d.control)) return;
    std::uint64_t turn = 0, move = 0;
    const std::int64_t b = std::int64_t{blockIdx.x} * decide_threads + threadIdx.x;
    if (b < d.data.shape.blocks()) {
        const double* z = d.point.z + b * stage_size;
        for (int a = 0; a < 3; ++a) {
            const std::uint64_t t = core::magnitude_key(z[6 + a]), m = core::magnitude_key(z[a]);
            turn = t > turn ? t : turn;
            move = m > move ? m : move;
        }
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        const std::uint64_t t = __shfl_xor_sync(0xffffffffU, turn, mask);
        const std::uint64_t m = __shfl_xor_sync(0xffffffffU, move, mask);
        turn = t > turn ? t : turn;
        move = m > move ? m : move;
    }
    // The largest of integers does not depend on the order.
    if (threadIdx.x % 32 == 0) {
        atomicMax(reinterpret_cast<unsigned long long*>(&d.control->turn),
                  static_cast<unsigned long long>(turn));
        atomicMax(reinterpret_cast<unsigned long long*>(&d.control->move),
                  static_cast<unsigned long long>(move));
    }
}

/// trajectory += share * step.
__global__ void __launch_bounds__(decide_threads)
    take_kernel(const __grid_constant__ device_solve d, const __grid_constant__ device_branches branches,
                const double longest_turn, const double longest_move) {
    const solve_control& control = *d.control;
    if (!has_plan(control)) return;
    const double turn = core::from_bits(control.turn), move = core::from_bits(control.move);
    double share = 1;
    if (turn > longest_turn) share = at_most(share, longest_turn / turn);
    if (move > longest_move) share = at_most(share, longest_move / move);
    const std::int64_t i = std::int64_t{blockIdx.x} * decide_threads + threadIdx.x;
    if (i == 0) d.control->share = share;
    if (i >= d.data.shape.blocks() * stage_size) return;
    const double scale = i % stage_size < state_size ? 1.0 : branches.how.thrust_scale;
    branches.trajectory[i] += share * d.point.z[i] * scale;
}

}  // namespace shoal::mpc::detail
