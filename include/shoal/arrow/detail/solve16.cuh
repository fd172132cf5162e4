#pragma once

/// \file
/// Solution with the factor that factor16.cuh leaves: x = K^{-1} b in place, one block (or cluster) per tail.
///
///     forward, in elimination order:   r_b -= G_b r,  r_a -= G_a r,  z = W^T (W r)
///     root:                            x_0 = W_0^T (W_0 (b_0 - sum_i G_1 r_1))
///     backward, in reverse:            x = z - G_b^T x_b - G_a^T x_a
///
/// Each step has one product on the way to the next step; z is computed beside it. One warp sweeps a chunk. Its records
/// come through a ring of bulk copies, and those that are still in the ring when the forward sweep ends serve the backward
/// sweep from there.

#include <shoal/arrow/detail/factor16.cuh>

namespace shoal::arrow::detail {

/// fused: both sweeps; blocks wait for the others' parts of the root, or for the root: all blocks must be resident.
/// forward, backward: one sweep each; the block that finishes the forward sweep last solves the root.
enum class sweep { fused, forward, backward };

/// Copies of x_0 in memory.
SHOAL_FN constexpr int root_copies(int tails) {
    return (tails + 15) / 16;
}

struct solve16_args {
    int systems, tails, ring, separator_slots, longest;  // tails of one system
    root_sum sum;
    bool records_ready;  // the kernel before is no factorisation
    chunk_schedule at;
    int columns;  // right-hand sides, at most what the kernel is compiled for
    const double* records;
    const double* root_record;
    double* b;
    long long ld;
    double2* partials;          // fused: per tail, column, row: value and flag. Otherwise values
    unsigned long long* epoch;  // flags of this launch are *epoch + 1; the last block counts it up
    unsigned* finished;         // blocks that are done, forward: per system; zero between launches
    double2* root_solution;     // x_0 per system, copy, column, row: likewise
};

/// What a lane holds of one record.
struct record_part {
    double2 b[4], a[4], w[3];

