#pragma once

#include <shoal/fast/product_tiles.hpp>
#include <shoal/fast/tensor_tiles.hpp>

namespace shoal::fast {

/// What is known of a product when it is compiled: extents, static or `dynamic`, and how its operands are stored.
struct product_kind {
    int rows = dynamic;
    int cols = dynamic;
    int depth = dynamic;
    crowding left = crowding::none;
    crowding right = crowding::none;
    crowding result = crowding::none;
};

/// That of C = A B.
template <MatrixView A, MatrixView B, MatrixView C>
SHOAL_FN constexpr product_kind kind_of_product() {
    return {C::static_rows,
            C::static_cols,
            A::static_cols,
            crowding_of<A>(crowding::rows, crowding::terms),
            crowding_of<B>(crowding::terms, crowding::rows),
            crowding_of<C>(crowding::rows, crowding::none)};
}

/// finish(i, j, start(i, j) + sum over k = 0 .. depth - 1 of left(i, k) right(k, j)) for every i < m and j < n, with
/// `region::lower` every j <= i, the elements shared by the members. No barrier.
///
/// Each sum is one chain of fused multiply-adds in ascending k, whatever makes it: the FP64 tensor cores where a group of
/// whole warps multiplies doubles, otherwise tiles in the registers of each member.
template <product_kind Kind, region Region, class T, Group G, class Start, class Left, class Right,
          class Finish>
SHOAL_FN void products(const G& g, int m, int n, int depth, Start start, Left left, Right right,
                       Finish finish) {
    constexpr int members = group_size < G >> 0 ? group_size<G> : usual_block;
    constexpr auto tile = product_tile(Kind.rows, Kind.cols, members);
    if constexpr (suits_tensor_tiles<G, T>) {
        constexpr auto plan = [] {
            auto p = tensor_plan_for(Kind.rows, Kind.cols, Kind.depth,
                                     members / warp_lanes > 0 ? members / warp_lanes : 1);
            // A warp by itself waits no longer for the banks than it takes to put registers in order.
            if (members > warp_lanes) {
                p.left = Kind.left;
                p.right = Kind.right;
                if (p.rows * p.cols > 4) p.result = Kind.result;
            }
            if (group_size<G> < 0) p.tiles = 0;
            return p;
        }();
        if (whole_warps(g)) {
            tensor_tiles<plan, Region>(g, m, n, depth, start, left, right, finish);
        } else if constexpr (group_size<G> < 0) {
            product_tiles<tile_shape{1, 1}, Region, T>(g, m, n, depth, start, left, right, finish);
        }
    } else {
        product_tiles<tile, Region, T>(g, m, n, depth, start, left, right, finish);
    }
}

}  // namespace shoal::fast
