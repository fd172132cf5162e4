#pragma once

#include <shoal/fast/pivot_rows.hpp>

namespace shoal::fast {

namespace detail {

/// A matrix of order N with R right-hand sides beside it, or what of it one of S members holds: whole rows, which stay
/// where they are. Interchanges only change the place that a row has in L U.
template <class T, int N, int R, int S>
struct square_rows {
    static constexpr int slots = detail::slots(N, S);
    static constexpr int width = N + R;
    static constexpr int lane_bits = 5;
    T element[slots * width];
    /// 1 / pivot of rows that have been pivot rows.
    T reciprocal[slots];
    /// Which row of L U this is, as far as it is known; -1 where the slot is empty.
    int place[slots];
    /// The member that holds row k of L U, 5 bits each.
    std::uint32_t owner[(N + 5) / 6];

    SHOAL_FN T& operator()(int s, int j) { return element[s * width + j]; }
    SHOAL_FN int owner_of(int k) const {
        return static_cast<int>(owner[k / 6] >> (lane_bits * (k % 6))) & 31;
    }
    SHOAL_FN void set_owner(int k, int member) {
        const auto bits = static_cast<std::uint32_t>(member) << (lane_bits * (k % 6));
        owner[k / 6] |= bits;
    }
    /// f(i, j) for the elements that member `rank` holds. Empty slots hold ones: zeros would take the long way through
    /// a division.
    template <class F>
    SHOAL_FN void load(int rank, F f) {
        if (always()) {
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                const int i = s * S + rank;
                SHOAL_UNROLL
                for (int j = 0; j < width; ++j) (*this)(s, j) = i < N ? f(i, j) : T(1);
            }
        } else {
            SHOAL_UNROLL
            for (int e = 0; e < slots * width; ++e) element[e] = padding<T>();
        }
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            const int i = s * S + rank;
            place[s] = i < N ? i : -1;
            reciprocal[s] = T(1);
        }
        SHOAL_UNROLL
        for (std::uint32_t& o : owner) o = 0;
    }
};

/// A member's own best row for a step.
template <class T>
struct best_row {
    decltype(candidate_key(T())) key;
    int place;
    int slot;
    T reciprocal;
};

/// The best of a member's rows that have no final place before step k, by their entries at `column`.
template <class T, int N, int R, int S>
SHOAL_FN best_row<T> choose_row(square_rows<T, N, R, S>& a, int k, int column) {
    best_row<T> best{0, a.place[0], 0, T(1)};
    T value = a(0, column);
    if (a.place[0] >= k) best.key = candidate_key(value);
    SHOAL_UNROLL
    for (int s = 1; s < a.slots; ++s) {
        const auto key = a.place[s] >= k ? candidate_key(a(s, column)) : 0;
        if (key > best.key || (key == best.key && a.place[s] < best.place)) {
            best.key = key;
            best.place = a.place[s];
            best.slot = s;
            value = a(s, column);
        }
    }
    best.slot = opaque(best.slot);
    // Beside the search rather than after it.
    best.reciprocal = core::pivot_reciprocal(value);
    return best;
}

/// Above this a reciprocal belongs to a pivot that getrf() does not multiply by: zero, or below four times the smallest
/// normal number.
template <class T>
inline constexpr T largest_reciprocal = T(1) / smallest_invertible<T>;

/// d := a * b + c where x > y. Written as a branch, it cuts the update into pieces, and up to 50 registers are lost.
template <class T>
SHOAL_FN void fma_if_greater(int x, int y, T a, T b, T c, T& d) {
#if defined(SHOAL_DEVICE_CODE)
    if constexpr (sizeof(T) == 8) {
        asm("{\n\t.reg .pred p;\n\tsetp.gt.s32 p, %1, %2;\n\t@p fma.rn.f64 %0, %3, %4, %5;\n\t}"
            : "+d"(d)
            : "r"(x), "r"(y), "d"(a), "d"(b), "d"(c));
    } else {
        asm("{\n\t.reg .pred p;\n\tsetp.gt.s32 p, %1, %2;\n\t@p fma.rn.f32 %0, %3, %4, %5;\n\t}"
            : "+f"(d)
            : "r"(x), "r"(y), "f"(a), "f"(b), "f"(c));
    }
#else
    if (x > y) d = core::fma(a, b, c);
#endif
}

