#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// The 0-based index of the element of x that is largest in magnitude; every member of the group gets it.
///
/// Of equal ones the first; NaN counts as larger than every number (of several NaNs with different payloads, the one
/// with the largest payload), so that the answer does not depend on the order of comparisons and is always an index of
/// x. n = 0 gives -1. x is not changed.
///
/// \param scratch `reduction_scratch<G>` elements where the members do not exchange registers; see reduce(). The index
///        passes through it as a T: a float vector must have fewer than 2^24 elements.
/// Barriers: four where scratch is used, otherwise none. Cost: 2 n comparisons shared by the members.
/// Equivalent: `numpy.argmax(abs(x))`; BLAS iamax, less one.
template <Group G, VectorView X, class Scratch = no_scratch>
SHOAL_FN int iamax(const G& g, X x, Scratch scratch = {}) {
    using T = typename X::value_type;
    constexpr int N = X::static_size;
    const int n = x.size();
    if (n == 0) return -1;
    const auto larger = [](T a, T b) SHOAL_INLINE_LAMBDA {
        return core::magnitude_key(a) < core::magnitude_key(b) ? b : a;
    };
    const T largest = reduce<N>(
        g, n, T(0), [&](T part, int i) SHOAL_INLINE_LAMBDA { return larger(part, x(i)); }, larger, scratch);
    const T first = reduce<N>(
        g, n, static_cast<T>(n),
        [&](T part, int i) SHOAL_INLINE_LAMBDA {
            const bool found = core::magnitude_key(x(i)) == core::magnitude_key(largest);
            return found && static_cast<T>(i) < part ? static_cast<T>(i) : part;
        },
        [](T a, T b) SHOAL_INLINE_LAMBDA { return a < b ? a : b; }, scratch);
    // Two NaNs of different payloads have different keys, but the larger key is one of them: always found.
    return static_cast<int>(first);
}

}  // namespace shoal