    __device__ __forceinline__ void load_gains(const double* record, bool has_left, int lane) {
        const double2* z = reinterpret_cast<const double2*>(record + inverse_doubles) + lane;
        SHOAL_UNROLL
        for (int i = 0; i < 4; ++i) {
            b[i] = z[32 * i];
            a[i] = make_double2(0.0, 0.0);
        }
        if (has_left) {
            SHOAL_UNROLL
            for (int i = 0; i < 4; ++i) a[i] = z[128 + 32 * i];
        }
    }
    __device__ __forceinline__ void load_inverse(const double* record, int lane) {
        SHOAL_UNROLL
        for (int i = 0; i < 2; ++i) {
            // Rows g and columns 2 q, 2 q + 1. What is not there is read from a place that is, and left out.
            const int g = lane >> 2, k = g >> 1, j = min(lane & 3, k);
            const bool odd = (g & 1) != 0, there = (lane & 3) <= k;
            const double* tile = record + 64 + packed_tile::doubles * i;
            const double x = tile[odd ? packed_tile::odd_even(k, lane & 3) : packed_tile::even_even(k, j)];
            const double y = tile[packed_tile::odd_odd(k, j)];
            w[2 * i] = make_double2(odd || there ? x : 0.0, odd && there ? y : 0.0);
        }
        w[1] = reinterpret_cast<const double2*>(record)[lane];
    }
};

__device__ __forceinline__ double from_lane_xor(double x, int mask) {
    return __shfl_xor_sync(~0u, x, mask);
}
__device__ __forceinline__ double dot(double2 m, double2 x) {
    return fma(m.x, x.x, m.y * x.y);
}
__device__ __forceinline__ double dot(double2 m, double2 x, double2 n, double2 y) {
    return dot(m, x) + dot(n, y);
}

/// z = W^T (W r) in two halves, so that a sweep can put other work between them. r: pair q of both halves of the vector.
__device__ __forceinline__ double2 apply_w(const double2 (&w)[3], double2 r0, double2 r1) {
    double2 y = make_double2(dot(w[0], r0), dot(w[1], r0, w[2], r1));  // rows g and g + 8, over pair q
    y.x += from_lane_xor(y.x, 1);
    y.y += from_lane_xor(y.y, 1);
    y.x += from_lane_xor(y.x, 2);
    y.y += from_lane_xor(y.y, 2);
    return y;
}
/// The sum over g of four values per lane: columns 2 q, 2 q + 1, 8 + 2 q, 9 + 2 q. Lane keeps column `kept_column`.
__device__ __forceinline__ double sum_over_rows(double o0, double o1, double o2, double o3, int lane) {
    const bool odd = (lane & 4) != 0, high = (lane & 8) != 0;
    double k0 = odd ? o1 : o0, k1 = odd ? o3 : o2;
    k0 += from_lane_xor(odd ? o0 : o1, 4);
    k1 += from_lane_xor(odd ? o2 : o3, 4);
    double k = high ? k1 : k0;
    k += from_lane_xor(high ? k0 : k1, 8);
    return k + from_lane_xor(k, 16);
}
__device__ __forceinline__ int kept_column(int lane) {
    return 2 * (lane & 3) + ((lane & 4) != 0 ? 1 : 0) + ((lane & 8) != 0 ? 8 : 0);
}
__device__ __forceinline__ double apply_w_transposed(const double2 (&w)[3], double2 y, int lane) {
    return sum_over_rows(fma(w[0].x, y.x, w[1].x * y.y), fma(w[0].y, y.x, w[1].y * y.y), w[2].x * y.y,
                         w[2].y * y.y, lane);
}

/// r_b -= G_b r, r_a -= G_a r. \return this lane's part of the products: row g + 8 (q & 1) of G_b r (q < 2) or G_a r.
__device__ __forceinline__ double gains_times(const record_part& m, double2 r0, double2 r1, int lane) {
    const bool odd = (lane & 1) != 0, left = (lane & 2) != 0;
    const double b0 = dot(m.b[0], r0, m.b[1], r1), b1 = dot(m.b[2], r0, m.b[3], r1);
    const double a0 = dot(m.a[0], r0, m.a[1], r1), a1 = dot(m.a[2], r0, m.a[3], r1);
    double b = odd ? b1 : b0, a = odd ? a1 : a0;
    b += from_lane_xor(odd ? b0 : b1, 1);
    a += from_lane_xor(odd ? a0 : a1, 1);
    return (left ? a : b) + from_lane_xor(left ? b : a, 2);
}
/// Column kept_column(lane) of G_b^T x_b + G_a^T x_a.
__device__ __forceinline__ double gains_transposed_times(const record_part& m, const double* xb,
                                                         const double* xa, int lane) {
    const int g = lane >> 2;
    const double b0 = xb[g], b1 = xb[g + 8], a0 = xa[g], a1 = xa[g + 8];
    return sum_over_rows(fma(m.b[0].x, b0, m.b[2].x * b1) + fma(m.a[0].x, a0, m.a[2].x * a1),
                         fma(m.b[0].y, b0, m.b[2].y * b1) + fma(m.a[0].y, a0, m.a[2].y * a1),
                         fma(m.b[1].x, b0, m.b[3].x * b1) + fma(m.a[1].x, a0, m.a[3].x * a1),
                         fma(m.b[1].y, b0, m.b[3].y * b1) + fma(m.a[1].y, a0, m.a[3].y * a1), lane);
}

/// The records of one warp on their way through shared memory.
struct record_ring {
    double* slots;
    unsigned barriers, phases;

    __device__ __forceinline__ void start(int slot, const double* record, bool has_left,
                                          bool gains_only) const {
        const unsigned skip = gains_only ? inverse_doubles : 0u;
        const unsigned doubles = inverse_doubles + full_doubles * (has_left ? 2u : 1u) - skip;
        bulk_copy(shared_address(slots + slot * record16 + skip), record + skip, doubles * 8,
                  barriers + 8u * slot);
    }
    __device__ __forceinline__ void wait(int slot) {
        barrier_wait(barriers + 8u * slot, (phases >> slot) & 1u);
        phases ^= 1u << slot;
    }
};

}  // namespace shoal::arrow::detail
