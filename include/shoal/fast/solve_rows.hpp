#pragma once

#include <shoal/fast/published_rows.hpp>

namespace shoal::fast {

namespace detail {

/// Steps of an elimination that share their code.
inline constexpr int steps_together = 4;

/// What members share of a solve of order N: row k of [ y U ] from y_k and the diagonal on, then the pivots.
template <class T, int N>
struct shared_rows {
    static constexpr int together = steps_together;
    /// Whether members offer reciprocals with their candidates: a shorter way, and more instructions.
    template <int Slots>
    static constexpr bool early = Slots == 1;
    /// Elements of a row when `width` columns are left, itself counted.
    SHOAL_FN static constexpr int pitch(int width) {
        return (width + 1 + elements_of_16<T> - 1) / elements_of_16<T> * elements_of_16<T>;
    }
    /// Where row k begins: steps that share their code share the length of their rows.
    SHOAL_FN static constexpr int start(int k) {
        const int group = k / together;
        return together * (group * pitch(N) - together * (group * (group - 1) / 2)) +
               (k - group * together) * (pitch(N) - group * together);
    }
    static constexpr int rows_size = start(N - 1) + pitch(N - (N - 1) / together * together);
    static constexpr int elements = rows_size + N + N;
    T* memory;
    SHOAL_FN T* row(int k) const { return memory + start(k); }
    SHOAL_FN T& reciprocal(int k) const { return memory[rows_size + k]; }
    SHOAL_FN int& place(int k) const { return reinterpret_cast<int*>(memory + rows_size + N)[k]; }
};

/// The steps that are left with `Width` columns.
template <int Width, class T, int N, int Slots, ShuffleGroup G>
SHOAL_FN void leave_steps(const G& g, leaving_rows<T, Slots, N>& a, const shared_rows<T, N>& u, int& info,
                          leading_row<T, Slots>& found) {
    constexpr int first = N - Width;
    constexpr int together = steps_together < Width ? steps_together : Width;
    constexpr int pitch = shared_rows<T, N>::pitch(Width);
    // A bound that the compiler knew would be unrolled.
    const int last = opaque(first + together);
    T* row = u.row(first);
    for (int k = first; k < last; ++k, row += pitch) {
        // The last step has none after it.
        leave_step<Width>(g, a, u, row, row + pitch, Width > steps_together || k + 1 < N, k, info, found,
                          [](const auto&) SHOAL_INLINE_LAMBDA {});
    }
    if constexpr (Width > together) leave_steps<Width - together>(g, a, u, info, found);
}

}  // namespace detail

/// Elements of memory, aligned to 16 bytes, that the members of a group share in solve_rows().
template <class T, int N>
inline constexpr int solve_rows_scratch = detail::shared_rows<T, N>::elements;

/// x := A^-1 x with partial pivoting, A of static order and only read: rows in registers, U in `scratch`.
///
/// \param scratch `solve_rows_scratch<T, n>` elements that all members reach, aligned to 16 bytes
/// \return as getrf(); x is unchanged unless it is 0.
/// The bits are those of getrf() and getrs(). Barriers: n, and the exit barrier. Registers: a member's rows, and about 60.
template <ShuffleGroup G, MatrixView M, VectorView X>
SHOAL_FN int solve_rows(const G& g, M matrix, X x, typename X::value_type* scratch) {
    using T = typename X::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    constexpr int slots = detail::slots(N, S);
    const int rank = g.rank();
    const detail::shared_rows<T, N> u{scratch};
    detail::leaving_rows<T, slots, N> a;
    if (detail::always()) {
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            const int i = s * S + rank;
            a.element[s][0] = i < N ? x(i) : T(1);
            SHOAL_UNROLL
            for (int j = 0; j < N; ++j) a.element[s][1 + j] = i < N ? matrix(i, j) : T(1);
        }
    } else {
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            SHOAL_UNROLL
            for (int j = 0; j <= N; ++j) a.element[s][j] = detail::padding<T>();
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank;
        a.place[s] = i;
        a.open[s] = i < N ? 0xffffffffU : 0U;
    }
    int info = 0;
    detail::leading_row<T, slots> found;
    detail::find_leader<detail::shared_rows<T, N>>(g, a, found);
    detail::publish<N>(a, u, scratch, 0, found);
    detail::leave_steps<N>(g, a, u, info, found);
    T y[slots];
    T reciprocal[slots];
    const T* row[slots];
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank < N ? s * S + rank : N - 1;
        row[s] = u.row(i) + 1 - i;
        y[s] = u.row(i)[0];
        reciprocal[s] = core::pivot_reciprocal(u.row(i)[1]);
    }
    const auto element = [&](int s, int k) SHOAL_INLINE_LAMBDA { return row[s][k]; };
    detail::substitute_back<N>(g, y, reciprocal, element, x, info);
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
