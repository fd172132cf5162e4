#pragma once

/// \file
/// What one warp does in the kernels of solve16.cuh: steps of the sweeps, and which separators are its own.

#include <shoal/arrow/detail/solve16.cuh>

namespace shoal::arrow::detail {

/// One warp's share of one tail's solve. NR right-hand sides side by side: a vector of the block is NR x 16 doubles.
template <int NR>
struct solver16 {
    const solve16_args& p;
    int tail, system, lane, g, q;
    record_ring ring;
    double* zero;  // a vector of zeros

    __device__ __forceinline__ const double* record(int j) const {
        return p.records + (static_cast<long long>(tail) * p.at.stages + (j - 1)) * record16;
    }
    __device__ __forceinline__ double* unknowns(int j, int column) const {
        return p.b + column * p.ld +
               (static_cast<long long>(tail) * p.at.stages + system + (p.at.stages - j)) * 16;
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

}  // namespace shoal::arrow::detail
