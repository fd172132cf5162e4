#pragma once

/// \file
/// Factorisation of an arrow of 16 x 16 double blocks: one kernel, one thread block (or cluster) per tail; the steps, the
/// order and the record of a stage are described in factor16_steps.cuh.

#include <shoal/arrow/detail/factor16_steps.cuh>

namespace shoal::arrow::detail {

/// Adds count grams in the order first, first + step, ... into the lower tiles of X.
__device__ __forceinline__ void sum_grams(fragment& X, const double* grams, int first, int count, int step,
                                          int lane) {
    double2 s0 = {0, 0}, s1 = {0, 0}, s2 = {0, 0};
    constexpr int batch = 4;  // grams on the way at once
#pragma unroll 1
    for (int i = first; i < count; i += batch * step) {
        double2 gram[batch][3];
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            const int which = i + k * step;
            const double2* z =
                reinterpret_cast<const double2*>(grams + static_cast<long long>(which) * lower_doubles);
            SHOAL_UNROLL
            for (int tile = 0; tile < 3; ++tile) {
                gram[k][tile] = which < count ? __ldcg(z + 32 * tile + lane) : make_double2(0.0, 0.0);
            }
        }
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            s0.x += gram[k][0].x, s0.y += gram[k][0].y;
            s1.x += gram[k][1].x, s1.y += gram[k][1].y;
            s2.x += gram[k][2].x, s2.y += gram[k][2].y;
        }
    }
    X.v[0][0][0] = s0.x, X.v[0][0][1] = s0.y;
    X.v[1][0][0] = s1.x, X.v[1][0][1] = s1.y;
    X.v[1][1][0] = s2.x, X.v[1][1][1] = s2.y;
    X.v[0][1][0] = X.v[0][1][1] = 0.0;
}

/// All warps of the block: the sum of a group's grams, then of the groups'. Of all blocks only one, the last to arrive,
/// returns true, with the total in X of warp `reducer`. meanwhile(): work of that warp that nobody waits for.
template <class F>
__device__ __forceinline__ bool reduce_grams(const factor16_args& p, int tail, fragment& X, double* shared,
                                             int lane, int warp, int warps, int reducer, F meanwhile) {
    __shared__ int is_last;
    const int group = tail / p.group, first = group * p.group, groups = (p.tails + p.group - 1) / p.group;
    int members = min(p.group, p.tails - first);
    const double* grams = p.grams + static_cast<long long>(first) * lower_doubles;
    unsigned* counter = p.arrivals + 1 + group;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        if (warp == reducer) {
            __syncwarp();  // this warp's gram, before the arrival that announces it
            if (lane == 0) {
                is_last = arrive(counter) == static_cast<unsigned>(members - 1);
                if (is_last != 0) *counter = 0;
            }
            if (pass == 0) meanwhile();
        }
        __syncthreads();  // is_last before everyone reads it
        if (is_last == 0) return false;
        sum_grams(X, grams, warp, members, warps, lane);
        store_lower(shared + warp * lower_doubles, X, lane);
        __syncthreads();  // the warps' sums before they are added; is_last read by all before the next pass sets it
        if (warp == reducer) {
            fragment T;
            load_lower(X, shared, lane);
            for (int w = 1; w < warps; ++w) {
                load_lower(T, shared + w * lower_doubles, lane);
                add_lower(X, T);
            }
            if (pass == 0 && groups > 1) {
                store_lower(p.group_grams + static_cast<long long>(group) * lower_doubles, X, lane);
            }
        }
        if (groups == 1) return true;
        grams = p.group_grams;
        counter = p.arrivals;
        members = groups;
    }
    return true;
}

/// What the factorisation found, once the root is done: by one lane.
__device__ __forceinline__ void conclude(const factor16_args& p, int bad_in_root) {
    const unsigned long long key = __ldcg(p.failure);
    *p.result = key != no_failure ? decode_failure(key, p.at.stages) : info{-1, 0, bad_in_root};
    *p.failure = no_failure;
}
/// Separator `at` := the root minus the sum of all grams, ready to be eliminated; its other slots are zero.
__device__ __forceinline__ void put_root(const factor16_args& p, const fragment& sum, separators sep, int at,
                                         int lane) {
    const block_offsets where(lane);
    fragment D, none;
    load_symmetric(D, p.K.root, where);
    negate_lower(D);
    add_lower(D, sum);
    set_zero(none);
    store_lower(sep.from_left(at), D, lane);
    store_lower(sep.from_right(at), none, lane);
    store_full(sep.to_right(at), none, lane);
}

