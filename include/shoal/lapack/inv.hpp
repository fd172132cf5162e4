#pragma once

#include <shoal/fast/inv_panels.hpp>
#include <shoal/fast/inv_rows.hpp>
#include <shoal/fast/update_tiles.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// How inv() works.
enum class inv_algorithm {
    automatic,  ///< the fastest that the group and the extents allow
    shared,     ///< in place, the elements shared by the members: every group, every size
    rows,       ///< a row in the registers of each lane: static order up to 32, a lane for each row
    panels,  ///< 16 or 8 columns at a time in registers: static order 33 to 128, a warp or a block of whole warps
};

/// Choices of inv() and inv_unpivoted(), passed by name: `inv<inv_policy{.algorithm = inv_algorithm::shared}>(g, A, p)`.
struct inv_policy {
    inv_algorithm algorithm = inv_algorithm::automatic;
};

namespace detail {

/// Whether the ladder of inv() takes the register body, if a block consists of whole warps.
template <inv_policy Policy, class G, class A>
SHOAL_FN constexpr bool inv_by_rows() {
    constexpr bool suits = fast::suits_inv_rows<G, A>();
    static_assert(
        suits || Policy.algorithm != inv_algorithm::rows,
        "inv: the rows algorithm needs a static order up to 32 and a lane of a tile or a warp for each row");
    return suits && (Policy.algorithm == inv_algorithm::automatic || Policy.algorithm == inv_algorithm::rows);
}

/// Whether it takes the panels, if a block consists of whole warps.
template <inv_policy Policy, class G, class A>
SHOAL_FN constexpr bool inv_by_panels() {
    constexpr bool suits = fast::suits_inv_panels<G, A>();
    static_assert(suits || Policy.algorithm != inv_algorithm::panels,
                  "inv: the panels algorithm needs a static order from 33 to 128 and a warp, or a block of "
                  "whole warps");
    return suits &&
           (Policy.algorithm == inv_algorithm::automatic || Policy.algorithm == inv_algorithm::panels);
}

/// Stands for the pivots of an elimination that interchanges nothing.
struct no_interchanges {};

/// A := A^-1 in place, the columns in the order of the interchanges.
template <Group G, MatrixView A, class P>
SHOAL_FN int gauss_jordan(const G& g, A a, P pivots) {
    using T = typename A::value_type;
    using how = flatten<G, A::static_rows>;
    constexpr bool interchanges = !std::is_same_v<P, no_interchanges>;
    const int n = a.rows();
    int info = 0;
    core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        if (info != 0) return;
        pivot_choice<T> found{a(k, k), k};
        if constexpr (interchanges) found = find_pivot(how{}, g, a, k);
        if (!core::good_pivot(core::abs(found.value))) {
            info = k + 1;
            return;
        }
        const divider<T> over(found.value);
        if constexpr (interchanges) {
            // Everyone has read column k and scaled the column before, before rows change places.
            g.sync();
            if (g.rank() == k % g.size()) pivots(k) = found.row;
        } else if (k > 0) {
            // The column of the step before is scaled, before row k is.
            g.sync();
        }
        strided(how{}, g, n, [&](int j) SHOAL_INLINE_LAMBDA {
            if constexpr (interchanges) swap_elements(how{}, a.column(j), k, found.row);
            if (j != k) a(k, j) = over(a(k, j));
        });
        // Rows in their new places and the pivot row scaled, before the update reads them.
        g.sync();
        const auto others = [&](int i, int j) SHOAL_INLINE_LAMBDA { return i != k && j != k; };
        if constexpr (how::value) {
            strided(how{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
                const int i = e % n;
                const int j = e / n;
                if (others(i, j)) a(i, j) = core::fma(-a(i, k), a(k, j), a(i, j));
            });
        } else {
            fast::update_tiles<A::static_rows>(
                g, a, 0, [&](int i) SHOAL_INLINE_LAMBDA { return T(a(i, k)); },
                [&](int j) SHOAL_INLINE_LAMBDA { return T(a(k, j)); },
                [](T l, T u, T value) SHOAL_INLINE_LAMBDA { return core::fma(-l, u, value); }, others);
        }
        // Everyone has used column k, before it changes.
        g.sync();
        strided(how{}, g, n,
                [&](int i) SHOAL_INLINE_LAMBDA { a(i, k) = i == k ? over(T(1)) : -over(a(i, k)); });
    });
    return info;
}

