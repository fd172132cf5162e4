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
    double* scratch;
    block_offsets at;

    __device__ __forceinline__ tail16(const factor16_args& args, int i, int l, double* s)
        : p(args), tail(i), lane(l), scratch(s), at(l) {}
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

/// Blocks that the prefetch runs ahead of the elimination.
inline constexpr int prefetch_distance = 4;

/// Eliminates the interior a + 1 .. b - 1 of chunk c of `chunks`. Left: whether the chunk has a separator on its left (all
/// but the first).
template <bool Left>
__device__ __forceinline__ void eliminate_chunk(const tail16& t, int c, int chunks, int a, int b,
                                                separators out) {
    constexpr int NK = Left ? 2 : 1;
    const int lane = t.lane;
    if (lane == 0) {
        for (int j = a + 2; j <= min(b, a + prefetch_distance); ++j) {
            prefetch_l2(t.diagonal(j), 256);
            if (j < b) prefetch_l2(t.coupling(j), 256);
        }
    }
    // The left neighbour is eliminated first exactly when the right one is not.
    const bool left_last = (c & 1) != 0 && c < chunks;
    fragment D, K[NK], Wt, next_D, next_K, sum;
    load_symmetric(D, t.diagonal(a + 1), t.at);
    set_zero(sum);
    if (a + 1 == b) {  // no interior
        negate_lower(D);
        store_lower(out.from_left(c), D, lane);
        if constexpr (Left) {
            store_lower(out.from_right(c - 1), sum, lane);
            if (left_last) {
                load_block(K[0], t.coupling(a), t.at);
                negate(K[0]);
                store_full(out.to_left(c), K[0], lane);
            } else {
                load_block_transposed(K[0], t.coupling(a), t.at);
                negate(K[0]);
                store_full(out.to_right(c - 1), K[0], lane);
            }
        }
        return;
    }
    load_block_transposed(K[0], t.coupling(a + 1), t.at);
    if constexpr (Left) {
        load_block(K[1], t.coupling(a), t.at);
        negate(K[1]);
    }
    negate_lower(D);
    negate(K[0]);
    pending<NK> last;
    set_zero(last.Wt);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) set_zero(last.K[k]);
#pragma unroll 1
    for (int j = a + 1; j < b; ++j) {
        load_symmetric(next_D, t.diagonal(j + 1), t.at);
        load_block_transposed(next_K, t.coupling(min(j + 1, b - 1)), t.at);
        if (lane == 0 && j + prefetch_distance <= b) {
            prefetch_l2(t.diagonal(j + prefetch_distance), 256);
            prefetch_l2(t.coupling(min(j + prefetch_distance, b - 1)), 256);
        }
        double* previous = t.record(j - 1);
        const bool really = j > a + 1;
        int bad = 0;
        eliminate16<NK>(D, K, Wt, t.scratch, lane, bad,
                        [&](int p) { last.store(p, previous, lane, really); });
        t.report(0, j, bad);
        negate_lower(next_D);
        add_gram(next_D, K[0]);
        last.Wt = Wt;
        last.K[0] = K[0];
        D = next_D;
        if constexpr (Left) {
            fragment fill;
            set_zero(fill);
            add_outer(fill, K[1], K[0]);
            add_gram(sum, K[1]);
            last.K[1] = K[1];
            K[1] = fill;
        }
        negate(next_K);
        K[0] = next_K;
    }
    store_lower(out.from_left(c), D, lane);
    if constexpr (Left) {
        store_lower(out.from_right(c - 1), sum, lane);
        if (left_last) {
            store_full(out.to_left(c), K[1], lane);
        } else {
            fragment fill;
            set_zero(fill);
            add_outer(fill, last.K[0], last.K[1]);
            store_full(out.to_right(c - 1), fill, lane);
        }
    }
    last.store_all(t.record(b - 1), lane);
}

/// Eliminates separator c of `chunks` at level l; its record stays pending. j: its stage.
/// \return whether it had a left neighbour
__device__ __forceinline__ bool eliminate_separator(const tail16& t, int l, int c, int chunks, int j,
                                                    separators sep, pending<2>& done) {
    const int lane = t.lane, a = c - (1 << l), b = min(c + (1 << l), chunks);
    fragment D, T;
    load_lower(D, sep.from_left(c), lane);
    load_lower(T, sep.from_right(c), lane);
    load_full(done.K[0], sep.to_right(c), lane);
    add_lower(D, T);
    int bad = 0;
    if (a == 0) {
        fragment K[1] = {done.K[0]};
        eliminate16<1>(D, K, done.Wt, t.scratch, lane, bad, [](int) {});
        load_lower(T, sep.from_left(b), lane);
        add_gram(T, K[0]);
        store_lower(sep.from_left(b), T, lane);
        done.K[0] = K[0];
    } else {
        load_full(done.K[1], sep.to_left(c), lane);
        eliminate16<2>(D, done.K, done.Wt, t.scratch, lane, bad, [](int) {});
        fragment fill;
        set_zero(fill);
        const bool left_last = b < chunks && ((b >> (l + 1)) & 1) != 0;
        if (left_last) {
            add_outer(fill, done.K[1], done.K[0]);
        } else {
            add_outer(fill, done.K[0], done.K[1]);
        }
        load_lower(T, sep.from_left(b), lane);
        add_gram(T, done.K[0]);
        store_lower(sep.from_left(b), T, lane);
        load_lower(T, sep.from_right(a), lane);
        add_gram(T, done.K[1]);
        store_lower(sep.from_right(a), T, lane);
        store_full(left_last ? sep.to_left(b) : sep.to_right(a), fill, lane);
    }
    t.report(1 + l, j, bad);
    return a != 0;
}

