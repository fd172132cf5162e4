#pragma once

/// \file
/// The kernels of solve16.cuh.

#include <shoal/arrow/detail/solve16.cuh>

namespace shoal::arrow::detail {

/// One warp's share of one tail's solve. NR right-hand sides side by side: a vector of the block is NR x 16 doubles.
template <int NR>
struct solver16 {
    const solve16_args& p;
    int tail, lane, g, q;
    record_ring ring;
    double* zero;  // a vector of zeros

    __device__ __forceinline__ const double* record(int j) const {
        return p.records + (static_cast<long long>(tail) * p.at.stages + (j - 1)) * record16;
    }
    __device__ __forceinline__ double* unknowns(int j, int column) const {
        return p.b + column * p.ld + (static_cast<long long>(tail) * p.at.stages + (p.at.stages - j)) * 16;
    }
    /// The caller's vectors of `count` stages j, j + 1, ..., all columns, on their way to `to`: see wait_for_copies().
    __device__ __forceinline__ void copy_vectors(double* to, int j, int count) const {
        for (int i = lane; i < count * 16 * NR; i += 32) {
            const int column = (i >> 4) % NR;
            if (column < p.columns) {
                copy_8_bytes(to + i, unknowns(j + i / (16 * NR), column) + (i & 15));
            } else {
                to[i] = 0.0;
            }
        }
    }

    /// r = sum of the two vectors; targets updated; the operands of W in r0, r1.
    __device__ __forceinline__ void forward(const record_part& m, const double* r, const double* r_too,
                                            double* target_b, double* target_a, bool has_left,
                                            double2 (&r0)[NR], double2 (&r1)[NR]) const {
        double* target = (q < 2 ? target_b : target_a) + g + 8 * (q & 1);
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) {
            const double2* x = reinterpret_cast<const double2*>(r + 16 * n);
            const double2* y = reinterpret_cast<const double2*>(r_too + 16 * n);
            const double2 x0 = x[q], x1 = x[4 + q], y0 = y[q], y1 = y[4 + q];
            r0[n] = make_double2(x0.x + y0.x, x0.y + y0.y);
            r1[n] = make_double2(x1.x + y1.x, x1.y + y1.y);
            const double old = target[16 * n];
            const double change = gains_times(m, r0[n], r1[n], lane);
            if (q < 2 || has_left) target[16 * n] = old - change;
        }
    }
    /// z <- W^T y.
    __device__ __forceinline__ void finish(const double2 (&w)[3], const double2 (&y)[NR], double* z) const {
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) {
            const double value = apply_w_transposed(w, y[n], lane);
            if (lane < 16) z[16 * n + kept_column(lane)] = value;
        }
    }
    /// x = z - G_b^T x_b - G_a^T x_a over z, and out to the caller.
    __device__ __forceinline__ void backward(const record_part& m, double* z, const double* xb,
                                             const double* xa, int j) const {
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) {
            const double change = gains_transposed_times(m, xb + 16 * n, xa + 16 * n, lane);
            if (lane < 16) {
                const int i = kept_column(lane);
                const double x = z[16 * n + i] - change;
                z[16 * n + i] = x;
                if (n < p.columns) unknowns(j, n)[i] = x;
            }
        }
    }
};

/// The separators of a tail, level by level, and x_1 as the last job: dealt to the warps in turn, so that while one warp
/// ends its work on a level another begins the next. `mine` counts this warp's jobs.
struct job_deal {
    int warp, warps, turn, mine;

    static __device__ __forceinline__ int at_level(int l, int chunks) {
        return (chunks - 1 + (1 << l)) >> (l + 1);
    }
    static __device__ __forceinline__ int levels(int chunks) { return 32 - __clz(chunks - 1); }
    /// This warp's first job on the level whose turn it is; the next ones are `warps` further.
    __device__ __forceinline__ int first() const { return warp >= turn ? warp - turn : warp - turn + warps; }
    __device__ __forceinline__ void next_level(int jobs) {
        for (turn += jobs; turn >= warps;) turn -= warps;
    }
    __device__ __forceinline__ void previous_level(int jobs) {
        for (turn -= jobs; turn < 0;) turn += warps;
    }
};

