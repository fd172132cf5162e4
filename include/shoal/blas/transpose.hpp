#pragma once

#include <shoal/blas/detail/triangle_entry.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// A := A' for A of order n, in place; `copy(g, transposed(A), B)` for another shape.
///
/// Barriers: the exit barrier. Cost: n (n - 1) / 2 interchanges shared by the members. Equivalent: `A[:] = A.T.copy()`.
template <Group G, MatrixView A>
SHOAL_FN void transpose(const G& g, A a) {
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "transpose: A is not square");
    static_assert(detail::writable<A>, "transpose writes A, but its elements are const");
    using T = typename A::value_type;
    const int n = a.rows();
    strided(flatten<G, A::static_rows>{}, g, detail::triangle_size(n), [&](int e) SHOAL_INLINE_LAMBDA {
        const auto [i, j] = detail::triangle_at(e, n);
        const T held = a(i, j);
        a(i, j) = a(j, i);
        a(j, i) = held;
    });
    // The elements that other members moved.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
