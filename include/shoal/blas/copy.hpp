#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// y := x for x and y of n elements, which must not overlap.
///
/// Barriers: the exit barrier. Cost: n moves shared by the members. Equivalent: `y[:] = x`; BLAS copy.
template <Group G, VectorView X, VectorView Y>
SHOAL_FN void copy(const G& g, X x, Y y) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "copy: x and y differ in size");
    static_assert(detail::writable<Y>, "copy writes y, but its elements are const");
    strided(flatten<G, Y::static_size>{}, g, y.size(), [&](int i) SHOAL_INLINE_LAMBDA { y(i) = x(i); });
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// B := A for A and B of m x n, which must not overlap; `copy(g, transposed(A), B)` transposes.
///
/// Barriers: the exit barrier. Cost: m n moves shared by the members. Equivalent: `B[:] = A`; LAPACK lacpy.
template <Group G, MatrixView A, MatrixView B>
SHOAL_FN void copy(const G& g, A a, B b) {
    static_assert(detail::extents_agree<A::static_rows, B::static_rows>, "copy: A and B differ in rows");
    static_assert(detail::extents_agree<A::static_cols, B::static_cols>, "copy: A and B differ in columns");
    static_assert(detail::writable<B>, "copy writes B, but its elements are const");
    const int m = b.rows();
    strided(flatten<G, B::static_rows, B::static_cols>{}, g, m * b.cols(),
            [&](int e) SHOAL_INLINE_LAMBDA { b(e % m, e / m) = a(e % m, e / m); });
    // The elements of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
