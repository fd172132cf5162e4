#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// B := alpha A for A and B of m x n, which must not overlap: blocks into strips and out of them.
/// `move_block(g, -1, transposed(A), S.left(k))` stores a negated transposed block.
///
/// Barriers: the exit barrier. Cost: m n products shared by the members. Equivalent: `B[:] = alpha * A`.
template <Group G, MatrixView A, MatrixView B>
SHOAL_FN void move_block(const G& g, typename B::value_type alpha, A a, B b) {
    const int m = b.rows();
    strided(flatten<G, B::static_rows, B::static_cols>{}, g, m * b.cols(),
            [&](int e) SHOAL_INLINE_LAMBDA { b(e % m, e / m) = alpha * a(e % m, e / m); });
    // The elements of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
