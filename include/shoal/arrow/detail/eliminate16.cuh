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

namespace shoal::arrow::detail {

/// -x through the sign bit, off the FP64 pipe.
__device__ __forceinline__ double flipped(double x) {
    return __hiloint2double(__double2hiint(x) ^ static_cast<int>(0x80000000u), __double2loint(x));
}
/// 1 / sqrt(x) for normal x: approximation with 20 bits, then one step of third order.
__device__ __forceinline__ double fast_rsqrt(double x) {
    double y;
    asm volatile("rsqrt.approx.ftz.f64 %0,%1;" : "=d"(y) : "d"(x));
    const double e = fma(-(x * y), y, 1.0);
    return fma(fma(0.375, e, 0.5), y * e, y);
}

/// What one warp keeps in shared memory: the 4 x 4 pivot blocks, then the stages that arrive. Where the fast way fails, the
/// careful one takes that second part.
struct elimination_scratch {
    double* p;
    __device__ __forceinline__ double* pivot(int panel) const { return p + 16 * panel; }
    /// The caller's blocks on their way: D and the coupling to the next stage.
    __device__ __forceinline__ double* input(int slot) const { return p + 64 + slot * 2 * full_doubles; }
    __device__ __forceinline__ double* D() const { return p + 64; }  // lower tiles
    __device__ __forceinline__ double* K(int i) const { return D() + lower_doubles + i * full_doubles; }
    __device__ __forceinline__ double* Wt() const { return K(2); }  // all tiles
    __device__ __forceinline__ double* next() const { return K(3); }
    __device__ __forceinline__ double* sum() const { return next() + lower_doubles; }
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
struct pivot_block {
    // Row-major: 0 | 10 11 | 20 21 | 30 31 | 32 33; 22.
    double n00, n22;
    double2 r1, r2, r3, r4;
    __device__ __forceinline__ explicit pivot_block(const double* scratch) {
        const double2* z = reinterpret_cast<const double2*>(scratch);
        r1 = z[2], r2 = z[4], r3 = z[6];
        n00 = scratch[0];
        r4 = z[7];
        n22 = scratch[10];
    }
    __device__ __forceinline__ double inverse(int lane, pivot_watch& watch) const {
        const int g = lane >> 2, q = lane & 3;
        const double n10 = r1.x, n11 = r1.y, n20 = r2.x, n21 = r2.y, n30 = r3.x, n31 = r3.y, n32 = r4.x,
                     n33 = r4.y;
        const double p1 = flipped(n00);
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
        const double x = (g & 1) != 0 ? 0.0 : row;
        const double P = k < 2 ? (k == 0 ? p1 : P2) : (k == 2 ? P3 : P4);
        watch.see(p1, P2, P3, P4);
        return -(x * fast_rsqrt(P));
    }
};

/// Four columns of a block, as A operand: rows g and g + 8.
struct panel {
    double r[2];
};
/// X b: columns times the inverse of a pivot block.
__device__ __forceinline__ panel scaled(double x0, double x1, double b) {
    double r0 = 0.0, r1 = 0.0, u0 = 0.0, u1 = 0.0;
    fast::tensor_16x8x4(r0, u0, r1, u1, x0, x1, b);
    return {{r0, r1}};
}
/// The same for eight rows.
__device__ __forceinline__ double scaled(double x, double b) {
    double r = 0.0, u = 0.0;
    fast::tensor_8x8x4(r, u, x, b);
    return r;
}
/// Column tile c of C += X y^T.
__device__ __forceinline__ void add_panel(fragment& C, int c, const panel& X, double y) {
    fast::tensor_16x8x4(C.v[0][c][0], C.v[0][c][1], C.v[1][c][0], C.v[1][c][1], X.r[0], X.r[1], y);
}
/// Stores without a branch: one would split the schedule of the step.
__device__ __forceinline__ void store_if(bool really, double* p, double x, double y) {
    asm volatile(
        "{\n.reg .pred really;\nsetp.ne.s32 really,%0,0;\n@really st.global.v2.f64 [%1],{%2,%3};\n}" ::"r"(
            static_cast<int>(really)),
        "l"(__cvta_generic_to_global(p)), "d"(x), "d"(y)
        : "memory");
}
__device__ __forceinline__ void store_if(bool really, double* p, double x) {
    asm volatile("{\n.reg .pred really;\nsetp.ne.s32 really,%0,0;\n@really st.global.f64 [%1],%2;\n}" ::"r"(
                     static_cast<int>(really)),
                 "l"(__cvta_generic_to_global(p)), "d"(x)
                 : "memory");
}

/// Column tile c of G = X W = X (Wt)^T for the upper Wt.
__device__ __forceinline__ void gain_tile(fragment& G, const fragment& X, const fragment& Wt, int c) {
    G.v[0][c][0] = G.v[0][c][1] = G.v[1][c][0] = G.v[1][c][1] = 0.0;
    if (c == 0) {
        add_outer_tile(G, X, Wt, 0);
    } else {
        fast::tensor_16x8x8(G.v[0][1][0], G.v[0][1][1], G.v[1][1][0], G.v[1][1][1], X.v[0][1][0],
                            X.v[1][1][0], X.v[0][1][1], X.v[1][1][1], Wt.v[1][1][0], Wt.v[1][1][1]);
    }
}

/// One step: D = L L^T, K_k := K_k L^{-T}, Wt := L^{-T}.
template <int NK>
struct elimination16 {
    fragment D;      // negated; lower tiles, diagonal tiles full; destroyed
    fragment K[NK];  // negated
    fragment Wt;

