#pragma once

#include <shoal/fast/pivot_rows.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

namespace detail {

/// One step of a Gauss-Jordan elimination on rows that turn: column 0 is eliminated, the others move down by one, and
/// column 0 of the inverse comes in at the end. N turns bring every column home, and the loop over the steps need not be
/// flat for its indices to be static.
///
/// \param leader the member with the pivot row
/// \param own the reciprocal of a member's own element of column 0: its row is scaled by it before the leader is known
/// \param tiny whether the reciprocal of the pivot would overflow
template <int N, class T, ShuffleGroup G>
SHOAL_FN void turn_rows(const G& g, T (&row)[N], int leader, T own, bool tiny) {
    const bool leads = g.rank() == leader;
    const T mine = row[0];
    const auto step = [&](int j, T u)
                          SHOAL_INLINE_LAMBDA { row[j - 1] = leads ? u : core::fma(-mine, u, row[j]); };
    if (tiny) {
        // Member j divides element j of the pivot row, so that there is one division.
        const T pivot = g.shuffle(mine, leader);
        T quotient = T(1);
        SHOAL_UNROLL
        for (int j = 1; j < N; ++j) {
            const T u = g.shuffle(row[j], leader);
            quotient = g.rank() == j ? u : quotient;
        }
        quotient = quotient / pivot;
        SHOAL_UNROLL
        for (int j = 1; j < N; ++j) step(j, g.shuffle(quotient, j));
        row[N - 1] = leads ? T(1) / pivot : -(mine / pivot);
    } else {
        const T reciprocal = g.shuffle(own, leader);
        SHOAL_UNROLL
        for (int j = 1; j < N; ++j) step(j, g.shuffle(row[j] * own, leader));
        row[N - 1] = leads ? reciprocal : -(mine * reciprocal);
    }
}

/// b of a member that is not known yet: what all offer, and later that of one of them.
template <ShuffleGroup G>
struct offered_flag {
    const G& g;
    std::uint32_t offer;
    SHOAL_FN offered_flag(const G& group, bool b) : g(group), offer(b ? 1U : 0U) {
        if constexpr (VotingGroup<G>) offer = g.ballot(b);
    }
    SHOAL_FN bool of(int member) const {
        if constexpr (VotingGroup<G>) {
            return (offer >> member & 1U) != 0;
        } else {
            return g.shuffle(offer, member) != 0;
        }
    }
};

}  // namespace detail

/// Whether inv_rows() can invert a matrix M with a group G: a static order, a lane for each row, and no more than 32.
template <class G, class M>
SHOAL_FN constexpr bool suits_inv_rows() {
    if constexpr (has_warps<G>) {
        return M::static_rows >= 2 && M::static_rows <= warp_lanes;
    } else if constexpr (ShuffleGroup<G>) {
        return G::static_size > 1 && M::static_rows >= 2 && M::static_rows <= G::static_size;
    } else {
        return false;
    }
}

/// A := A^-1, A of static order N with a lane for each row, in registers: by a tile or a warp, or by every warp of a
/// block for itself.
///
/// Rows stay where they are; a lane knows the place that its row has among the interchanged ones, and where they end is
/// where the columns of the inverse belong. `pivots` is a vector of N, or anything without elements for an elimination
/// that interchanges nothing.
///
/// \return as inv(), whose bits and pivots these are
/// Barriers: one; the exit barrier is the caller's. No scratch. Registers: a row. Shuffles: n a step.
template <Group G, MatrixView A, class P>
SHOAL_FN int inv_rows(const G& g, A a, P pivots) {
    using T = typename A::value_type;
    constexpr int N = A::static_rows;
    constexpr bool interchanges = VectorView<P>;
    const auto lanes = [&]() SHOAL_INLINE_LAMBDA {
        if constexpr (has_warps<G>) {
            return warp_of(g);
        } else {
            return with_exit_sync(g);
        }
    }();
    const int lane = lanes.rank();
    T row[N];
    SHOAL_UNROLL
    for (int j = 0; j < N; ++j) row[j] = lane < N ? a(lane, j) : T(0);
    // Everyone has read the matrix, before it changes.
    g.sync();
    const bool writes = g.scope != scope::block || g.rank() < warp_lanes;
    int place = lane;
    // The lane whose row comes to place `lane`: its column of the inverse belongs there.
    int home = lane;
    int info = 0;
    int done = 0;
    for (int k = 0; k < N; ++k) {
        int leader = k;
        // Lanes without a row: the reciprocal of zero would take the long way.
        const T mine = lane < N ? row[0] : T(1);
        const T own = core::pivot_reciprocal(mine);
        const detail::offered_flag good(lanes, core::good_pivot(core::abs(mine)));
        const detail::offered_flag tiny(lanes, core::abs(mine) < detail::smallest_invertible<T>);
        if constexpr (interchanges) {
            decltype(detail::candidate_key(T())) key = 0;
            if (place >= k && lane < N) key = detail::candidate_key(mine);
            leader = detail::leading_member(lanes, key, place, detail::largest_leading_word(lanes, key));
        }
        if (!good.of(leader)) {
            info = k + 1;
            break;
        }
        detail::turn_rows<N>(lanes, row, leader, own, tiny.of(leader));
        if constexpr (interchanges) {
            const int p = lanes.shuffle(place, leader);
            if (writes && lane == k) pivots(k) = p;
            if (lane == k) home = leader;
            place = lane == leader ? k : place == k ? p : place;
        }
        ++done;
    }
    if (info == 0) {
        SHOAL_UNROLL
        for (int j = 0; j < N; ++j) {
            const int target = lanes.shuffle(home, j);
            if (writes && lane < N) a(place, target) = row[j];
        }
    } else {
        // Columns turn home one by one: what comes first is the column that the next step would eliminate.
        for (int j = 0; j < N; ++j) {
            if (writes && lane < N) a(place, done + j < N ? done + j : done + j - N) = row[0];
            SHOAL_UNROLL
            for (int c = 0; c + 1 < N; ++c) row[c] = row[c + 1];
        }
    }
    return info;
}

}  // namespace shoal::fast
