#pragma once

/// \file
/// Factorisation of an arrow of 16 x 16 double blocks: one kernel, one thread block (or cluster) per tail.
///
/// The order is that of schedule.hpp:
/// 1. One warp per chunk eliminates the interior; nothing but the factor leaves its registers.
/// 2. The separators, in shared memory, level by level. Their updates go to two slots per separator, one from each side,
///    so that no two warps ever add to the same place.
/// 3. x_1 is eliminated into the root; the last tail to arrive adds all M contributions in a fixed order.
///
/// The factor of a stage is one record: W = L^{-1} (3 tiles), G_b = K_b D^{-1}, G_a = K_a D^{-1} (4 tiles each), for its
/// neighbours b (towards the root) and a (towards the free end). Products with W and G are all that a solve needs. D^{-1}
/// itself is not stored: z = W^T (W r) has the backward error of a triangular solve, D^{-1} r loses up to seven digits
/// at condition 1e12.

#include <shoal/arrow/detail/bulk_copy.cuh>
#include <shoal/arrow/detail/eliminate16.cuh>
#include <shoal/arrow/detail/failure.hpp>
#include <shoal/arrow/detail/schedule.hpp>

namespace shoal::arrow::detail {

struct factor16_args {
    int tails, group;
    chunk_schedule at;
    matrix_view<const double> K;
    double* records;              // tails * stages records
    double* root_record;          // W of the root
    double* grams;                // per tail: its contribution to the root, lower tiles
    double* group_grams;          // per group of tails: their sum
    unsigned* arrivals;           // [0]: groups; [1 + i]: tails of group i. Zero between launches
    unsigned long long* failure;  // smallest key of a bad pivot; all ones between launches
    info* result;
};

/// What is known of the separators of one tail, in shared memory. All values negated, as `eliminate16` wants them.
struct separators {
    double* base;
    __device__ __forceinline__ double* from_left(int c) const { return base + (c - 1) * separator_doubles; }
    __device__ __forceinline__ double* from_right(int c) const { return from_left(c) + lower_doubles; }
    __device__ __forceinline__ double* to_left(int c) const {
        return from_left(c) + 2 * lower_doubles;
    }                                                                                               // K(a, c)
    __device__ __forceinline__ double* to_right(int c) const { return to_left(c) + full_doubles; }  // K(b, c)
};

/// A finished elimination whose record is still to be written: its products fill the latency of the next one.
template <int NK>
struct pending {
    fragment Wt, K[NK];

    /// Part 0: G_b. Part 1: G_a. Part 2: W.
    __device__ __forceinline__ void store(int part, double* record, int lane, bool really) const {
        fragment G;
        if (part < NK) {
            gain_tile(G, K[part], Wt, 0);
            gain_tile(G, K[part], Wt, 1);
            double2* z = reinterpret_cast<double2*>(record + lower_doubles + part * full_doubles) + lane;
            SHOAL_UNROLL
            for (int i = 0; i < 4; ++i) {
                if (really) z[32 * i] = make_double2(G.v[i >> 1][i & 1][0], G.v[i >> 1][i & 1][1]);
            }
        } else if (part == 2) {
            double* z = record + (lane & 3) * 16 + (lane >> 2);
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) {
                if (really) z[8 * s] = Wt.v[0][0][s];
                if (really) z[64 + 8 * s] = Wt.v[0][1][s];
                if (really) z[128 + 8 * s] = Wt.v[1][1][s];
            }
        }
    }
    __device__ __forceinline__ void store_all(double* record, int lane) const {
        SHOAL_UNROLL
        for (int part = 0; part < 3; ++part) store(part, record, lane, true);
    }
};

/// One warp's view of one tail.
struct tail16 {
    const factor16_args& p;
    int tail, lane;
    elimination_scratch scratch;
    mutable unsigned phases = 0;  // of the input barriers
    block_offsets at;

