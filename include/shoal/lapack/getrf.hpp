#pragma once

#include <shoal/fast/getrf_panels.hpp>
#include <shoal/fast/getrf_rows.hpp>
#include <shoal/fast/getrf_warps.hpp>
#include <shoal/fast/update_tiles.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// How getrf() works.
enum class getrf_algorithm {
    automatic,  ///< the fastest that the group and the extents allow
    columns,    ///< column by column in place: every group, every size
    rows,       ///< the matrix in registers: static order up to 64, a tile or a warp whose registers hold it
    panels,     ///< 16 columns at a time in registers: orders up to 128, a warp or a block of whole warps
};

/// Choices of getrf(), passed by name: `getrf<getrf_policy{.algorithm = getrf_algorithm::columns}>(g, A, pivots)`.
struct getrf_policy {
    getrf_algorithm algorithm = getrf_algorithm::automatic;
};

namespace detail {

/// P A = L U, right-looking, in place.
template <Group G, MatrixView A, VectorView P>
SHOAL_FN int getrf_columns(const G& g, A a, P pivots) {
    using T = typename A::value_type;
    using how = flatten<G, A::static_rows>;
    const int n = a.rows();
    int info = 0;
    core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        const T above = a(k, k);
        const auto found = detail::find_pivot(how{}, g, a, k);
        const T pivot = found.value;
        const int p = found.row;
        if (info == 0 && !core::good_pivot(core::abs(pivot))) info = k + 1;
        const detail::divider<T> over(pivot);
        // Everyone has read column k, before it changes.
        g.sync();
        if (g.rank() == k % g.size()) pivots(k) = p;
        strided(how{}, g, n, [&](int j) SHOAL_INLINE_LAMBDA {
            if (j != k) detail::swap_elements(how{}, a.column(j), k, p);
        });
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            if (i == k) a(i, k) = pivot;
            if (i > k) a(i, k) = over(i == p ? above : a(i, k));
        });
        // Row k and the multipliers, before the update uses them.
        g.sync();
        if constexpr (how::value) {
            // A flat loop needs bounds that do not move with k.
            strided(how{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
                const int i = e % n;
                const int j = e / n;
                if (i > k && j > k) a(i, j) = core::fma(-a(i, k), a(k, j), a(i, j));
            });
        } else {
            fast::update_tiles<A::static_rows>(
                g, a, k + 1, [&](int i) SHOAL_INLINE_LAMBDA { return T(a(i, k)); },
                [&](int j) SHOAL_INLINE_LAMBDA { return T(a(k, j)); },
                [](T l, T u, T value) SHOAL_INLINE_LAMBDA { return core::fma(-l, u, value); },
                [](int, int) SHOAL_INLINE_LAMBDA { return true; });
        }
        // The updated matrix, before the next search and interchange; after the last column this is the exit barrier.
        if (syncs_on_exit<G> || k + 1 < n) g.sync();
    });
    return info;
}

/// Whether the ladder of getrf() takes the register body.
template <getrf_policy Policy, class G, class M>
SHOAL_FN constexpr bool getrf_by_rows() {
    if constexpr (Policy.algorithm == getrf_algorithm::rows) {
        static_assert(
            fast::suits_square_rows<G, M>,
            "getrf: the rows algorithm needs a static order up to 64 and a tile or warp whose registers hold "
            "the matrix");
        return true;
    } else {
        return Policy.algorithm == getrf_algorithm::automatic && fast::suits_square_rows<G, M> &&
               !(fast::has_warps<G> && M::static_rows > fast::warp_lanes);
    }
}

/// Whether the ladder of getrf() takes the panels, if the group consists of whole warps and the order is not too large.
template <getrf_policy Policy, class G, class M>
SHOAL_FN constexpr bool getrf_by_panels() {
    static_assert(
        Policy.algorithm != getrf_algorithm::panels ||
            (fast::has_warps<G> && M::static_rows <= fast::largest_panel_rows),
        "getrf: the panels algorithm needs an order up to 128 and a warp, or a block of whole warps");
    // Of orders known only at run time every number of rows a lane would have to be compiled.
    return Policy.algorithm == getrf_algorithm::panels ||
           (Policy.algorithm == getrf_algorithm::automatic && fast::has_warps<G> &&
            M::static_rows > fast::warp_lanes && M::static_rows <= fast::largest_panel_rows);
}

}  // namespace detail

