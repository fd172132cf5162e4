#pragma once

/// \file
/// Factorisation of an arrow of 16 x 16 double blocks: one kernel, one thread block (or cluster) per tail; the steps, the
/// order and the record of a stage are described in factor16_steps.cuh.

#include <shoal/arrow/detail/factor16_chunk.cuh>
#include <shoal/arrow/detail/factor16_separator.cuh>
#include <shoal/arrow/detail/factor16_sums.cuh>

namespace shoal::arrow::detail {

/// What the factorisation found, once the root is done: by one lane. key: of the tails.
__device__ __forceinline__ void conclude(const factor16_args& p, int system, unsigned long long key,
                                         int bad_in_root) {
    p.result[system] = key != no_failure ? decode_failure(key, p.at.stages) : info{-1, 0, bad_in_root};
    p.failure[system] = no_failure;
}
/// Separator `at` := the root minus the sum of all grams, ready to be eliminated; its other slots are zero.
__device__ __forceinline__ void put_root(const double* root, const fragment& sum, separators sep, int at,
                                         int lane) {
    const block_offsets where(lane);
    fragment D, none;
    load_symmetric(D, root, where);
    negate_lower(D);
    add_lower(D, sum);
    set_zero(none);
    store_lower(sep.from_left(at), D, lane);
    store_lower(sep.from_right(at), none, lane);
    store_full(sep.to_right(at), none, lane);
}

/// The blocks of a cluster share the chunks, block 0 does the rest.
template <workers Who>
__global__ void __launch_bounds__(max_factor_warps * 32, 1)
    factor16_kernel(const __grid_constant__ factor16_args p, int cluster) {
    extern __shared__ __align__(128) double shared16[];
    __shared__ unsigned tasks;  // sums to make: bit 0 of a group, bit 1 of the groups
    __shared__ __align__(8) unsigned long long last_inputs;  // barrier of x_1's coupling and of the root
    const int lane = static_cast<int>(threadIdx.x & 31), warp = uniform_warp_index();
    const int warps = static_cast<int>(blockDim.x >> 5), P = p.at.chunks;
    const int tail =
        Who == workers::cluster ? static_cast<int>(blockIdx.x) / cluster : static_cast<int>(blockIdx.x);
    const int rank = Who == workers::cluster ? static_cast<int>(blockIdx.x) % cluster : 0,
              blocks = Who == workers::cluster ? cluster : 1;
    const int system = p.systems == 1 ? 0 : tail / p.tails;
    const factor16_layout where(warps, P);
    const tail16 t(p, tail, lane, shared16 + warp * eliminate_scratch);
    const separators mine{shared16 + where.separators};
    separators home = mine;
    const bool prepares = rank == 0 && warp == warps - 1;  // x_1 and the root
    if (prepares && lane == 0) {
        barrier_init(shared_address(&last_inputs));
        barrier_init_fence();
    }
    if constexpr (Who == workers::cluster) {
        home.base = in_block(mine.base, 0);
        cluster_barrier();  // every block of the cluster runs before anyone writes into block 0
    }
    wait_for_kernel_before();
    // The caller's blocks of x_1's coupling and of the root wait in slots that nobody uses.
    double *coupling = mine.to_left(P), *root = mine.to_left(P + 1);
    const unsigned launch = p.launches[system];
    sum_tasks drawn{};
    if (prepares) {
        __syncwarp();  // the barrier before the other lanes wait there
        if (lane == 0) {
            const unsigned barrier = shared_address(&last_inputs);
            expect_bytes(barrier, 4096);
            bulk_copy_part(shared_address(coupling), p.K.coupling + static_cast<long long>(tail) * 256, 2048,
                           barrier);
            bulk_copy_part(shared_address(root), p.K.root + static_cast<long long>(system) * 256, 2048,
                           barrier);
            drawn.begin(p, tail, system);
        }
    }
    const int first = 1 + warp * blocks + rank, stride = warps * blocks;
    if (Who == workers::cluster && first > P) cluster_arrive();
#pragma unroll 1
    for (int c = first; c <= P; c += stride) {
        // Arriving makes this warp's writes visible to block 0, and so waits for all of them: the last record comes behind it.
        const auto after = [&] {
            if (Who == workers::cluster && c + stride > P) cluster_arrive();
        };
        if (c == 1) {
            eliminate_chunk<1>(t, c, P, 0, p.at.split[1], home, after);
        } else {
            eliminate_chunk<2>(t, c, P, p.at.split[c - 1], p.at.split[c], home, after);
        }
    }
    if constexpr (Who == workers::cluster) {
        cluster_wait();  // the chunks' results before block 0 reads them
        if (rank != 0) return;
    }
    if (prepares) {
        // x_1 is separator P, the root P + 1: it receives the tail's contribution.
        fragment C, none;
        set_zero(none);
        store_lower(mine.from_right(P), none, lane);
        store_lower(mine.from_left(P + 1), none, lane);
        barrier_wait(shared_address(&last_inputs), 0);
        load_block(C, coupling, t.at);
        negate(C);
        store_full(mine.to_right(P), C, lane);
        if (lane == 0) tasks = drawn.tasks(p, tail, system);
    }
    // Levels 0 .. levels - 1, then x_1, then (of one block) the root. The warps take turns, and records are
    // written behind the next barrier: another warp is then already at work on the next level. One body for all of them:
    // the instruction cache is small.
    pending done;
    const auto flush = [&] { done.flush(lane); };
    const int levels = separator_levels(P);
    int turn = 0;
    unsigned long long failure = no_failure;
#pragma unroll 1
    for (int l = 0; l <= levels + 1; ++l) {
        const int jobs = l < levels ? (P - 1 + (1 << l)) >> (l + 1) : 1;
        int job = warp >= turn ? warp - turn : warp - turn + warps, stage = 0;
        const auto make_job = [&] {
            const int c = l < levels ? min((2 * job + 1) << l, P) : P + l - levels;
            const int a = l < levels ? c - (1 << l) : 0;
            const int b = l < levels    ? min(c + (1 << l), P)
                          : l == levels ? P + 1
                                        : P;  // the root's goes nowhere
            const bool left_last = b < P && ((b >> (l + 1)) & 1) != 0, is_root = l > levels;
            stage = is_root ? 0 : p.at.split[c];
            return separator_job(mine, c, a, b, left_last, is_root,
                                 is_root ? p.root_record + system * inverse_doubles : t.record(stage));
        };
        separator_job now;
        if (job < jobs) now = make_job();  // who has none goes straight to the barrier: the others wait there
        __syncthreads();                   // the chunks, or the level before, before this level reads them
#pragma unroll 1
        do {
            flush();
            if (job >= jobs) break;
            const int bad = eliminate_separator(t, now, done);
            if (l > levels) {
                flush();
                if (lane == 0) conclude(p, system, failure, bad);
            } else {
                t.report(l < levels ? 1 + l : last_round, stage, bad);
            }
            job += warps;
            if (job < jobs) now = make_job();
        } while (job < jobs);
        if (l == levels) {
            let_next_kernel_begin();
            fragment X;
            if (warp == turn) load_lower(X, mine.from_left(P + 1), lane);
            if (!reduce_grams(p, tail, system, tasks, launch, X, shared16, lane, warp, warps, turn, flush)) {
                return;
            }
            if (warp == turn) {
                if (lane == 0) {
                    failure = __ldcg(p.failure + system);
                    p.launches[system] = launch + 1;
                }
                put_root(root, X, mine, P + 1, lane);
            }
        }
        for (turn += l == levels ? 0 : jobs; turn >= warps;) turn -= warps;
    }
}

/// Arrows without tails: the roots alone, a warp each.
static __global__ void __launch_bounds__(32) root16_kernel(const __grid_constant__ factor16_args p) {
    __shared__ __align__(16) double shared[eliminate_scratch + 2 * separator_doubles];
    const int lane = static_cast<int>(threadIdx.x), system = static_cast<int>(blockIdx.x);
    wait_for_kernel_before();
    const tail16 t(p, 0, lane, shared);
    const separators s{shared + eliminate_scratch};
    pending done;
    fragment none;
    set_zero(none);
    put_root(p.K.root + static_cast<long long>(system) * 256, none, s, 1, lane);
    store_lower(s.from_left(2), none, lane);
    __syncwarp();
    const int bad = eliminate_separator(
        t, separator_job(s, 1, 0, 2, false, true, p.root_record + system * inverse_doubles), done);
    done.flush(lane);
    if (lane == 0) conclude(p, system, no_failure, bad);
}

}  // namespace shoal::arrow::detail
