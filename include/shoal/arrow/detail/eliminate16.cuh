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

#include <shoal/arrow/detail/bulk_copy.cuh>
#include <shoal/arrow/detail/fragment16.cuh>
#include <shoal/core/math.hpp>

namespace shoal::arrow::detail {

/// 1 / sqrt(x) for normal x: approximation with 20 bits, then one step of third order.
__device__ __forceinline__ double fast_rsqrt(double x) {
    double y;
    asm volatile("rsqrt.approx.ftz.f64 %0,%1;" : "=d"(y) : "d"(x));
    const double e = fma(-(x * y), y, 1.0);
    return fma(fma(0.375, e, 0.5), y * e, y);
}

/// What one warp keeps in shared memory: the input of the step, for the careful way, and the 4 x 4 pivot blocks.
struct elimination_scratch {
    double* p;
    double* arriving;
    __device__ __forceinline__ double* D() const { return p; }  // lower tiles
    __device__ __forceinline__ double* K(int i) const { return p + lower_doubles + i * full_doubles; }
    __device__ __forceinline__ double* Wt() const {
        return p + lower_doubles + 2 * full_doubles;
    }  // all tiles
    __device__ __forceinline__ double* pivot(int panel) const {
        return p + lower_doubles + 3 * full_doubles + 16 * panel;
    }
    /// The caller's blocks on their way: D and the coupling to the next stage, two stages.
    __device__ __forceinline__ double* input(int slot) const { return arriving + slot * 2 * full_doubles; }
    __device__ __forceinline__ unsigned input_barrier(int slot) const {
        return shared_address(p + eliminate_doubles + slot);
    }
};

/// Collects what the fast way cannot do: a pivot that is not positive, a product out of range.
struct pivot_watch {
    int signs = 0, least = 0x7fffffff, most = 0;

    /// p1: the first pivot; P2, P3, P4: the running products. If P4 is well inside the range of normal numbers, so are
    /// P2 and P3: the entries of a positive definite block bound them.
    __device__ __forceinline__ void see(double p1, double P2, double P3, double P4) {
        signs |= __double2hiint(p1) | __double2hiint(P2) | __double2hiint(P3);
        least = min(least, __double2hiint(P4));
        most = max(most, __double2hiint(P4));
    }
    __device__ __forceinline__ bool trouble() const {
        return signs < 0 || least < 0x06000000 ||
               most > 0x79000000;  // below 2^-927 or above 2^913, NaN among them
    }
};

/// The step by plain row operations in natural order, from the warp's shared memory, in place: K := K L^{-T}, Wt := L^{-T}.
/// For what `pivot_watch` reports; slow. \return 0, or the first bad row (1 .. 16).
static __device__ __noinline__ int careful_eliminate16(elimination_scratch s, int couplings, int lane) {
    const auto element = [](double* tiles, int r, int c) -> double& {
        return tiles[(r >> 3) * 128 + (c >> 3) * 64 + (r & 7) * 8 + (c & 7)];
    };
    const auto lower = [](double* tiles, int r, int c) -> double& {  // r >= c
        return tiles[(r >> 3) * 64 + (c >> 3) * 64 + (r & 7) * 8 + (c & 7)];
    };
    // Row t of D over K_b over K_a over the identity (all negated).
    const auto at = [&](int t, int c) -> double& {
        return t < 16 ? lower(s.D(), t, c) : element(t < 32 ? s.K(0) : t < 48 ? s.K(1) : s.Wt(), t & 15, c);
    };
    for (int i = lane; i < 256; i += 32) element(s.Wt(), i >> 4, i & 15) = (i >> 4) == (i & 15) ? -1.0 : 0.0;
    __syncwarp();  // the identity; and the inputs, which lanes stored in another order
    int bad = 0;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        const double pivot = -lower(s.D(), k, k);
        if (!core::good_pivot(pivot) && bad == 0) bad = k + 1;
        const double r = rsqrt(pivot);
        __syncwarp();  // the pivot is read before its row is scaled
#pragma unroll 1
        for (int t = lane; t < 64; t += 32) {
            if (t < 16 ? t >= k : (t >= 48 || t < 16 + 16 * couplings)) at(t, k) *= -r;
        }
        __syncwarp();  // column k before the rows are updated with it
#pragma unroll 1
        for (int t = lane; t < 64; t += 32) {
            if (t < 16 ? t <= k : (t < 48 && t >= 16 + 16 * couplings)) continue;
            const double x = at(t, k);
#pragma unroll 1
            for (int c = k + 1; c < (t < 16 ? t + 1 : 16); ++c)
                at(t, c) = fma(x, lower(s.D(), c, k), at(t, c));
        }
        __syncwarp();  // the updates before the next pivot
    }
    return bad;
}

/// The 4 x 4 block in rows g = 2 i + s and columns 2 q + s of a tile into shared memory; a: this lane's element of those
/// columns.
__device__ __forceinline__ void publish_pivot(double a, int s, double* scratch, int lane) {
    const int g = lane >> 2, q = lane & 3;
    if ((g & 1) == s) scratch[(g >> 1) * 4 + q] = a;
    __syncwarp();  // the block before every lane reads it; its last readers have passed three such barriers since
}

/// The negated inverse of the Cholesky factor of the 4 x 4 block in rows g = 2 i + s and columns 2 q + s of a tile, as
/// B operand of a product whose even columns are wanted (odd ones are zero). The block lies, negated, row-major, in
/// `scratch`: see publish_pivot.
///
/// Without division: with p_1 = a_00 and a' = p a - x y the leading minors appear as products, and one reciprocal root
/// per lane is enough; its latency is the largest of the step. The products are of degree 15 in the entries: blocks
/// outside of about 1e-18 .. 1e18, and blocks that are not positive definite, are left to the careful way.
__device__ __forceinline__ double pivot_inverse(const double* scratch, int lane, pivot_watch& watch) {
    const int g = lane >> 2, q = lane & 3;
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
    // Lanes of odd g take part with a zero: a branch around the root would split the schedule of the whole step.
    const int k = g >> 1;
    const double row = k < 2 ? (k == 0 ? e0 : x1) : (k == 2 ? x2 : x3);
    const double x = (g & 1) != 0 ? 0.0 : -row;
    const double P = k < 2 ? (k == 0 ? p1 : P2) : (k == 2 ? P3 : P4);
    watch.see(p1, P2, P3, P4);
    return x * fast_rsqrt(P);
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
/// D (negated; lower tiles, diagonal tiles full) is destroyed.
///
/// side(p), p = 0 .. 3: work of the caller, put where the latency of panel p's pivot block leaves the tensor cores idle.
/// side(0) may still add to tile (1, 1) of D and to K: only the first tile column of D is in use before it.
/// \return 0, or the bad row (1 .. 16)
template <int NK, class Side>
__device__ __forceinline__ int eliminate16(fragment& D, fragment (&K)[NK], fragment& Wt,
                                           elimination_scratch scratch, int lane, Side side) {
    const int g = lane >> 2, q = lane & 3;
    pivot_watch watch;
    set_zero(Wt);
    Wt.v[0][0][0] = Wt.v[1][1][0] = g == 2 * q ? -1.0 : 0.0;
    Wt.v[0][0][1] = Wt.v[1][1][1] = g == 2 * q + 1 ? -1.0 : 0.0;
    double u = 0.0, w = 0.0;

    // Panel 0: even columns of tile column 0.
    publish_pivot(D.v[0][0][0], 0, scratch.pivot(0), lane);
    side(0);
    store_lower(scratch.D(), D, lane);  // the input, for the careful way
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) store_full(scratch.K(k), K[k], lane);
    double b = pivot_inverse(scratch.pivot(0), lane, watch);
    scale_panel(D, 0, 0, b);
    update_odd(D, 0, D.v[0][0][0]);
    // Panel 1: odd columns of tile column 0. Its pivot block is under way while the couplings follow panel 0.
    publish_pivot(D.v[0][0][1], 1, scratch.pivot(1), lane);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) {
        scale_panel(K[k], 0, 0, b);
        update_odd(K[k], 0, D.v[0][0][0]);
    }
    sm80_8x8x4_f64(w, u, Wt.v[0][0][0], b);
    Wt.v[0][0][0] = w;
    u = 0.0;
    sm80_8x8x4_f64(u, Wt.v[0][0][1], Wt.v[0][0][0], D.v[0][0][0]);
    sm80_8x8x4_f64(D.v[1][1][0], D.v[1][1][1], D.v[1][0][0], D.v[1][0][0]);
    side(1);
    b = pivot_inverse(scratch.pivot(1), lane, watch);
    scale_panel(D, 0, 1, b);
    sm80_8x8x4_f64(D.v[1][1][0], D.v[1][1][1], D.v[1][0][1], D.v[1][0][1]);
    // Panel 2: even columns of tile column 1, which has received all of tile column 0.
    publish_pivot(D.v[1][1][0], 0, scratch.pivot(2), lane);
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
    side(2);
    b = pivot_inverse(scratch.pivot(2), lane, watch);
    w = u = 0.0;
    sm80_8x8x4_f64(w, u, D.v[1][1][0], b);
    D.v[1][1][0] = w;
    u = 0.0;
    sm80_8x8x4_f64(u, D.v[1][1][1], D.v[1][1][0], D.v[1][1][0]);
    // Panel 3: odd columns of tile column 1.
    publish_pivot(D.v[1][1][1], 1, scratch.pivot(3), lane);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) {
        scale_panel(K[k], 1, 0, b);
        update_odd(K[k], 1, D.v[1][1][0]);
    }
    scale_panel(Wt, 1, 0, b);
    update_odd(Wt, 1, D.v[1][1][0]);
    side(3);
    b = pivot_inverse(scratch.pivot(3), lane, watch);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) scale_panel(K[k], 1, 1, b);
    scale_panel(Wt, 1, 1, b);

    int bad = 0;
    if (watch.trouble()) [[unlikely]] {
        bad = careful_eliminate16(scratch, NK, lane);
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) load_full(K[k], scratch.K(k), lane);
        load_full(Wt, scratch.Wt(), lane);
        __syncwarp();  // all is read before the next step stores its input
    }
    return bad;
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