    /// side(p): work of the caller in the wait for pivot block p. side(0) may still change tile (1, 1) of D and K.
    /// follow(p): after panel p of K_0.
    template <class Side, class Follow>
    __device__ __forceinline__ void run(elimination_scratch scratch, int lane, pivot_watch& watch, Side side,
                                        Follow follow) {
        const int g = lane >> 2, q = lane & 3;
        double u = 0.0, w = 0.0;
        // Panel 0: even columns of tile column 0.
        publish_pivot(D.v[0][0][0], 0, scratch.pivot(0), lane);
        pivot_block block(scratch.pivot(0));
        side(0);
        set_zero(Wt);
        Wt.v[0][0][0] = Wt.v[1][1][0] = g == 2 * q ? -1.0 : 0.0;
        Wt.v[0][0][1] = Wt.v[1][1][1] = g == 2 * q + 1 ? -1.0 : 0.0;
        double b = block.inverse(lane, watch);
        panel X = scaled(D.v[0][0][0], D.v[1][0][0], b);
        add_panel(D, 0, X, X.r[0]);
        D.v[0][0][0] = X.r[0];
        D.v[1][0][0] = X.r[1];
        // Panel 1: odd columns of tile column 0. Its pivot block is under way while the couplings follow panel 0.
        publish_pivot(D.v[0][0][1], 1, scratch.pivot(1), lane);
        block = pivot_block(scratch.pivot(1));
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) {
            X = scaled(K[k].v[0][0][0], K[k].v[1][0][0], b);
            add_panel(K[k], 0, X, D.v[0][0][0]);
            K[k].v[0][0][0] = X.r[0];
            K[k].v[1][0][0] = X.r[1];
        }
        w = scaled(Wt.v[0][0][0], b);
        Wt.v[0][0][0] = w;
        fast::tensor_8x8x4(u, Wt.v[0][0][1], w, D.v[0][0][0]);
        fast::tensor_8x8x4(D.v[1][1][0], D.v[1][1][1], D.v[1][0][0], D.v[1][0][0]);
        side(1);
        b = block.inverse(lane, watch);
        X = scaled(D.v[0][0][1], D.v[1][0][1], b);
        D.v[0][0][1] = X.r[0];
        D.v[1][0][1] = X.r[1];
        fast::tensor_8x8x4(D.v[1][1][0], D.v[1][1][1], D.v[1][0][1], D.v[1][0][1]);
        // Panel 2: even columns of tile column 1, which has received all of tile column 0.
        publish_pivot(D.v[1][1][0], 0, scratch.pivot(2), lane);
        block = pivot_block(scratch.pivot(2));
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) {
            X = scaled(K[k].v[0][0][1], K[k].v[1][0][1], b);
            K[k].v[0][0][1] = X.r[0];
            K[k].v[1][0][1] = X.r[1];
            fast::tensor_16x8x8(K[k].v[0][1][0], K[k].v[0][1][1], K[k].v[1][1][0], K[k].v[1][1][1],
                                K[k].v[0][0][0], K[k].v[1][0][0], K[k].v[0][0][1], K[k].v[1][0][1],
                                D.v[1][0][0], D.v[1][0][1]);
        }
        follow(1);
        w = scaled(Wt.v[0][0][1], b);
        Wt.v[0][0][1] = w;
        fast::tensor_8x8x4(Wt.v[0][1][0], Wt.v[0][1][1], Wt.v[0][0][0], D.v[1][0][0]);
        fast::tensor_8x8x4(Wt.v[0][1][0], Wt.v[0][1][1], Wt.v[0][0][1], D.v[1][0][1]);
        side(2);
        b = block.inverse(lane, watch);
        w = scaled(D.v[1][1][0], b);
        D.v[1][1][0] = w;
        u = 0.0;
        fast::tensor_8x8x4(u, D.v[1][1][1], w, w);
        // Panel 3: odd columns of tile column 1.
        publish_pivot(D.v[1][1][1], 1, scratch.pivot(3), lane);
        block = pivot_block(scratch.pivot(3));
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) {
            X = scaled(K[k].v[0][1][0], K[k].v[1][1][0], b);
            add_panel(K[k], 1, X, D.v[1][1][0]);
            K[k].v[0][1][0] = X.r[0];
            K[k].v[1][1][0] = X.r[1];
        }
        follow(2);
        X = scaled(Wt.v[0][1][0], Wt.v[1][1][0], b);
        add_panel(Wt, 1, X, D.v[1][1][0]);
        Wt.v[0][1][0] = X.r[0];
        Wt.v[1][1][0] = X.r[1];
        side(3);
        b = block.inverse(lane, watch);
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) {
            X = scaled(K[k].v[0][1][1], K[k].v[1][1][1], b);
            K[k].v[0][1][1] = X.r[0];
            K[k].v[1][1][1] = X.r[1];
            if (k == 0) follow(3);
        }
        X = scaled(Wt.v[0][1][1], Wt.v[1][1][1], b);
        Wt.v[0][1][1] = X.r[0];
        Wt.v[1][1][1] = X.r[1];
    }
};

