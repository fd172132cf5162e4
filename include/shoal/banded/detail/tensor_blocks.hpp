#pragma once

#include <cstddef>

#include <shoal/banded/strip.hpp>
#include <shoal/fast/tensor_warp.hpp>

/// \file
/// Blocks of up to 16 x 16 doubles in the registers of a warp, as the FP64 tensor cores hold their results.
///
/// Lane 4 g + q holds of every 8 x 8 tile row g / 2 + 4 (g % 2), and of it the elements q and q + 4. Numbered like this,
/// the four columns of a panel are one register a lane, and that register is at once the left operand and, transposed, the
/// right operand of the next product: chains of products need no exchange. What a block lacks to whole tiles is filled
/// with the identity.

namespace shoal::detail {

/// How a block of n x n is cut.
template <int n>
struct tensor_cut {
    static constexpr int tiles = (n + 7) / 8;   ///< of 8 rows
    static constexpr int panels = (n + 3) / 4;  ///< of 4 columns
};

/// `Rows` x `Cols` tiles of 8 x 8: x[r][c][s] is element (8 r + row, 8 c + 4 s + q).
template <int Rows, int Cols>
struct tensor_tiles_of {
    double x[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(Cols)][2];

    SHOAL_FN static tensor_tiles_of zero() {
        tensor_tiles_of t;
        t.each([](int, int, int, double& element) SHOAL_INLINE_LAMBDA { element = 0; });
        return t;
    }
    /// f(r, c, s, x)
    template <class F>
    SHOAL_FN void each(F f) {
        SHOAL_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SHOAL_UNROLL
            for (int c = 0; c < Cols; ++c) {
                SHOAL_UNROLL
                for (int s = 0; s < 2; ++s) f(r, c, s, x[r][c][s]);
            }
        }
    }
    SHOAL_FN void negate() {
        each([](int, int, int, double& e) SHOAL_INLINE_LAMBDA { e = -e; });
    }
};

/// The place of a lane in a tile.
struct tensor_lane {
    int row;
    int q;
    SHOAL_FN explicit tensor_lane(int lane) : row(lane / 8 + lane / 4 % 2 * 4), q(lane % 4) {}
};

/// C += A b for tiles one below the other, two at a time.
template <int Rows, ShuffleGroup W>
SHOAL_FN void multiply_rows(const W& warp, double (&c0)[Rows], double (&c1)[Rows], const double (&a)[Rows],
                            double b, int from) {
    SHOAL_UNROLL
    for (int r = 0; r < Rows; r += 2) {
        if (r + 1 < from) continue;
        if (r + 1 < Rows && r >= from) {
            fast::multiply_16x8x4(warp, c0[r], c1[r], c0[r + 1], c1[r + 1], a[r], a[r + 1], b);
        } else {
            const int only = r >= from ? r : r + 1;
            fast::multiply_8x8x4(warp, c0[only], c1[only], a[only], b);
        }
    }
}

/// Panel (c, 1) of X += panel (c, 0) of X times b.
template <int Rows, int Cols, ShuffleGroup W>
SHOAL_FN void add_to_odd(const W& warp, tensor_tiles_of<Rows, Cols>& X, int c, double b, int from = 0) {
    double unused[Rows], sum[Rows], a[Rows];
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r) {
        unused[r] = 0;
        sum[r] = X.x[r][c][1];
        a[r] = X.x[r][c][0];
    }
    multiply_rows(warp, unused, sum, a, b, from);
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r)
        if (r >= from) X.x[r][c][1] = sum[r];
}
/// Column `to` of tiles of C += panel (c, s) of X times b.
template <int Rows, int Cols, int Others, ShuffleGroup W>
SHOAL_FN void add_to_tiles(const W& warp, tensor_tiles_of<Rows, Cols>& C, int to,
                           const tensor_tiles_of<Rows, Others>& X, int c, int s, double b, int from = 0) {
    double c0[Rows], c1[Rows], a[Rows];
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r) {
        c0[r] = C.x[r][to][0];
        c1[r] = C.x[r][to][1];
        a[r] = X.x[r][c][s];
    }
    multiply_rows(warp, c0, c1, a, b, from);
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r)
        if (r >= from) {
            C.x[r][to][0] = c0[r];
            C.x[r][to][1] = c1[r];
        }
}
/// C += X Y' over the first `Panels` panels; with `lower`, only tiles on and below the diagonal.
enum class tensor_part { full, lower };
template <int Panels, tensor_part Part, int Rows, int Cols, int K, ShuffleGroup W>
SHOAL_FN void add_product(const W& warp, tensor_tiles_of<Rows, Cols>& C, const tensor_tiles_of<Rows, K>& X,
                          const tensor_tiles_of<Cols, K>& Y) {
    SHOAL_UNROLL
    for (int p = 0; p < Panels; ++p) {
        SHOAL_UNROLL
        for (int to = 0; to < Cols; ++to)
            add_to_tiles(warp, C, to, X, p / 2, p % 2, Y.x[to][p / 2][p % 2],
                         Part == tensor_part::lower ? to : 0);
    }
}

}  // namespace shoal::detail
