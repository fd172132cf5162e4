#pragma once

#include <shoal/fast/gesv_rows.hpp>
#include <shoal/lapack/getrf.hpp>
#include <shoal/lapack/getrs.hpp>

namespace shoal {

/// B := A^-1 B by partial pivoting; A of order n is replaced by its factor, B of n x m, or a vector of n, by the
/// solution.
///
/// \param pivots n integers, written by the group: see getrf()
/// \return 0, or k > 0 as getrf(): then B is unchanged. NaN in B alone is no failure: it spreads to its column. Without
///         right-hand sides (m = 0) A is factored and reported all the same.
/// Barriers, cost, order: those of getrf() and getrs(). Equivalent: `numpy.linalg.solve(A, B)`; LAPACK gesv.
template <getrf_policy Policy = getrf_policy{}, Group G, MatrixView A, VectorView P, class B>
requires((VectorView<B> || MatrixView<B>)&&SameScalar<A, B>)
    SHOAL_FN int gesv(const G& g, A a, P pivots, B b) {
    if constexpr (VectorView<B> && detail::getrf_by_rows<Policy, G, A>()) {
        static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "gesv: A is not square");
        static_assert(detail::extents_agree<A::static_rows, P::static_size>,
                      "gesv: A has not as many rows as pivots");
        static_assert(detail::extents_agree<A::static_rows, B::static_size>,
                      "gesv: A has not as many rows as B has elements");
        static_assert(detail::writable<A>, "gesv writes A, but its elements are const");
        static_assert(detail::writable<P>, "gesv writes the pivots, but they are const");
        static_assert(std::is_integral_v<typename P::value_type>, "gesv: the pivots are not integers");
        static_assert(detail::writable<B>, "gesv writes B, but its elements are const");
        return fast::gesv_rows(g, a, pivots, b);
    } else {
        const int info = getrf<Policy>(with_exit_sync(g), a, pivots);
        if (info == 0) getrs(g, a, pivots, b);
        return info;
    }
}

}  // namespace shoal
