#pragma once

#include <shoal/fast/getrf_panels.hpp>
#include <shoal/fast/inv_rows.hpp>
#include <shoal/fast/inv_strips.hpp>

namespace shoal::fast {

namespace detail {

/// Columns of a panel of inv_panels(): fewer with four rows a lane, whose registers the products need too.
SHOAL_FN constexpr int inverse_panel(int n) {
    return n > 2 * warp_lanes ? 8 : 16;
}

/// Gauss-Jordan elimination on a panel in the registers of a warp, whose columns begin at `first`; `Interchanges` is void for
/// none. `chosen(k, p, row)`: row `row` comes to place first + k, and what was there to place p. `multipliers(k)` may read column
/// 0, by which step k multiplies.
///
/// Columns turn as in turn_rows(): the steps share their code, which would otherwise be fetched for longer than it runs.
/// \return the steps taken: fewer than `width` where the next pivot is bad
template <class Interchanges, class T, int Width, int Slots, ShuffleGroup G, class Chosen, class Multipliers>
SHOAL_FN int invert_tall(const G& warp, tall_panel<T, Width, Slots>& a, int first, int width, Chosen chosen,
                         Multipliers multipliers) {
    int done = 0;
    for (; done < opaque(width); ++done) {
        const int at = first + done;
        panel_candidate<T> best;
        if constexpr (std::is_void_v<Interchanges>) {
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) {
                if (a.place[s] == at) best = {1, at, s, a(s, 0)};
            }
            best.slot = opaque(best.slot);
        } else {
            best = choose_panel_row(a, at, 0);
        }
        // Beside the search rather than after it. Lanes without a candidate: the reciprocal of zero takes the long way.
        const T candidate = best.key != 0 ? best.value : T(1);
        const T own = core::pivot_reciprocal(candidate);
        const offered_flag good(warp, core::good_pivot(core::abs(candidate)));
        const offered_flag small(warp, core::abs(candidate) < smallest_invertible<T>);
        const auto pick = [&](int j) SHOAL_INLINE_LAMBDA {
            T value = a(0, j);
            SHOAL_UNROLL
            for (int s = 1; s < Slots; ++s) value = best.slot == s ? a(s, j) : value;
            return value;
        };
        const int leader = leading_member(warp, best.key, best.place, largest_leading_word(warp, best.key));
        if (!good.of(leader)) break;
        const int p = warp.shuffle(best.place, leader);
        chosen(done, p, warp.shuffle(best.slot, leader) * warp_lanes + leader);
        multipliers(done);
        bool leads[Slots];
        T mine[Slots];
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) {
            leads[s] = warp.rank() == leader && best.slot == s;
            a.place[s] = leads[s] ? at : a.place[s] == at ? p : a.place[s];
            mine[s] = a(s, 0);
        }
        const auto update = [&](int j, T u) SHOAL_INLINE_LAMBDA {
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) a(s, j - 1) = leads[s] ? u : core::fma(-mine[s], u, a(s, j));
        };
        if (small.of(leader)) {
            // Lane j divides element j of the pivot row, so that there is one division.
            const T pivot = warp.shuffle(candidate, leader);
            T quotient = T(1);
            SHOAL_UNROLL
            for (int j = 1; j < Width; ++j) {
                const T u = warp.shuffle(pick(j), leader);
                quotient = warp.rank() == j ? u : quotient;
            }
            quotient = quotient / pivot;
            SHOAL_UNROLL
            for (int j = 1; j < Width; ++j) update(j, warp.shuffle(quotient, j));
            const T corner = T(1) / pivot;
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) a(s, Width - 1) = leads[s] ? corner : -(mine[s] / pivot);
        } else {
            const T reciprocal = warp.shuffle(own, leader);
            SHOAL_UNROLL
            for (int j = 1; j < Width; ++j) update(j, warp.shuffle(pick(j) * own, leader));
            SHOAL_UNROLL
            for (int s = 0; s < Slots; ++s) a(s, Width - 1) = leads[s] ? reciprocal : -(mine[s] * reciprocal);
        }
    }
    // Columns that are not home yet.
    for (int turn = done; turn < Width; ++turn) {
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) {
            const T held = a(s, 0);
            SHOAL_UNROLL
            for (int j = 1; j < Width; ++j) a(s, j - 1) = a(s, j);
            a(s, Width - 1) = held;
        }
    }
    return done;
}

}  // namespace detail

/// Whether inv_panels() can invert a matrix M with a group G of whole warps.
template <class G, class M>
SHOAL_FN constexpr bool suits_inv_panels() {
    return has_warps<G> && M::static_rows > warp_lanes && M::static_rows <= largest_panel_rows;
}

