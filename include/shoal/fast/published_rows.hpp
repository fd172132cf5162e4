#pragma once

#include <cstddef>

#include <shoal/fast/getrf_rows.hpp>

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

/// Rows that stay where they are, of which columns leave: the right-hand side, then the columns that are left.
template <class T, int Slots, int Columns>
struct leaving_rows {
    T element[Slots][Columns + 1];
    /// All ones while the row may become a pivot row.
    std::uint32_t open[Slots];
    int place[Slots];
};

/// Which row leads a step, and what its member offers with it.
template <class T, int Slots>
struct leading_row {
    bool leads[Slots];
    bool mine;
    T reciprocal;
};

SHOAL_FN std::uint32_t leading_bits(double x) {
#if defined(SHOAL_DEVICE_CODE)
    return static_cast<std::uint32_t>(__double2hiint(x));
#else
    return leading_word(__builtin_bit_cast(std::uint64_t, x));
#endif
}
SHOAL_FN std::uint32_t leading_bits(float x) {
#if defined(SHOAL_DEVICE_CODE)
    return __float_as_uint(x);
#else
    return __builtin_bit_cast(std::uint32_t, x);
#endif
}

/// 1 / d, correctly rounded, where neither is near the ends of the range.
SHOAL_FN double ordinary_reciprocal(double d) {
#if defined(SHOAL_DEVICE_CODE)
    double r;
    asm("{\n\t.reg .b32 l, h, q;\n\t.reg .f64 s;\n\t"
        "mov.b64 {l, h}, %1;\n\trcp.approx.ftz.f64 s, %1;\n\tadd.s32 l, h, 0x300402;\n\t"
        "mov.b64 {q, h}, s;\n\tmov.b64 %0, {l, h};\n\t}"
        : "=d"(r)
        : "d"(d));
    double e = core::fma(-d, r, 1.0);
    e = core::fma(e, e, e);
    r = core::fma(r, e, r);
    e = core::fma(-d, r, 1.0);
    return core::fma(r, e, r);
#else
    return core::pivot_reciprocal(d);
#endif
}
SHOAL_FN float ordinary_reciprocal(float d) {
#if defined(SHOAL_DEVICE_CODE)
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
    return core::fma(r, -core::fma(d, r, -1.0F), r);
#else
    return core::pivot_reciprocal(d);
#endif
}
/// Whether ordinary_reciprocal() must not be used.
template <class T>
SHOAL_FN bool unusual(T pivot) {
    constexpr std::uint32_t least = sizeof(T) == 8 ? 0x00300000U : 0x01800000U;
    constexpr std::uint32_t most = sizeof(T) == 8 ? 0x7fb00000U : 0x7d800000U;
    return (leading_bits(pivot) & 0x7fffffffU) - least >= most - least;
}

/// The search by all there is to compare.
template <class Board, class T, int Slots, int Columns, ShuffleGroup G>
SHOAL_FN void find_exactly(const G& g, leaving_rows<T, Slots, Columns>& a, leading_row<T, Slots>& found) {
    constexpr int slots = Slots;
    decltype(candidate_key(T())) best = 0;
    int place = 0;
    int slot = 0;
    T value = a.element[0][1];
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const auto key = a.open[s] != 0 ? candidate_key(a.element[s][1]) : 0;
        if (key > best || (key == best && a.place[s] < place)) {
            best = key;
            place = a.place[s];
            slot = s;
            value = a.element[s][1];
        }
    }
    slot = opaque(slot);
    found.mine = leading_member(g, best, place, largest_leading_word(g, best)) == g.rank();
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) found.leads[s] = found.mine && slot == s;
    if ((Board::template early<Slots>)) found.reciprocal = ordinary_reciprocal(value);
}

/// The search by leading words, which nearly always decide.
template <class Board, class T, int Slots, int Columns, ShuffleGroup G>
SHOAL_FN void find_leader(const G& g, leaving_rows<T, Slots, Columns>& a, leading_row<T, Slots>& found) {
    constexpr int slots = Slots;
    if constexpr (VotingGroup<G>) {
        std::uint32_t key[slots];
        std::uint32_t best = 0;
        T value = a.element[0][1];
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            key[s] = (leading_bits(a.element[s][1]) | 0x80000000U) & a.open[s];
            const bool larger = key[s] > best;
            if ((Board::template early<Slots>)&&s > 0) value = larger ? a.element[s][1] : value;
            best = larger ? key[s] : best;
        }
        const std::uint32_t most = g.largest(best);
        if ((Board::template early<Slots>)) found.reciprocal = ordinary_reciprocal(value);
        bool twice = false;
        found.mine = false;
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            found.leads[s] = key[s] == most;
            twice = twice || (found.mine && found.leads[s]);
            found.mine = found.mine || found.leads[s];
        }
        const std::uint32_t bits = g.ballot(found.mine);
        const bool both = slots > 1 ? g.ballot(twice) != 0 : false;
        const bool tie = both || (bits & (bits - 1)) != 0;
        if (g.any(tie)) find_exactly<Board>(g, a, found);
    } else {
        find_exactly<Board>(g, a, found);
    }
}

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
/// \param keep called with the multipliers of the slots
template <int Width, class T, int Slots, int Columns, class Board, ShuffleGroup G, class Keep>
SHOAL_FN void leave_step(const G& g, leaving_rows<T, Slots, Columns>& a, const Board& u, const T* row,
                         T* next, bool more, int k, int& info, Keep keep) {
    constexpr int slots = Slots;
    constexpr int per = elements_of_16<T>;
    constexpr int whole = (Width + per) / per * per;
    // The pivot row.
    g.sync();
    constexpr int ahead = 2 * per;
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
    if (entered(g, unusual(r[1]))) {
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
    leading_row<T, slots> found;
    SHOAL_UNROLL
    for (int s = 0; s < slots && Width > 1; ++s)
        a.element[s][1] = core::fma(-multiplier[s], r[Width > 1 ? 2 : 0], a.element[s][Width > 1 ? 2 : 0]);
    if (more) find_leader<Board>(g, a, found);
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
    }
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
