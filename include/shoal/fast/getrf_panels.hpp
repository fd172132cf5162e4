#pragma once

#include <shoal/fast/lanes.hpp>
#include <shoal/fast/pivot_rows.hpp>
#include <shoal/fast/products.hpp>
#include <shoal/fast/trsm_lanes.hpp>

namespace shoal::fast {

/// The largest order that getrf_panels() takes: four rows of a panel a lane.
inline constexpr int largest_panel_rows = 128;

namespace detail {

inline constexpr int lu_panel = 16;

/// Some columns of a matrix in the registers of a warp, a row in each slot of each lane. Rows stay where they are and
/// know the place that interchanges would give them; -1 where there is none.
template <class T, int Width, int Slots>
struct tall_panel {
    T element[Slots * Width];
    int place[Slots];
    SHOAL_FN T& operator()(int s, int j) { return element[s * Width + j]; }
};

/// A lane's best row for a step.
template <class T>
struct panel_candidate {
    decltype(candidate_key(T())) key = 0;
    int place = 0;
    int slot = 0;
    T value = T(1);
};

template <class T, int Width, int Slots>
SHOAL_FN panel_candidate<T> choose_panel_row(tall_panel<T, Width, Slots>& a, int k, int column) {
    panel_candidate<T> best;
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const auto key = a.place[s] >= k ? candidate_key(a(s, column)) : 0;
        if (s == 0 || key > best.key || (key == best.key && a.place[s] < best.place))
            best = {key, a.place[s], s, a(s, column)};
    }
    best.slot = opaque(best.slot);
    return best;
}

/// P A = L U of a panel, by one warp. `chosen(k, p, row)`: row `row` of the panel comes to place k, and what was there to place p.
/// \return as getrf(), of the panel
template <class T, int Width, int Slots, ShuffleGroup G, class Chosen>
SHOAL_FN int factor_tall(const G& warp, tall_panel<T, Width, Slots>& a, Chosen chosen) {
    int info = 0;
    // Not a loop: with few slots nvcc would leave it rolled, and the panel in memory.
    each<Width>([&](auto step) SHOAL_INLINE_LAMBDA {
        constexpr int k = decltype(step)::value;
        const auto best = choose_panel_row(a, k, k);
        // Beside the search rather than after it. Lanes without a candidate: the reciprocal of zero takes the long way.
        const T own = core::pivot_reciprocal(best.key != 0 ? best.value : T(1));
        const int leader = leading_member(warp, best.key, best.place, largest_leading_word(warp, best.key));
        const T reciprocal = warp.shuffle(own, leader);
        const int slot = warp.shuffle(best.slot, leader);
        const int p = warp.shuffle(best.place, leader);
        chosen(k, p, slot * warp_lanes + leader);
        const auto pick = [&](int j) SHOAL_INLINE_LAMBDA {
            T value = a(0, j);
            SHOAL_UNROLL
            for (int s = 1; s < Slots; ++s) value = slot == s ? a(s, j) : value;
            return warp.shuffle(value, leader);
        };
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) {
            const bool leads = warp.rank() == leader && slot == s;
            a.place[s] = leads ? k : a.place[s] == k ? p : a.place[s];
        }
        T multiplier[Slots];
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) multiplier[s] = a(s, k) * reciprocal;
        const T pivot = pick(k);
        if (core::abs(pivot) < smallest_invertible<T>) {
            const tiny_divider<T> over(pivot);
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) multiplier[s] = over(a(s, k));
        }
        if (info == 0 && !core::good_pivot(core::abs(pivot))) info = k + 1;
        SHOAL_UNROLL
        for (int j = k + 1; j < Width; ++j) {
            const T u = pick(j);
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) {
                // Finished rows must not see the product: with an infinite or NaN factor it would not be zero.
                T& x = a(s, j);
                x = a.place[s] > k ? core::fma(-multiplier[s], u, x) : x;
            }
        }
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) a(s, k) = a.place[s] > k ? multiplier[s] : a(s, k);
    });
    return info;
}

