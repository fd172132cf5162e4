#pragma once

/// \file
/// The kernels of solve16.cuh.

#include <shoal/arrow/detail/solve16_sweeps.cuh>

namespace shoal::arrow::detail {

template <int NR, workers Who, sweep Sweep>
__global__ void __launch_bounds__(NR == 1 ? 512 : 256, 1)
    solve16_kernel(const __grid_constant__ solve16_args p, int cluster) {
    extern __shared__ __align__(128) double shared16[];
    solve_block<NR, Who, Sweep> w(p, shared16, cluster);
    w.start();
    if constexpr (Sweep != sweep::backward) {
        w.forward_chunks();
        if (w.rank == 0) w.forward_separators();
        if constexpr (Sweep == sweep::fused) w.finish_chunks();
    }
    if constexpr (Sweep == sweep::forward) {
        __shared__ int is_last;
        let_next_kernel_begin();
        if (w.rank != 0) return;
        if (w.warp == w.root_warp) {
            __syncwarp();  // this tail's part before its arrival
            if (w.lane == 0) {
                is_last = arrive(p.finished + w.system) == static_cast<unsigned>(p.tails - 1);
                if (is_last != 0) p.finished[w.system] = 0;
            }
        }
        __syncthreads();  // is_last
        if (is_last != 0) w.solve_root();
    } else {
        // All blocks are resident: the next solve may bring its records while this one waits for the root.
        if constexpr (Sweep == sweep::fused) let_next_kernel_begin();
        if (w.rank == 0) {
            if constexpr (Sweep == sweep::fused) {
                if (w.adds()) {
                    w.solve_root();
                } else {
                    w.await_root();
                }
            } else {
                for (int i = static_cast<int>(threadIdx.x); i < w.vec; i += 32 * w.warps) {
                    w.root()[i] = w.told(0)[i].x;
                }
                for (int c = 1 + w.warp; c <= p.at.chunks; c += w.warps) {
                    w.s.copy_vectors(w.left + c * w.vec, p.at.split[c], 1);
                }
                wait_for_copies();
                __syncthreads();  // z of the separators and x_0
            }
            w.backward_separators();
        }
        if constexpr (Who == workers::cluster) {
            cluster_barrier();  // x of the separators before the other blocks read them
        } else {
            __syncthreads();  // x of the separators before the chunks read them
        }
        if constexpr (Sweep == sweep::backward) let_next_kernel_begin();
        // Every block has read the epoch before it arrives here, so the last one may count it up. Nobody waits for the answer
        // before the sweep is done.
        const bool counts = Sweep == sweep::fused && w.rank == 0 && w.warp == w.root_warp && w.lane == 0;
        unsigned arrived = 0;
        if (counts) arrived = atomicAdd(p.finished, 1u);
        w.backward_chunks();
        if (counts && arrived == static_cast<unsigned>(p.systems * p.tails - 1)) {
            *p.finished = 0;
            *p.epoch = w.epoch;
        }
        if constexpr (Who == workers::cluster) cluster_wait();
    }
}

/// Arrows without tails: x_0 = W_0^T (W_0 b_0), a warp each, one column.
static __global__ void __launch_bounds__(32)
    root_solve16_kernel(const double* root_records, double* vectors) {
    const int lane = static_cast<int>(threadIdx.x);
    double* b = vectors + 16LL * blockIdx.x;
    record_part r;
    wait_for_kernel_before();
    r.load_inverse(root_records + static_cast<long long>(blockIdx.x) * inverse_doubles, lane);
    const int q = lane & 3;
    const double2 y =
        apply_w(r.w, make_double2(b[2 * q], b[2 * q + 1]), make_double2(b[8 + 2 * q], b[9 + 2 * q]));
    const double x = apply_w_transposed(r.w, y, lane);
    __syncwarp();  // b is read before x is written over it
    if (lane < 16) b[kept_column(lane)] = x;
}

}  // namespace shoal::arrow::detail
