#pragma once

/// \file
/// One elimination step of a 16 x 16 double block by one warp, in registers, on the FP64 tensor cores.
///
///     D = L L^T,   K_i := K_i L^{-T},   W^T := L^{-T}                     (16 x 16 each)
///
/// Four panels of four columns. A panel's 4 x 4 pivot block is factored and inverted by every lane alike; the inverse
/// is the operand of one product that scales the panel of D, of the couplings K_i and of an identity that rides along.
///
/// All inputs come *negated*: the tensor cores only add, and -(D - B B^T) = -D + B B^T is then an accumulation.

#include <shoal/arrow/detail/fragment16.cuh>

namespace shoal::arrow::detail {

/// 1 / sqrt(x) for normal x: approximation with 20 bits, then one step of third order.
__device__ __forceinline__ double fast_rsqrt(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0,%1;" : "=d"(y) : "d"(x));
    const double e = fma(-(x * y), y, 1.0);
    return fma(fma(0.375, e, 0.5), y * e, y);
}

/// Inverse of the Cholesky factor of a 4 x 4 block, one pivot at a time, by one lane: row-major, lower, into `inverse`.
/// For blocks that the division-free form cannot scale, and to find the pivot that fails. \return 0, or that pivot.
__device__ inline int careful_inverse4(const double* negated_block, double* inverse) {
    int bad = 0;
#pragma unroll 1
    for (int i = 0; i < 16; ++i) inverse[i] = i % 5 == 0 ? 1.0 : 0.0;
        // Row operations on [A | I]: row k scaled by 1 / sqrt(pivot) is row k of the inverse factor.
        // inverse(k, :) = (e_k - sum_{m<k} l_km inverse(m, :)) / l_kk, with l_km = (A inverse(m, :)^T)_k.
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        double pivot = -negated_block[5 * k];
#pragma unroll 1
        for (int m = 0; m < k; ++m) {
            double l = 0.0;
#pragma unroll 1
            for (int i = 0; i <= m; ++i) l = fma(-negated_block[4 * k + i], inverse[4 * m + i], l);
            pivot = fma(-l, l, pivot);
#pragma unroll 1
            for (int i = 0; i <= m; ++i) inverse[4 * k + i] = fma(-l, inverse[4 * m + i], inverse[4 * k + i]);
        }
        if (!(pivot > 0.0 && pivot <= 1.7976931348623157e308) && bad == 0) bad = k + 1;
        const double r = rsqrt(pivot);
#pragma unroll 1
        for (int i = 0; i <= k; ++i) inverse[4 * k + i] *= r;
    }
    return bad;
}

/// The negated inverse of the Cholesky factor of the 4 x 4 block in rows g = 2 i + s and columns 2 q + s of a tile, as
/// B operand of a product whose even columns are wanted (odd ones are zero). `a`: this lane's element of that column
/// set, negated. scratch: 32 doubles. bad: set to the first bad pivot (1 .. 4) if there is one.
///
/// Without division: with p_1 = a_00 and a' = p a - x y the leading minors appear as products, and one reciprocal root
/// per lane is enough; its latency is the largest of the step. The products are of degree 15 in the entries, so blocks
/// outside of about 1e-19 .. 1e19, and blocks that are not positive definite, go the careful way.
__device__ __forceinline__ double pivot_inverse(double a, int s, double* scratch, int lane, int& bad) {
    const int g = lane >> 2, q = lane & 3;
    if ((g & 1) == s) scratch[(g >> 1) * 4 + q] = a;
    __syncwarp();  // the block before every lane reads it; its last readers passed three such barriers since
    const double2* z = reinterpret_cast<const double2*>(scratch);
    const double n00 = scratch[0], n22 = scratch[10];
    const double2 r1 = z[2], r2 = z[4], r3 = z[6], r4 = z[7];
    const double n10 = r1.x, n11 = r1.y, n20 = r2.x, n21 = r2.y, n30 = r3.x, n31 = r3.y, n32 = r4.x,
                 n33 = r4.y;
    const double p1 = -n00;
    const double p2 = fma(n00, n11, -n10 * n10);
    const double b21 = fma(n00, n21, -n20 * n10), b31 = fma(n00, n31, -n30 * n10);
    const double b22 = fma(n00, n22, -n20 * n20), b32 = fma(n00, n32, -n30 * n20),
                 b33 = fma(n00, n33, -n30 * n30);
    const double e0 = q == 0, e1 = q == 1, e2 = q == 2, e3 = q == 3;
    const double x1 = fma(p1, e1, e0 * n10), y2 = fma(p1, e2, e0 * n20), y3 = fma(p1, e3, e0 * n30);
    const double p3 = fma(p2, b22, -b21 * b21), c32 = fma(p2, b32, -b31 * b21),
                 c33 = fma(p2, b33, -b31 * b31);
    const double x2 = fma(p2, y2, -x1 * b21), z3 = fma(p2, y3, -x1 * b31);
    const double p4 = fma(p3, c33, -c32 * c32);
    const double x3 = fma(p3, z3, -x2 * c32);
    const double P2 = p1 * p2, P3 = P2 * p3, P4 = P3 * p4;
    const int k = g >> 1;
    const double x = k < 2 ? (k == 0 ? e0 : x1) : (k == 2 ? x2 : x3);
    const double P = k < 2 ? (k == 0 ? p1 : P2) : (k == 2 ? P3 : P4);
    double result = (g & 1) ? 0.0 : -x * fast_rsqrt(P);

    // Every pivot positive, every product well inside the range of normal numbers. The same on every lane.
    constexpr unsigned low = 0x06000000u, range = 0x73000000u;  // about 2^-927 .. 2^+913
    const int signs = __double2hiint(p1) | __double2hiint(p2) | __double2hiint(p3) | __double2hiint(p4);
    const bool out = static_cast<unsigned>(__double2hiint(P2)) - low > range ||
                     static_cast<unsigned>(__double2hiint(P3)) - low > range ||
                     static_cast<unsigned>(__double2hiint(P4)) - low > range;
    if (signs < 0 || out) [[unlikely]] {
        int found = 0;
        if (lane == 0) found = careful_inverse4(scratch, scratch + 16);
        found = __shfl_sync(~0u, found, 0);
        __syncwarp();  // lane 0's inverse before every lane reads it
        result = (g & 1) ? 0.0 : -scratch[16 + 4 * k + q];
        if (bad == 0) bad = found;
    }
    return result;
}

