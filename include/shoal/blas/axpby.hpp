#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// y := alpha x + beta y for x and y of n elements.
///
/// Each element is `fma(beta, y, alpha * x)`. beta = 0 never reads y, alpha = 0 never reads x. x and y must not overlap
/// unless they are the same view.
/// Barriers: the exit barrier. Cost: 2 n operations shared by the members. Equivalent: `y = alpha * x + beta * y`.
template <Group G, VectorView X, VectorView Y>
requires(SameScalar<X, Y>)
    SHOAL_FN void axpby(const G& g, typename Y::value_type alpha, X x, typename Y::value_type beta, Y y) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "axpby: x and y differ in size");
    static_assert(detail::writable<Y>, "axpby writes y, but its elements are const");
    using T = typename Y::value_type;
    strided(flatten<G, Y::static_size>{}, g, y.size(), [&](int i) SHOAL_INLINE_LAMBDA {
        const T scaled = alpha == 0 ? T(0) : alpha * x(i);
        y(i) = beta == 0 ? scaled : core::fma(beta, y(i), scaled);
    });
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
