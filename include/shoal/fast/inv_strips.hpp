#pragma once

#include <shoal/fast/banks.hpp>
#include <shoal/fast/pivot_rows.hpp>
#include <shoal/fast/warps.hpp>

/// \file
/// What the steps of a panel do to the other columns of a matrix in memory: the parts of inv_panels() besides the product.
/// Element (first + i, first + k) of the panel is what step k multiplies row i by, the pivot where i = k.

namespace shoal::fast::detail {

/// The pivot rows of a panel in a column outside, in a lane's registers. Neighbouring lanes move four rows at a time each in
/// an order of its own where they would wait for one bank.
template <class A, int Width>
struct pivot_strip {
    using T = typename A::value_type;
    static constexpr int turns = crowding_of<A>(crowding::rows, crowding::none) == crowding::none ? 1 : 4;
    A a;
    int first;
    int column;
    int turn;
    T x[Width];

    SHOAL_FN pivot_strip(A matrix, int top, int j, int rank)
        : a(matrix), first(top), column(j), turn(rank % turns) {}
    /// Rows below `count`.
    SHOAL_FN void load(int count) {
        SHOAL_UNROLL
        for (int i = 0; i < Width; i += turns) {
            T part[turns];
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) {
                const int r = i + (u ^ turn);
                part[u] = r < count ? a(first + r, column) : T(0);
            }
            exchange(part, turn);
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) x[i + u] = part[u];
        }
    }
    SHOAL_FN void store(int count) const {
        SHOAL_UNROLL
        for (int i = 0; i < Width; i += turns) {
            T part[turns];
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) part[u] = x[i + u];
            exchange(part, turn);
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) {
                const int r = i + (u ^ turn);
                if (r < count) a(first + r, column) = part[u];
            }
        }
    }
};

/// The pivot rows by which `done` steps multiply: x(k) scaled by pivot k, then x(i) -= l(i, k) x(k) for the rows i below k.
/// A column a lane.
template <int Width, Group G, MatrixView A>
SHOAL_FN void scale_pivot_rows(const G& g, A a, int first, int width, int done) {
    using T = typename A::value_type;
    const auto warp = warp_of(g);
    const int lane = warp.rank();
    const int columns = a.cols() - width;
    const T pivot = lane < done ? a(first + lane, first + lane) : T(1);
    const T reciprocal = core::pivot_reciprocal(pivot);
    // A warp goes on until none of its lanes has a column: shuffles need all of them.
    for (int c = g.rank() - lane; c < columns; c += g.size()) {
        const int e = c + lane;
        const int count = e < columns ? width : 0;
        pivot_strip<A, Width> strip(a, first, e < first ? e : e + width, lane);
        strip.load(count);
        SHOAL_UNROLL
        for (int k = 0; k < Width; ++k) {
            if (k >= done) break;
            const T d = warp.shuffle(pivot, k);
            const T r = warp.shuffle(reciprocal, k);
            T& x = strip.x[k];
            x = core::abs(d) < smallest_invertible<T> ? x / d : x * r;
            SHOAL_UNROLL
            for (int i = k + 1; i < Width; ++i) {
                if (i < width) strip.x[i] = core::fma(-a(first + i, first + k), x, strip.x[i]);
            }
        }
        strip.store(count);
    }
}

/// What later steps do to the pivot rows of earlier ones: x(i) -= l(i, k) x(k) for the rows i above k. A column a member.
template <int Width, Group G, MatrixView A>
SHOAL_FN void finish_pivot_rows(const G& g, A a, int first, int width, int done) {
    for (int e = g.rank(); e < a.cols() - width; e += g.size()) {
        pivot_strip<A, Width> strip(a, first, e < first ? e : e + width, g.rank());
        strip.load(done);
        SHOAL_UNROLL
        for (int k = 1; k < Width; ++k) {
            if (k >= done) break;
            SHOAL_UNROLL
            for (int i = 0; i < k; ++i)
                strip.x[i] = core::fma(-a(first + i, first + k), strip.x[k], strip.x[i]);
        }
        strip.store(done);
    }
}

/// The rows of all columns to their places: lanes 0 .. Width - 1 move row `from` to place first + lane, the next ones what
/// stood there, if it had to make room, to place `room`. The warps share the columns.
template <int Width, Group G, MatrixView A>
SHOAL_FN void move_rows(const G& g, A a, int first, int width, int from, int room) {
    using T = typename A::value_type;
    const auto warp = warp_of(g);
    const int lane = warp.rank();
    const bool pivots = lane < Width;
    const int source = pivots ? from : first + lane - Width;
    const int target = pivots ? first + lane : room;
    const bool moves = pivots ? lane < width && source != target : lane < 2 * Width && room >= first + Width;
    constexpr int together = 4;
    for (int c = g.rank() / warp_lanes * together; c < a.cols(); c += g.size() / warp_lanes * together) {
        T value[together]{};
        SHOAL_UNROLL
        for (int e = 0; e < together; ++e) {
            if (moves && c + e < a.cols()) value[e] = a(source, c + e);
        }
        // The rows are read, before others take their places.
        warp.sync();
        SHOAL_UNROLL
        for (int e = 0; e < together; ++e) {
            if (moves && c + e < a.cols()) a(target, c + e) = value[e];
        }
    }
}

}  // namespace shoal::fast::detail