/// Which row of a block, 1-based, the natural order of elimination finds bad. By one lane, once a pivot of the permuted
/// order has failed: `tiles` holds the block (negated, lower tiles, diagonal tiles full) and is destroyed.
/// \return `otherwise` if the natural order finds nothing, as rounding may have it at the border.
__device__ inline int first_bad_pivot(double* tiles, int otherwise) {
    const auto at = [&](int r, int c) -> double& {
        return tiles[(r < 8 ? 0 : c < 8 ? 64 : 128) + (r & 7) * 8 + (c & 7)];
    };
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        const double pivot = -at(k, k);
        if (!(pivot > 0.0 && pivot <= 1.7976931348623157e308)) return k + 1;
#pragma unroll 1
        for (int i = k + 1; i < 16; ++i) {
            const double l = at(i, k) / pivot;
#pragma unroll 1
            for (int j = k + 1; j <= i; ++j) at(i, j) = fma(l, at(j, k), at(i, j));
        }
    }
    return otherwise;
}

/// Columns s of column tile c of X := those columns times the pivot inverse b. Rows of tile row 0 .. 1.
__device__ __forceinline__ void scale_panel(fragment& X, int c, int s, double b) {
    double r0 = 0.0, r1 = 0.0, u0 = 0.0, u1 = 0.0;
    sm90_16x8x4_f64(r0, u0, r1, u1, X.v[0][c][s], X.v[1][c][s], b);
    X.v[0][c][s] = r0;
    X.v[1][c][s] = r1;
}
/// The odd columns of column tile c of X += (even columns of X) y^T, y: the even columns of the pivot rows.
__device__ __forceinline__ void update_odd(fragment& X, int c, double y) {
    double u0 = 0.0, u1 = 0.0;
    sm90_16x8x4_f64(u0, X.v[0][c][1], u1, X.v[1][c][1], X.v[0][c][0], X.v[1][c][0], y);
}