/// P A = L U, the right-hand sides become L^-1 P B. `chosen(k, p)`: rows k and p change places.
/// \return as getrf()
template <class T, int N, int R, int S, ShuffleGroup G, class Chosen>
SHOAL_FN int eliminate(const G& g, square_rows<T, N, R, S>& a, Chosen chosen) {
    constexpr int slots = square_rows<T, N, R, S>::slots;
    constexpr int width = N + R;
    const int rank = g.rank();
    int info = 0;
    best_row<T> best = choose_row(a, 0, 0);
    int member = leading_member(g, best.key, best.place, largest_leading_word(g, best.key));
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        const best_row<T> now = best;
        const int leader = member;
        const auto pick = [&](int j) SHOAL_INLINE_LAMBDA {
            T value = a(0, j);
            SHOAL_UNROLL
            for (int s = 1; s < slots; ++s) value = now.slot == s ? a(s, j) : value;
            return value;
        };
        const T reciprocal = g.shuffle(now.reciprocal, leader);
        const int p = g.shuffle(now.place, leader);
        chosen(k, p);
        a.set_owner(k, leader);
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            const bool leads = rank == leader && now.slot == s;
            if (leads) a.reciprocal[s] = reciprocal;
            a.place[s] = leads ? k : a.place[s] == k ? p : a.place[s];
        }
        const T size = core::abs(reciprocal);
        bool good = size > T(0) && size <= largest_reciprocal<T>;
        T multiplier[slots];
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) multiplier[s] = a(s, k) * reciprocal;
        if (entered(g, size > largest_reciprocal<T>)) {
            const T pivot = g.shuffle(pick(k), leader);
            const bool tiny = size > largest_reciprocal<T>;
            good = good || (tiny && pivot != T(0));
            const tiny_divider<T> over(pivot);
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                if (tiny) multiplier[s] = over(a(s, k));
            }
        }
        if (info == 0 && !good) info = k + 1;
        const auto update = [&](int j) SHOAL_INLINE_LAMBDA {
            const T u = g.shuffle(pick(j), leader);
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                // Finished rows must not see the product: with an infinite or NaN factor it would not be zero.
                fma_if_greater(a.place[s], k, -multiplier[s], u, a(s, j), a(s, j));
            }
        };
        // The column of the next search first: the search need not wait for the shuffles of the others.
        if (k + 1 < width) update(k + 1);
        std::uint32_t most = 0;
        if (k + 1 < N) {
            best = choose_row(a, k + 1, k + 1);
            most = largest_leading_word(g, best.key);
        }
        SHOAL_UNROLL
        for (int j = k + 2; j < width; ++j) update(j);
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            if (a.place[s] > k) a(s, k) = multiplier[s];
        }
        if (k + 1 < N) member = leading_member(g, best.key, best.place, most);
    }
    return info;
}

/// Registers of 32 bits that the rows take in each member.
template <class T, int N, int S>
inline constexpr int square_words = slots(N, S) * N*(static_cast<int>(sizeof(T)) / 4);

/// The largest order with two rows a member, and what rows may take of a thread's 255 registers.
inline constexpr int largest_square_order = 64;
inline constexpr int largest_square_words = 192;

template <class G, class T, int N>
SHOAL_FN constexpr bool square_fits() {
    if constexpr (ShuffleGroup<G> && N >= 1 && N <= largest_square_order) {
        return G::static_size > 1 && square_words<T, N, G::static_size> <= largest_square_words;
    } else {
        return false;
    }
}

}  // namespace detail

/// Whether a general matrix stored in M can be held in the registers of a group G: static order up to 64, members that
/// exchange registers, and few enough rows a member.
template <class G, class M>
inline constexpr bool suits_square_rows = false;
template <class G, class M>
requires requires {
    M::static_rows;
}
inline constexpr bool suits_square_rows<G, M> =
    detail::square_fits<G, typename M::value_type, M::static_rows>();

/// P A = L U with partial pivoting, A of static order (`suits_square_rows`), in registers.
///
/// Each element is read once and written once. Rows are dealt to the members and do not move: each knows its place,
/// the pivot row comes to the others by shuffles. The member of the next pivot is sought while the rest of the update
/// goes on, and each offers the reciprocal of its own candidate, so that no division follows the search.
///
/// \return as getrf(), whose bits and pivots these are.
/// Barriers: one, and the exit barrier. No scratch. Registers: `detail::square_words`. Shuffles: n^2 / 2, whatever the
/// group.
template <ShuffleGroup G, MatrixView M, VectorView P>
SHOAL_FN int getrf_rows(const G& g, M a, P pivots) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    const int rank = g.rank();
    detail::square_rows<T, N, 0, S> rows;
    rows.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(i, j); });
    const int info = detail::eliminate(g, rows, [&](int k, int p) SHOAL_INLINE_LAMBDA {
        if (rank == k % S) pivots(k) = p;
    });
    // Everyone has read its rows, before others take their places: shuffles do not order memory.
    g.sync();
    SHOAL_UNROLL
    for (int s = 0; s < rows.slots; ++s) {
        if (rows.place[s] < 0) continue;
        SHOAL_UNROLL
        for (int j = 0; j < N; ++j) a(rows.place[s], j) = rows(s, j);
    }
    // The factor and the pivots that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
