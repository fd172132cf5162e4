#pragma once

#include <shoal/blas/nrm2.hpp>
#include <shoal/fast/syev_columns.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/jacobi.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// How syev() works.
enum class syev_algorithm {
    two_sided,  ///< rotations of rows and columns in memory: every group, every size, the same bits everywhere
    columns,    ///< one-sided, in the registers of the lanes: static order up to 32, a lane for each column
};

/// Choices of syev(), passed by name: `syev<syev_policy{.algorithm = syev_algorithm::columns}>(g, A, W, V, scratch)`.
struct syev_policy {
    syev_algorithm algorithm = syev_algorithm::two_sided;
    int max_sweeps =
        24;  ///< sweeps after which the search is given up; ten are the most seen on matrices up to 128
};

/// Elements of scratch that syev() needs for a matrix of order n.
SHOAL_FN constexpr int syev_scratch(int n) {
    return n * n + n + n % 2;
}

/// A V = V diag(W), V orthogonal: all eigenvalues and eigenvectors of a symmetric A of order n (`symmetric_lower(A)` or
/// `symmetric_upper(A)`), by two-sided Jacobi rotations, n / 2 disjoint ones at a time.
///
/// W is ascending; column j of V belongs to W(j). A is not changed, and only its named triangle is read. Eigenvectors of
/// equal eigenvalues are some orthonormal basis. The bits are the same at every scope and group size.
///
/// The columns algorithm rotates in another order and has bits of its own, the same for every group that can run it: static
/// orders up to 32 on a tile, a warp or a block of whole warps (another block falls back to two_sided). Either algorithm
/// leaves eigenvalues within 4 n u |A|, u half an epsilon, and vectors orthogonal to 10 n u.
///
/// \param w n elements, written
/// \param v n x n, written
/// \param scratch syev_scratch(n) elements shared by the members
/// \return 0; k > 0: k pairs (columns: k lanes) still had to rotate in the last sweep allowed, and W and V are
///         approximate; n + 1: A is not finite, and W and V are not written. Every member gets the same value.
/// Barriers: three a round of n / 2 rotations; columns: the exit barrier, and no scratch. Cost: about 6 n^3 FMA a sweep
/// shared by the members, 6 to 10 sweeps; columns: 3 n^3.
/// Equivalent: `numpy.linalg.eigh(A)`; LAPACK syev. Source: G. Golub, C. Van Loan, Matrix Computations, 8.5.
template <syev_policy Policy = syev_policy{}, Group G, MatrixView M, uplo Uplo, VectorView W, MatrixView V,
          class Scratch>
SHOAL_FN int syev(const G& g, symmetric<M, Uplo> a, W w, V v, Scratch scratch) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "syev: A is not square");
    static_assert(detail::extents_agree<M::static_rows, W::static_size>,
                  "syev: A has not as many rows as w has elements");
    static_assert(detail::extents_agree<V::static_rows, V::static_cols>, "syev: V is not square");
    static_assert(detail::extents_agree<M::static_rows, V::static_rows>, "syev: A and V differ in rows");
    static_assert(detail::writable<W>, "syev writes w, but its elements are const");
    static_assert(detail::writable<V>, "syev writes V, but its elements are const");
    using T = typename M::value_type;
    if constexpr (Policy.algorithm == syev_algorithm::columns) {
        static_assert(
            fast::suits_syev_columns<G, M>(),
            "syev: the columns algorithm needs a static order up to 32 and a lane of a tile or a warp for "
            "each column");
        if (G::scope != scope::block || fast::whole_warps(g)) {
            const int info = fast::syev_columns(g, a, w, v, Policy.max_sweeps);
            // The values and vectors that other members wrote.
            if constexpr (syncs_on_exit<G>) g.sync();
            return info;
        }
    }
    const int n = a.matrix.rows();
    const matrix<T> s(&scratch[0], n, n);
    T* const cosines = &scratch[n * n];
    T* const sines = cosines + (n + n % 2) / 2;

    const auto entry = [&](int i, int j) SHOAL_INLINE_LAMBDA {
        const bool stored = Uplo == uplo::lower ? i >= j : i <= j;
        return stored ? a.matrix(i, j) : a.matrix(j, i);
    };
    T largest = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            const T size = core::abs(entry(i, j));
            if (core::magnitude_key(size) > core::magnitude_key(largest)) largest = size;
        }
    }
    if (largest != 0 && !core::good_pivot(largest)) {
        // Everyone has read A: it may be written.
        if constexpr (syncs_on_exit<G>) g.sync();
        return n + 1;
    }
    // With entries near one no difference of two of them overflows, and no rotation is lost below the normal numbers.
    const auto scale = detail::scale_to_one(largest);
    largest *= scale.down;
    strided(core::rolled{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
        s(e % n, e / n) = entry(e % n, e / n) * scale.down;
        v(e % n, e / n) = e % n == e / n ? T(1) : T(0);
    });
    // The working copy, before the first rotations are made from it.
    g.sync();

    // What is left off the diagonal then moves no eigenvalue by more than a quarter unit of the norm.
    const T negligible = largest * (core::epsilon<T> / T(4 * (n + 1)));
    const int players = n + n % 2;
    int rotated = 1;
    for (int sweep = 0; sweep < Policy.max_sweeps && rotated > 0; ++sweep) {
        rotated = 0;
        for (int round = 0; round < players - 1; ++round) {
            strided(core::rolled{}, g, players / 2, [&](int pair) SHOAL_INLINE_LAMBDA {
                const auto [p, q] = detail::jacobi_pair(pair, round, players);
                const auto turn = q < n ? detail::jacobi_rotation(s(p, p), s(q, q), s(q, p), negligible)
                                        : detail::jacobi_turn<T>{1, 0};
                cosines[pair] = turn.c;
                sines[pair] = turn.s;
            });
            // The rotations of this round, before everyone applies them.
            g.sync();
            for (int pair = 0; pair < players / 2; ++pair) rotated += sines[pair] != 0 ? 1 : 0;
            detail::rotate_rows(g, s, round, players, cosines, sines);
            // The rotated rows, before the columns are.
            g.sync();
            detail::rotate_columns(g, s, v, round, players, cosines, sines);
            // The rotated matrix, before the next rotations are made from it.
            g.sync();
        }
    }
    detail::sort_eigenpairs(g, s, w, v, cosines, scale.up);
    return rotated;
}

}  // namespace shoal
