#pragma once

#include <cstdint>

#include <shoal/banded/knot_info.hpp>
#include <shoal/banded/strip.hpp>
#include <shoal/group/collectives.hpp>

/// \file
/// Block-tridiagonal elimination in the registers of a tile or a warp, a row a lane.
///
/// A block row takes W lanes, W the power of two that holds n rows. A group of S lanes has S / W such parts, which all
/// hold the same rows: the column-by-column work costs no more for being done several times, and of the product E E',
/// which is most of the shuffles, each part does a share of the columns.
///
///     lane W p + i holds   d: row i of D_k         e: row i of L_{k+1}         u: its share of row i of D_{k+1}
///
/// What a knot needs is loaded while the knot before it is eliminated.

namespace shoal::detail {

/// The largest block that is ever eliminated in registers.
inline constexpr int largest_row_block = 16;

/// How the rows of n x n blocks are dealt to S lanes.
template <int n, int S>
struct row_deal {
    SHOAL_FN static constexpr int lanes() {
        int w = 1;
        while (w < n) w *= 2;
        return w;
    }
    static constexpr int width = lanes();
    static constexpr int parts = S / width;
    static constexpr int share = parts > 0 ? (n + parts - 1) / parts : n;
};

/// Whether blocks of n x n are eliminated in the registers of a group G: a row for each lane.
template <class G, int n>
SHOAL_FN constexpr bool suits_row_blocks() {
    if constexpr (ShuffleGroup<G>) {
        return G::static_size > 1 && n <= G::static_size && n <= largest_row_block;
    } else {
        return false;
    }
}

/// One lane's way to its row of the blocks. Memory is touched in pieces of 16 bytes where the strips allow it.
template <class A>
struct strip_rows {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    static constexpr int piece = 16 / static_cast<int>(sizeof(T));
    static constexpr bool in_pieces = n % piece == 0;
    A a;
    int i;         ///< row, n or more in lanes that have none
    bool aligned;  ///< same for all rows of all blocks

    SHOAL_FN strip_rows(A strips, int row) : a(strips), i(row), aligned(false) {
#if defined(SHOAL_DEVICE_CODE)
        aligned = in_pieces && (reinterpret_cast<std::uintptr_t>(a.data()) & 15U) == 0;
#endif
    }

    struct alignas(16) chunk {
        T v[static_cast<std::size_t>(piece)];
    };

    /// x[j - first] := row(j) for first <= j < first + Count and j <= last, else 0. Elements behind `last` may be loaded.
    template <int Count>
    SHOAL_FN void load(const T* row, int first, int last, T (&x)[Count]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces && Count % piece == 0) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < Count / piece; ++q) {
                    chunk c{};
                    if (first + q * piece <= last)
                        c = *reinterpret_cast<const chunk*>(row + first + q * piece);
                    SHOAL_UNROLL
                    for (int h = 0; h < piece; ++h)
                        x[q * piece + h] = first + q * piece + h <= last ? c.v[h] : T(0);
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < Count; ++j) x[j] = first + j <= last ? row[first + j] : T(0);
    }
    /// Row i of L_k; zeros where there is none.
    SHOAL_FN void left(int k, T (&x)[n]) const {
        load(a.left(k).data() + i * row_step, 0, k > 0 && k < a.knots() && i < n ? n - 1 : -1, x);
    }
    /// Columns first .. first + Count - 1 of row i of the lower triangle of D_k; zeros where there is nothing.
    template <int Count>
    SHOAL_FN void main(int k, int first, T (&x)[Count]) const {
        load(a.main(k).data() + i * row_step, first, k < a.knots() && i < n ? i : -1, x);
    }
    /// row(j) := x[j] for j <= last, j a column of this part: chunk q belongs to part q mod `parts`.
    SHOAL_FN void store(T* row, int last, int part, int parts, const T (&x)[n]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < n / piece; ++q) {
                    if (q % parts != part) continue;
                    if (q * piece + piece - 1 <= last) {
                        chunk c;
                        SHOAL_UNROLL
                        for (int h = 0; h < piece; ++h) c.v[h] = x[q * piece + h];
                        *reinterpret_cast<chunk*>(row + q * piece) = c;
                    } else {
                        SHOAL_UNROLL
                        for (int h = 0; h < piece; ++h)
                            if (q * piece + h <= last) row[q * piece + h] = x[q * piece + h];
                    }
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            if (j % parts == part && j <= last) row[j] = x[j];
    }

    static constexpr int row_step = A::row_length;
};

