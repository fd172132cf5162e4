#pragma once

/// \file
/// A 16 x 16 double block in the registers of one warp, in the accumulator layout of the FP64 tensor cores.
///
/// Lane 4 g + q holds elements (8 t + g, 8 c + 2 q + s) for t, c, s in {0, 1}. Taken in the order "even columns of
/// an 8-column tile, then its odd columns", one accumulator register of a lane is at once the A operand and, for
/// X Y^T, the B operand of the next product: chains of products need no shuffle and no shared memory. The price is
/// that a Cholesky factor made this way is triangular in that permuted order inside each 8 x 8 tile.
///
/// In memory a block of this solver is a list of 8 x 8 row-major tiles of 64 doubles, so that lane l of a warp moves
/// 16-byte granule l of each tile.

#include <shoal/arrow/cuda_plan.hpp>
#include <shoal/core/macros.hpp>
#include <shoal/fast/tensor_core.hpp>

namespace shoal::arrow::detail {

struct fragment {
    double v[2][2][2];  // [t][c][s]
};

__device__ __forceinline__ void set_zero(fragment& X) {
    SHOAL_UNROLL
    for (int t = 0; t < 2; ++t) {
        SHOAL_UNROLL
        for (int c = 0; c < 2; ++c) X.v[t][c][0] = X.v[t][c][1] = 0.0;
    }
}

/// Column tile c of C += X Y^T.
__device__ __forceinline__ void add_outer_tile(fragment& C, const fragment& X, const fragment& Y, int c) {
    fast::tensor_16x8x16(C.v[0][c][0], C.v[0][c][1], C.v[1][c][0], C.v[1][c][1], X.v[0][0][0], X.v[1][0][0],
                         X.v[0][0][1], X.v[1][0][1], X.v[0][1][0], X.v[1][1][0], X.v[0][1][1], X.v[1][1][1],
                         Y.v[c][0][0], Y.v[c][0][1], Y.v[c][1][0], Y.v[c][1][1]);
}
/// C += X Y^T.
__device__ __forceinline__ void add_outer(fragment& C, const fragment& X, const fragment& Y) {
    add_outer_tile(C, X, Y, 0);
    add_outer_tile(C, X, Y, 1);
}
/// Tile (1, 1) of C += X X^T.
__device__ __forceinline__ void add_gram_tile(fragment& C, const fragment& X) {
    SHOAL_UNROLL
    for (int k = 0; k < 4; ++k) {
        const double x = X.v[1][k >> 1][k & 1];
        fast::tensor_8x8x4(C.v[1][1][0], C.v[1][1][1], x, x);
    }
}
/// The lower tiles of C += X X^T.
__device__ __forceinline__ void add_gram(fragment& C, const fragment& X) {
    add_outer_tile(C, X, X, 0);
    add_gram_tile(C, X);
}

/// -x through the sign bit. Volatile: where it stands is where it happens. Negating right behind a load would make
/// the elimination wait for memory.
__device__ __forceinline__ double negated(double x) {
    int high;
    asm volatile("xor.b32 %0,%1,0x80000000;" : "=r"(high) : "r"(__double2hiint(x)));
    return __hiloint2double(high, __double2loint(x));
}
__device__ __forceinline__ void negate(fragment& X) {
    SHOAL_UNROLL
    for (int t = 0; t < 2; ++t) {
        SHOAL_UNROLL
        for (int c = 0; c < 2; ++c) {
            X.v[t][c][0] = negated(X.v[t][c][0]);
            X.v[t][c][1] = negated(X.v[t][c][1]);
        }
    }
}
__device__ __forceinline__ void negate_lower(fragment& X) {
    SHOAL_UNROLL
    for (int s = 0; s < 2; ++s) {
        X.v[0][0][s] = negated(X.v[0][0][s]);
        X.v[1][0][s] = negated(X.v[1][0][s]);
        X.v[1][1][s] = negated(X.v[1][1][s]);
    }
}
__device__ __forceinline__ void add_lower(fragment& X, const fragment& Y) {
    SHOAL_UNROLL
    for (int s = 0; s < 2; ++s) {
        X.v[0][0][s] += Y.v[0][0][s];
        X.v[1][0][s] += Y.v[1][0][s];
        X.v[1][1][s] += Y.v[1][1][s];
    }
}

// ---- tiles in memory ------------------------------------------------------------------------------------------------
// full: tiles (0,0) (0,1) (1,0) (1,1), 256 doubles. lower: tiles (0,0) (1,0) (1,1), 192 doubles.

__device__ __forceinline__ void load_full(fragment& X, const double* p, int lane) {
    SHOAL_UNROLL
    for (int i = 0; i < 4; ++i) {
        const double2 a = reinterpret_cast<const double2*>(p)[32 * i + lane];
        X.v[i >> 1][i & 1][0] = a.x;
        X.v[i >> 1][i & 1][1] = a.y;
    }
}
__device__ __forceinline__ void store_tile(double* p, const fragment& X, int t, int c, int tile, int lane) {
    reinterpret_cast<double2*>(p)[32 * tile + lane] = make_double2(X.v[t][c][0], X.v[t][c][1]);
}
__device__ __forceinline__ void store_full(double* p, const fragment& X, int lane) {
    SHOAL_UNROLL
    for (int i = 0; i < 4; ++i) store_tile(p, X, i >> 1, i & 1, i, lane);
}
__device__ __forceinline__ void store_full_transposed(double* p, const fragment& X, int lane) {
    double* z = p + (lane & 3) * 16 + (lane >> 2);
    SHOAL_UNROLL
    for (int t = 0; t < 2; ++t) {
        SHOAL_UNROLL
        for (int c = 0; c < 2; ++c) {
            z[(2 * c + t) * 64] = X.v[t][c][0];
            z[(2 * c + t) * 64 + 8] = X.v[t][c][1];
        }
    }
}
__device__ __forceinline__ void load_lower(fragment& X, const double* p, int lane) {
    const double2* z = reinterpret_cast<const double2*>(p) + lane;
    const double2 a = z[0], b = z[32], c = z[64];
    X.v[0][0][0] = a.x;
    X.v[0][0][1] = a.y;
    X.v[1][0][0] = b.x;
    X.v[1][0][1] = b.y;
    X.v[1][1][0] = c.x;
    X.v[1][1][1] = c.y;
    X.v[0][1][0] = X.v[0][1][1] = 0.0;
}
__device__ __forceinline__ void store_lower(double* p, const fragment& X, int lane) {
    store_tile(p, X, 0, 0, 0, lane);
    store_tile(p, X, 1, 0, 1, lane);
    store_tile(p, X, 1, 1, 2, lane);
}

/// W = L^{-1} in a record: tile (1, 0), then the 36 elements of tile (0, 0) that are not zero, then those of (1, 1).
/// Row 2 i of such a tile has its even columns 2 j, j <= i; row 2 i + 1 all even ones and the odd ones 2 j + 1, j <= i.
/// By these kinds, even-even, odd-even, odd-odd, row by row.
struct packed_tile {
    static constexpr int doubles = 36;
    static SHOAL_FN constexpr int even_even(int i, int j) { return i * (i + 1) / 2 + j; }
    static SHOAL_FN constexpr int odd_odd(int i, int j) { return 10 + even_even(i, j); }
    static SHOAL_FN constexpr int odd_even(int i, int j) { return 20 + 4 * i + j; }
};

// ---- blocks of the caller: column-major 16 x 16 ---------------------------------------------------------------------
/// Where a lane finds its elements of a caller's block.
struct block_offsets {
    int diagonal[2];  // elements (g, 2 q + s) of a diagonal tile, mirrored into the lower triangle
    int column;       // element (g, 2 q): the next column is 16 further
    int row;          // element (2 q, g): the next row is 1 further

