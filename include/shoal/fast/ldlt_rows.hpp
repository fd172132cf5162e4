#pragma once

#include <shoal/fast/pivot_rows.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

/// Whether ldlt_rows() can factor a matrix M with a group G: a static order up to 32, and a lane for each row.
template <class G, class M>
SHOAL_FN constexpr bool suits_ldlt_rows() {
    if constexpr (M::static_rows < 2 || M::static_rows > warp_lanes) {
        return false;
    } else if constexpr (has_warps<G>) {
        return true;
    } else if constexpr (ShuffleGroup<G>) {
        return M::static_rows <= G::static_size;
    } else {
        return false;
    }
}

/// The lanes that hold the rows: of a tile or a warp, or of the calling member's warp in a block.
template <Group G>
SHOAL_FN auto lanes_of(const G& g) {
    if constexpr (has_warps<G>) {
        return warp_of(g);
    } else {
        return with_exit_sync(g);
    }
}

namespace detail {
/// x / pivot by the reciprocal, except where that would overflow; by zero it leaves the numerator.
template <class T>
SHOAL_FN T over_pivot(T x, T pivot) {
    if (core::abs(pivot) < smallest_invertible<T>) return pivot == 0 ? x : x / pivot;
    return x * core::pivot_reciprocal(pivot);
}
/// Row `lane` of the lower triangle of A, and ones in the places that it leaves; everyone may write A afterwards.
template <int N, class T, Group G, MatrixView M>
SHOAL_FN void load_lower_row(const G& g, M a, int lane, T (&row)[N]) {
    SHOAL_UNROLL
    for (int j = 0; j < N; ++j) row[j] = j <= lane && lane < N ? a(lane, j) : T(1);
    // Every warp has read the matrix, before the first one writes it.
    if constexpr (G::scope == scope::block) g.sync();
}
}  // namespace detail

/// A = L D L' without pivoting in the lower triangle of A, of static order N with a lane for each row, in registers: by a
/// tile or a warp, or by every warp of a block for itself.
///
/// Element (j, k) comes to the other rows by a shuffle, as it was before it was divided by the pivot.
///
/// \return as ldlt_unpivoted(), whose bits these are
/// Barriers: in a block one; the exit barrier is the caller's. No scratch. Registers: a row. Shuffles: N^2 / 2.
template <Group G, MatrixView M>
SHOAL_FN int ldlt_rows(const G& g, M a) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    const auto lanes = lanes_of(g);
    const int lane = lanes.rank();
    T row[N];
    detail::load_lower_row(g, a, lane, row);
    int info = 0;
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        const T pivot = lanes.shuffle(row[k], k);
        if (info == 0 && !core::good_pivot(core::abs(pivot))) info = k + 1;
        const T multiplier = detail::over_pivot(row[k], pivot);
        SHOAL_UNROLL
        for (int j = k + 1; j < N; ++j) row[j] = core::fma(-multiplier, lanes.shuffle(row[k], j), row[j]);
        if (lane > k) row[k] = multiplier;
    }
    if (lane < N && (G::scope != scope::block || g.rank() < warp_lanes)) {
        SHOAL_UNROLL
        for (int j = 0; j < N; ++j) {
            if (j <= lane) a(lane, j) = row[j];
        }
    }
    return info;
}

}  // namespace shoal::fast