/// The step in the file's comment. K: NK negated couplings, overwritten by K L^{-T} (positive). Wt = L^{-T}.
/// D (negated; lower tiles, diagonal tiles full) is destroyed. side(p), p = 0 .. 3: independent work of the caller, put
/// beside panel p, where it fills the latency of the pivot block. bad: 0 before; the bad row (1 .. 16) after.
template <int NK, class Side>
__device__ __forceinline__ void eliminate16(fragment& D, fragment (&K)[NK > 0 ? NK : 1], fragment& Wt,
                                            double* scratch, int lane, int& bad, Side side) {
    const int g = lane >> 2, q = lane & 3;
    double* pivots = scratch + lower_doubles;
    store_lower(scratch, D, lane);  // kept for first_bad_pivot
    set_zero(Wt);
    Wt.v[0][0][0] = Wt.v[1][1][0] = g == 2 * q ? -1.0 : 0.0;
    Wt.v[0][0][1] = Wt.v[1][1][1] = g == 2 * q + 1 ? -1.0 : 0.0;
    int failed[4] = {0, 0, 0, 0};
    double u = 0.0;

    // Panel 0: even columns of tile column 0.
    double b = pivot_inverse(D.v[0][0][0], 0, pivots, lane, failed[0]);
    scale_panel(D, 0, 0, b);
    update_odd(D, 0, D.v[0][0][0]);
    side(0);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) {
        scale_panel(K[k], 0, 0, b);
        update_odd(K[k], 0, D.v[0][0][0]);
    }
    double w = 0.0;
    u = 0.0;
    sm80_8x8x4_f64(w, u, Wt.v[0][0][0], b);
    Wt.v[0][0][0] = w;
    u = 0.0;
    sm80_8x8x4_f64(u, Wt.v[0][0][1], Wt.v[0][0][0], D.v[0][0][0]);
    sm80_8x8x4_f64(D.v[1][1][0], D.v[1][1][1], D.v[1][0][0], D.v[1][0][0]);

    // Panel 1: odd columns of tile column 0; then tile column 1 receives all of tile column 0.
    b = pivot_inverse(D.v[0][0][1], 1, pivots + 32, lane, failed[1]);
    scale_panel(D, 0, 1, b);
    sm80_8x8x4_f64(D.v[1][1][0], D.v[1][1][1], D.v[1][0][1], D.v[1][0][1]);
    side(1);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) {
        scale_panel(K[k], 0, 1, b);
        sm90_16x8x8_f64(K[k].v[0][1][0], K[k].v[0][1][1], K[k].v[1][1][0], K[k].v[1][1][1], K[k].v[0][0][0],
                        K[k].v[1][0][0], K[k].v[0][0][1], K[k].v[1][0][1], D.v[1][0][0], D.v[1][0][1]);
    }
    w = u = 0.0;
    sm80_8x8x4_f64(w, u, Wt.v[0][0][1], b);
    Wt.v[0][0][1] = w;
    sm80_8x8x4_f64(Wt.v[0][1][0], Wt.v[0][1][1], Wt.v[0][0][0], D.v[1][0][0]);
    sm80_8x8x4_f64(Wt.v[0][1][0], Wt.v[0][1][1], Wt.v[0][0][1], D.v[1][0][1]);

    // Panel 2: even columns of tile column 1.
    b = pivot_inverse(D.v[1][1][0], 0, pivots + 64, lane, failed[2]);
    w = u = 0.0;
    sm80_8x8x4_f64(w, u, D.v[1][1][0], b);
    D.v[1][1][0] = w;
    u = 0.0;
    sm80_8x8x4_f64(u, D.v[1][1][1], D.v[1][1][0], D.v[1][1][0]);
    side(2);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) {
        scale_panel(K[k], 1, 0, b);
        update_odd(K[k], 1, D.v[1][1][0]);
    }
    scale_panel(Wt, 1, 0, b);
    update_odd(Wt, 1, D.v[1][1][0]);

    // Panel 3: odd columns of tile column 1.
    b = pivot_inverse(D.v[1][1][1], 1, pivots + 96, lane, failed[3]);
    side(3);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) scale_panel(K[k], 1, 1, b);
    scale_panel(Wt, 1, 1, b);

    if (failed[0] | failed[1] | failed[2] | failed[3]) [[unlikely]] {
        if (lane == 0) {
            int row = 16;  // pivot i of panel (c, s) is row 8 c + 2 i + s
            for (int p = 3; p >= 0; --p) {
                if (failed[p]) row = 8 * (p >> 1) + 2 * (failed[p] - 1) + (p & 1) + 1;
            }
            bad = first_bad_pivot(scratch, row);
        }
        bad = __shfl_sync(~0u, bad, 0);
        __syncwarp();  // lane 0 has read the block that the next step overwrites
    }
}

/// Column tile c of G = X W = X (Wt)^T for the upper Wt.
__device__ __forceinline__ void gain_tile(fragment& G, const fragment& X, const fragment& Wt, int c) {
    G.v[0][c][0] = G.v[0][c][1] = G.v[1][c][0] = G.v[1][c][1] = 0.0;
    if (c == 0) {
        add_outer_tile(G, X, Wt, 0);
    } else {
        sm90_16x8x8_f64(G.v[0][1][0], G.v[0][1][1], G.v[1][1][0], G.v[1][1][1], X.v[0][1][0], X.v[1][1][0],
                        X.v[0][1][1], X.v[1][1][1], Wt.v[1][1][0], Wt.v[1][1][1]);
    }
}

}  // namespace shoal::arrow::detail
