#pragma once

#include <shoal/fast/banks.hpp>
#include <shoal/fast/warps.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal::fast {

/// The largest order of which a lane holds a column.
inline constexpr int largest_lane_column = 32;

/// B := T^-1 B, T triangular of static order N <= 32 and B of N x m, by a warp or a block of whole warps: each lane solves
/// for a column of B in its registers.
///
/// All lanes read the same element of T at a time, which memory gives to all at once, and none of these reads waits for a
/// result. The reciprocals of the diagonal, one a lane, come by shuffles: a step costs two dependent operations instead of a
/// shuffle. The bits are those of the generic body.
/// No barrier. No scratch. Registers: a column.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm_lanes(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    using T = typename B::value_type;
    constexpr int N = M::static_rows;
    const auto warp = warp_of(g);
    const int lane = warp.rank();
    const int m = b.cols();
    // Four rows at a time, by neighbouring lanes each in an order of its own where the lanes would wait for one bank.
    constexpr int turns = crowding_of<B>(crowding::rows, crowding::none) == crowding::none || N < 4 ? 1 : 4;
    constexpr int in_turns = N / turns * turns;
    const auto row = [](int s) SHOAL_INLINE_LAMBDA { return shoal::detail::sweep_row<Uplo>(s, N); };
    T reciprocal = 1;
    if constexpr (Diagonal == diagonal::stored) {
        if (g.rank() - lane < m) {
            const int s = lane < N ? lane : N - 1;
            reciprocal = core::pivot_reciprocal(t.matrix(row(s), row(s)));
        }
    }
    // A warp goes on until none of its lanes has a column: shuffles need all of them.
    for (int first = g.rank() - lane; first < m; first += g.size()) {
        const int j = first + lane;
        T x[N];
        SHOAL_UNROLL
        for (int s = 0; s < in_turns; s += turns) {
            T part[turns];
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) part[u] = j < m ? b(row(s + (u ^ lane % turns)), j) : T(0);
            detail::exchange(part, lane % turns);
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) x[s + u] = part[u];
        }
        SHOAL_UNROLL
        for (int s = in_turns; s < N; ++s) x[s] = j < m ? b(row(s), j) : T(0);
        SHOAL_UNROLL
        for (int k = 0; k < N; ++k) {
            if constexpr (Diagonal == diagonal::stored) x[k] *= warp.shuffle(reciprocal, k);
            SHOAL_UNROLL
            for (int s = k + 1; s < N; ++s) x[s] = core::fma(-t.matrix(row(s), row(k)), x[k], x[s]);
        }
        SHOAL_UNROLL
        for (int s = 0; s < in_turns; s += turns) {
            T part[turns];
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) part[u] = x[s + u];
            detail::exchange(part, lane % turns);
            SHOAL_UNROLL
            for (int u = 0; u < turns; ++u) {
                if (j < m) b(row(s + (u ^ lane % turns)), j) = part[u];
            }
        }
        SHOAL_UNROLL
        for (int s = in_turns; s < N; ++s) {
            if (j < m) b(row(s), j) = x[s];
        }
    }
}

}  // namespace shoal::fast
