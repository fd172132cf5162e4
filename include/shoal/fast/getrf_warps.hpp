#pragma once

#include <shoal/fast/getrf_rows.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

/// Whether getrf_warps() can factor a matrix M with a group G.
template <class G, class M>
SHOAL_FN constexpr bool suits_getrf_warps() {
    if constexpr (G::scope == scope::block && has_warps<G>) {
        using warp = decltype(warp_of(std::declval<const G&>()));
        return M::static_rows >= 1 && M::static_rows <= warp_lanes && suits_square_rows<warp, M>;
    } else {
        return false;
    }
}

/// P A = L U as getrf_rows(), by every warp of a block of whole warps for itself: all know the result without a barrier,
/// and the first writes it.
///
/// \return as getrf(), whose bits and pivots these are
/// Barriers: one; the exit barrier is the caller's. No scratch. Registers: a row.
template <Group G, MatrixView M, VectorView P>
SHOAL_FN int getrf_warps(const G& g, M a, P pivots) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    const auto warp = warp_of(g);
    detail::square_rows<T, N, 0, warp_lanes> rows;
    rows.load(warp.rank(), [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(i, j); });
    // Every warp has read the matrix, before it changes.
    g.sync();
    const int info = detail::eliminate(warp, rows, [&](int k, int p) SHOAL_INLINE_LAMBDA {
        if (g.rank() == k % warp_lanes) pivots(k) = p;
    });
    if (g.rank() < N && rows.place[0] >= 0) {
        SHOAL_UNROLL
        for (int j = 0; j < N; ++j) a(rows.place[0], j) = rows(0, j);
    }
    return info;
}

}  // namespace shoal::fast