    __device__ __forceinline__ explicit block_offsets(int lane) {
        const int g = lane >> 2, c = 2 * (lane & 3);
        SHOAL_UNROLL
        for (int s = 0; s < 2; ++s) diagonal[s] = g >= c + s ? (c + s) * 16 + g : g * 16 + c + s;
        column = c * 16 + g;
        row = g * 16 + c;
    }
};
/// Both triangles of the diagonal tiles and the tile below, from the lower triangle in memory.
__device__ __forceinline__ void load_symmetric(fragment& X, const double* p, const block_offsets& o) {
    SHOAL_UNROLL
    for (int s = 0; s < 2; ++s) {
        X.v[0][0][s] = p[o.diagonal[s]];
        X.v[1][0][s] = p[o.column + 16 * s + 8];
        X.v[1][1][s] = p[o.diagonal[s] + 8 * 17];
    }
    X.v[0][1][0] = X.v[0][1][1] = 0.0;
}
/// X = block.
__device__ __forceinline__ void load_block(fragment& X, const double* p, const block_offsets& o) {
    SHOAL_UNROLL
    for (int t = 0; t < 2; ++t) {
        SHOAL_UNROLL
        for (int c = 0; c < 2; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) X.v[t][c][s] = p[o.column + 128 * c + 16 * s + 8 * t];
        }
    }
}
/// X = block^T.
__device__ __forceinline__ void load_block_transposed(fragment& X, const double* p, const block_offsets& o) {
    SHOAL_UNROLL
    for (int t = 0; t < 2; ++t) {
        SHOAL_UNROLL
        for (int c = 0; c < 2; ++c) {
            const double2 a = *reinterpret_cast<const double2*>(p + o.row + 128 * t + 8 * c);
            X.v[t][c][0] = a.x;
            X.v[t][c][1] = a.y;
        }
    }
}

}  // namespace shoal::arrow::detail
