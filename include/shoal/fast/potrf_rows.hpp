#pragma once

#include <shoal/fast/rows.hpp>

namespace shoal::fast {

/// A = L L' in the lower triangle of A, which is of static order N <= 32 (`suits_rows`), in registers.
///
/// Each element is read once and written once, column k as soon as it is final. Right-looking: the updates of one
/// element are the same chain as in the column-by-column body, so the bits are equal. Element l(j, k) comes to the
/// other rows by one shuffle: N (N + 1) / 2 of them, whatever the group.
///
/// \return as potrf(): after a failure in column k the columns before k are final and the others unchanged.
/// Barriers: the exit barrier. No scratch. Registers: `detail::triangle_words`.
template <ShuffleGroup G, MatrixView M>
SHOAL_FN int potrf_rows(const G& g, M a) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    detail::triangle_rows<T, N, S> l;
    constexpr int slots = decltype(l)::slots;
    const int rank = g.rank();
    l.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(i, j); });
    int info = 0;
    T pivot = g.shuffle(l(0, 0), 0);
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        if (info == 0 && !core::good_pivot(pivot)) info = k + 1;
        const auto r = core::pivot_rsqrt(pivot);
        SHOAL_UNROLL
        for (int s = k / S; s < slots; ++s) {
            const int i = s * S + rank;
            l(s, k) = i == k ? r.root : l(s, k) * r.reciprocal;
            if (info == 0 && i >= k && i < N) a(i, k) = l(s, k);
        }
        if (k + 1 < N) {
            // The owner of the next pivot has all it takes: the pivot need not wait for the shuffles of the update.
            const int t = (k + 1) / S;
            pivot = g.shuffle(core::fma(-l(t, k), l(t, k), l(t, k + 1)), (k + 1) % S);
        }
        SHOAL_UNROLL
        for (int j = k + 1; j < N; ++j) {
            const T ljk = g.shuffle(l(j / S, k), j % S);
            SHOAL_UNROLL
            for (int s = j / S; s < slots; ++s) l(s, j) = core::fma(-l(s, k), ljk, l(s, j));
        }
    }
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