    __device__ __forceinline__ tail16(const factor16_args& args, int i, int l, double* s)
        : p(args), tail(i), lane(l), scratch{s}, at(l) {
        if (lane < 2) barrier_init(scratch.input_barrier(lane));
        barrier_init_fence();
        __syncwarp();  // the barriers before anyone waits there
    }
    __device__ __forceinline__ const double* diagonal(int j) const {
        return p.K.diagonal + (static_cast<long long>(tail) * p.at.stages + (p.at.stages - j)) * 256;
    }
    /// The caller's block between j and j + 1: K(j, j+1), so its transpose is K(j+1, j).
    __device__ __forceinline__ const double* coupling(int j) const {
        return p.K.lower + (static_cast<long long>(tail) * (p.at.stages - 1) + (p.at.stages - 1 - j)) * 256;
    }
    __device__ __forceinline__ double* record(int j) const {
        return p.records + (static_cast<long long>(tail) * p.at.stages + (j - 1)) * record16;
    }
    __device__ __forceinline__ void report(int round, int j, int bad) const {
        if (bad != 0 && lane == 0) atomicMin(p.failure, failure_key(tail, round, j, bad));
    }
};

/// Eliminates the interior a + 1 .. b - 1 of chunk c of `chunks`. Left: whether the chunk has a separator on its left (all
/// but the first).
template <bool Left>
__device__ __forceinline__ void eliminate_chunk(const tail16& t, int c, int chunks, int a, int b,
                                                separators out) {
    constexpr int NK = Left ? 2 : 1;
    const int lane = t.lane;
    // The left neighbour is eliminated first exactly when the right one is not.
    const bool left_last = (c & 1) != 0 && c < chunks;
    fragment D, K[NK], Wt, sum;
    set_zero(sum);
    if (a + 1 == b) {  // no interior
        load_symmetric(D, t.diagonal(b), t.at);
        negate_lower(D);
        store_lower(out.from_left(c), D, lane);
        if constexpr (Left) {
            store_lower(out.from_right(c - 1), sum, lane);
            if (left_last) {
                load_block(K[0], t.coupling(a), t.at);
            } else {
                load_block_transposed(K[0], t.coupling(a), t.at);
            }
            negate(K[0]);
            store_full(left_last ? out.to_left(c) : out.to_right(c - 1), K[0], lane);
        }
        return;
    }
    // Blocks of stage j come through slot j & 1, two steps ahead. Asking the L2 cache for more
    // of them costs: at 200 x 160 prefetches four steps further made it 20 % slower.
    const auto fetch = [&](int j) {
        const unsigned barrier = t.scratch.input_barrier(j & 1),
                       target = shared_address(t.scratch.input(j & 1));
        expect_bytes(barrier, j < b ? 4096 : 2048);
        bulk_copy_part(target, t.diagonal(j), 2048, barrier);
        if (j < b) bulk_copy_part(target + 2048, t.coupling(j), 2048, barrier);
    };
    unsigned phases = t.phases;
    const auto receive = [&](int j, fragment& block, fragment& coupling) {
        barrier_wait(t.scratch.input_barrier(j & 1), (phases >> (j & 1)) & 1u);
        phases ^= 1u << (j & 1);
        load_symmetric(block, t.scratch.input(j & 1), t.at);
        load_block_transposed(coupling, t.scratch.input(j & 1) + full_doubles, t.at);
    };
    if (lane == 0) {
        fetch(a + 1);
        fetch(a + 2);
    }
    if constexpr (Left) load_block(K[1], t.coupling(a), t.at);
    receive(a + 1, D, K[0]);
    __syncwarp();  // the slot is read before it is filled again
    if (lane == 0 && a + 3 <= b) fetch(a + 3);
    if constexpr (Left) negate(K[1]);
    negate_lower(D);
    negate(K[0]);
    // The step before this one: what it adds to its neighbours, and its record, are made while this one waits for its
    // pivots. Zero before the first.
    pending<NK> last;
    set_zero(last.Wt);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) set_zero(last.K[k]);
