#pragma once

#include <shoal/fast/banks.hpp>
#include <shoal/fast/lanes.hpp>
#include <shoal/fast/product_tiles.hpp>
#include <shoal/fast/tensor_core.hpp>
#include <shoal/fast/warps.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal::fast {

/// How a product is shared among warps: the fragments of 8 rows and of 8 columns that a warp makes at a time, and how its
/// operands are stored.
struct tensor_plan {
    int rows = 1;
    int cols = 1;
    int depth = dynamic;
    int tiles = 0;  ///< how many there are, 0 where that is not known
    int warps = 0;  ///< that are there at least
    crowding left = crowding::none;
    crowding right = crowding::none;
    crowding result = crowding::none;
};

/// Terms that are multiplied without a loop, in chunks of 16: loads of the next chunk then pass the products of one.
inline constexpr int largest_flat_chunks = 4;

/// The plan with the shortest way through a product of m x n x depth, in cycles of one multiprocessor; tiles hold up to 16
/// fragments of two doubles. Dynamic extents get 2 x 2.
SHOAL_FN constexpr tensor_plan tensor_plan_for(int m, int n, int depth, int warps) {
    tensor_plan best{2, 2};
    best.depth = depth;
    best.warps = warps;
    if (m < 1 || n < 1) return best;
    const int steps = depth < 1 ? 8 : (depth + 3) / 4;
    int least = 0;
    for (int rows = 1; rows <= 4; ++rows) {
        for (int cols = 1; cols <= 4; ++cols) {
            const int tiles = ((m + 8 * rows - 1) / (8 * rows)) * ((n + 8 * cols - 1) / (8 * cols));
            const int passes = (tiles + warps - 1) / warps;
            const int rate = 16 * ((rows + 1) / 2) * cols;
            const int cost = passes * (steps * (rate < 34 ? 34 : rate) + 8 * rows * cols + 40);
            if (least == 0 || cost < least) {
                least = cost;
                best.rows = rows;
                best.cols = cols;
                best.tiles = tiles;
            }
        }
    }
    return best;
}

namespace detail {

/// Puts the fragments x[step][slot] in order that `how` made lanes load in turns.
template <crowding How, int Used, int Steps, int Slots>
SHOAL_FN void untangle(double (&x)[Steps][Slots], int key) {
    if constexpr (How == crowding::rows) {
        SHOAL_UNROLL
        for (int s = 0; s < Steps; ++s) exchange(x[s], key);
    }
    if constexpr (How == crowding::terms) {
        SHOAL_UNROLL
        for (int u = 0; u < Used; ++u) {
            double part[Steps];
            SHOAL_UNROLL
            for (int s = 0; s < Steps; ++s) part[s] = x[s][u];
            exchange(part, key);
            SHOAL_UNROLL
            for (int s = 0; s < Steps; ++s) x[s][u] = part[s];
        }
    }
}
}  // namespace detail

/// Whether products of T are made by tensor_tiles() in a group of kind G.
template <class G, class T>
inline constexpr bool suits_tensor_tiles = has_tensor_cores&& std::is_same_v<T, double>&& has_warps<G>;

