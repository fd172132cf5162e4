#pragma once

#include <shoal/fast/warps.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal::fast {

/// The largest order that trsv_warps() takes.
inline constexpr int largest_warp_sweep = 128;

namespace detail {

/// The sweep, by one warp.
template <int Slots, ShuffleGroup G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X>
SHOAL_FN void sweep_warp(const G& warp, triangular<M, Uplo, Diagonal> t, X x) {
    using T = typename X::value_type;
    const int n = x.size();
    const int lane = warp.rank();
    const auto row = [&](int s) SHOAL_INLINE_LAMBDA { return shoal::detail::sweep_row<Uplo>(s, n); };
    T value[Slots];
    T reciprocal[Slots];
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int p = s * warp_lanes + lane;
        value[s] = p < n ? x(row(p)) : T(0);
        reciprocal[s] = T(1);
        if constexpr (Diagonal == diagonal::stored) {
            if (p < n) reciprocal[s] = core::pivot_reciprocal(t.matrix(row(p), row(p)));
        }
    }
    const auto solved = [&](int s) SHOAL_INLINE_LAMBDA {
        return Diagonal == diagonal::stored ? value[s] * reciprocal[s] : value[s];
    };
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int begin = s * warp_lanes;
        const int end = n < begin + warp_lanes ? n : begin + warp_lanes;
        for (int k = begin; k < end; ++k) {
            const T xk = warp.shuffle(solved(s), k - begin);
            SHOAL_UNROLL
            for (int q = s; q < Slots; ++q) {
                const int p = q * warp_lanes + lane;
                // Finished rows must not see the product: with an infinite or NaN xk it would not be zero.
                if (p > k && p < n) value[q] = core::fma(-t.matrix(row(p), row(k)), xk, value[q]);
            }
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < Slots; ++s) {
        const int p = s * warp_lanes + lane;
        if (p < n) x(row(p)) = solved(s);
    }
}

}  // namespace detail

/// x := T^-1 x for an order up to `largest_warp_sweep`, by the first warp of the group with x in its registers: a step
/// costs a shuffle, not a barrier.
///
/// Lane r holds elements r, r + 32, ... in the order of the sweep. T is read column by column, ahead of its use.
/// The bits are those of the generic body.
/// \tparam Slots elements of x a lane
/// Barriers: the exit barrier. No scratch.
template <int Slots, Group G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X>
SHOAL_FN void trsv_warps(const G& g, triangular<M, Uplo, Diagonal> t, X x) {
    if (G::scope != scope::block || g.rank() < warp_lanes) detail::sweep_warp<Slots>(warp_of(g), t, x);
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal::fast
