#pragma once

#include <shoal/fast/panel_updates.hpp>

namespace shoal::fast {

namespace detail {

/// Columns k0 + D and those after it of the panel at k0; `l` becomes what rows are later multiplied by.
template <int D, class T, int N, int Slots, ShuffleGroup G>
SHOAL_FN void panel_steps(const G& g, leaving_rows<T, Slots, 8>& a, const panel_board<T, N>& b, int k0,
                          int& info, leading_row<T, Slots>& found, T (&l)[8][Slots]) {
    const int k = k0 + D;
    if (N % 8 == 0 || k < N) {
        leave_step<8 - D>(g, a, b, b.row(D), b.row(D + 1), D < 7 && (N % 8 == 0 || k + 1 < N), k, info, found,
                          [&](const T(&multiplier)[Slots]) SHOAL_INLINE_LAMBDA {
                              SHOAL_UNROLL
                              for (int s = 0; s < Slots; ++s) l[D][s] = -multiplier[s];
                          });
        if constexpr (D < 7) panel_steps<D + 1>(g, a, b, k0, info, found, l);
    }
}

/// The panel at k0 is factored.
template <class T, int N, int Slots, ShuffleGroup G>
SHOAL_FN void factor_panel_rows(const G& g, const panel_board<T, N>& b, leaving_rows<T, Slots, 8>& a, int k0,
                                int& info) {
    constexpr int S = G::static_size;
    const int rank = g.rank();
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int i = s * S + rank;
        a.place[s] = i;
        a.open[s] = i >= k0 && i < N ? 0xffffffffU : 0U;
        SHOAL_UNROLL
        for (int c = 0; c < 8; ++c) a.element[s][1 + c] = i < N ? b(i, k0 + c) : T(1);
    }
    leading_row<T, Slots> found;
    find_leader<panel_board<T, N>>(g, a, found);
    publish<8>(a, b, b.row(0), k0, found);
    T l[8][Slots];
    panel_steps<0>(g, a, b, k0, info, found, l);
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int i = s * S + rank;
        const int q = a.place[s] < 0 ? ~a.place[s] : a.place[s];
        if (i < k0 || i >= N) continue;
        SHOAL_UNROLL
        for (int d = 0; d < 8; ++d) {
            if (k0 + d < q) b(q, k0 + d) = l[d][s];
        }
        if (q >= k0 + 8) {
            b.y(q) = a.element[s][0];
        } else {
            b.from(q - k0) = i;
        }
        if (i < k0 + 8) b.to(i - k0) = q;
    }
    for (int e = rank; e < 64; e += S) {
        const int d = e % 8;
        const int c = e / 8;
        if (c >= d) b(k0 + d, k0 + c) = b.row(d)[1 + c - d];
        if (e < 8) b.y(k0 + e) = b.row(e)[0];
    }
    // The panel, and the right-hand side, whose rows have changed places.
    g.sync();
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) a.element[s][0] = s * S + rank < N ? b.y(s * S + rank) : T(1);
}

}  // namespace detail

/// Elements of memory, aligned to 16 bytes, that the members of a group share in solve_tiles().
template <class T, int N>
inline constexpr int solve_tiles_scratch = detail::panel_board<T, N>::elements;

/// Elements from one column of A to the next in that memory.
template <class T, int N>
inline constexpr int solve_tiles_lead = detail::panel_board<T, N>::lead;

/// x := A^-1 x with partial pivoting, A of static order N by columns at the beginning of `scratch`, used up.
///
/// By panels of 8 columns, in registers one after the other. What a panel does to the columns behind it is done in memory; for
/// doubles and a warp on sm_90 by the FP64 tensor cores, whose bits are those of an fma after the other.
///
/// \param scratch `solve_tiles_scratch<T, N>` elements that all members reach, aligned to 16 bytes, with columns
/// `solve_tiles_lead<T, N>` apart; a barrier stands between what others wrote there and the call
/// \return as getrf(); x is unchanged unless it is 0.
/// The bits are those of getrf() and getrs(). Barriers: n + n / 4, n / 8 more around the tensor
/// cores, and the exit barrier.
template <int N, class T, ShuffleGroup G, VectorView X>
SHOAL_FN int solve_tiles(const G& g, T* scratch, X x) {
    using board = detail::panel_board<T, N>;
    constexpr int S = G::static_size;
    constexpr int slots = detail::slots(N, S);
    const int rank = g.rank();
    const board b{scratch};
    detail::leaving_rows<T, slots, 8> a;
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) a.element[s][0] = s * S + rank < N ? x(s * S + rank) : T(1);
    int info = 0;
    for (int k0 = 0;; k0 += 8) {
        detail::factor_panel_rows(g, b, a, k0, info);
        if (k0 + 8 >= N) break;
        detail::finish_rows(g, b, k0);
        detail::update_rest(g, b, k0);
        // The rest of the matrix.
        g.sync();
    }
    T y[slots];
    T reciprocal[slots];
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank < N ? s * S + rank : N - 1;
        y[s] = b.y(i);
        reciprocal[s] = core::pivot_reciprocal(b(i, i));
    }
    const auto element = [&](int s, int k) SHOAL_INLINE_LAMBDA { return b(s * S + rank, k); };
    detail::substitute_back<N>(g, y, reciprocal, element, x, info);
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
