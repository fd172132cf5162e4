#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

namespace detail {
/// Element (i, j) of a symmetric matrix, from the triangle that is stored.
template <MatrixView M, uplo Uplo>
SHOAL_FN constexpr auto symmetric_entry(symmetric<M, Uplo> a, int i, int j) {
    const bool stored = Uplo == uplo::lower ? i >= j : i <= j;
    return stored ? a.matrix(i, j) : a.matrix(j, i);
}
}  // namespace detail

/// C := alpha A B + beta C, A symmetric of order m, B and C of m x n; `transposed(B)`, `transposed(C)` for B A.
///
/// The other triangle of A is never read. Order, beta = 0, alpha = 0, overlap: as gemm().
/// Barriers: the exit barrier. Cost: m^2 n FMA shared by the members. BLAS symm.
template <Group G, MatrixView M, uplo Uplo, MatrixView B, MatrixView C>
requires(SameScalar<M, B, C>)
    SHOAL_FN void symm(const G& g, typename C::value_type alpha, symmetric<M, Uplo> a, B b,
                       typename C::value_type beta, C c) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "symm: A is not square");
    static_assert(detail::extents_agree<M::static_rows, C::static_rows>, "symm: A and C differ in rows");
    static_assert(detail::extents_agree<B::static_rows, C::static_rows>, "symm: B and C differ in rows");
    static_assert(detail::extents_agree<B::static_cols, C::static_cols>, "symm: B and C differ in columns");
    static_assert(detail::writable<C>, "symm writes C, but its elements are const");
    using T = typename C::value_type;
    using how = flatten<G, C::static_rows, C::static_cols>;
    const int m = c.rows();
    const int depth = alpha == 0 ? 0 : m;
    strided(how{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % m;
        const int j = e / m;
        T sum = 0;
        core::loop(how{}, 0, depth, [&](int k) SHOAL_INLINE_LAMBDA {
            sum = core::fma(detail::symmetric_entry(a, i, k), b(k, j), sum);
        });
        c(i, j) = beta == 0 ? alpha * sum : core::fma(beta, c(i, j), alpha * sum);
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
