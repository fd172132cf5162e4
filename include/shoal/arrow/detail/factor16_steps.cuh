#pragma once

/// \file
/// Factorisation of an arrow of 16 x 16 double blocks: what one warp does. The kernel is in factor16.cuh.
///
/// The order is that of schedule.hpp:
/// 1. One warp per chunk eliminates the interior; nothing but the factor leaves its registers.
/// 2. The separators, in shared memory, level by level. Their updates go to two slots per separator, one from each side,
///    so that no two warps ever add to the same place.
/// 3. x_1 is eliminated into the root; the block that began last adds all M contributions in a fixed order.
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

/// Several systems: tails, roots and what is found of them one after the other.
struct factor16_args {
    int systems, tails, group;  // tails of one system
    chunk_schedule at;
    matrix_view<const double> K;
    double* records;      // tails * stages records
    double* root_record;  // W of the roots
    // Contributions to the root, lower tiles: per tail, and per group of tails their sum. Two sets, of which launches use
    // one in turn and leave absent() in the other.
    double *grams, *group_grams;
    unsigned* begun;              // per system, then per group: numbers drawn; zero between launches
    unsigned* launches;           // per system: so far
    unsigned long long* failure;  // smallest key of a bad pivot; all ones between launches
    info* result;

    SHOAL_FN constexpr int groups() const { return (tails + group - 1) / group; }
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

    __device__ __forceinline__ tail16(const factor16_args& args, int i, int l, double* s, double* input)
        : p(args), tail(i), lane(l), scratch{s, input}, at(l) {
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
        if (bad == 0 || lane != 0) return;
        const int system = tail / p.tails;
        atomicMin(p.failure + system, failure_key(tail - system * p.tails, round, j, bad));
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

}  // namespace shoal::arrow::detail
