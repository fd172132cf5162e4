#pragma once

#include <cstdint>
#include <limits>

#include <shoal/fast/rows.hpp>

/// \file
/// The search for a pivot among rows that are dealt to the members of a tile or a warp. The choice is that of a search
/// through the column from its top: the largest magnitude, of equal ones the first, NaN above infinity.

namespace shoal::fast::detail {

/// A row that may become the pivot row has a key above 0, also where its entry is 0.
SHOAL_FN std::uint64_t candidate_key(double x) {
    return core::magnitude_key(x) | 0x8000000000000000ULL;
}
/// The same for float.
SHOAL_FN std::uint32_t candidate_key(float x) {
    return core::magnitude_key(x) | 0x80000000U;
}

SHOAL_FN std::uint32_t leading_word(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
}
SHOAL_FN std::uint32_t leading_word(std::uint32_t key) {
    return key;
}

/// Number of the lowest bit that is set.
SHOAL_FN int lowest_bit(std::uint32_t bits) {
#if defined(SHOAL_DEVICE_CODE)
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
}

/// getrf() divides by pivots smaller than this, and multiplies by the reciprocal of others.
template <class T>
inline constexpr T smallest_invertible = std::numeric_limits<T>::min() * T(4);

/// Division of what is no larger than the pivot by a pivot below `smallest_invertible`, rounded correctly; by zero it
/// leaves the numerator. Both are scaled to where a reciprocal and one correction give the quotient: the division of the
/// compiler is a call, around which a thread full of numbers must save its registers.
template <class T>
class tiny_divider {
  public:
    SHOAL_FN explicit tiny_divider(T pivot)
        : scaled_(pivot * scale), reciprocal_(core::pivot_reciprocal(scaled_)) {}
    SHOAL_FN T operator()(T value) const {
        const T numerator = value * scale;
        const T quotient = numerator * reciprocal_;
        const T corrected = core::fma(core::fma(-quotient, scaled_, numerator), reciprocal_, quotient);
        return scaled_ == T(0) ? value : corrected;
    }

  private:
    // 2^128 and 2^64: no underflow in the remainder, and none of the pivot that is left.
    static constexpr T scale = sizeof(T) == 8 ? T(0x1p128) : T(0x1p64F);
    T scaled_;
    T reciprocal_;
};

/// A group that votes: `ballot(b)` has a bit for each member with b, `largest(x)` is the largest x, and `any(b)`, given
/// a b that all members share, says where a branch around collectives must be entered.
template <class G>
concept VotingGroup = ShuffleGroup<G> && requires(const G& g, std::uint32_t x) {
    { g.ballot(true) } -> std::same_as<std::uint32_t>;
    { g.largest(x) } -> std::same_as<std::uint32_t>;
    { g.any(true) } -> std::same_as<bool>;
};

/// b of a group, or, where several groups walk in step, whether one of them has it.
template <ShuffleGroup G>
SHOAL_FN bool entered(const G& g, bool b) {
    if constexpr (VotingGroup<G>) {
        return g.any(b);
    } else {
        return b;
    }
}

/// The first half of the search: the leading words of the keys alone, which nearly always decide.
template <ShuffleGroup G, class Key>
SHOAL_FN std::uint32_t largest_leading_word(const G& g, Key key) {
    if constexpr (VotingGroup<G>) {
        return g.largest(leading_word(key));
    } else {
        return leading_word(key);
    }
}

/// The member whose row has the largest key, and among equal ones the smallest place; `most` from the first half.
template <ShuffleGroup G, class Key>
SHOAL_FN int leading_member(const G& g, Key key, int place, std::uint32_t most) {
    if constexpr (G::static_size == 1) {
        return 0;
    } else if constexpr (VotingGroup<G>) {
        bool leads = leading_word(key) == most;
        std::uint32_t bits = g.ballot(leads);
        if (entered(g, (bits & (bits - 1)) != 0)) {
            if constexpr (sizeof(Key) == 8) {
                const std::uint32_t rest = leads ? static_cast<std::uint32_t>(key) : 0;
                const std::uint32_t most_rest = g.largest(rest);
                leads = leads && rest == most_rest;
            }
            // Places differ, and are below 2^16.
            const std::uint32_t order = leads ? 0x10000U - static_cast<std::uint32_t>(place) : 0;
            const std::uint32_t first = g.largest(order);
            bits = g.ballot(order == first);
        }
        return lowest_bit(bits);
    } else {
        int member = g.rank();
        SHOAL_UNROLL
        for (int h = 1; h < G::static_size; h *= 2) {
            const Key other_key = g.shuffle_xor(key, h);
            const int other_place = g.shuffle_xor(place, h);
            const int other = g.shuffle_xor(member, h);
            if (other_key > key || (other_key == key && other_place < place)) {
                key = other_key;
                place = other_place;
                member = other;
            }
        }
        return member;
    }
}

}  // namespace shoal::fast::detail