#pragma unroll 1
    for (int j = a + 1; j < b; ++j) {
        double* previous = t.record(j - 1);
        const bool really = j > a + 1;
        add_outer_tile(D, last.K[0], last.K[0], 0);
        const auto side = [&](int panel) {
            if (panel == 0) {
                add_gram_tile(D, last.K[0]);
                if constexpr (Left) add_outer(K[1], last.K[1], last.K[0]);
            }
            if (panel == 1) {
                if constexpr (Left) add_gram(sum, last.K[1]);
            }
            if (panel == 2) last.store(0, previous, lane, really);
            if (panel == 3) {
                last.store(1, previous, lane, really);
                last.store(2, previous, lane, really);
            }
        };
        t.report(0, j, eliminate16<NK>(D, K, Wt, t.scratch, lane, side));
        last.Wt = Wt;
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) last.K[k] = K[k];
        receive(j + 1, D, K[0]);  // at the separator the coupling is old data that nobody uses
        negate_lower(D);
        negate(K[0]);
        if constexpr (Left) set_zero(K[1]);
        __syncwarp();  // the slot is read before it is filled again
        if (lane == 0 && j + 3 <= b) fetch(j + 3);
    }
    add_gram(D, last.K[0]);
    store_lower(out.from_left(c), D, lane);
    if constexpr (Left) {
        fragment fill;
        set_zero(fill);
        if (left_last) {
            add_outer(fill, last.K[1], last.K[0]);
        } else {
            add_outer(fill, last.K[0], last.K[1]);
        }
        store_full(left_last ? out.to_left(c) : out.to_right(c - 1), fill, lane);
        add_gram(sum, last.K[1]);
        store_lower(out.from_right(c - 1), sum, lane);
    }
    last.store_all(t.record(b - 1), lane);
    t.phases = phases;
}

/// Eliminates separator c, of neighbours a (0: none) and b, into separators a and b; its record stays pending.
/// left_last: b is eliminated before a. \return 0, or the bad row
__device__ __forceinline__ int eliminate_separator(const tail16& t, int c, int a, int b, bool left_last,
                                                   separators sep, pending<2>& done) {
    const int lane = t.lane;
    fragment D, T;
    load_lower(D, sep.from_left(c), lane);
    load_lower(T, sep.from_right(c), lane);
    load_full(done.K[0], sep.to_right(c), lane);
    add_lower(D, T);
    int bad = 0;
    if (a == 0) {
        fragment K[1] = {done.K[0]};
        bad = eliminate16<1>(D, K, done.Wt, t.scratch, lane, [](int) {});
        done.K[0] = K[0];
    } else {
        load_full(done.K[1], sep.to_left(c), lane);
        bad = eliminate16<2>(D, done.K, done.Wt, t.scratch, lane, [](int) {});
        fragment fill;
        set_zero(fill);
        if (left_last) {
            add_outer(fill, done.K[1], done.K[0]);
        } else {
            add_outer(fill, done.K[0], done.K[1]);
        }
        load_lower(T, sep.from_right(a), lane);
        add_gram(T, done.K[1]);
        store_lower(sep.from_right(a), T, lane);
        store_full(left_last ? sep.to_left(b) : sep.to_right(a), fill, lane);
    }
    load_lower(T, sep.from_left(b), lane);
    add_gram(T, done.K[0]);
    store_lower(sep.from_left(b), T, lane);
    return bad;
}
/// Adds count grams in the order first, first + step, ... into the lower tiles of X.
__device__ __forceinline__ void sum_grams(fragment& X, const double* grams, int first, int count, int step,
                                          int lane) {
    double2 s0 = {0, 0}, s1 = {0, 0}, s2 = {0, 0};
    const double2* z = reinterpret_cast<const double2*>(grams) + lane;
#pragma unroll 4
    for (int i = first; i < count; i += step) {
        const double2* y = z + static_cast<long long>(i) * (lower_doubles / 2);
        const double2 a = __ldcg(y), b = __ldcg(y + 32), c = __ldcg(y + 64);
        s0.x += a.x, s0.y += a.y, s1.x += b.x, s1.y += b.y, s2.x += c.x, s2.y += c.y;
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
