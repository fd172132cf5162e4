#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/swap.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// Interchanges rows of B (n x m): for k = 0, 1, ..., size - 1 row k with row pivots(k), as getrf() did.
///
/// The pivots are 0-based and pivots(k) >= k. Barriers: the exit barrier. Cost: the columns of B are shared by the
/// members. LAPACK laswp.
template <Group G, MatrixView B, VectorView P>
SHOAL_FN void laswp(const G& g, B b, P pivots) {
    static_assert(detail::writable<B>, "laswp writes B, but its elements are const");
    static_assert(std::is_integral_v<typename P::value_type>, "laswp: the pivots are not integers");
    using how = flatten<G, B::static_rows, B::static_cols, P::static_size>;
    strided(how{}, g, b.cols(), [&](int j) SHOAL_INLINE_LAMBDA {
        core::loop(how{}, 0, pivots.size(), [&](int k) SHOAL_INLINE_LAMBDA {
            detail::swap_elements(how{}, b.column(j), k, pivots(k));
        });
    });
    // The rows that other members moved.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// The inverse of laswp(): the same interchanges from the last to the first.
template <Group G, MatrixView B, VectorView P>
SHOAL_FN void laswp_reversed(const G& g, B b, P pivots) {
    static_assert(detail::writable<B>, "laswp_reversed writes B, but its elements are const");
    static_assert(std::is_integral_v<typename P::value_type>, "laswp_reversed: the pivots are not integers");
    using how = flatten<G, B::static_rows, B::static_cols, P::static_size>;
    const int n = pivots.size();
    strided(how{}, g, b.cols(), [&](int j) SHOAL_INLINE_LAMBDA {
        core::loop(how{}, 0, n, [&](int s) SHOAL_INLINE_LAMBDA {
            detail::swap_elements(how{}, b.column(j), n - 1 - s, pivots(n - 1 - s));
        });
    });
    // The rows that other members moved.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
