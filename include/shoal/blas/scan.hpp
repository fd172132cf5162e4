#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// x(i) := x(0) + ... + x(i) for x of n elements: prefix sums, x(i) included.
///
/// Order: in round d = 1, 2, 4, ... element i takes element i - d of the round before: the same bits at every scope and
/// group size, and an error that grows with log2 n.
/// \param scratch n elements shared by the members
/// Barriers: two a round, ceil(log2 n) rounds. Cost: n log2 n additions shared by the members. Equivalent:
/// `numpy.cumsum(x)`.
template <Group G, VectorView X, class Scratch>
SHOAL_FN void inclusive_scan(const G& g, X x, Scratch scratch) {
    static_assert(detail::writable<X>, "inclusive_scan writes x, but its elements are const");
    using how = flatten<G, X::static_size>;
    const int n = x.size();
    for (int d = 1; d < n; d = d < n - d ? 2 * d : n) {
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { scratch[i] = i < d ? x(i) : x(i - d) + x(i); });
        // The round is complete in the scratch, before it replaces x.
        g.sync();
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { x(i) = scratch[i]; });
        // The round is complete in x, before the next one reads it; the scratch may be used again.
        g.sync();
    }
}

/// x(i) := x(0) + ... + x(i - 1), x(0) := 0: prefix sums, x(i) excluded; see inclusive_scan().
template <Group G, VectorView X, class Scratch>
SHOAL_FN void exclusive_scan(const G& g, X x, Scratch scratch) {
    static_assert(detail::writable<X>, "exclusive_scan writes x, but its elements are const");
    using how = flatten<G, X::static_size>;
    inclusive_scan(with_exit_sync(g), x, scratch);
    const int n = x.size();
    strided(how{}, g, n,
            [&](int i) SHOAL_INLINE_LAMBDA { scratch[i] = i == 0 ? typename X::value_type(0) : x(i - 1); });
    // The shifted sums in the scratch, before they replace x.
    g.sync();
    strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { x(i) = scratch[i]; });
    // The elements of x that other members wrote; the scratch may be used again.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
