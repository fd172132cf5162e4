#pragma once

#include <shoal/fast/getrf_rows.hpp>

namespace shoal::fast {

namespace detail {

/// Steps of an elimination that share their code.
inline constexpr int steps_together = 4;

/// One step of a shifting elimination: column k is the first of the `Width` that are left, and moves out.
template <int Width, class T, int N, int S, ShuffleGroup G>
SHOAL_FN void shift_step(const G& g, square_rows<T, N, 1, S>& a, int k, best_row<T>& best, int& member,
                         int& info) {
    constexpr int slots = square_rows<T, N, 1, S>::slots;
    const int rank = g.rank();
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
    T multiplier[slots];
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const bool leads = rank == leader && now.slot == s;
        if (leads) a.reciprocal[s] = reciprocal;
        a.place[s] = leads ? k : a.place[s] == k ? p : a.place[s];
        multiplier[s] = a(s, 0) * reciprocal;
    }
    const T size = core::abs(reciprocal);
    bool good = size > T(0) && size <= largest_reciprocal<T>;
    if (entered(g, size > largest_reciprocal<T>)) {
        const T pivot = g.shuffle(pick(0), leader);
        const bool tiny = size > largest_reciprocal<T>;
        good = good || (tiny && pivot != T(0));
        const tiny_divider<T> over(pivot);
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            if (tiny) multiplier[s] = over(a(s, 0));
        }
    }
    if (info == 0 && !good) info = k + 1;
    // Of rows that are finished nothing moves: they lag behind by as many columns as steps have passed.
    const auto update = [&](int j) SHOAL_INLINE_LAMBDA {
        const T u = g.shuffle(pick(j), leader);
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            fma_if_greater(a.place[s], k, -multiplier[s], u, a(s, j), a(s, j < N ? j - 1 : j));
        }
    };
    if constexpr (Width > 1) update(1);
    best = choose_row(a, k + 1, 0);
    const std::uint32_t most = largest_leading_word(g, best.key);
    SHOAL_UNROLL
    for (int j = 2; j < Width; ++j) update(j);
    update(N);
    member = leading_member(g, best.key, best.place, most);
}

/// The steps from k on, `Width` columns being left.
template <int Width, class T, int N, int S, ShuffleGroup G>
SHOAL_FN void shift_steps(const G& g, square_rows<T, N, 1, S>& a, best_row<T>& best, int& member, int& info) {
    constexpr int first = N - Width;
    constexpr int together = steps_together < Width ? steps_together : Width;
    // A bound that the compiler knew would be unrolled.
    const int last = opaque(first + together);
    for (int k = first; k < last; ++k) shift_step<Width>(g, a, k, best, member, info);
    if constexpr (Width > together) shift_steps<Width - together>(g, a, best, member, info);
}

/// Moves a row by `distance` places to the right.
template <int Bit, class T, int N>
SHOAL_FN void shift_right(T* row, int distance) {
    if constexpr (Bit < N) {
        SHOAL_UNROLL
        for (int j = N - 1; j >= Bit; --j) row[j] = (distance & Bit) != 0 ? row[j - Bit] : row[j];
        shift_right<2 * Bit, T, N>(row, distance);
    }
}

/// The member that has `here`.
template <ShuffleGroup G>
SHOAL_FN int member_with(const G& g, bool here) {
    if constexpr (G::static_size == 1) {
        return 0;
    } else if constexpr (VotingGroup<G>) {
        return lowest_bit(g.ballot(here));
    } else {
        int member = here ? g.rank() : 0;
        SHOAL_UNROLL
        for (int h = 1; h < G::static_size; h *= 2) member |= g.shuffle_xor(member, h);
        return member;
    }
}

}  // namespace detail

/// x := A^-1 x with partial pivoting, A of static order (`suits_square_rows`) and only read, in registers.
///
/// As gesv_rows(), but the columns that are left move through the registers, one place a step, so that steps share a loop.
/// Multipliers are used at once and not kept. Faster than gesv_rows() beyond order 16 (28 % of the memory limit against
/// 23 % for 24 doubles), slower below (35 % against 44 % for 12), and compiled in a third of the time.
///
/// \return as getrf(); x is unchanged unless it is 0.
/// The bits are those of getrf() and getrs(). Barriers: the exit barrier. No scratch.
template <ShuffleGroup G, MatrixView M, VectorView X>
SHOAL_FN int solve_rows(const G& g, M a, X x) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    const int rank = g.rank();
    detail::square_rows<T, N, 1, S> rows;
    constexpr int slots = rows.slots;
    rows.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return j < N ? a(i, j) : x(i); });
    int info = 0;
    auto best = detail::choose_row(rows, 0, 0);
    int member = detail::leading_member(g, best.key, best.place, detail::largest_leading_word(g, best.key));
    detail::shift_steps<N>(g, rows, best, member, info);
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) detail::shift_right<1, T, N>(&rows(s, 0), rows.place[s]);
    SHOAL_UNROLL
    for (int k = N - 1; k > 0; --k) {
        T mine = rows(0, N) * rows.reciprocal[0];
        bool here = rows.place[0] == k;
        SHOAL_UNROLL
        for (int s = 1; s < slots; ++s) {
            mine = rows.place[s] == k ? rows(s, N) * rows.reciprocal[s] : mine;
            here = here || rows.place[s] == k;
        }
        const T xk = g.shuffle(mine, detail::member_with(g, here));
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            if (rows.place[s] < k) rows(s, N) = core::fma(-rows(s, k), xk, rows(s, N));
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        if (info == 0 && rows.place[s] >= 0) x(rows.place[s]) = rows(s, N) * rows.reciprocal[s];
    }
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
