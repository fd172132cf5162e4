#pragma once

#include <shoal/blas/detail/triangle_entry.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// Copies the named triangle of a symmetric matrix of order n over the other one: `symmetrize(g, symmetric_lower(A))`.
///
/// Barriers: the exit barrier. Cost: n (n - 1) / 2 moves shared by the members.
template <Group G, MatrixView M, uplo Uplo>
SHOAL_FN void symmetrize(const G& g, symmetric<M, Uplo> a) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "symmetrize: A is not square");
    static_assert(detail::writable<M>, "symmetrize writes A, but its elements are const");
    const int n = a.matrix.rows();
    strided(flatten<G, M::static_rows>{}, g, detail::triangle_size(n), [&](int e) SHOAL_INLINE_LAMBDA {
        const auto [i, j] = detail::triangle_at(e, n);
        if constexpr (Uplo == uplo::lower) {
            if (i != j) a.matrix(j, i) = a.matrix(i, j);
        } else {
            if (i != j) a.matrix(i, j) = a.matrix(j, i);
        }
    });
    // The triangle that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
