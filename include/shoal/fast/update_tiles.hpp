#pragma once

#include <shoal/fast/product_tiles.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal::fast {

/// a(i, j) := combine(left(i), right(j), a(i, j)) for i, j = first .. n - 1 where wanted(i, j), the elements shared by the
/// members tile by tile. No barrier: left and right read nothing that is written here.
///
/// All elements of a tile are loaded before the first is stored. The compiler cannot do that for a loop over elements,
/// where a store may change what is loaded next, and then every element waits for the memory.
/// \tparam N the largest order if static, otherwise `dynamic`: chooses the tiles, which do not show in the bits
template <int N, Group G, MatrixView A, class Left, class Right, class Combine, class Wanted>
SHOAL_FN void update_tiles(const G& g, A a, int first, Left left, Right right, Combine combine,
                           Wanted wanted) {
    using T = typename A::value_type;
    constexpr tile_shape shape = product_tile_of<G>(N, N);
    constexpr int R = shape.rows;
    constexpr int C = shape.cols;
    const int size = a.rows() - first;
    const int high = (size + R - 1) / R;
    const int wide = (size + C - 1) / C;
    strided(core::rolled{}, g, high * wide, [&](int e) SHOAL_INLINE_LAMBDA {
        const int top = e % high;
        const int start = e / high;
        // Beyond the end stands the last row, whose result is not stored.
        const auto row = [&](int r) SHOAL_INLINE_LAMBDA { return top + r * high; };
        const auto col = [&](int c) SHOAL_INLINE_LAMBDA { return start + c * wide; };
        const auto clamped = [&](int i) SHOAL_INLINE_LAMBDA { return first + (i < size ? i : size - 1); };
        const auto exists = [&](int r, int c) SHOAL_INLINE_LAMBDA {
            return row(r) < size && col(c) < size && wanted(first + row(r), first + col(c));
        };
        decltype(left(0)) x[R];
        decltype(right(0)) y[C];
        T value[R * C];
        SHOAL_UNROLL
        for (int r = 0; r < R; ++r) x[r] = left(clamped(row(r)));
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) y[c] = right(clamped(col(c)));
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int r = 0; r < R; ++r)
                value[r * C + c] = exists(r, c) ? a(first + row(r), first + col(c)) : T(0);
        }
        SHOAL_UNROLL
        for (int c = 0; c < C; ++c) {
            SHOAL_UNROLL
            for (int r = 0; r < R; ++r) {
                if (exists(r, c)) a(first + row(r), first + col(c)) = combine(x[r], y[c], value[r * C + c]);
            }
        }
    });
}

}  // namespace shoal::fast
