#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// A := A^-1 for A of order n, in place, by Gauss-Jordan elimination with partial pivoting.
///
/// Step k interchanges rows k and pivots(k) as getrf() does; the columns are put back in order at the end. Order:
/// a(i, j) = fma(-a(i, k), a(k, j) * (1 / pivot), a(i, j)): the same bits at every scope and group size.
///
/// \param pivots n integers, written by the group
/// \return 0, or k > 0: the first pivot that is zero or not finite, 1-based; A then holds an unfinished elimination.
///         Every member gets the same value. A matrix that is singular up to rounding gives 0.
/// Barriers: four a column. No scratch. Cost: n^3 FMA shared by the members. Equivalent: `numpy.linalg.inv(A)`; LAPACK
/// getrf and getri.
template <Group G, MatrixView A, VectorView P>
SHOAL_FN int inv(const G& g, A a, P pivots) {
    using T = typename A::value_type;
    using how = flatten<G, A::static_rows>;
    const int n = a.rows();
    int info = 0;
    core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        if (info != 0) return;
        const auto found = detail::find_pivot(how{}, a, k);
        if (!core::good_pivot(core::abs(found.value))) {
            info = k + 1;
            return;
        }
        // Everyone has read column k, before rows change places.
        g.sync();
        if (g.rank() == k % g.size()) pivots(k) = found.row;
        strided(how{}, g, n,
                [&](int j) SHOAL_INLINE_LAMBDA { detail::swap_elements(how{}, a.column(j), k, found.row); });
        // Rows k and the pivot row in their new places, before the update reads them.
        g.sync();
        const detail::divider<T> over(found.value);
        strided(how{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
            const int i = e % n;
            const int j = e / n;
            if (i != k && j != k) a(i, j) = core::fma(-a(i, k), over(a(k, j)), a(i, j));
        });
        // Everyone has used row and column k, before they change.
        g.sync();
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            if (i != k) {
                a(i, k) = -over(a(i, k));
                a(k, i) = over(a(k, i));
            } else {
                a(k, k) = over(T(1));
            }
        });
        // The updated matrix, before the next search.
        g.sync();
    });
    if (info == 0) {
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            core::loop(how{}, 0, n, [&](int s) SHOAL_INLINE_LAMBDA {
                detail::swap_elements(how{}, a.row(i), n - 1 - s, pivots(n - 1 - s));
            });
        });
    }
    // The rows that other members put in order.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal
