#pragma once

#include <shoal/blas/detail/triangle_entry.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// C := alpha (A B' + B A') + beta C, A and B of n x k, C symmetric of order n. `transposed(A)`, `transposed(B)` for
/// A' B + B' A.
///
/// Only the named triangle of C is read and written. Order: one chain an element, a(i, l) b(j, l) before b(i, l) a(j, l)
/// in ascending l, then `fma(beta, c, alpha * chain)`. beta = 0 never reads C, alpha = 0 never reads A and B. C must not
/// overlap them.
/// Barriers: the exit barrier. Cost: n (n + 1) k FMA shared by the members. BLAS syr2k.
template <Group G, MatrixView A, MatrixView B, MatrixView M, uplo Uplo>
requires(SameScalar<A, B, M>) SHOAL_FN void syr2k(const G& g, typename M::value_type alpha, A a, B b,
                                                  typename M::value_type beta, symmetric<M, Uplo> c) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "syr2k: C is not square");
    static_assert(detail::extents_agree<A::static_rows, M::static_rows>, "syr2k: A and C differ in rows");
    static_assert(detail::extents_agree<A::static_rows, B::static_rows>, "syr2k: A and B differ in rows");
    static_assert(detail::extents_agree<A::static_cols, B::static_cols>, "syr2k: A and B differ in columns");
    static_assert(detail::writable<M>, "syr2k writes C, but its elements are const");
    using T = typename M::value_type;
    using how = flatten<G, M::static_rows, A::static_cols>;
    const int n = c.matrix.rows();
    const int depth = alpha == 0 ? 0 : a.cols();
    strided(how{}, g, detail::triangle_size(n), [&](int e) SHOAL_INLINE_LAMBDA {
        const auto entry = detail::triangle_at(e, n);
        // The sum is symmetric to the last bit only if both triangles take the products in the same order.
        const int i = Uplo == uplo::lower ? entry.i : entry.j;
        const int j = Uplo == uplo::lower ? entry.j : entry.i;
        T sum = 0;
        core::loop(how{}, 0, depth, [&](int l) SHOAL_INLINE_LAMBDA {
            sum = core::fma(a(entry.i, l), b(entry.j, l), sum);
            sum = core::fma(b(entry.i, l), a(entry.j, l), sum);
        });
        c.matrix(i, j) = beta == 0 ? alpha * sum : core::fma(beta, c.matrix(i, j), alpha * sum);
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
