#pragma once

#include <shoal/fast/rows.hpp>

namespace shoal::fast {

namespace detail {

/// A vector as a matrix of one column.
template <VectorView X>
struct single_column {
    using value_type = typename X::value_type;
    static constexpr int static_rows = X::static_size;
    static constexpr int static_cols = 1;
    X x;
    SHOAL_FN int rows() const { return x.size(); }
    SHOAL_FN static constexpr int cols() { return 1; }
    SHOAL_FN constexpr decltype(auto) operator()(int i, int) const { return x(i); }
};

/// How many right-hand sides are swept together: enough to hide the shuffles of one behind those of the others, and
/// as many as fit beside the triangle.
template <class T, int N, int S>
SHOAL_FN constexpr int panel_columns() {
    constexpr int words = static_cast<int>(sizeof(T)) / 4;
    constexpr int room = (200 - triangle_words<T, N, S>) / (words * slots(N, S));
    return room >= 8 ? 8 : room >= 4 ? 4 : room >= 2 ? 2 : 1;
}

/// The triangle of one system in sweep order, and the reciprocals of its diagonal.
template <class T, int N, int S>
struct solver_rows {
    triangle_rows<T, N, S> t;
    T reciprocal[slots(N, S)];
};

/// Sweeps columns first .. first + Columns - 1 of B.
template <uplo Uplo, diagonal Diagonal, int Columns, class T, int N, int S, ShuffleGroup G, MatrixView B>
SHOAL_FN void sweep_panel(const G& g, solver_rows<T, N, S>& rows, B b, int first) {
    constexpr int slots = detail::slots(N, S);
    const int rank = g.rank();
    T x[slots * Columns];
    if (always()) {
        SHOAL_UNROLL
        for (int c = 0; c < Columns; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                const int i = s * S + rank;
                x[s * Columns + c] = i < N ? b(shoal::detail::sweep_row<Uplo>(i, N), first + c) : T(0);
            }
        }
#if defined(SHOAL_DEVICE_CODE)
        // Here the branch is dissolved all the same, unless it surrounds a barrier: 77 % of the memory limit against 64 %
        // for 32 doubles. Elsewhere the barrier costs more than it gives.
        if constexpr (N > 24 && sizeof(T) == 8) g.sync();
#endif
    } else {
        SHOAL_UNROLL
        for (int e = 0; e < slots * Columns; ++e) x[e] = padding<T>();
    }
    const auto solved = [&](int s, int c) SHOAL_INLINE_LAMBDA {
        T value = x[s * Columns + c];
        if constexpr (Diagonal == diagonal::stored) value *= rows.reciprocal[s];
        return value;
    };
    SHOAL_UNROLL
    for (int k = 0; k + 1 < N; ++k) {
        SHOAL_UNROLL
        for (int c = 0; c < Columns; ++c) {
            const T xk = g.shuffle(solved(k / S, c), k % S);
            SHOAL_UNROLL
            for (int s = k / S; s < slots; ++s) {
                T& value = x[s * Columns + c];
                // Finished rows must not see the product: with an infinite or NaN xk it would not be zero.
                if (s * S + rank > k) value = core::fma(-rows.t(s, k), xk, value);
            }
        }
    }
    SHOAL_UNROLL
    for (int c = 0; c < Columns; ++c) {
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            const int i = s * S + rank;
            if (i < N) b(shoal::detail::sweep_row<Uplo>(i, N), first + c) = solved(s, c);
        }
    }
}

/// All columns from `first` on: panels of Columns, then halves, quarters, ...
template <uplo Uplo, diagonal Diagonal, int Columns, class T, int N, int S, ShuffleGroup G, MatrixView B>
SHOAL_FN void sweep_panels(const G& g, solver_rows<T, N, S>& rows, B b, int first) {
    if constexpr (B::static_cols < 0 || B::static_cols >= Columns) {
        for (; first + Columns <= b.cols(); first += Columns)
            sweep_panel<Uplo, Diagonal, Columns>(g, rows, b, first);
    }
    if constexpr (Columns > 1) sweep_panels<Uplo, Diagonal, Columns / 2>(g, rows, b, first);
}

}  // namespace detail

/// B := T^-1 B, T triangular of static order N <= 32 (`suits_rows`) in registers, B of N x m in panels.
///
/// T and B are read once and B is written once. In the order of the substitution, member r holds rows r, r + S, ... of
/// both; a finished row comes to the others by shuffles, N - 1 a column of B. Zeros on the diagonal, NaN and infinities
/// act as in the generic body, to the bit.
/// Barriers: the exit barrier. No scratch. Registers: the triangle, and a panel of 1 to 8 columns.
template <ShuffleGroup G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm_rows(const G& g, triangular<M, Uplo, Diagonal> a, B b) {
    using T = typename B::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    const int rank = g.rank();
    detail::solver_rows<T, N, S> rows;
    constexpr int slots = decltype(rows.t)::slots;
    const auto entry = [&](int i, int j) SHOAL_INLINE_LAMBDA {
        return a.matrix(shoal::detail::sweep_row<Uplo>(i, N), shoal::detail::sweep_row<Uplo>(j, N));
    };
    // Not the diagonal, which nobody multiplies by.
    rows.t.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return i > j ? entry(i, j) : T(0); });
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank;
        if constexpr (Diagonal == diagonal::stored) {
            rows.reciprocal[s] = i < N ? core::pivot_reciprocal(entry(i, i)) : T(0);
        }
    }
    detail::sweep_panels<Uplo, Diagonal, detail::panel_columns<T, N, S>()>(g, rows, b, 0);
    // The rows of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// x := T^-1 x for one right-hand side; see trsm_rows().
template <ShuffleGroup G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X>
SHOAL_FN void trsv_rows(const G& g, triangular<M, Uplo, Diagonal> a, X x) {
    trsm_rows(g, a, detail::single_column<X>{x});
}

}  // namespace shoal::fast
