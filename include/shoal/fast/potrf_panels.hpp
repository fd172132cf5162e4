#pragma once

#include <shoal/fast/rows.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

namespace detail {

/// Columns that are factored in registers together. Wider ones would leave fewer barriers, but a row of 32 takes twice
/// the registers, and the way through the pivots is the same.
inline constexpr int largest_panel = 16;

/// Rows that a member holds while the columns before a panel are applied to it: each the start of a tile of up to four
/// columns.
template <class G>
inline constexpr int panel_rows = G::scope == scope::block ? 4 : 8;

/// The largest order that potrf_panels() takes with so many members.
template <class G>
SHOAL_FN constexpr int panel_limit(int members) {
    return members / 4 * panel_rows<G>;
}

/// A member's part of a panel as it was, in case that it must be put back.
template <class T, int Rows>
struct panel_part {
    T element[4 * Rows];
};

/// The columns before `first` applied to those of the panel: Rows rows of a member, four columns of each.
template <int Rows, int Width, int Room, Group G, MatrixView M>
SHOAL_FN void update_panel(const G& g, M a, int first, panel_part<typename M::value_type, Room>& held) {
    using T = typename M::value_type;
    constexpr int Cols = (Width + 3) / 4;
    const int n = a.rows();
    const int top = first + g.rank() / 4;
    const int left = first + g.rank() % 4;
    const int step = g.size() / 4;
    T sum[Rows * Cols];
    const auto stored = [&](int r, int c) SHOAL_INLINE_LAMBDA {
        return top + r * step < n && left + 4 * c < first + Width && top + r * step >= left + 4 * c;
    };
    SHOAL_UNROLL
    for (int c = 0; c < Cols; ++c) {
        SHOAL_UNROLL
        for (int r = 0; r < Rows; ++r) {
            sum[r * Cols + c] = stored(r, c) ? a(top + r * step, left + 4 * c) : T(0);
            held.element[r * 4 + c] = sum[r * Cols + c];
        }
    }
    for (int l = 0; l < first; ++l) {
        T x[Rows];
        T y[Cols];
        SHOAL_UNROLL
        for (int r = 0; r < Rows; ++r) x[r] = a(top + r * step < n ? top + r * step : n - 1, l);
        SHOAL_UNROLL
        for (int c = 0; c < Cols; ++c) y[c] = a(left + 4 * c < n ? left + 4 * c : n - 1, l);
        SHOAL_UNROLL
        for (int c = 0; c < Cols; ++c) {
            SHOAL_UNROLL
            for (int r = 0; r < Rows; ++r) sum[r * Cols + c] = core::fma(-x[r], y[c], sum[r * Cols + c]);
        }
    }
    SHOAL_UNROLL
    for (int c = 0; c < Cols; ++c) {
        SHOAL_UNROLL
        for (int r = 0; r < Rows; ++r) {
            if (stored(r, c)) a(top + r * step, left + 4 * c) = sum[r * Cols + c];
        }
    }
}

/// Puts back what update_panel() replaced, from column `bad` on.
template <int Width, int Room, Group G, MatrixView M>
SHOAL_FN void restore_panel(const G& g, M a, int first, int bad,
                            const panel_part<typename M::value_type, Room>& held) {
    const int n = a.rows();
    const int step = g.size() / 4;
    SHOAL_UNROLL
    for (int c = 0; c < (Width + 3) / 4; ++c) {
        SHOAL_UNROLL
        for (int r = 0; r < Room; ++r) {
            const int i = first + g.rank() / 4 + r * step;
            const int j = first + g.rank() % 4 + 4 * c;
            if (i < n && j < first + Width && i >= j && j >= bad) a(i, j) = held.element[r * 4 + c];
        }
    }
}

/// The panel of Width columns from `first` on, whose columns before are applied: factored by each warp in registers, with
/// some of the rows below beside the rows of the pivots.
/// \return 0 or the bad pivot, 1-based in the matrix
template <int Width, Group G, MatrixView M>
SHOAL_FN int factor_panel(const G& g, M a, int first) {
    using T = typename M::value_type;
    constexpr int beside = warp_lanes - Width;
    const auto warp = warp_of(g);
    const int n = a.rows();
    const int lane = warp.rank();
    const int mine = g.rank() / warp_lanes;
    const int warps = g.size() / warp_lanes;
    // The rows of this lane: a row of a pivot or one beside them, and one below.
    const int rows[2] = {lane < Width ? first + lane : first + mine * beside + lane,
                         first + Width + warps * beside + mine * warp_lanes + lane};
    T x[2 * Width];
    SHOAL_UNROLL
    for (int s = 0; s < 2; ++s) {
        SHOAL_UNROLL
        for (int j = 0; j < Width; ++j) {
            const int i = rows[s];
            // Beyond the end stands the identity.
            x[s * Width + j] = i < n && i >= first + j ? a(i, first + j) : T(i == first + j ? 1 : 0);
        }
    }
    // Everyone has read the panel, before it changes.
    g.sync();
    int info = 0;
    T pivot = warp.shuffle(x[0], 0);
    SHOAL_UNROLL
    for (int k = 0; k < Width; ++k) {
        if (info == 0 && !core::good_pivot(pivot)) info = first + k + 1;
        const auto r = core::pivot_rsqrt(pivot);
        SHOAL_UNROLL
        for (int s = 0; s < 2; ++s) {
            T& value = x[s * Width + k];
            value = s == 0 && lane == k ? r.root : value * r.reciprocal;
            const bool owns = s == 1 || lane >= Width || (mine == 0 && lane >= k);
            if (info == 0 && owns && rows[s] < n && first + k < n) a(rows[s], first + k) = value;
        }
        if (k + 1 < Width) {
            // The owner of the next pivot has all it takes: the pivot need not wait for the shuffles of the update.
            pivot = warp.shuffle(core::fma(-x[k], x[k], x[k + 1]), k + 1);
        }
        SHOAL_UNROLL
        for (int j = k + 1; j < Width; ++j) {
            const T ljk = warp.shuffle(x[k], j);
            x[j] = core::fma(-x[k], ljk, x[j]);
            x[Width + j] = core::fma(-x[Width + k], ljk, x[Width + j]);
        }
    }
    return info;
}

/// Columns of the panels of a matrix.
template <class M>
SHOAL_FN constexpr int panel_width() {
    return M::static_rows >= 1 && M::static_rows < largest_panel ? M::static_rows : largest_panel;
}

}  // namespace detail