/// The columns of the inverse in their places: the interchanges in reverse order.
template <Group G, MatrixView A, VectorView P>
SHOAL_FN void unscramble(const G& g, A a, P pivots) {
    using how = flatten<G, A::static_rows>;
    const int n = a.rows();
    // No barrier: each member goes on with the rows whose last column it has scaled.
    strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
        core::loop(how{}, 0, n, [&](int s) SHOAL_INLINE_LAMBDA {
            swap_elements(how{}, a.row(i), n - 1 - s, pivots(n - 1 - s));
        });
    });
}

/// inv() and inv_unpivoted() without their last barrier.
template <inv_policy Policy, Group G, MatrixView A, class P>
SHOAL_FN int invert(const G& g, A a, P pivots) {
    constexpr bool rows = inv_by_rows<Policy, G, A>();
    constexpr bool panels = inv_by_panels<Policy, G, A>();
    int info = 0;
    if constexpr (rows) {
        if (G::scope != scope::block || fast::whole_warps(g)) return fast::inv_rows(g, a, pivots);
    }
    if constexpr (panels) {
        if (fast::whole_warps(g)) {
            info = fast::inv_panels(g, a, pivots);
            // The inverse, before its columns change places.
            if (VectorView<P>) g.sync();
        }
    }
    if constexpr (!(rows || panels) || (G::scope == scope::block && group_size<G> < 0)) {
        if (!panels || !fast::whole_warps(g)) info = gauss_jordan(g, a, pivots);
    }
    if constexpr (VectorView<P>) {
        if (info == 0) unscramble(g, a, pivots);
    }
    return info;
}

}  // namespace detail

/// A := A^-1 for A of order n, in place, by Gauss-Jordan elimination with partial pivoting.
///
/// Step k interchanges rows k and pivots(k) as getrf() does; the columns are put back in order at the end. Order:
/// a(i, j) = fma(-a(i, k), a(k, j) * (1 / pivot), a(i, j)): the same bits at every scope and group size.
///
/// \param pivots n integers, written by the group
/// \return 0, or k > 0: the first pivot that is zero or not finite, 1-based; A then holds an unfinished elimination.
///         Every member gets the same value. A matrix that is singular up to rounding gives 0.
/// Barriers: three a column; with the rows algorithm one, with the panels six a panel and one; and the exit barrier. No
/// scratch. Cost: n^3 FMA shared by the members. Equivalent: `numpy.linalg.inv(A)`; LAPACK getrf and getri.
template <inv_policy Policy = inv_policy{}, Group G, MatrixView A, VectorView P>
SHOAL_FN int inv(const G& g, A a, P pivots) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "inv: A is not square");
    static_assert(detail::extents_agree<A::static_rows, P::static_size>,
                  "inv: A has not as many rows as pivots");
    static_assert(detail::writable<A>, "inv writes A, but its elements are const");
    static_assert(detail::writable<P>, "inv writes the pivots, but they are const");
    const int info = detail::invert<Policy>(g, a, pivots);
    // The rows that other members put in order.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

/// A := A^-1 for A of order n, in place, without interchanges: for matrices whose leading minors are known to be far from
/// singular, as those of positive definite and diagonally dominant ones are.
///
/// Order: as inv() with pivots(k) = k.
/// \return as inv(). A small pivot is accepted and costs accuracy without a sign: where that can happen, use inv().
/// Barriers: three a column; with the rows algorithm one, with the panels five a panel; and the exit barrier. No scratch.
/// Cost: n^3 FMA shared by the members. Equivalent: `numpy.linalg.inv(A)`.
template <inv_policy Policy = inv_policy{}, Group G, MatrixView A>
SHOAL_FN int inv_unpivoted(const G& g, A a) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "inv_unpivoted: A is not square");
    static_assert(detail::writable<A>, "inv_unpivoted writes A, but its elements are const");
    const int info = detail::invert<Policy>(g, a, detail::no_interchanges{});
    // The elements of A that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal
