#pragma once

#include <type_traits>

#include <shoal/fast/getrf_rows.hpp>

namespace shoal::fast {

/// Stands where the interchanges are not wanted.
struct no_pivots {};

/// x := A^-1 x with partial pivoting, A of static order (`suits_square_rows`), in registers.
///
/// Where the elements of A may be written, the factor replaces them as in getrf_rows(), and the interchanges go to
/// `pivots` unless that is `no_pivots`. A view of const elements is only read: no more moves than one matrix and two
/// vectors. Forward substitution rides on the elimination, as one more column.
///
/// \return as getrf(); x is unchanged unless it is 0.
/// The bits are those of getrf() and getrs(). Barriers: one, and the exit barrier. No scratch. Shuffles: those of
/// getrf_rows() and 2 n.
template <ShuffleGroup G, MatrixView M, class P, VectorView X>
SHOAL_FN int gesv_rows(const G& g, M a, [[maybe_unused]] P pivots, X x) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    const int rank = g.rank();
    detail::square_rows<T, N, 1, S> rows;
    constexpr int slots = rows.slots;
    rows.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return j < N ? a(i, j) : x(i); });
    const int info =
        detail::eliminate(g, rows, [&]([[maybe_unused]] int k, [[maybe_unused]] int p) SHOAL_INLINE_LAMBDA {
            if constexpr (!std::is_same_v<P, no_pivots>) {
                if (rank == k % S) pivots(k) = p;
            }
        });
    // Everyone has read its rows of A and x, before others take their places: shuffles do not order memory.
    g.sync();
    if constexpr (!detail::read_only<M>) {
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            if (rows.place[s] < 0) continue;
            SHOAL_UNROLL
            for (int j = 0; j < N; ++j) a(rows.place[s], j) = rows(s, j);
        }
    }
    SHOAL_UNROLL
    for (int k = N - 1; k > 0; --k) {
        T mine = rows(0, N) * rows.reciprocal[0];
        SHOAL_UNROLL
        for (int s = 1; s < slots; ++s) {
            mine = rows.place[s] == k ? rows(s, N) * rows.reciprocal[s] : mine;
        }
        const T xk = g.shuffle(mine, rows.owner_of(k));
        SHOAL_UNROLL
        for (int s = 0; s < slots; ++s) {
            if (rows.place[s] < k) rows(s, N) = core::fma(-rows(s, k), xk, rows(s, N));
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        if (info == 0 && rows.place[s] >= 0) x(rows.place[s]) = rows(s, N) * rows.reciprocal[s];
    }
    // The elements of x, the factor and the pivots that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