/// A := A^-1, A of static order 33 to 128, in place, by panels of 16 or 8 columns: for a warp, or a block of whole warps.
///
/// Every warp eliminates the panel in its registers for itself, so that a pivot costs no barrier, and leaves in its place the
/// columns by which the steps multiply. With these the warps share what the steps do elsewhere: interchanges, the pivot rows, a
/// column a lane, and the other rows, one product. Then the panel's columns of the inverse come in. `pivots` is a vector of N, or
/// anything without elements for an elimination that interchanges nothing.
///
/// \return as inv(), whose bits and pivots these are, but for the order of the columns
/// Barriers: six a panel; the exit barrier is the caller's. No scratch. Registers: up to 64 elements.
template <Group G, MatrixView A, class P>
SHOAL_FN int inv_panels(const G& g, A a, [[maybe_unused]] P pivots) {
    using T = typename A::value_type;
    constexpr int N = A::static_rows;
    constexpr int W = detail::inverse_panel(N);
    constexpr int slots = N > 2 * warp_lanes ? 4 : 2;
    constexpr bool interchanges = VectorView<P>;
    constexpr int known_warps = group_size < G >> 0 ? group_size<G> / warp_lanes : 1;
    constexpr int kept = (slots + known_warps - 1) / known_warps;
    constexpr int others = N % W == 0 ? N - W : dynamic;
    constexpr product_kind kind{others,
                                others,
                                W,
                                crowding_of<A>(crowding::rows, crowding::terms),
                                crowding_of<A>(crowding::terms, crowding::rows),
                                crowding_of<A>(crowding::rows, crowding::none)};
    const auto warp = warp_of(g);
    const int lane = warp.rank();
    const int mine = g.rank() / warp_lanes;
    const int warps = g.size() / warp_lanes;
    for (int first = 0; first < N; first += W) {
        const int width = N - first < W ? N - first : W;
        detail::tall_panel<T, W, slots> tall;
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            const int i = s * warp_lanes + lane;
            tall.place[s] = i < N ? i : -1;
            SHOAL_UNROLL
            for (int j = 0; j < W; ++j) tall(s, j) = i < N && j < width ? a(i, first + j) : T(0);
        }
        // Every warp has read the panel, before it changes.
        g.sync();
        int from = first + lane % W;
        const int done = detail::invert_tall<std::conditional_t<interchanges, P, void>>(
            warp, tall, first, width,
            [&](int k, int p, int row) SHOAL_INLINE_LAMBDA {
                if constexpr (interchanges) {
                    if (mine == 0 && lane == k) pivots(first + k) = p;
                }
                if (lane == k) from = row;
            },
            [&](int k) SHOAL_INLINE_LAMBDA {
                SHOAL_UNROLL
                for (int s = 0; s < slots; ++s) {
                    const int i = s * warp_lanes + lane;
                    if (i < N && s % warps == mine) a(i, first + k) = tall(s, 0);
                }
            });
        // Of the panel, which all warps have, each keeps what it writes.
        detail::tall_panel<T, W, kept> inverse;
        SHOAL_UNROLL
        for (int t = 0; t < kept; ++t) {
            const int slot = detail::opaque(mine + t * warps);
            inverse.place[t] = -1;
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                const bool own = s == slot;
                if (s == 0 || own) inverse.place[t] = own ? tall.place[s] : -1;
                SHOAL_UNROLL
                for (int j = 0; j < W; ++j) inverse(t, j) = s == 0 || own ? tall(s, j) : inverse(t, j);
            }
        }
        if constexpr (interchanges) {
            // The multipliers, before their rows change places.
            g.sync();
            const int beside = first / warp_lanes;
            int room = tall.place[0];
            SHOAL_UNROLL
            for (int s = 1; s < slots; ++s) room = beside == s ? tall.place[s] : room;
            room = warp.shuffle(room, first % warp_lanes + lane % W);
            if (done < width) {
                // Rows that are no pivot rows stand where the next ones would.
                for (int k = done; k < width; ++k) {
                    int row = -1;
                    SHOAL_UNROLL
                    for (int s = 0; s < slots; ++s) {
                        const bool here = tall.place[s] == first + k;
                        for (int member = 0; member < warp_lanes; ++member) {
                            if (warp.shuffle(here ? 1 : 0, member) != 0) row = s * warp_lanes + member;
                        }
                    }
                    if (lane == k) from = row;
                }
            }
            detail::move_rows<W>(g, a, first, width, from, room);
        }
        // The multipliers, and the rows in their places.
        g.sync();
        detail::scale_pivot_rows<W>(g, a, first, width, done);
        // The scaled pivot rows, before they are applied.
        g.sync();
        const auto outside = [&](int i) SHOAL_INLINE_LAMBDA { return i < first ? i : i + width; };
        products<kind, region::full, T>(
            g, N - width, N - width, W,
            [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(outside(i), outside(j)); },
            // Steps that were not taken: products of minus zero, which change nothing.
            [&](int i, int k) SHOAL_INLINE_LAMBDA { return k < done ? -a(outside(i), first + k) : T(-0.0); },
            [&](int k, int j) SHOAL_INLINE_LAMBDA { return k < done ? a(first + k, outside(j)) : T(0); },
            [&](int i, int j, T x) SHOAL_INLINE_LAMBDA { a(outside(i), outside(j)) = x; });
        // Other rows have used the pivot rows, before these go on.
        g.sync();
        detail::finish_pivot_rows<W>(g, a, first, width, done);
        // The multipliers are used, before the columns of the inverse take their places.
        g.sync();
        SHOAL_UNROLL
        for (int t = 0; t < kept; ++t) {
            SHOAL_UNROLL
            for (int j = 0; j < W; ++j) {
                if (inverse.place[t] >= 0 && j < width) a(inverse.place[t], first + j) = inverse(t, j);
            }
        }
        if (done < width) return first + done + 1;
    }
    return 0;
}

}  // namespace shoal::fast