/// A = L L' in the lower triangle of A, by panels of 16 columns: for a warp, or a block of whole warps, and orders up to
/// `detail::panel_limit`.
///
/// The members share the products with the columns before a panel, a tile each; then every warp factors the 16 pivots in
/// its registers, all alike, so that a pivot costs shuffles instead of barriers, and no warp waits for the result of
/// another. Left-looking: what lies behind a bad pivot is not yet changed, and of its panel each member has kept its part.
///
/// \return as potrf(), whose bits these are
/// Barriers: three a panel less one; the exit barrier is the caller's. No scratch. Registers: 32 elements, and a tile.
template <Group G, MatrixView M>
SHOAL_FN int potrf_panels(const G& g, M a) {
    constexpr int Width = detail::panel_width<M>();
    constexpr int Room = detail::panel_rows<G>;
    const int n = a.rows();
    const int step = g.size() / 4;
    for (int first = 0; first < n; first += Width) {
        detail::panel_part<typename M::value_type, Room> held{};
        if (first > 0) {
            // As few rows a member as there are rows below, so that a short panel is short work.
            const int rows = n - first;
            if (rows <= step) {
                detail::update_panel<1, Width>(g, a, first, held);
            } else if (rows <= 2 * step) {
                detail::update_panel<2, Width>(g, a, first, held);
            } else if (Room == 4 || rows <= 4 * step) {
                detail::update_panel<4, Width>(g, a, first, held);
            } else {
                detail::update_panel<Room, Width>(g, a, first, held);
            }
            // The updated panel, before every warp reads it.
            g.sync();
        }
        const int info = detail::factor_panel<Width>(g, a, first);
        if (info != 0) {
            if (first > 0) detail::restore_panel<Width>(g, a, first, info - 1, held);
            return info;
        }
        // The finished columns, before they are applied to the next.
        if (first + Width < n) g.sync();
    }
    return 0;
}

}  // namespace shoal::fast
