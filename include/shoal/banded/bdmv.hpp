#pragma once

#include <shoal/banded/strip.hpp>
#include <shoal/group/collectives.hpp>

namespace shoal {

namespace detail {

/// Element i of A x: one chain of fused multiply-adds along the row, L before D before R.
template <class S, class X>
SHOAL_FN auto bdmv_element(S a, X x, int i) {
    using T = typename X::value_type;
    constexpr int n = S::block_size;
    const int k = i / n;
    const int row = i % n;
    T sum = 0;
    if (k > 0) {
        for (int j = 0; j < n; ++j) sum = core::fma(a.left(k)(row, j), x((k - 1) * n + j), sum);
    }
    for (int j = 0; j < n; ++j) sum = core::fma(a.main(k)(row, j), x(k * n + j), sum);
    if (k + 1 < a.knots()) {
        for (int j = 0; j < n; ++j) sum = core::fma(a.right(k)(row, j), x((k + 1) * n + j), sum);
    }
    return sum;
}

}  // namespace detail

/// y := A x, A block tridiagonal with N knots of n x n in strips, x and y block vectors.
///
/// Order: one chain of fused multiply-adds an element, the columns of L, D and R in ascending order: the same bits at
/// every scope and group size. The pads of x are not read, those of y not written. y must not overlap x or A.
/// In shared memory, `padded_strip` keeps the rows of a warp in different banks.
/// Barriers: the exit barrier. Cost: 3 N n^2 FMA, the rows shared by the members. Equivalent: `A @ x`.
template <Group G, class S, class X, class Y>
SHOAL_FN void bdmv(const G& g, S a, X x, Y y) {
    strided(core::rolled{}, g, a.knots() * S::block_size,
            [&](int i) SHOAL_INLINE_LAMBDA { y(i) = detail::bdmv_element(a, x, i); });
    // The elements of y that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// y := A x and z := A x in one pass; see above.
template <Group G, class S, class X, class Y, class Z>
SHOAL_FN void bdmv(const G& g, S a, X x, Y y, Z z) {
    strided(core::rolled{}, g, a.knots() * S::block_size, [&](int i) SHOAL_INLINE_LAMBDA {
        const auto value = detail::bdmv_element(a, x, i);
        y(i) = value;
        z(i) = value;
    });
    // The elements of y and z that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
