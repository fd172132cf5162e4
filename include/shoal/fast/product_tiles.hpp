#pragma once

#include <shoal/group/collectives.hpp>

namespace shoal::fast {

/// Which elements of a product are made.
enum class region { full, lower };

/// Elements of a product that one member makes at a time, in registers.
struct tile_shape {
    int rows;
    int cols;
};

/// Members that a block is taken to have when only the launch says how many.
inline constexpr int usual_block = 128;

/// The shape with the shortest way through a product of m x n: what the busiest member multiplies and loads, in issue
/// slots. Tiles hold up to 16 elements: more would take the registers of the caller. Dynamic extents get 2 x 2.
SHOAL_FN constexpr tile_shape product_tile(int m, int n, int members) {
    if (m < 1 || n < 1) return {2, 2};
    tile_shape best{1, 1};
    int least = 0;
    for (int rows = 1; rows <= 8; ++rows) {
        for (int cols = 1; cols <= 4; ++cols) {
            if (rows * cols > 16 || rows > m || cols > n) continue;
            const int tiles = ((m + rows - 1) / rows) * ((n + cols - 1) / cols);
            const int passes = (tiles + members - 1) / members;
            const int cost = passes * (2 * rows * cols + 2 * (rows + cols) + 6);
            if (least == 0 || cost < least) {
                least = cost;
                best = {rows, cols};
            }
        }
    }
    return best;
}

/// `product_tile` for a group of kind G.
template <Group G>
SHOAL_FN constexpr tile_shape product_tile_of(int m, int n) {
    return product_tile(m, n, group_size<G> > 0 ? group_size<G> : usual_block);
}

/// finish(i, j, start(i, j) + sum over k = 0 .. depth - 1 of left(i, k) right(k, j)) for every i < m and j < n of the region,
/// the elements shared by the members tile by tile. No barrier.
///
/// Each sum is one chain of fused multiply-adds in ascending k, so the shape does not show in the bits. A tile of 4 x 4
/// loads 8 numbers for 16 products where single elements load 32. The rows of a tile are not neighbours, so that
/// neighbouring members read neighbouring elements; rows and columns beyond the end read the last one instead.
template <tile_shape Shape, region Region, class T, Group G, class Start, class Left, class Right,
          class Finish>
SHOAL_FN void product_tiles(const G& g, int m, int n, int depth, Start start, Left left, Right right,
                            Finish finish) {
    constexpr int R = Shape.rows;
    constexpr int C = Shape.cols;
    const int high = (m + R - 1) / R;
    const int wide = (n + C - 1) / C;
    strided(core::rolled{}, g, high * wide, [&](int e) SHOAL_INLINE_LAMBDA {
        const int top = e % high;
        const int first = e / high;
        const auto row = [&](int r) SHOAL_INLINE_LAMBDA { return top + r * high; };
        const auto col = [&](int c) SHOAL_INLINE_LAMBDA { return first + c * wide; };
        const auto exists = [&](int r, int c) SHOAL_INLINE_LAMBDA {
            return row(r) < m && col(c) < n && (Region == region::full || row(r) >= col(c));
        };
        T sum[R * C];
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int r = 0; r < R; ++r) sum[r * C + c] = exists(r, c) ? start(row(r), col(c)) : T(0);
        }
        for (int k = 0; k < depth; ++k) {
            T x[R];
            T y[C];
            SHOAL_UNROLL
            for (int r = 0; r < R; ++r) x[r] = left(row(r) < m ? row(r) : m - 1, k);
            SHOAL_UNROLL
            for (int c = 0; c < C; ++c) y[c] = right(k, col(c) < n ? col(c) : n - 1);
            SHOAL_UNROLL
            for (int c = 0; c < C; ++c) {
                SHOAL_UNROLL
                for (int r = 0; r < R; ++r) sum[r * C + c] = core::fma(x[r], y[c], sum[r * C + c]);
            }
        }
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int r = 0; r < R; ++r) {
                if (exists(r, c)) finish(row(r), col(c), sum[r * C + c]);
            }
        }
    });
}

}  // namespace shoal::fast
