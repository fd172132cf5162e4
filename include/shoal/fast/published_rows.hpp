#pragma once

#include <cstddef>

#include <shoal/fast/leading_row.hpp>

/// \file
/// Elimination with partial pivoting where the pivot row goes through memory that the members of a group share.
///
/// Rows are dealt to the members and stay there; of each, the columns that are left move to the front, one a step, so that
/// steps can share a loop. The member whose row leads a step publishes it: what shuffles would move word by word, the others
/// read 16 bytes at a time, and U stays where it was published.

namespace shoal::fast::detail {

/// 16 bytes of elements.
template <class T>
inline constexpr int elements_of_16 = 16 / static_cast<int>(sizeof(T));

template <class T>
struct alignas(16) sixteen_bytes {
    T v[static_cast<std::size_t>(elements_of_16<T>)];
};

/// The leading row, its first `Width` + 1 elements, to `row`.
template <int Width, class T, int Slots, int Columns, class Board>
SHOAL_FN void publish(leaving_rows<T, Slots, Columns>& a, const Board& u, T* row, int k,
                      const leading_row<T, Slots>& found) {
    constexpr int slots = Slots;
    constexpr int per = elements_of_16<T>;
    constexpr int whole = (Width + 1) / per * per;
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        if (found.leads[s]) {
            SHOAL_UNROLL
            for (int e = 0; e < whole; e += per) {
                sixteen_bytes<T> pack;
                SHOAL_UNROLL
                for (int v = 0; v < per; ++v) pack.v[v] = a.element[s][e + v];
                *reinterpret_cast<sixteen_bytes<T>*>(row + e) = pack;
            }
            SHOAL_UNROLL
            for (int e = whole; e <= Width; ++e) row[e] = a.element[s][e];
            u.place(k) = a.place[s];
            a.place[s] = ~k;
            a.open[s] = 0;
        }
    }
    if ((Board::template early<Slots>)&&found.mine) u.reciprocal(k) = found.reciprocal;
}

/// What follows in memory is not fetched before. ptxas would else fetch a whole row at once, for which it takes registers.
template <ShuffleGroup G>
SHOAL_FN void hold([[maybe_unused]] const G& g) {
#if defined(SHOAL_DEVICE_CODE)
    g.sync();
#endif
}

/// One step: column k is the first of the `Width` that are left, and its pivot row has been published at `row`.
///
/// \param next where the next pivot row goes, and whether there is one in `more`
/// \param found what was found of this pivot row, and then of the next
/// \param keep called with the multipliers of the slots
template <int Width, class T, int Slots, int Columns, class Board, ShuffleGroup G, class Keep>
SHOAL_FN void leave_step(const G& g, leaving_rows<T, Slots, Columns>& a, const Board& u, const T* row,
                         T* next, bool more, int k, int& info, leading_row<T, Slots>& found, Keep keep) {
    constexpr int slots = Slots;
    constexpr int per = elements_of_16<T>;
    constexpr int whole = (Width + per) / per * per;
    // The pivot row.
    g.sync();
    constexpr int ahead = 2 * per;
    // The words that members exchange are on their way while the first columns are updated.
    constexpr int votes_after = ahead < whole ? ahead : 0;
    T r[whole];
    const auto fetch = [&](int first) SHOAL_INLINE_LAMBDA {
        SHOAL_UNROLL
        for (int e = first; e < whole && e < first + ahead; e += per) {
            const auto pack = *reinterpret_cast<const sixteen_bytes<T>*>(row + e);
            SHOAL_UNROLL
            for (int v = 0; v < per; ++v) r[e + v] = pack.v[v];
        }
    };
    fetch(0);
    fetch(ahead);
    const int p = u.place(k);
    const T reciprocal = (Board::template early<Slots>) ? u.reciprocal(k) : ordinary_reciprocal(r[1]);
    T multiplier[slots];
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        multiplier[s] = a.element[s][1] * reciprocal;
        a.place[s] = a.place[s] == k ? p : a.place[s];
    }
    if (VotingGroup<G> ? found.strange : unusual<T>(leading_bits(r[1]))) {
        const T exact = core::pivot_reciprocal(r[1]);
        const T size = core::abs(exact);
        const bool tiny = size > largest_reciprocal<T>;
        const tiny_divider<T> over(r[1]);
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            multiplier[s] = tiny ? over(a.element[s][1]) : a.element[s][1] * exact;
        }
        const bool good = size > T(0) && (tiny ? r[1] != T(0) : size <= largest_reciprocal<T>);
        if (info == 0 && !good) info = k + 1;
    }
    keep(multiplier);
    SHOAL_UNROLL
    for (int s = 0; s < slots && Width > 1; ++s)
        a.element[s][1] = core::fma(-multiplier[s], r[Width > 1 ? 2 : 0], a.element[s][Width > 1 ? 2 : 0]);
    if (more) offer_leader<Board>(g, a, found);
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) a.element[s][0] = core::fma(-multiplier[s], r[0], a.element[s][0]);
    SHOAL_UNROLL
    for (int c = 0; c < whole; c += ahead) {
        if (c >= ahead) {
            hold(g);
            fetch(c + ahead);
        }
        SHOAL_UNROLL
        for (int j = (c < 3 ? 3 : c); j <= Width && j < c + ahead; ++j) {
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s)
                a.element[s][j - 1] = core::fma(-multiplier[s], r[j], a.element[s][j]);
        }
        if (more && c == votes_after) elect_leader(g, found);
    }
    if (more) confirm_leader<Board>(g, a, found);
    if (more) publish<(Width > 1 ? Width - 1 : 1)>(a, u, next, k + 1, found);
}

/// x := U^-1 y unless info is not 0: a member has y_i and the reciprocals of the pivots for its rows i, and u(s, k) is element
/// (i, k) of U for the row in slot s.
template <int N, class T, int Slots, ShuffleGroup G, class U, VectorView X>
SHOAL_FN void substitute_back(const G& g, T (&y)[Slots], const T (&reciprocal)[Slots], U u, X x, int info) {
    constexpr int S = G::static_size;
    const int rank = g.rank();
    SHOAL_UNROLL
    for (int s = Slots - 1; s >= 0; --s) {
        const int members = N - S * s < S ? N - S * s : S;
        for (int m = opaque(members - 1); m >= (s == 0 ? 1 : 0); --m) {
            const int k = S * s + m;
            const T xk = g.shuffle(y[s] * reciprocal[s], m);
            SHOAL_UNROLL
            for (int t = 0; t < s; ++t) y[t] = core::fma(-u(t, k), xk, y[t]);
            if (rank < m) y[s] = core::fma(-u(s, k), xk, y[s]);
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        if (info == 0 && s * S + rank < N) x(s * S + rank) = y[s] * reciprocal[s];
    }
}

}  // namespace shoal::fast::detail
