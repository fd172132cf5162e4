#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/triangle.hpp>

/// \file
/// Several small systems of different orders in one group, step by step together: the barriers of one system, of the
/// largest order, serve them all.

namespace shoal {

namespace detail {

/// f(m, i) for every row i of every system m, row i of system m always by the same member.
template <Group G, class Order, class F>
SHOAL_FN void strided_rows(const G& g, int count, Order order, F f) {
    int first = g.rank();
    for (int m = 0; m < count; ++m) {
        const int n = order(m);
        int i = first;
        for (; i < n; i += g.size()) f(m, i);
        first = i - n;
    }
}

template <class Order>
SHOAL_FN int largest_order(int count, Order order) {
    int largest = 0;
    for (int m = 0; m < count; ++m) largest = order(m) > largest ? order(m) : largest;
    return largest;
}

}  // namespace detail

/// A_m = L_m L_m' for m = 0 .. count - 1, each symmetric positive definite of an order of its own, in place.
///
/// Only the lower triangles are read and written. The bits of a factor are those of potrf(), whatever its neighbours are.
///
/// \param systems systems(m) is `lower(A_m)`
/// \param infos infos(m) becomes 0, or k > 0 as potrf() of A_m; an element of a vector view, or anything assigned an int
/// \return the number of systems whose info is not 0. Every member gets the same value. The others are factored all the
///         same.
/// Barriers: two a column of the largest system, and three. No scratch. Cost: the sum of n^3 / 6 FMA and of n reciprocal
/// roots for every row, shared by the members.
template <Group G, class Systems, class Infos>
SHOAL_FN int potrf_fused(const G& g, int count, Systems systems, Infos infos) {
    using M = decltype(systems(0).matrix);
    using T = typename M::value_type;
    static_assert(decltype(systems(0))::triangle == uplo::lower,
                  "potrf_fused: systems(m) must be a lower triangle");
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "potrf_fused: A is not square");
    static_assert(detail::writable<M>, "potrf_fused writes A, but its elements are const");
    const auto order = [&](int m) SHOAL_INLINE_LAMBDA { return systems(m).matrix.rows(); };
    const auto inner = [&](M a, int i, int k) SHOAL_INLINE_LAMBDA {
        T value = a(i, k);
        for (int l = 0; l < k; ++l) value = core::fma(-a(i, l), a(k, l), value);
        return value;
    };
    const int steps = detail::largest_order(count, order);
    for (int k = 0; k < steps; ++k) {
        detail::strided_rows(g, count, order, [&](int m, int i) SHOAL_INLINE_LAMBDA {
            const M a = systems(m).matrix;
            // The diagonal holds the pivot itself until everyone has taken its root.
            if (i == k - 1 && core::good_pivot(a(i, i))) a(i, i) = core::pivot_rsqrt(a(i, i)).root;
            if (i == k) a(k, k) = inner(a, k, k);
        });
        // The pivots of this step, before the columns are scaled by their roots.
        g.sync();
        detail::strided_rows(g, count, order, [&](int m, int i) SHOAL_INLINE_LAMBDA {
            const M a = systems(m).matrix;
            if (i > k && core::good_pivot(a(k, k)))
                a(i, k) = inner(a, i, k) * core::pivot_rsqrt(a(k, k)).reciprocal;
        });
        // Row k + 1 is final in front of its diagonal, before its pivot is made; and the pivots may be replaced.
        g.sync();
    }
    int failed = 0;
    for (int m = 0; m < count; ++m) {
        const M a = systems(m).matrix;
        int info = 0;
        // A good pivot has a good root: the diagonal alone tells.
        for (int k = a.rows() - 1; k >= 0; --k)
            if (!core::good_pivot(a(k, k))) info = k + 1;
        failed += info != 0 ? 1 : 0;
        if (m % g.size() == g.rank()) infos(m) = info;
    }
    // Everyone has read the diagonals, before the last pivots are replaced.
    g.sync();
    detail::strided_rows(g, count, order, [&](int m, int i) SHOAL_INLINE_LAMBDA {
        const M a = systems(m).matrix;
        if (i == steps - 1 && core::good_pivot(a(i, i))) a(i, i) = core::pivot_rsqrt(a(i, i)).root;
    });
    // The factors and infos that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return failed;
}

