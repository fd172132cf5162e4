#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// A := A + alpha x y', A of m x n, x of m, y of n elements.
///
/// Each element is `fma(alpha * x, y, a)`. alpha = 0 returns without reading x and y. A must not overlap them.
/// Barriers: the exit barrier. Cost: m n FMA shared by the members. Equivalent: `A += alpha * numpy.outer(x, y)`; BLAS
/// ger.
template <Group G, VectorView X, VectorView Y, MatrixView A>
requires(SameScalar<X, Y, A>) SHOAL_FN void ger(const G& g, typename A::value_type alpha, X x, Y y, A a) {
    static_assert(detail::extents_agree<X::static_size, A::static_rows>,
                  "ger: x has not as many elements as A has rows");
    static_assert(detail::extents_agree<Y::static_size, A::static_cols>,
                  "ger: y has not as many elements as A has columns");
    static_assert(detail::writable<A>, "ger writes A, but its elements are const");
    const int m = a.rows();
    if (alpha != 0) {
        strided(flatten<G, A::static_rows, A::static_cols>{}, g, m * a.cols(),
                [&](int e) SHOAL_INLINE_LAMBDA {
                    const int i = e % m;
                    const int j = e / m;
                    a(i, j) = core::fma(alpha * x(i), y(j), a(i, j));
                });
    }
    // The elements of A that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