/// Eliminates x_1 into the root: gram of the tail to X and to memory; its record stays pending.
__device__ __forceinline__ void eliminate_x1(const tail16& t, const double* block, const double* to_root,
                                             pending<1>& done, fragment& X) {
    fragment D;
    load_lower(D, block, t.lane);
    load_full(done.K[0], to_root, t.lane);
    int bad = 0;
    eliminate16<1>(D, done.K, done.Wt, t.scratch, t.lane, bad, [](int) {});
    t.report(last_round, t.p.at.stages, bad);
    set_zero(X);
    add_gram(X, done.K[0]);
    store_lower(t.p.grams + static_cast<long long>(t.tail) * lower_doubles, X, t.lane);
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
            __threadfence();  // this warp's gram, before the arrival that announces it
            __syncwarp();
            if (lane == 0) {
                is_last = atomicAdd(counter, 1u) == static_cast<unsigned>(members - 1);
                if (is_last != 0) *counter = 0;
            }
            if (pass == 0) meanwhile();
        }
        __syncthreads();  // is_last before everyone reads it
        if (is_last == 0) return false;
        __threadfence();  // the arrivals before the grams they announced
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

/// The root: D = R - sum of grams. One warp.
__device__ __forceinline__ void eliminate_root(const factor16_args& p, fragment& sum, double* scratch,
                                               int lane) {
    const block_offsets at(lane);
    fragment D, none[1], Wt;
    load_symmetric(D, p.K.root, at);
    negate_lower(D);
    add_lower(D, sum);
    int bad = 0;
    eliminate16<0>(D, none, Wt, scratch, lane, bad, [](int) {});
    store_transposed_lower(p.root_record, Wt, lane);
    if (lane == 0) {
        const unsigned long long key = __ldcg(p.failure);
        *p.result = key != no_failure ? decode_failure(key, p.at.stages) : info{-1, 0, bad};
        *p.failure = no_failure;
    }
}

/// Clustered: a tail is worked on by a cluster; its blocks share the chunks, block 0 does the rest.
template <bool Clustered>
__global__ void __launch_bounds__(max_factor_warps * 32, 1)
    factor16_kernel(const __grid_constant__ factor16_args p, int cluster) {
    extern __shared__ __align__(128) double shared16[];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
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
    if (rank == 0 && warp == warps - 1) {
        fragment C;
        load_block(C, p.K.coupling + static_cast<long long>(tail) * 256, t.at);
        negate(C);
        store_full(mine.to_right(p.at.chunks), C, lane);
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
    // The warps take turns, and records are written behind the next barrier: another warp is then already at work on
    // the next level.
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
    int turn = 0;
#pragma unroll 1
    for (int l = 0; (1 << l) < p.at.chunks; ++l) {
        __syncthreads();  // the chunks, or level l - 1, before level l reads them
        const int jobs = (p.at.chunks - 1 + (1 << l)) >> (l + 1);
        const int first = warp >= turn ? warp - turn : warp - turn + warps;
#pragma unroll 1
        for (int job = first; job < jobs || unwritten != 0; job += warps) {
            flush();
            if (job >= jobs) break;
            const int c = (2 * job + 1) << l;
            unwritten = p.at.split[c];
            has_left = eliminate_separator(t, l, c, p.at.chunks, unwritten, mine, done);
        }
        turn = (turn + jobs) % warps;
    }
    __syncthreads();  // the last level before x_1
    flush();
    fragment X;
    pending<1> x1;
    if (warp == turn) eliminate_x1(t, mine.from_left(p.at.chunks), mine.to_right(p.at.chunks), x1, X);
    if (reduce_grams(p, tail, X, mine.base, lane, warp, warps, turn,
                     [&] { x1.store_all(t.record(p.at.stages), lane); }) &&
        warp == turn) {
        eliminate_root(p, X, t.scratch, lane);
    }
}

/// An arrow without tails: the root alone. One warp.
static __global__ void __launch_bounds__(32) root16_kernel(const __grid_constant__ factor16_args p) {
    __shared__ __align__(16) double scratch[eliminate_scratch];
    fragment none;
    set_zero(none);
    eliminate_root(p, none, scratch, static_cast<int>(threadIdx.x));
}

}  // namespace shoal::arrow::detail