/// One panel: factored by every warp for itself, written by all together, and the rows of all other columns brought to
/// their places.
/// \return 0 or the first bad pivot, 1-based in the panel
template <int Width, int Slots, Group G, MatrixView A, VectorView P>
SHOAL_FN int panel_step(const G& g, A a, P pivots, int first) {
    using T = typename A::value_type;
    const auto warp = warp_of(g);
    const int rows = a.rows() - first;
    const int width = rows < Width ? rows : Width;
    const int lane = warp.rank();
    const int mine = g.rank() / warp_lanes;
    const int warps = g.size() / warp_lanes;
    tall_panel<T, Width, Slots> panel;
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int i = s * warp_lanes + lane;
        // Beyond the end stands the identity, whose rows take no pivot from the others.
        panel.place[s] = i < rows || i < Width ? i : -1;
        SHOAL_UNROLL
        for (int j = 0; j < Width; ++j)
            panel(s, j) = i < rows && j < width ? a(first + i, first + j) : T(i == j ? 1 : 0);
    }
    // Every warp has read the panel, before it changes.
    g.sync();
    // What each lane moves in the other columns: lanes 0 .. Width - 1 a pivot row to its place, the others a row that
    // made room for one. Rows of the panel.
    int from = lane % Width;
    const int info = factor_tall(warp, panel, [&](int k, int p, int row) SHOAL_INLINE_LAMBDA {
        if (mine == 0 && lane == k && k < width) pivots(first + k) = first + p;
        if (lane == k) from = row;
    });
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        if (panel.place[s] < 0 || panel.place[s] >= rows || s % warps != mine) continue;
        SHOAL_UNROLL
        for (int j = 0; j < Width; ++j) {
            if (j < width) a(first + panel.place[s], first + j) = panel(s, j);
        }
    }
    const int made_room = warp.shuffle(panel.place[0], lane % Width);
    const int to = lane < Width ? lane : made_room;
    const bool moves = lane < Width ? from != to : lane < 2 * Width && made_room >= Width;
    constexpr int together = 4;
    const int others = a.rows() - width;
    for (int c = mine * together; c < others; c += warps * together) {
        T value[together]{};
        const auto column = [&](int e) SHOAL_INLINE_LAMBDA { return c + e < first ? c + e : c + e + width; };
        SHOAL_UNROLL
        for (int e = 0; e < together; ++e) {
            if (moves && c + e < others) value[e] = a(first + from, column(e));
        }
        // The rows are read, before others take their places.
        warp.sync();
        SHOAL_UNROLL
        for (int e = 0; e < together; ++e) {
            if (moves && c + e < others) a(first + to, column(e)) = value[e];
        }
    }
    return info;
}

/// The panel from `first` on with as few slots as its rows need.
template <int Width, int Slots, Group G, MatrixView A, VectorView P>
SHOAL_FN int panel_of_rows(const G& g, A a, P pivots, int first) {
    if constexpr (Slots > 1) {
        if (a.rows() - first <= Slots / 2 * warp_lanes)
            return panel_of_rows<Width, Slots / 2>(g, a, pivots, first);
    }
    return panel_step<Width, Slots>(g, a, pivots, first);
}

/// Rows first .. first + Rows - 1 and columns from `left` on of a matrix.
template <MatrixView M, int Rows>
struct row_strip {
    using storage = M;
    using value_type = typename M::value_type;
    static constexpr int static_rows = Rows;
    static constexpr int static_cols = dynamic;
    M matrix;
    int first;
    int left;
    SHOAL_FN static constexpr int rows() { return Rows; }
    SHOAL_FN constexpr int cols() const { return matrix.cols() - left; }
    SHOAL_FN constexpr decltype(auto) operator()(int i, int j) const { return matrix(first + i, left + j); }
};

}  // namespace detail

/// P A = L U with partial pivoting, A of an order up to 128, in place, by panels of 16 columns: for a warp, or a block of
/// whole warps.
///
/// Every warp factors the panel in its registers for itself, so that a pivot costs no barrier; then the warps share the
/// interchanges in the other columns, the solve for 16 rows of U, a column a lane, and the product that updates the rest.
///
/// \return as getrf(), whose bits and pivots these are
/// Barriers: four a panel; the exit barrier is the caller's. No scratch. Registers: up to 64 elements.
template <Group G, MatrixView A, VectorView P>
SHOAL_FN int getrf_panels(const G& g, A a, P pivots) {
    using T = typename A::value_type;
    constexpr int W = detail::lu_panel;
    constexpr int N = A::static_rows;
    constexpr int slots = N < 0 || N > 64 ? 4 : N > 32 ? 2 : 1;
    constexpr product_kind kind{dynamic,
                                dynamic,
                                W,
                                crowding_of<A>(crowding::rows, crowding::terms),
                                crowding_of<A>(crowding::terms, crowding::rows),
                                crowding_of<A>(crowding::rows, crowding::none)};
    const int n = a.rows();
    int info = 0;
    for (int first = 0; first < n; first += W) {
        const int bad = detail::panel_of_rows<W, slots>(g, a, pivots, first);
        if (info == 0 && bad != 0) info = first + bad;
        const int next = first + W;
        if (next >= n) break;
        // The factored panel, and the rows in their places.
        g.sync();
        const detail::row_strip<A, W> corner{a, first, first};
        const detail::row_strip<A, W> strip{a, first, next};
        trsm_lanes(g, triangular<decltype(corner), uplo::lower, diagonal::unit>{corner}, strip);
        // The rows of U, before they are applied.
        g.sync();
        products<kind, region::full, T>(
            g, n - next, n - next, W, [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(next + i, next + j); },
            [&](int i, int k) SHOAL_INLINE_LAMBDA { return -a(next + i, first + k); },
            [&](int k, int j) SHOAL_INLINE_LAMBDA { return a(first + k, next + j); },
            [&](int i, int j, T x) SHOAL_INLINE_LAMBDA { a(next + i, next + j) = x; });
        // The updated rest, before its first columns are factored.
        g.sync();
    }
    return info;
}

}  // namespace shoal::fast
