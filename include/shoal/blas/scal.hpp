#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// x := alpha x for x of n elements.
///
/// One product an element: alpha = 0 gives zero of a finite element and NaN of an infinite one.
/// Barriers: the exit barrier. Cost: n products shared by the members. Equivalent: `x *= alpha`; BLAS scal.
template <Group G, VectorView X>
SHOAL_FN void scal(const G& g, typename X::value_type alpha, X x) {
    static_assert(detail::writable<X>, "scal writes x, but its elements are const");
    strided(flatten<G, X::static_size>{}, g, x.size(),
            [&](int i) SHOAL_INLINE_LAMBDA { x(i) = alpha * x(i); });
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
