#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// y := alpha A x + beta y, A of m x n, x of n, y of m elements. `transposed(A)` for A'.
///
/// Order: one chain of fused multiply-adds an element in ascending column, then `fma(beta, y, alpha * chain)`: the same
/// bits at every scope and group size. beta = 0 never reads y, alpha = 0 never reads A and x. y must not overlap A or
/// x.
/// Barriers: the exit barrier. Cost: m n FMA, the rows shared by the members. Equivalent: `alpha * A @ x + beta * y`;
/// BLAS gemv.
template <Group G, MatrixView A, VectorView X, VectorView Y>
requires(SameScalar<A, X, Y>)
    SHOAL_FN void gemv(const G& g, typename Y::value_type alpha, A a, X x, typename Y::value_type beta, Y y) {
    static_assert(detail::extents_agree<A::static_cols, X::static_size>,
                  "gemv: A has not as many columns as x has elements");
    static_assert(detail::extents_agree<A::static_rows, Y::static_size>,
                  "gemv: A has not as many rows as y has elements");
    static_assert(detail::writable<Y>, "gemv writes y, but its elements are const");
    using T = typename Y::value_type;
    using how = flatten<G, A::static_rows, A::static_cols>;
    const int n = alpha == 0 ? 0 : a.cols();
    strided(how{}, g, a.rows(), [&](int i) SHOAL_INLINE_LAMBDA {
        T sum = 0;
        core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA { sum = core::fma(a(i, k), x(k), sum); });
        y(i) = beta == 0 ? alpha * sum : core::fma(beta, y(i), alpha * sum);
    });
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// \cond
template <Group G, class Alpha, MatrixView A, VectorView X, class Beta, VectorView Y>
requires(!SameScalar<A, X, Y>) SHOAL_FN void gemv(const G&, Alpha, A, X, Beta, Y) {
    static_assert(SameScalar<A, X, Y>, "gemv: the elements of A, x and y differ in type");
}
/// \endcond

}  // namespace shoal
