#pragma once

#include <shoal/blas/trmm.hpp>

namespace shoal {

/// y := alpha T x, T triangular of order n, x and y of n elements: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Only the triangle is read. Order: one chain an element over the stored part of its row in ascending k, then times alpha.
/// alpha = 0 never reads T and x. y must not overlap x or T.
/// Barriers: the exit barrier. Cost: n^2 / 2 FMA, the rows shared by the members. Equivalent: `alpha * numpy.tril(A) @ x`;
/// BLAS trmv, out of place.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X, VectorView Y>
requires(SameScalar<M, X, Y>)
    SHOAL_FN void trmv(const G& g, typename Y::value_type alpha, triangular<M, Uplo, Diagonal> t, X x, Y y) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trmv: T is not square");
    static_assert(detail::extents_agree<M::static_rows, X::static_size>,
                  "trmv: T has not as many rows as x has elements");
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "trmv: x and y differ in size");
    static_assert(detail::writable<Y>, "trmv writes y, but its elements are const");
    using how = flatten<G, Y::static_size>;
    const int n = alpha == 0 ? 0 : y.size();
    strided(how{}, g, y.size(), [&](int i) SHOAL_INLINE_LAMBDA {
        y(i) = alpha * detail::triangle_row(how{}, t, i, n, [&](int k) SHOAL_INLINE_LAMBDA { return x(k); });
    });
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// x := T x in place, through a copy of x; see above.
///
/// \param scratch n elements shared by the members
/// Barriers: two.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, VectorView X, class Scratch>
requires(SameScalar<M, X>)
    SHOAL_FN void trmv_in_place(const G& g, triangular<M, Uplo, Diagonal> t, X x, Scratch scratch) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trmv_in_place: T is not square");
    static_assert(detail::extents_agree<M::static_rows, X::static_size>,
                  "trmv_in_place: T has not as many rows as x has elements");
    static_assert(detail::writable<X>, "trmv_in_place writes x, but its elements are const");
    using how = flatten<G, X::static_size>;
    const int n = x.size();
    strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { scratch[i] = x(i); });
    // The copy of x, before the rows of T meet it.
    g.sync();
    strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
        x(i) = detail::triangle_row(how{}, t, i, n, [&](int k) SHOAL_INLINE_LAMBDA { return scratch[k]; });
    });
    // The elements of x that other members wrote; the scratch may be used again.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