/// P A = L U with partial pivoting, A of order n, in place: L strictly below the diagonal with ones implied, U above.
///
/// Step k interchanges rows k and pivots(k) >= k (0-based), the row with the largest entry in column k; of equal ones
/// the first, and NaN counts as largest. `pivot_permutation()` turns the interchanges into a permutation.
/// Order: a(i, j) = fma(-l(i, k), u(k, j), a(i, j)) in ascending k, l = a * (1 / pivot): the same bits at every scope,
/// group size and algorithm.
///
/// \param pivots n integers, written by the group
/// \return 0, or k > 0: U(k, k) is the first pivot that is zero or not finite, 1-based. The factorisation is completed
///         all the same, with multipliers left undivided where the pivot is zero; a solve would divide by it. Every
///         member gets the same value. A matrix that is singular up to rounding gives 0.
/// Barriers: three a column, the last of them the exit barrier; with the rows algorithm one, with the panels algorithm four
/// a panel of 16 columns, and the exit barrier. No scratch. Cost: n^3 / 3 FMA shared by the members, n^2 / 2 comparisons by each, or by each warp.
/// Equivalent: `scipy.linalg.lu_factor(A)`; LAPACK getrf, its pivots less one.
template <getrf_policy Policy = getrf_policy{}, Group G, MatrixView A, VectorView P>
SHOAL_FN int getrf(const G& g, A a, P pivots) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "getrf: A is not square");
    static_assert(detail::extents_agree<A::static_rows, P::static_size>,
                  "getrf: A has not as many rows as pivots");
    static_assert(detail::writable<A>, "getrf writes A, but its elements are const");
    static_assert(detail::writable<P>, "getrf writes the pivots, but they are const");
    static_assert(std::is_integral_v<typename P::value_type>, "getrf: the pivots are not integers");
    if constexpr (detail::getrf_by_rows<Policy, G, A>()) {
        return fast::getrf_rows(g, a, pivots);
    } else if constexpr (Policy.algorithm == getrf_algorithm::automatic && fast::suits_getrf_warps<G, A>()) {
        if (!fast::whole_warps(g)) return detail::getrf_columns(g, a, pivots);
        const int info = fast::getrf_warps(g, a, pivots);
        // The factor and the pivots that other members wrote.
        if constexpr (syncs_on_exit<G>) g.sync();
        return info;
    } else {
        if constexpr (detail::getrf_by_panels<Policy, G, A>()) {
            if (fast::whole_warps(g) && a.rows() <= fast::largest_panel_rows) {
                const int info = fast::getrf_panels(g, a, pivots);
                // The factor and the pivots that other members wrote.
                if constexpr (syncs_on_exit<G>) g.sync();
                return info;
            }
        }
        return detail::getrf_columns(g, a, pivots);
    }
}

/// permutation(i) = the row of A that became row i of L U: A[permutation] = L U.
/// Every entry depends on the whole list, so one member writes them all.
///
/// Barriers: the exit barrier. Cost: n steps by one member.
template <Group G, VectorView P, VectorView Q>
SHOAL_FN void pivot_permutation(const G& g, P pivots, Q permutation) {
    static_assert(std::is_integral_v<typename P::value_type> && std::is_integral_v<typename Q::value_type>,
                  "pivot_permutation: pivots and permutation are not integers");
    if (g.rank() == 0) {
        for (int i = 0; i < permutation.size(); ++i) permutation(i) = i;
        for (int k = 0; k < pivots.size(); ++k)
            detail::swap_elements(core::rolled{}, permutation, k, pivots(k));
    }
    // The permutation that member 0 wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
