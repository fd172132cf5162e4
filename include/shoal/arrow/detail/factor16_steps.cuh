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
#include <shoal/arrow/detail/careful16.cuh>
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

/// Who works on a tail.
enum class workers { block, cluster };

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

/// One warp's view of one tail.
struct tail16 {
    const factor16_args& p;
    int tail, lane;
    elimination_scratch scratch;
    block_offsets at;

    __device__ __forceinline__ tail16(const factor16_args& args, int i, int l, double* s)
        : p(args), tail(i), lane(l), scratch{s}, at(l) {}
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

}  // namespace shoal::arrow::detail