template <int NR, bool Clustered, sweep Sweep>
__global__ void __launch_bounds__(NR == 1 ? 512 : 256, 1)
    solve16_kernel(const __grid_constant__ solve16_args p, int cluster) {
    extern __shared__ __align__(128) double shared16[];
    constexpr int vec = 16 * NR;
    const int lane = static_cast<int>(threadIdx.x & 31), warp = uniform_warp_index();
    const int warps = static_cast<int>(blockDim.x >> 5);
    const int tail = Clustered ? static_cast<int>(blockIdx.x) / cluster : static_cast<int>(blockIdx.x);
    const int rank = Clustered ? static_cast<int>(blockIdx.x) % cluster : 0;
    const int slots = p.ring + p.separator_slots;
    const solve16_layout at(warps, slots, p.at.chunks, p.longest, NR);
    double* left =
        shared16 + at.left;  // what a separator has received from its left, and its own right-hand side
    double* right = shared16 + at.right;  // from its right
    double* chunk = shared16 + at.chunk + warp * (p.longest + 2) * vec;
    solver16<NR> s{p,
                   tail,
                   lane,
                   lane >> 2,
                   lane & 3,
                   {shared16 + warp * slots * record16,
                    shared_address(shared16 + at.barriers + warp * max_solve_slots), 0u},
                   shared16 + at.zero};
    const unsigned long long epoch = Sweep == sweep::fused ? *p.epoch + 1 : 0;

    // This warp's chunk: stages a + 1 .. b - 1 between separators a and b.
    const int index = (Clustered ? rank * warps : 0) + warp;
    const bool active = index<p.at.chunks, has_left = index> 0;
    const int a = active ? p.at.split[index] : 0, b = active ? p.at.split[index + 1] : 1, m = b - a - 1;
    job_deal deal{warp, warps, 0, 0};

    if (active) {
        // The separator's own right-hand side comes with its chunk; the backward sweep takes x from elsewhere.
        const int count = Sweep == sweep::backward ? m : m + 1;
        s.copy_vectors(chunk, a + 1, count);
        for (int i = lane; i < vec; i += 32) chunk[(m + 1) * vec + i] = 0.0;
    }
    // The records: nothing that is fetched here depends on the right-hand side.
    if (lane < slots) barrier_init(s.ring.barriers + 8u * lane);
    barrier_init_fence();
    __syncwarp();  // the barriers before anyone's copy arrives there
    if (lane < m && lane < p.ring) {
        const int step = Sweep == sweep::backward ? m - 1 - lane : lane;
        const int slot = Sweep == sweep::backward ? step % p.ring : step;
        s.ring.start(slot, s.record(a + 1 + step), has_left, Sweep == sweep::backward);
    }
#pragma unroll 1
    for (int l = 0; (1 << l) < p.at.chunks; ++l) {
        const int jobs = job_deal::at_level(l, p.at.chunks);
#pragma unroll 1
        for (int i = deal.first(); i < jobs; i += warps, ++deal.mine) {
            if (lane == 0 && rank == 0) {
                s.ring.start(p.ring + deal.mine, s.record(p.at.split[(2 * i + 1) << l]), i > 0,
                             Sweep == sweep::backward);
            }
        }
        deal.next_level(jobs);
    }
    const int root_warp = deal.turn;
    if (lane == 0 && rank == 0 && warp == root_warp) {
        s.ring.start(p.ring + deal.mine, s.record(p.at.stages), false, Sweep == sweep::backward);
    }
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < (p.at.chunks + 2) * vec;
         i += static_cast<int>(blockDim.x)) {
        // The root's place in tail 0 gets its right-hand side below, from another warp.
        const bool root_of_first =
            tail == 0 && i >= (p.at.chunks + 1) * vec && i / 16 - (p.at.chunks + 1) * NR < p.columns;
        if (Sweep == sweep::backward || !root_of_first) left[i] = 0.0;
        right[i] = 0.0;
    }
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < vec; i += static_cast<int>(blockDim.x)) s.zero[i] = 0.0;
    double2 w_root[3];
    if (Sweep == sweep::fused && warp == root_warp && rank == 0) {
        record_part r;
        r.load_inverse(p.root_record, lane);
        for (int i = 0; i < 3; ++i) w_root[i] = r.w[i];
    }
    if (Sweep != sweep::backward && tail == 0 && rank == 0 && warp == root_warp) {
        // The root's right-hand side joins tail 0's part, so that nobody reads it after x_0 stands there.
        for (int i = lane; i < vec; i += 32) {
            if ((i >> 4) < p.columns) {
                copy_8_bytes(
                    left + (p.at.chunks + 1) * vec + i,
                    p.b + (i >> 4) * p.ld + static_cast<long long>(p.tails) * p.at.stages * 16 + (i & 15));
            }
        }
    }
    wait_for_copies();
    __syncwarp();                                // this warp's vectors
    if constexpr (Clustered) cluster_barrier();  // block 0's vectors are zero before anyone writes there
    __syncthreads();                             // zero

    record_part r;
    double2 r0[NR], r1[NR], y[NR];
    if constexpr (Sweep != sweep::backward) {
        // ---- forward: chunks. z of a step is finished one step later, beside the next product.
        double2 w[3] = {};
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) y[n] = make_double2(0.0, 0.0);
        int slot = 0;
