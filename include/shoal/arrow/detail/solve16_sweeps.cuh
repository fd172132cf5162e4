#pragma once

/// \file
/// The sweeps of a solve by one block (or cluster), and the root between them.

#include <shoal/arrow/detail/solve16_block.cuh>

namespace shoal::arrow::detail {

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::forward_chunks() {
    record_part r;
    double2 r0[NR], r1[NR], y[NR];
    // z of a step is finished one step later, beside the next product; that of the last ones, whose records stay, while the
    // root is waited for.
    const int now = finished_at_once();
    double2 w[3] = {};
    SHOAL_UNROLL
    for (int n = 0; n < NR; ++n) y[n] = make_double2(0.0, 0.0);
    int slot = 0;
#pragma unroll 1
    for (int i = 0; i < m; ++i) {
        s.ring.wait(slot);
        r.load_gains(s.ring.slots + slot * record16, has_left, lane);
        if (i < now) r.load_inverse(s.ring.slots + slot * record16, lane);
        __syncwarp();  // the slot is read before it is filled again
        if (lane == 0 && i + p.ring < m) s.ring.start(slot, s.record(a + 1 + i + p.ring), has_left, false);
        slot = slot + 1 == p.ring ? 0 : slot + 1;
        s.forward(r, chunk + i * vec, s.zero, chunk + (i + 1) * vec, chunk + (m + 1) * vec, has_left, r0, r1);
        if (i > 0 && i <= now) s.finish(w, y, chunk + (i - 1) * vec);
        if (i < now) {
            SHOAL_UNROLL
            for (int n = 0; n < NR; ++n) y[n] = apply_w(r.w, r0[n], r1[n]);
            SHOAL_UNROLL
            for (int k = 0; k < 3; ++k) w[k] = r.w[k];
        }
        __syncwarp();  // the targets before the next step reads them
    }
    if (active) {
        double* to_left = left;
        double* to_right = right;
        if constexpr (Who == workers::cluster) {
            to_left = in_block(left, 0);
            to_right = in_block(right, 0);
        }
        for (int i = lane; i < vec; i += 32) {
            to_left[(index + 1) * vec + i] = chunk[m * vec + i];
            if (has_left) to_right[index * vec + i] = chunk[(m + 1) * vec + i];
        }
    }
    if constexpr (Who == workers::cluster) {
        cluster_barrier();  // the chunks' results before block 0 reads them
    }
    if (m > 0 && now == m) s.finish(w, y, chunk + (m - 1) * vec);
    __syncwarp();
    if constexpr (Sweep == sweep::forward) {
        for (int i = lane; i < m * vec; i += 32) {
            const int n = (i >> 4) % NR;
            if (n < p.columns) s.unknowns(a + 1 + i / vec, n)[i & 15] = chunk[i];
        }
    }
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::finish_chunks() {
    int i = finished_at_once();
    if (i >= m) return;
    int slot = i % p.ring;
#pragma unroll 1
    for (; i < m; ++i) {
        record_part r;
        double2 y[NR];
        r.load_inverse(s.ring.slots + slot * record16, lane);
        slot = slot + 1 == p.ring ? 0 : slot + 1;
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) {
            const double2* x = reinterpret_cast<const double2*>(chunk + i * vec + 16 * n);
            y[n] = apply_w(r.w, x[lane & 3], x[4 + (lane & 3)]);
        }
        __syncwarp();  // r is read before z is written over it
        s.finish(r.w, y, chunk + i * vec);
    }
    __syncwarp();  // z before other lanes read it
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::forward_separators() {
    record_part r;
    double2 r0[NR], r1[NR], y[NR];
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
            s.forward(r, left + c * vec, right + c * vec, left + nb * vec, right + na * vec, na > 0, r0, r1);
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
        s.forward(r, left + p.at.chunks * vec, s.zero, root(), right, false, r0, r1);
        __syncwarp();  // the tail's part before other lanes publish it
        for (int i = lane; i < vec; i += 32) {
            double2* to = p.partials + static_cast<long long>(tail) * vec + i;
            if constexpr (Sweep == sweep::fused) {
                store_flagged(to, root()[i], epoch);
            } else {
                to->x = root()[i];
            }
        }
        unfinished = p.at.chunks;
        finish();
    }
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::solve_root() {
    const int threads = 32 * warps, rows = threads / vec, row = static_cast<int>(threadIdx.x) / vec;
    const int element = static_cast<int>(threadIdx.x) % vec;
    double sum = 0.0;
    constexpr int batch = NR == 1 ? 16 : 8;
#pragma unroll 1
    for (int i = row; i < p.tails; i += rows * batch) {
        double value[batch];
        unsigned long long flag[batch];
        const double2* from = p.partials + (static_cast<long long>(system) * p.tails + i) * vec + element;
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            value[k] = 0.0;
            flag[k] = epoch;
            if (i + k * rows >= p.tails) continue;
            if constexpr (Sweep == sweep::fused) {
                load_flagged(from + k * rows * vec, value[k], flag[k]);
            } else {
                value[k] = __ldcg(&from[k * rows * vec].x);
            }
        }
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            while (flag[k] != epoch) load_flagged(from + k * rows * vec, value[k], flag[k]);
            sum += value[k];
        }
    }
    sums[threadIdx.x] = sum;
    __syncthreads();  // the rows' sums before the root's warp adds them
    if (warp == root_warp) {
        double2 y[NR];
        constexpr int share = NR == 1 ? 2 : 1;  // lanes that add the rows of one element
        SHOAL_UNROLL
        for (int k = 0; k < (vec + 31) / 32; ++k) {
            const int i = lane % (32 / share) + 32 * k;
            double total = 0.0;
            for (int r = lane / (32 / share); r < rows; r += share) total += sums[r * vec + i];
            if constexpr (share == 2) total += from_lane_xor(total, 16);
            root()[i] = total;
        }
        __syncwarp();  // r_0 before it is read in pairs
        if constexpr (Sweep == sweep::forward) {
            record_part record;
            record.load_inverse(p.root_record + system * inverse_doubles, lane);
            for (int k = 0; k < 3; ++k) w_root[k] = record.w[k];
        }
        SHOAL_UNROLL
        for (int n = 0; n < NR; ++n) {
            const double2* x = reinterpret_cast<const double2*>(root() + 16 * n);
            y[n] = apply_w(w_root, x[lane & 3], x[4 + (lane & 3)]);
        }
        __syncwarp();  // r_0 is read before x_0 is written over it
        s.finish(w_root, y, root());
        __syncwarp();  // x_0 before other lanes read it
        if (Sweep == sweep::fused && !is_first) return;
        if constexpr (Sweep == sweep::fused) {
            if (p.sum == root_sum::first_tail) {
                for (int i = lane; i < vec * root_copies(p.tails); i += 32) {
                    store_flagged(told(0) + i, root()[i % vec], epoch);
                }
            }
        }
        for (int i = lane; i < vec; i += 32) {
            if constexpr (Sweep == sweep::forward) told(0)[i].x = root()[i];
            if ((i >> 4) < p.columns) root_unknowns(i >> 4)[i & 15] = root()[i];
        }
    }
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::await_root() {
    if (warp != root_warp) return;
    for (int i = lane; i < vec; i += 32) {
        double value;
        unsigned long long flag;
        do {
            load_flagged(told((tail - system * p.tails) / 16) + i, value, flag);
        } while (flag != epoch);
        root()[i] = value;
    }
    __syncwarp();  // x_0 before other lanes read it
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::backward_separators() {
    record_part r;
    if (warp == root_warp) {
        const int slot_of = p.ring + deal.mine;
        if constexpr (Sweep == sweep::backward) s.ring.wait(slot_of);
        r.load_gains(s.ring.slots + slot_of * record16, false, lane);
        s.backward(r, left + p.at.chunks * vec, root(), s.zero, p.at.stages);
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
            s.backward(r, left + c * vec, left + nb * vec, na > 0 ? left + na * vec : s.zero, p.at.split[c]);
        }
    }
}

template <int NR, workers Who, sweep Sweep>
__device__ __forceinline__ void solve_block<NR, Who, Sweep>::backward_chunks() {
    record_part r;
    if (active) {
        const double* from = left;
        if constexpr (Who == workers::cluster) from = in_block(left, 0);
        for (int i = lane; i < vec; i += 32) {
            chunk[m * vec + i] = from[(index + 1) * vec + i];
            chunk[(m + 1) * vec + i] = has_left ? from[index * vec + i] : 0.0;
        }
        __syncwarp();  // both neighbours before other lanes read them
    }
    if constexpr (Who == workers::cluster) cluster_arrive();  // block 0 stays until all have read from it
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
}

}  // namespace shoal::arrow::detail