/// Clustered: a tail is worked on by a cluster; its blocks share the chunks, block 0 does the rest.
template <bool Clustered>
__global__ void __launch_bounds__(max_factor_warps * 32, 1)
    factor16_kernel(const __grid_constant__ factor16_args p, int cluster) {
    extern __shared__ __align__(128) double shared16[];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = uniform_warp_index();
    const int warps = static_cast<int>(blockDim.x >> 5);
    const int tail = Clustered ? static_cast<int>(blockIdx.x) / cluster : static_cast<int>(blockIdx.x);
    const int rank = Clustered ? static_cast<int>(blockIdx.x) % cluster : 0;
    const tail16 t(p, tail, lane, shared16 + warp * eliminate_scratch);
    const separators mine{shared16 + warps * eliminate_scratch};
    separators home = mine;
    if constexpr (Clustered) {
        home.base = in_block(mine.base, 0);
        cluster_barrier();  // every block of the cluster runs before anyone writes into block 0
    }
    const int workers = Clustered ? warps * cluster : warps;
    const int P = p.at.chunks;
    if (rank == 0 && warp == warps - 1) {
        // x_1 is separator P, the root P + 1: it receives the tail's contribution.
        fragment C, none;
        load_block(C, p.K.coupling + static_cast<long long>(tail) * 256, t.at);
        set_zero(none);
        store_lower(mine.from_right(P), none, lane);
        store_lower(mine.from_left(P + 1), none, lane);
        negate(C);
        store_full(mine.to_right(P), C, lane);
    }
#pragma unroll 1
    for (int c = 1 + (Clustered ? rank * warps : 0) + warp; c <= p.at.chunks; c += workers) {
        if (c == 1) {
            eliminate_chunk<false>(t, c, p.at.chunks, 0, p.at.split[1], home);
        } else {
            eliminate_chunk<true>(t, c, p.at.chunks, p.at.split[c - 1], p.at.split[c], home);
        }
    }
    if constexpr (Clustered) {
        cluster_barrier();  // the chunks' results before block 0 reads them
        if (rank != 0) return;
    }
    // Levels 0 .. levels - 1, then x_1, then (the last tail to arrive only) the root. The warps take turns, and records are
    // written behind the next barrier: another warp is then already at work on the next level. One body for all of them:
    // the instruction cache is small.
    pending<2> done;
    set_zero(done.K[1]);
    bool has_left = false;
    int unwritten = 0;  // stage whose record is pending
    const auto flush = [&] {
        if (unwritten == 0) return;
        done.store(0, t.record(unwritten), lane, true);
        done.store(1, t.record(unwritten), lane, has_left);
        done.store(2, t.record(unwritten), lane, true);
        unwritten = 0;
    };
    const int levels = separator_levels(P);
    int turn = 0;
#pragma unroll 1
    for (int l = 0; l <= levels + 1; ++l) {
        __syncthreads();  // the chunks, or the level before, before this level reads them
        const int jobs = l < levels ? (P - 1 + (1 << l)) >> (l + 1) : 1;
        int job = warp >= turn ? warp - turn : warp - turn + warps;
#pragma unroll 1
        do {
            flush();
            if (job >= jobs) break;
            const int c = l < levels ? (2 * job + 1) << l : P + l - levels;
            const int a = l < levels ? c - (1 << l) : 0;
            const int b = l < levels    ? min(c + (1 << l), P)
                          : l == levels ? P + 1
                                        : P;  // the root's goes nowhere
            has_left = a > 0;
            const bool left_last = b < P && ((b >> (l + 1)) & 1) != 0;
            const int bad = eliminate_separator(t, c, a, b, left_last, mine, done);
            if (l <= levels) {
                unwritten = p.at.split[c];
                t.report(l < levels ? 1 + l : last_round, unwritten, bad);
            } else {
                store_transposed_lower(p.root_record, done.Wt, lane);
                if (lane == 0) conclude(p, bad);
            }
            job += warps;
        } while (job < jobs);
        if (l == levels) {
            fragment X;
            if (warp == turn) {
                load_lower(X, mine.from_left(P + 1), lane);
                store_lower(p.grams + static_cast<long long>(tail) * lower_doubles, X, lane);
            }
            double* sums = mine.base + (P + 1) * separator_doubles;
            if (!reduce_grams(p, tail, X, sums, lane, warp, warps, turn, flush)) return;
            if (warp == turn) put_root(p, X, mine, P + 1, lane);
        }
        for (turn += l == levels ? 0 : jobs; turn >= warps;) turn -= warps;
    }
}

/// An arrow without tails: the root alone. One warp.
static __global__ void __launch_bounds__(32) root16_kernel(const __grid_constant__ factor16_args p) {
    __shared__ __align__(16) double shared[eliminate_scratch + 2 * separator_doubles];
    const int lane = static_cast<int>(threadIdx.x);
    const tail16 t(p, 0, lane, shared);
    const separators s{shared + eliminate_scratch};
    pending<2> done;
    fragment none;
    set_zero(none);
    put_root(p, none, s, 1, lane);
    store_lower(s.from_left(2), none, lane);
    __syncwarp();
    const int bad = eliminate_separator(t, 1, 0, 2, false, s, done);
    store_transposed_lower(p.root_record, done.Wt, lane);
    if (lane == 0) conclude(p, bad);
}

}  // namespace shoal::arrow::detail
