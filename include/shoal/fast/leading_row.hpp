#pragma once

#include <shoal/fast/getrf_rows.hpp>

/// \file
/// The search for the pivot row among rows of which the columns that are left move to the front.

namespace shoal::fast::detail {

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
    /// Leading words of the slots, and the largest of all members.
    std::uint32_t key[Slots];
    std::uint32_t most;
    /// Whether leading words do not decide or the pivot is unusual, here or in a group that walks in step.
    bool strange;
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
SHOAL_FN bool unusual(std::uint32_t leading) {
    constexpr std::uint32_t least = sizeof(T) == 8 ? 0x00300000U : 0x01800000U;
    constexpr std::uint32_t most = sizeof(T) == 8 ? 0x7fb00000U : 0x7d800000U;
    return (leading & 0x7fffffffU) - least >= most - least;
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

/// The search by leading words, which nearly always decide, in three parts, for other work between them: members offer their
/// best rows,
template <class Board, class T, int Slots, int Columns, ShuffleGroup G>
SHOAL_FN void offer_leader(const G& g, const leaving_rows<T, Slots, Columns>& a,
                           leading_row<T, Slots>& found) {
    if constexpr (VotingGroup<G>) {
        std::uint32_t best = 0;
        T value = a.element[0][1];
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) {
            found.key[s] = (leading_bits(a.element[s][1]) | 0x80000000U) & a.open[s];
            const bool larger = found.key[s] > best;
            if ((Board::template early<Slots>)&&s > 0) value = larger ? a.element[s][1] : value;
            best = larger ? found.key[s] : best;
        }
        found.most = g.largest(best);
        if ((Board::template early<Slots>)) found.reciprocal = ordinary_reciprocal(value);
    }
}
/// find who leads,
template <class T, int Slots, ShuffleGroup G>
SHOAL_FN void elect_leader(const G& g, leading_row<T, Slots>& found) {
    if constexpr (VotingGroup<G>) {
        bool twice = false;
        found.mine = false;
        SHOAL_UNROLL
        for (int s = 0; s < Slots; ++s) {
            found.leads[s] = found.key[s] == found.most;
            twice = twice || (found.mine && found.leads[s]);
            found.mine = found.mine || found.leads[s];
        }
        const std::uint32_t bits = g.ballot(found.mine);
        const bool strange = (bits & (bits - 1)) != 0 || unusual<T>(found.most);
        if constexpr (Slots == 1) {
            found.strange = g.any(strange);
        } else if constexpr (requires { g.any_member(strange); }) {
            found.strange = g.any_member(strange || twice);
        } else {
            found.strange = g.ballot(strange || twice) != 0;
        }
    } else {
        found.strange = true;
    }
}
/// and decide among equal ones.
template <class Board, class T, int Slots, int Columns, ShuffleGroup G>
SHOAL_FN void confirm_leader(const G& g, leaving_rows<T, Slots, Columns>& a, leading_row<T, Slots>& found) {
    if (found.strange) find_exactly<Board>(g, a, found);
}
template <class Board, class T, int Slots, int Columns, ShuffleGroup G>
SHOAL_FN void find_leader(const G& g, leaving_rows<T, Slots, Columns>& a, leading_row<T, Slots>& found) {
    offer_leader<Board>(g, a, found);
    elect_leader(g, found);
    confirm_leader<Board>(g, a, found);
}

}  // namespace shoal::fast::detail
