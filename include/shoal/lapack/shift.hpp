#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// A := A + rho I for A of order n: what keeps a factorisation of a nearly singular matrix going.
///
/// A shift smaller than a unit in the last place of the diagonal changes nothing: take it relative to the entries, or
/// use shift_relative().
/// Barriers: the exit barrier. Cost: n additions shared by the members.
template <Group G, MatrixView A>
SHOAL_FN void shift(const G& g, typename A::value_type rho, A a) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "shift: A is not square");
    static_assert(detail::writable<A>, "shift writes A, but its elements are const");
    strided(flatten<G, A::static_rows>{}, g, a.rows(),
            [&](int i) SHOAL_INLINE_LAMBDA { a(i, i) = a(i, i) + rho; });
    // The diagonal that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// A := A + rho diag(A) for A of order n: a shift that follows the scale of every unknown.
///
/// Barriers: the exit barrier. Cost: n FMA shared by the members.
template <Group G, MatrixView A>
SHOAL_FN void shift_relative(const G& g, typename A::value_type rho, A a) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "shift_relative: A is not square");
    static_assert(detail::writable<A>, "shift_relative writes A, but its elements are const");
    strided(flatten<G, A::static_rows>{}, g, a.rows(),
            [&](int i) SHOAL_INLINE_LAMBDA { a(i, i) = core::fma(rho, a(i, i), a(i, i)); });
    // The diagonal that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
