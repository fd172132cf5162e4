#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// sqrt(x' x) for x of n elements, safe from overflow and underflow; every member of the group gets the value.
///
/// The elements are scaled by a power of two taken from the largest, which changes no bit, then summed in the order of
/// dot(). NaN if an element is NaN, otherwise infinity if one is infinite. x is not changed. n = 0 gives 0.
///
/// \param scratch `reduction_scratch<G>` elements where the members do not exchange registers; see reduce()
/// Barriers: four where scratch is used, otherwise none. Cost: 2 n operations shared by the members.
/// Equivalent: `numpy.linalg.norm(x)`; BLAS nrm2.
template <Group G, VectorView X, class Scratch = no_scratch>
SHOAL_FN typename X::value_type nrm2(const G& g, X x, Scratch scratch = {}) {
    using T = typename X::value_type;
    constexpr int N = X::static_size;
    const auto larger = [](T a, T b) SHOAL_INLINE_LAMBDA {
        return core::magnitude_key(a) < core::magnitude_key(b) ? b : a;
    };
    const T largest = reduce<N>(
        g, x.size(), T(0), [&](T part, int i) SHOAL_INLINE_LAMBDA { return larger(part, core::abs(x(i))); },
        larger, scratch);
    if (!core::good_pivot(largest)) return largest;  // zero, infinite or NaN: uniform over the group
    const auto scale = core::scale_to_one(largest);
    const T sum = reduce<N>(
        g, x.size(), T(-0.0),
        [&](T part, int i) SHOAL_INLINE_LAMBDA {
            const T v = x(i) * scale.down;
            return core::fma(v, v, part);
        },
        [](T a, T b) SHOAL_INLINE_LAMBDA { return a + b; }, scratch);
    return core::sqrt(sum) * scale.up;
}

}  // namespace shoal
