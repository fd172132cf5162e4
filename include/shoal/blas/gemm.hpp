#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// C := alpha A B + beta C, A of m x k, B of k x n, C of m x n. `transposed(A)` for A'.
///
/// Order: one chain of fused multiply-adds an element in ascending k, then `fma(beta, c, alpha * chain)`: the same bits
/// at every scope and group size. beta = 0 never reads C, alpha = 0 never reads A and B. C must not overlap A or B; A
/// and B may be the same matrix.
/// Barriers: the exit barrier. Cost: m n k FMA, the elements shared by the members. Equivalent:
/// `alpha * A @ B + beta * C`; BLAS gemm.
template <Group G, MatrixView A, MatrixView B, MatrixView C>
SHOAL_FN void gemm(const G& g, typename C::value_type alpha, A a, B b, typename C::value_type beta, C c) {
    static_assert(detail::extents_agree<A::static_cols, B::static_rows>,
                  "gemm: A has not as many columns as B has rows");
    static_assert(detail::extents_agree<A::static_rows, C::static_rows>, "gemm: A and C differ in rows");
    static_assert(detail::extents_agree<B::static_cols, C::static_cols>, "gemm: B and C differ in columns");
    static_assert(detail::writable<C>, "gemm writes C, but its elements are const");
    using T = typename C::value_type;
    using how = flatten<G, C::static_rows, C::static_cols, A::static_cols>;
    const int m = c.rows();
    const int depth = alpha == 0 ? 0 : a.cols();
    strided(how{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % m;
        const int j = e / m;
        T sum = 0;
        core::loop(how{}, 0, depth,
                   [&](int k) SHOAL_INLINE_LAMBDA { sum = core::fma(a(i, k), b(k, j), sum); });
        c(i, j) = beta == 0 ? alpha * sum : core::fma(beta, c(i, j), alpha * sum);
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