/// A_m := A_m^-1 for m = 0 .. count - 1, each of an order of its own, in place, with partial pivoting.
///
/// The bits of an inverse are those of inv(), whatever its neighbours are.
///
/// \param systems systems(m) is A_m
/// \param pivots pivots(m) is a vector view of as many integers as A_m has rows, written by the group
/// \param infos infos(m), an int in memory shared by the members, becomes 0, or k > 0 as inv() of A_m
/// \return the number of systems whose info is not 0. Every member gets the same value. The others are inverted all the
///         same.
/// Barriers: four a column of the largest system, and three. No further scratch. Cost: the sum of n^3 FMA shared by the
/// members.
template <Group G, class Systems, class Pivots, class Infos>
SHOAL_FN int inv_fused(const G& g, int count, Systems systems, Pivots pivots, Infos infos) {
    using M = decltype(systems(0));
    using T = typename M::value_type;
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "inv_fused: A is not square");
    static_assert(detail::writable<M>, "inv_fused writes A, but its elements are const");
    const auto order = [&](int m) SHOAL_INLINE_LAMBDA { return systems(m).rows(); };
    const auto active = [&](int m, int k) SHOAL_INLINE_LAMBDA { return infos(m) == 0 && k < order(m); };
    const int steps = detail::largest_order(count, order);
    for (int m = g.rank(); m < count; m += g.size()) infos(m) = 0;
    for (int k = 0; k < steps; ++k) {
        for (int m = g.rank(); m < count; m += g.size()) {
            if (!active(m, k)) continue;
            const auto found = detail::find_pivot(core::rolled{}, systems(m), k);
            pivots(m)(k) = found.row;
            if (!core::good_pivot(core::abs(found.value))) infos(m) = k + 1;
        }
        // The pivots of this step, before rows change places.
        g.sync();
        detail::strided_rows(g, count, order, [&](int m, int j) SHOAL_INLINE_LAMBDA {
            if (active(m, k)) detail::swap_elements(core::rolled{}, systems(m).column(j), k, pivots(m)(k));
        });
        // Rows in their new places, before the update reads them.
        g.sync();
        detail::strided_rows(
            g, count, [&](int m) SHOAL_INLINE_LAMBDA { return order(m) * order(m); },
            [&](int m, int e) SHOAL_INLINE_LAMBDA {
                if (!active(m, k)) return;
                const M a = systems(m);
                const int i = e % a.rows();
                const int j = e / a.rows();
                const detail::divider<T> over(a(k, k));
                if (i != k && j != k) a(i, j) = core::fma(-a(i, k), over(a(k, j)), a(i, j));
            });
        // Everyone has used row and column k, before they change.
        g.sync();
        detail::strided_rows(g, count, order, [&](int m, int i) SHOAL_INLINE_LAMBDA {
            if (i == k || !active(m, k)) return;
            const M a = systems(m);
            const detail::divider<T> over(a(k, k));
            a(i, k) = -over(a(i, k));
            a(k, i) = over(a(k, i));
        });
        // Everyone has used the pivots, before they change.
        g.sync();
        for (int m = g.rank(); m < count; m += g.size()) {
            if (!active(m, k)) continue;
            const M a = systems(m);
            a(k, k) = detail::divider<T>(a(k, k))(T(1));
        }
    }
    // The last pivots, before the columns change places.
    g.sync();
    detail::strided_rows(g, count, order, [&](int m, int i) SHOAL_INLINE_LAMBDA {
        if (infos(m) != 0) return;
        const auto entries = systems(m).row(i);
        for (int k = order(m) - 1; k >= 0; --k)
            detail::swap_elements(core::rolled{}, entries, k, pivots(m)(k));
    });
    int failed = 0;
    for (int m = 0; m < count; ++m) failed += infos(m) != 0 ? 1 : 0;
    // The inverses that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return failed;
}

}  // namespace shoal
