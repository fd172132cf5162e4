#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

namespace detail {
/// Row i of T times x(0 .. n - 1): one chain over the stored part in ascending k.
template <class Flat, MatrixView M, uplo Uplo, diagonal Diagonal, class X>
SHOAL_FN auto triangle_row(Flat how, triangular<M, Uplo, Diagonal> t, int i, int n, X x) {
    using T = typename M::value_type;
    T sum = 0;
    core::loop(how, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        if (Uplo == uplo::lower ? k > i : k < i) return;
        if (Diagonal == diagonal::unit && k == i) {
            sum = sum + x(k);
        } else {
            sum = core::fma(t.matrix(i, k), x(k), sum);
        }
    });
    return sum;
}
}  // namespace detail

/// C := alpha T B, T triangular of order m, B and C of m x n: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Only the triangle is read. Order: one chain an element over the stored part of its row in ascending k, then times
/// alpha. alpha = 0 never reads T and B. C must not overlap B or T.
/// Barriers: the exit barrier. Cost: m^2 n / 2 FMA shared by the members. BLAS trmm, out of place.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B, MatrixView C>
requires(SameScalar<M, B, C>)
    SHOAL_FN void trmm(const G& g, typename C::value_type alpha, triangular<M, Uplo, Diagonal> t, B b, C c) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trmm: T is not square");
    static_assert(detail::extents_agree<M::static_rows, C::static_rows>, "trmm: T and C differ in rows");
    static_assert(detail::extents_agree<B::static_rows, C::static_rows>, "trmm: B and C differ in rows");
    static_assert(detail::extents_agree<B::static_cols, C::static_cols>, "trmm: B and C differ in columns");
    static_assert(detail::writable<C>, "trmm writes C, but its elements are const");
    using how = flatten<G, C::static_rows, C::static_cols>;
    const int m = c.rows();
    const int depth = alpha == 0 ? 0 : m;
    strided(how{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % m;
        const int j = e / m;
        c(i, j) = alpha * detail::triangle_row(how{}, t, i, depth,
                                               [&](int k) SHOAL_INLINE_LAMBDA { return b(k, j); });
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
