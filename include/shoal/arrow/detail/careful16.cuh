#pragma once

/// \file
/// The step of eliminate16.cuh for what `pivot_watch` reports: any scale, and blocks that are not positive definite. Slow. A
/// chunk in which something was reported is done again from its beginning, a separator from its inputs.

#include <shoal/arrow/detail/eliminate16.cuh>
#include <shoal/core/math.hpp>

namespace shoal::arrow::detail {

/// The step by plain row operations from the warp's shared memory, in place: K := K L^{-T}, Wt := L^{-T}, in the order of the
/// fast step. \return 0, or the first bad row in natural order (1 .. 16).
static __device__ __noinline__ int careful_eliminate16(elimination_scratch s, int couplings, int lane) {
    const auto element = [](double* tiles, int r, int c) -> double& {
        return tiles[(r >> 3) * 128 + (c >> 3) * 64 + (r & 7) * 8 + (c & 7)];
    };
    const auto lower = [](double* tiles, int r, int c) -> double& {  // diagonal tiles: both triangles
        return tiles[(r >> 3) * 64 + (c >> 3) * 64 + (r & 7) * 8 + (c & 7)];
    };
    int bad = 0;
    // First D alone in natural order, in Wt's place: which pivot is bad. Then everything in the fast step's order, since the
    // record keeps of W what that order makes.
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        const int rows = pass == 0 ? 16 : 64;
        double* D = pass == 0 ? s.Wt() : s.D();
        const auto place = [&](int k) { return pass == 0 ? k : (k & 8) | (k & 3) << 1 | (k >> 2 & 1); };
        // Row t of D over K_b over K_a over the identity (all negated).
        const auto at = [&](int t, int c) -> double& {
            return t < 16 ? lower(D, place(t), place(c))
                          : element(t < 32   ? s.K(0)
                                    : t < 48 ? s.K(1)
                                             : s.Wt(),
                                    t & 15, place(c));
        };
        if (pass == 0) {
            __syncwarp();  // the inputs, which lanes stored in another order
            for (int i = lane; i < lower_doubles; i += 32) D[i] = s.D()[i];
        } else {
            for (int i = lane; i < 256; i += 32)
                element(s.Wt(), i >> 4, i & 15) = (i >> 4) == (i & 15) ? -1.0 : 0.0;
        }
        __syncwarp();  // the copy, or the identity
#pragma unroll 1
        for (int k = 0; k < 16; ++k) {
            const double pivot = -at(k, k);
            if (!core::good_pivot(pivot) && bad == 0) bad = place(k) + 1;
            const double r = rsqrt(pivot);
            __syncwarp();  // the pivot is read before its row is scaled
#pragma unroll 1
            for (int t = lane; t < rows; t += 32) {
                if (t < 16 ? t >= k : (t >= 48 || t < 16 + 16 * couplings)) at(t, k) *= -r;
            }
            __syncwarp();  // column k before the rows are updated with it
#pragma unroll 1
            for (int t = lane; t < rows; t += 32) {
                if (t < 16 ? t <= k : (t < 48 && t >= 16 + 16 * couplings)) continue;
                const double x = at(t, k);
#pragma unroll 1
                for (int c = k + 1; c < (t < 16 ? t + 1 : 16); ++c) at(t, c) = fma(x, at(c, k), at(t, c));
            }
            __syncwarp();  // the updates before the next pivot
        }
    }
    return bad;
}

/// The step and all that follows from it: D, K(0), K(1) of `scratch` (negated). Neighbours' lower tiles to_k gain
/// K_k D^{-1} K_k^T; fill (K(1) is allowed) := K_1 D^{-1} K_0^T, both in shared memory; gain_k, inverse: of the record (inverse: its beginning).
/// \return 0, or the bad row
static __device__ __noinline__ int careful_step(elimination_scratch scratch, int couplings, double* to_0,
                                                double* to_1, double* fill, double* gain_0, double* gain_1,
                                                double* inverse, int lane) {
    const int bad = careful_eliminate16(scratch, couplings, lane);
    finished16<2> e;
    fragment X, &Wt = e.Wt;
    fragment(&K)[2] = e.K;
    load_full(Wt, scratch.Wt(), lane);
    e.store_inverse(inverse, lane, true);
    set_zero(K[1]);
    SHOAL_UNROLL
    for (int k = 0; k < 2; ++k) {
        if (k == couplings) break;
        load_full(K[k], scratch.K(k), lane);
        load_lower(X, k == 0 ? to_0 : to_1, lane);
        add_gram(X, K[k]);
        store_lower(k == 0 ? to_0 : to_1, X, lane);
        gain_tile(X, K[k], Wt, 0);
        gain_tile(X, K[k], Wt, 1);
        store_full(k == 0 ? gain_0 : gain_1, X, lane);
    }
    __syncwarp();  // K(1) is read before it becomes the fill
    if (couplings == 2) {
        set_zero(X);
        add_outer(X, K[1], K[0]);
        store_full(fill, X, lane);
    }
    return bad;
}

}  // namespace shoal::arrow::detail
