#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// y := alpha x + y for x and y of n elements.
///
/// One fused multiply-add an element. alpha = 0 returns without reading x. x and y must not overlap unless they are
/// the same view.
/// Barriers: the exit barrier. Cost: n FMA shared by the members. Equivalent: `y += alpha * x`; BLAS axpy.
template <Group G, VectorView X, VectorView Y>
requires(SameScalar<X, Y>) SHOAL_FN void axpy(const G& g, typename Y::value_type alpha, X x, Y y) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "axpy: x and y differ in size");
    static_assert(detail::writable<Y>, "axpy writes y, but its elements are const");
    if (alpha != 0) {
        strided(flatten<G, Y::static_size>{}, g, y.size(),
                [&](int i) SHOAL_INLINE_LAMBDA { y(i) = core::fma(alpha, x(i), y(i)); });
    }
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