#pragma unroll 1
        for (int i = 0; i < m; ++i) {
            s.ring.wait(slot);
            r.load_gains(s.ring.slots + slot * record16, has_left, lane);
            r.load_inverse(s.ring.slots + slot * record16, lane);
            __syncwarp();  // the slot is read before it is filled again
            if (lane == 0 && i + p.ring < m)
                s.ring.start(slot, s.record(a + 1 + i + p.ring), has_left, false);
            slot = slot + 1 == p.ring ? 0 : slot + 1;
            s.forward(r, chunk + i * vec, s.zero, chunk + (i + 1) * vec, chunk + (m + 1) * vec, has_left, r0,
                      r1);
            if (i > 0) s.finish(w, y, chunk + (i - 1) * vec);
            SHOAL_UNROLL
            for (int n = 0; n < NR; ++n) y[n] = apply_w(r.w, r0[n], r1[n]);
            SHOAL_UNROLL
            for (int k = 0; k < 3; ++k) w[k] = r.w[k];
            __syncwarp();  // the targets before the next step reads them
        }
        if (active) {
            double* to_left = left;
            double* to_right = right;
            if constexpr (Clustered) {
                to_left = in_block(left, 0);
                to_right = in_block(right, 0);
            }
            for (int i = lane; i < vec; i += 32) {
                to_left[(index + 1) * vec + i] = chunk[m * vec + i];
                if (has_left) to_right[index * vec + i] = chunk[(m + 1) * vec + i];
            }
        }
        if constexpr (Clustered) {
            cluster_barrier();  // the chunks' results before block 0 reads them
        }
        if (m > 0) s.finish(w, y, chunk + (m - 1) * vec);
        __syncwarp();
        if constexpr (Sweep == sweep::forward) {
            for (int i = lane; i < m * vec; i += 32) {
                const int n = (i >> 4) % NR;
                if (n < p.columns) s.unknowns(a + 1 + i / vec, n)[i & 15] = chunk[i];
            }
        }
        if (rank == 0) {
            // ---- forward: separators
            int unfinished = 0;
            job_deal walk{warp, warps, 0, 0};
            const auto finish = [&] {
                if (unfinished == 0) return;
                SHOAL_UNROLL
                for (int n = 0; n < NR; ++n) y[n] = apply_w(r.w, r0[n], r1[n]);
                s.finish(r.w, y, left + unfinished * vec);
                __syncwarp();  // z before this warp's other lanes store it
                if constexpr (Sweep == sweep::forward) {
                    for (int i = lane; i < vec; i += 32) {
                        if ((i >> 4) < p.columns) {
                            s.unknowns(p.at.split[unfinished], i >> 4)[i & 15] = left[unfinished * vec + i];
                        }
                    }
                }
                unfinished = 0;
            };
#pragma unroll 1
            for (int l = 0; (1 << l) < p.at.chunks; ++l) {
                __syncthreads();  // the chunks, or level l - 1, before level l reads them
                finish();
                const int jobs = job_deal::at_level(l, p.at.chunks);
#pragma unroll 1
                for (int i = walk.first(); i < jobs; i += warps, ++walk.mine) {
                    finish();
                    const int c = (2 * i + 1) << l, na = c - (1 << l), nb = min(c + (1 << l), p.at.chunks);
                    const int slot_of = p.ring + walk.mine;
                    s.ring.wait(slot_of);
                    r.load_gains(s.ring.slots + slot_of * record16, na > 0, lane);
                    r.load_inverse(s.ring.slots + slot_of * record16, lane);
                    s.forward(r, left + c * vec, right + c * vec, left + nb * vec, right + na * vec, na > 0,
                              r0, r1);
                    __syncwarp();  // r is read before z is written over it
                    unfinished = c;
                }
                walk.next_level(jobs);
            }
            __syncthreads();  // the last level before x_1
            finish();
            if (warp == root_warp) {
                const int slot_of = p.ring + deal.mine;
                s.ring.wait(slot_of);
                r.load_gains(s.ring.slots + slot_of * record16, false, lane);
                r.load_inverse(s.ring.slots + slot_of * record16, lane);
                double* root = left + (p.at.chunks + 1) * vec;
                s.forward(r, left + p.at.chunks * vec, s.zero, root, right, false, r0, r1);
                __syncwarp();  // the tail's part before other lanes publish it
                for (int i = lane; i < vec; i += 32) {
                    double2* to = p.partials + static_cast<long long>(tail) * vec + i;
                    if constexpr (Sweep == sweep::fused) {
                        store_flagged(to, root[i], epoch);
                    } else {
                        to->x = root[i];
                    }
                }
                unfinished = p.at.chunks;
                finish();
            }
        }
    }

    if constexpr (Sweep == sweep::forward) {
        __shared__ int is_last;
        if (rank != 0) return;
        if (warp == root_warp) {
            __syncwarp();  // this tail's part before its arrival
            if (lane == 0) {
                is_last = arrive(p.finished) == static_cast<unsigned>(p.tails - 1);
                if (is_last != 0) *p.finished = 0;
            }
        }
        __syncthreads();  // is_last
        if (is_last == 0) return;
    }
    // ---- root: every block adds the parts of all tails itself, in one order
    double* x_root = left + (p.at.chunks + 1) * vec;
    if (rank == 0 && Sweep != sweep::backward) {
        double* sums = shared16 + at.sums;
        const int threads = 32 * warps, rows = threads / vec, row = static_cast<int>(threadIdx.x) / vec;
        const int element = static_cast<int>(threadIdx.x) % vec;
        double sum = 0.0;
        constexpr int batch = 8;
#pragma unroll 1
        for (int i = row; i < p.tails; i += rows * batch) {
            double value[batch];
            unsigned long long flag[batch];
            const double2* from = p.partials + element;
            SHOAL_UNROLL
            for (int k = 0; k < batch; ++k) {
                const double2* part = from + static_cast<long long>(min(i + k * rows, p.tails - 1)) * vec;
                if constexpr (Sweep == sweep::fused) {
                    load_flagged(part, value[k], flag[k]);
                } else {
                    value[k] = __ldcg(&part->x);
                }
            }
            SHOAL_UNROLL
            for (int k = 0; k < batch; ++k) {
                if constexpr (Sweep == sweep::fused) {
                    const double2* part = from + static_cast<long long>(min(i + k * rows, p.tails - 1)) * vec;
                    while (flag[k] != epoch) load_flagged(part, value[k], flag[k]);
                }
                if (i + k * rows < p.tails) sum += value[k];
            }
        }
        sums[threadIdx.x] = sum;
        __syncthreads();  // the rows' sums before the root's warp adds them
        if (warp == root_warp) {
            double total[(vec + 31) / 32];
            SHOAL_UNROLL
            for (int k = 0; k < (vec + 31) / 32; ++k) {
                total[k] = 0.0;
                if (lane + 32 * k < vec) {
                    for (int i = 0; i < rows; ++i) total[k] += sums[i * vec + lane + 32 * k];
                    x_root[lane + 32 * k] = total[k];
                }
            }
            __syncwarp();  // r_0 before it is read in pairs
            if constexpr (Sweep == sweep::forward) {
                record_part root;
                root.load_inverse(p.root_record, lane);
                for (int k = 0; k < 3; ++k) w_root[k] = root.w[k];
            }
            SHOAL_UNROLL
            for (int n = 0; n < NR; ++n) {
                const double2* x = reinterpret_cast<const double2*>(x_root + 16 * n);
                y[n] = apply_w(w_root, x[lane & 3], x[4 + (lane & 3)]);
            }
            __syncwarp();  // r_0 is read before x_0 is written over it
            s.finish(w_root, y, x_root);
            __syncwarp();  // x_0 before other lanes read it
            if (tail == 0 || Sweep == sweep::forward) {
                for (int i = lane; i < vec; i += 32) {
                    const int n = i >> 4;
                    if (n < p.columns) {
                        p.b[n * p.ld + static_cast<long long>(p.tails) * p.at.stages * 16 + (i & 15)] =
                            x_root[i];
                    }
                    if constexpr (Sweep == sweep::forward) p.root_solution[i] = x_root[i];
                }
            }
        }
    }
    if constexpr (Sweep != sweep::forward) {
        if constexpr (Sweep == sweep::backward) {
            if (rank == 0) {
                for (int i = static_cast<int>(threadIdx.x); i < vec; i += 32 * warps)
                    x_root[i] = p.root_solution[i];
                for (int c = 1 + warp; c <= p.at.chunks; c += warps)
                    s.copy_vectors(left + c * vec, p.at.split[c], 1);
                wait_for_copies();
                __syncthreads();  // z of the separators and x_0
            }
        }
        if (rank == 0) {
            // ---- backward: x_1, then separators
            if (warp == root_warp) {
                const int slot_of = p.ring + deal.mine;
                if constexpr (Sweep == sweep::backward) s.ring.wait(slot_of);
                r.load_gains(s.ring.slots + slot_of * record16, false, lane);
                s.backward(r, left + p.at.chunks * vec, x_root, s.zero, p.at.stages);
            }
#pragma unroll 1
            for (int l = job_deal::levels(p.at.chunks) - 1; l >= 0; --l) {
                __syncthreads();  // x of the level above before this one reads it
                const int jobs = job_deal::at_level(l, p.at.chunks);
                deal.previous_level(jobs);
                int i = deal.first();
                while (i + warps < jobs) i += warps;
#pragma unroll 1
                for (; i >= 0 && i < jobs; i -= warps) {
                    const int c = (2 * i + 1) << l, na = c - (1 << l), nb = min(c + (1 << l), p.at.chunks);
                    const int slot_of = p.ring + --deal.mine;
                    if constexpr (Sweep == sweep::backward) s.ring.wait(slot_of);
                    r.load_gains(s.ring.slots + slot_of * record16, na > 0, lane);
                    s.backward(r, left + c * vec, left + nb * vec, na > 0 ? left + na * vec : s.zero,
                               p.at.split[c]);
                }
            }
        }
        if constexpr (Clustered) {
            cluster_barrier();  // x of the separators before the other blocks read them
        } else {
            __syncthreads();  // x of the separators before the chunks read them
        }
        // ---- backward: chunks
        if (active) {
            const double* from = left;
            if constexpr (Clustered) from = in_block(left, 0);
            for (int i = lane; i < vec; i += 32) {
                chunk[m * vec + i] = from[(index + 1) * vec + i];
                chunk[(m + 1) * vec + i] = has_left ? from[index * vec + i] : 0.0;
            }
            __syncwarp();  // both neighbours before other lanes read them
        }
        if constexpr (Clustered) cluster_arrive();  // block 0 stays until all have read from it
        int slot = (m - 1) % p.ring;
#pragma unroll 1
        for (int i = m - 1; i >= 0; --i) {
            if (Sweep == sweep::backward || i < m - p.ring) s.ring.wait(slot);
            r.load_gains(s.ring.slots + slot * record16, has_left, lane);
            __syncwarp();  // the slot is read before it is filled again
            if (lane == 0 && i >= p.ring) s.ring.start(slot, s.record(a + 1 + i - p.ring), has_left, true);
            slot = slot == 0 ? p.ring - 1 : slot - 1;
            s.backward(r, chunk + i * vec, chunk + (i + 1) * vec, chunk + (m + 1) * vec, a + 1 + i);
            __syncwarp();  // x before the next step reads it
        }
        if constexpr (Sweep == sweep::fused) {
            if (rank == 0 && warp == root_warp && lane == 0) {
                // Every block has read the epoch before it arrives here, so the last one may count it up.
                if (atomicAdd(p.finished, 1u) == static_cast<unsigned>(p.tails - 1)) {
                    *p.finished = 0;
                    *p.epoch = epoch;
                }
            }
        }
        if constexpr (Clustered) cluster_wait();
    }
}

/// An arrow without tails: x_0 = W_0^T (W_0 b_0), one warp, one column.
static __global__ void __launch_bounds__(32) root_solve16_kernel(const double* root_record, double* b) {
    const int lane = static_cast<int>(threadIdx.x);
    record_part r;
    r.load_inverse(root_record, lane);
    const int q = lane & 3;
    const double2 y =
        apply_w(r.w, make_double2(b[2 * q], b[2 * q + 1]), make_double2(b[8 + 2 * q], b[9 + 2 * q]));
    const double x = apply_w_transposed(r.w, y, lane);
    __syncwarp();  // b is read before x is written over it
    if (lane < 16) b[kept_column(lane)] = x;
}

}  // namespace shoal::arrow::detail
