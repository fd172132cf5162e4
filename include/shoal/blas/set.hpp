#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// x(i) := value for x of n elements.
///
/// Barriers: the exit barrier. Cost: n stores shared by the members. Equivalent: `x[:] = value`.
template <Group G, VectorView X>
SHOAL_FN void set(const G& g, typename X::value_type value, X x) {
    static_assert(detail::writable<X>, "set writes x, but its elements are const");
    strided(flatten<G, X::static_size>{}, g, x.size(), [&](int i) SHOAL_INLINE_LAMBDA { x(i) = value; });
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// A(i, j) := off, A(i, i) := on for A of m x n: `set(g, 0, 1, A)` makes the identity.
///
/// Barriers: the exit barrier. Cost: m n stores shared by the members. LAPACK laset.
template <Group G, MatrixView A>
SHOAL_FN void set(const G& g, typename A::value_type off, typename A::value_type on, A a) {
    static_assert(detail::writable<A>, "set writes A, but its elements are const");
    const int m = a.rows();
    strided(flatten<G, A::static_rows, A::static_cols>{}, g, m * a.cols(),
            [&](int e) SHOAL_INLINE_LAMBDA { a(e % m, e / m) = e % m == e / m ? on : off; });
    // The elements of A that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