/// finish(i, j, start(i, j) + sum over k = 0 .. depth - 1 of left(i, k) right(k, j)) for every i < m and j < n of the
/// region, on the FP64 tensor cores, the elements shared by the warps of the group tile by tile. No barrier.
///
/// Each sum is one chain of fused multiply-adds in ascending k: the bits are those of product_tiles(). Rows and columns beyond the
/// end read the last one instead; terms beyond the end are products of minus zero, which change no sum.
///
/// Four lanes at a time would wait for one bank of shared memory where the leading dimension is a multiple of 16. They then
/// move different fragments of their tile, and each puts its registers in order.
template <tensor_plan P, region Region, Group G, class Start, class Left, class Right, class Finish>
SHOAL_FN void tensor_tiles(const G& g, int m, int n, int depth, Start start, Left left, Right right,
                           Finish finish) {
    constexpr int R = P.rows;
    constexpr int C = P.cols;
    constexpr int row_slots = R < 3 ? R : 4;
    constexpr int col_slots = C < 3 ? C : 4;
    constexpr int chunk = 4;  // steps of four terms
    constexpr bool left_by_rows = P.left == crowding::rows;
    constexpr bool right_by_rows = P.right == crowding::rows;
    constexpr bool result_by_rows = P.result == crowding::rows;
    const auto member = static_cast<unsigned>(g.rank());
    const int lane = static_cast<int>(member % warp_lanes);
    const int q = lane & 3;
    const int near = lane >> 2 & 3;
    const int half = lane >> 4;
    // Which of the slots a lane turns by.
    const auto key_of = [&](crowding how, int slots)
                            SHOAL_INLINE_LAMBDA { return how == crowding::rows ? q & (slots - 1) : near; };
    const int left_key = key_of(P.left, row_slots);
    const int right_key = key_of(P.right, col_slots);
    const int result_key = key_of(P.result, row_slots);
    const int high = (m + 8 * R - 1) / (8 * R);
    const int wide = (n + 8 * C - 1) / (8 * C);
    const auto make_tile = [&](int e) SHOAL_INLINE_LAMBDA {
        const int top = e % high * (8 * R);
        const int first = e / high * (8 * C);
        if (Region == region::lower && top + 8 * R <= first) return;
        const auto row = [&](int f) SHOAL_INLINE_LAMBDA { return top + 4 * (f + R * half) + near; };
        const auto col = [&](int c, int index) SHOAL_INLINE_LAMBDA {
            return first + 4 * (c + C * (index >> 2)) + ((index & 3) ^ index >> 2);
        };
        const auto exists = [&](int i, int j) SHOAL_INLINE_LAMBDA {
            return i < m && j < n && (Region == region::full || i >= j);
        };
        double sum[R][C][2];
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) {
                const int j = col(c, 2 * q + s);
                double value[row_slots];
                SHOAL_UNROLL
                for (int u = 0; u < row_slots; ++u) {
                    const int f = result_by_rows ? u ^ result_key : u;
                    value[u] = f < R && exists(row(f), j) ? start(row(f), j) : 0.0;
                }
                if constexpr (result_by_rows) detail::exchange(value, result_key);
                SHOAL_UNROLL
                for (int f = 0; f < R; ++f) sum[f][c][s] = value[f];
            }
        }
        int rows[row_slots];
        int cols[col_slots];
        SHOAL_UNROLL
        for (int u = 0; u < row_slots; ++u) {
            const int i = row(left_by_rows ? u ^ left_key : u);
            rows[u] = i < m ? i : m - 1;
        }
        SHOAL_UNROLL
        for (int u = 0; u < col_slots; ++u) {
            const int j = col(right_by_rows ? u ^ right_key : u, lane >> 2);
            cols[u] = j < n ? j : n - 1;
        }
        const auto multiply = [&](const double(&x)[row_slots],
                                  const double(&y)[col_slots]) SHOAL_INLINE_LAMBDA {
            SHOAL_UNROLL
            for (int c = 0; c < C; ++c) {
                SHOAL_UNROLL
                for (int f = 0; f + 1 < R; f += 2) {
                    tensor_16x8x4(sum[f][c][0], sum[f][c][1], sum[f + 1][c][0], sum[f + 1][c][1], x[f],
                                  x[f + 1], y[c]);
                }
                if constexpr (R % 2 == 1) tensor_8x8x4(sum[R - 1][c][0], sum[R - 1][c][1], x[R - 1], y[c]);
            }
        };
        // `Steps` steps of four terms from k on; of the last, terms beyond `Terms`, or if that is negative beyond `depth`, are none.
        const auto multiply_steps = [&]<int Steps, int Terms>(int k) SHOAL_INLINE_LAMBDA {
            // Where the terms are crowded, other lanes take other steps first.
            constexpr bool turns = Steps == chunk && Terms == 4 * chunk;
            constexpr crowding left_how = P.left == crowding::terms && !turns ? crowding::none : P.left;
            constexpr crowding right_how = P.right == crowding::terms && !turns ? crowding::none : P.right;
            double x[Steps][row_slots];
            double y[Steps][col_slots];
            SHOAL_UNROLL
            for (int s = 0; s < Steps; ++s) {
                const int kx = 4 * (left_how == crowding::terms ? s ^ left_key : s) + q;
                const int ky = 4 * (right_how == crowding::terms ? s ^ right_key : s) + q;
                const bool exist = 4 * s + 3 < Terms || (Terms < 0 ? k + kx < depth : kx < Terms);
                SHOAL_UNROLL
                for (int u = 0; u < (left_by_rows ? row_slots : R); ++u)
                    x[s][u] = exist ? left(rows[u], k + kx) : -0.0;
                SHOAL_UNROLL
                for (int u = 0; u < (right_by_rows ? col_slots : C); ++u)
                    y[s][u] = exist ? right(k + ky, cols[u]) : 0.0;
            }
            detail::untangle<left_how, R>(x, left_key);
            detail::untangle<right_how, C>(y, right_key);
            SHOAL_UNROLL
            for (int s = 0; s < Steps; ++s) multiply(x[s], y[s]);
        };
        if constexpr (P.depth >= 0) {
            constexpr int whole = P.depth / (4 * chunk);
            constexpr int rest = P.depth % (4 * chunk);
            if (depth > 0) {
                if constexpr (whole <= largest_flat_chunks) {
                    each<whole>([&](auto c) SHOAL_INLINE_LAMBDA {
                        multiply_steps.template operator()<chunk, 4 * chunk>(4 * chunk * decltype(c)::value);
                    });
                } else {
                    for (int k = 0; k < 4 * chunk * whole; k += 4 * chunk)
                        multiply_steps.template operator()<chunk, 4 * chunk>(k);
                }
                if constexpr (rest > 0)
                    multiply_steps.template operator()<(rest + 3) / 4, rest>(4 * chunk * whole);
            }
        } else {
            int k = 0;
            for (; k + 4 * chunk <= depth; k += 4 * chunk)
                multiply_steps.template operator()<chunk, 4 * chunk>(k);
            for (; k < depth; k += 4) multiply_steps.template operator()<1, -1>(k);
        }
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) {
                const int j = col(c, 2 * q + s);
                double value[row_slots];
                SHOAL_UNROLL
                for (int u = 0; u < row_slots; ++u) value[u] = sum[u < R ? u : R - 1][c][s];
                if constexpr (result_by_rows) detail::exchange(value, result_key);
                SHOAL_UNROLL
                for (int u = 0; u < row_slots; ++u) {
                    const int f = result_by_rows ? u ^ result_key : u;
                    if (f < R && exists(row(f), j)) finish(row(f), j, value[u]);
                }
            }
        }
    };
    const auto first_tile = static_cast<int>(member / warp_lanes);
    // One small tile a warp: without a loop its addresses can be had beforehand, half of the time at order 12. Large tiles are
    // slower so.
    if constexpr (P.tiles > 0 && P.tiles <= P.warps && R * C <= 4) {
        if (P.tiles == P.warps || first_tile < P.tiles) make_tile(first_tile);
    } else {
        for (int e = first_tile; e < high * wide; e += g.size() / warp_lanes) make_tile(e);
    }
}

}  // namespace shoal::fast
