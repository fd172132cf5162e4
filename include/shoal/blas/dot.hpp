#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// x' y for x and y of n elements; every member of the group gets the value.
///
/// Order: 32 strided partial sums of fused multiply-adds, then a fixed tree, whatever the group: the same
/// bits at every scope and size. Neither vector is changed. n = 0 gives 0.
///
/// \param scratch `reduction_scratch<G>` elements where the members do not exchange registers (a block); see reduce()
/// Barriers: two where scratch is used, otherwise none. Cost: n FMA shared by the members, 31 additions. Equivalent:
/// `numpy.dot(x, y)`; BLAS dot.
template <Group G, VectorView X, VectorView Y, class Scratch = no_scratch>
requires(SameScalar<X, Y>) SHOAL_FN typename X::value_type dot(const G& g, X x, Y y, Scratch scratch = {}) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "dot: x and y differ in size");
    using T = typename X::value_type;
    // Starting from -0 makes absent terms leave no trace: a + -0 is a for every a, so the tree folds away.
    const T sum = reduce<X::static_size>(
        g, x.size(), T(-0.0), [&](T part, int i) SHOAL_INLINE_LAMBDA { return core::fma(x(i), y(i), part); },
        [](T a, T b) SHOAL_INLINE_LAMBDA { return a + b; }, scratch);
    return sum + T(0);
}

}  // namespace shoal