/// A finished elimination whose record is still to be written.
template <int NK>
struct finished16 {
    fragment Wt, K[NK];

    /// G of neighbour k to `gain`, this lane's place.
    __device__ __forceinline__ void store_gain(int k, double* gain, bool really) const {
        fragment G;
        gain_tile(G, K[k], Wt, 0);
        gain_tile(G, K[k], Wt, 1);
        SHOAL_UNROLL
        for (int i = 0; i < 4; ++i)
            store_if(really, gain + 64 * i, G.v[i >> 1][i & 1][0], G.v[i >> 1][i & 1][1]);
    }
    /// W to the beginning of a record.
    __device__ __forceinline__ void store_inverse(double* record, int lane, bool really) const {
        const int g = lane >> 2, q = lane & 3, j = g >> 1;  // this lane has column g of rows 2 q and 2 q + 1
        const bool even = (g & 1) == 0;
        double *full = record + 16 * q + g, *packed = record + 64;
        double *upper = packed + packed_tile::even_even(q, j),
               *under = packed + (even ? packed_tile::odd_even(q, j) : packed_tile::odd_odd(q, j));
        const bool has_upper = really && even && j <= q, has_under = really && (even || j <= q);
        store_if(has_upper, upper, Wt.v[0][0][0]);
        store_if(has_under, under, Wt.v[0][0][1]);
        store_if(really, full, Wt.v[0][1][0]);
        store_if(really, full + 8, Wt.v[0][1][1]);
        store_if(has_upper, upper + packed_tile::doubles, Wt.v[1][1][0]);
        store_if(has_under, under + packed_tile::doubles, Wt.v[1][1][1]);
    }
};

}  // namespace shoal::arrow::detail
