#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// x and y of n elements change places; they must not overlap.
///
/// Barriers: the exit barrier. Cost: n interchanges shared by the members. BLAS swap.
template <Group G, VectorView X, VectorView Y>
SHOAL_FN void swap(const G& g, X x, Y y) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "swap: x and y differ in size");
    static_assert(detail::writable<X>, "swap writes x, but its elements are const");
    static_assert(detail::writable<Y>, "swap writes y, but its elements are const");
    using T = typename X::value_type;
    strided(flatten<G, X::static_size>{}, g, x.size(), [&](int i) SHOAL_INLINE_LAMBDA {
        const T held = x(i);
        x(i) = y(i);
        y(i) = held;
    });
    // The elements that other members moved.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