/// A = F F' as bdsv_factor(), in registers, without a branch that depends on the numbers. Barriers: the exit barrier.
template <ShuffleGroup G, class A>
SHOAL_FN knot_info bdsv_factor_rows(const G& g, A a) {
    using T = typename A::value_type;
    constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;
    constexpr int share = deal::share;
    const int part = g.rank() / deal::width;
    const int i = g.rank() % deal::width;
    const int first = part * share;
    const int knots = a.knots();
    const strip_rows<A> rows(a, i);
    T d[n], e[n], u[share], next_e[n], next_u[share];
    rows.main(0, 0, d);
    rows.left(1, e);
    rows.main(1, first, u);
    knot_info found;
    for (int k = 0; k < knots; ++k) {
        rows.left(k + 2, next_e);
        rows.main(k + 2, first, next_u);
        int bad = 0;
        // The next pivot and the element left of it are known to every lane: no shuffle waits between two roots.
        T pivot = g.shuffle(d[0], 0);
        T below = 0, corner = 0;
        if constexpr (n > 1) {
            below = g.shuffle(d[0], 1);
            corner = g.shuffle(d[1], 1);
        }
        SHOAL_UNROLL
        for (int p = 0; p < n; ++p) {
            if (bad == 0 && !core::good_pivot(pivot)) bad = p + 1;
            const auto r = core::pivot_rsqrt(pivot);
            const T lp = d[p] * r.reciprocal;
            const T ep = e[p] * r.reciprocal;
            d[p] = i == p ? r.root : lp;
            e[p] = ep;
            if (p + 1 < n) {
                const T l_next = below * r.reciprocal;
                pivot = core::fma(-l_next, l_next, corner);
                d[p + 1] = core::fma(-lp, l_next, d[p + 1]);
                e[p + 1] = core::fma(-ep, l_next, e[p + 1]);
            }
            if (p + 2 < n) {
                const T l_jp = g.shuffle(lp, p + 2);
                d[p + 2] = core::fma(-lp, l_jp, d[p + 2]);
                e[p + 2] = core::fma(-ep, l_jp, e[p + 2]);
                below = g.shuffle(d[p + 1], p + 2);
                corner = g.shuffle(d[p + 2], p + 2);
            }
            SHOAL_UNROLL
            for (int j = p + 3; j < n; ++j) {
                const T l_jp = g.shuffle(lp, j);
                d[j] = core::fma(-lp, l_jp, d[j]);
                e[j] = core::fma(-ep, l_jp, e[j]);
            }
            SHOAL_UNROLL
            for (int j = 0; j < share; ++j) u[j] = core::fma(-ep, g.shuffle(ep, first + j), u[j]);
        }
        // As in potrf(): the columns before a bad pivot are final, what is behind stays as it was.
        const int last = bad == 0 ? n - 1 : bad - 2;
        if (i < n && found.good()) {
            rows.store(a.main(k).data() + i * rows.row_step, last < i ? last : i, part, deal::parts, d);
            if (k + 1 < knots)
                rows.store(a.left(k + 1).data() + i * rows.row_step, last, part, deal::parts, e);
        }
        // What follows a bad pivot is computed all the same, and kept from memory: tiles of a warp stay in step.
        if (bad != 0 && found.good()) found = {k + 1, bad};
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) {
            d[j] = g.shuffle(u[j % share], j / share * deal::width + i);
            e[j] = next_e[j];
        }
        SHOAL_UNROLL
        for (int j = 0; j < share; ++j) u[j] = next_u[j];
    }
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

}  // namespace shoal::detail
