#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// C := alpha D B + beta C, D = diag(d) of order m, B and C of m x n; `transposed(B)`, `transposed(C)` for B D.
///
/// Each element is `fma(beta, c, alpha * (d * b))`. beta = 0 never reads C, alpha = 0 never reads d and B. C may be the
/// same view as B.
/// Barriers: the exit barrier. Cost: m n products shared by the members. Equivalent: `alpha * d[:, None] * B + beta * C`.
template <Group G, VectorView D, MatrixView B, MatrixView C>
requires(SameScalar<D, B, C>)
    SHOAL_FN void dimm(const G& g, typename C::value_type alpha, D d, B b, typename C::value_type beta, C c) {
    static_assert(detail::extents_agree<D::static_size, C::static_rows>,
                  "dimm: d has not as many elements as C has rows");
    static_assert(detail::extents_agree<B::static_rows, C::static_rows>, "dimm: B and C differ in rows");
    static_assert(detail::extents_agree<B::static_cols, C::static_cols>, "dimm: B and C differ in columns");
    static_assert(detail::writable<C>, "dimm writes C, but its elements are const");
    using T = typename C::value_type;
    const int m = c.rows();
    strided(flatten<G, C::static_rows, C::static_cols>{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % m;
        const int j = e / m;
        const T product = alpha == 0 ? T(0) : alpha * (d(i) * b(i, j));
        c(i, j) = beta == 0 ? product : core::fma(beta, c(i, j), product);
    });
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
