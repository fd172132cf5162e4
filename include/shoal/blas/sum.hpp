#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// x_1 + ... + x_n; every member of the group gets the value.
///
/// Order: as dot(), the same bits for every group. n = 0 gives 0. x is not changed.
/// \param scratch `reduction_scratch<G>` elements where the members do not exchange registers; see reduce()
/// Barriers: two where scratch is used, otherwise none. Cost: n additions shared by the members.
/// Equivalent: `numpy.sum(x)`.
template <Group G, VectorView X, class Scratch = no_scratch>
SHOAL_FN typename X::value_type sum(const G& g, X x, Scratch scratch = {}) {
    using T = typename X::value_type;
    const T total = reduce<X::static_size>(
        g, x.size(), T(-0.0), [&](T part, int i) SHOAL_INLINE_LAMBDA { return part + x(i); },
        [](T a, T b) SHOAL_INLINE_LAMBDA { return a + b; }, scratch);
    return total + T(0);
}

}  // namespace shoal
