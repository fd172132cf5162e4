#pragma once

#include <shoal/fast/syev_columns.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/jacobi.hpp>
#include <shoal/lapack/detail/tridiagonal.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// How syev() works.
enum class syev_algorithm {
    automatic,    ///< two_sided up to order 32, tridiagonal above
    two_sided,    ///< Jacobi rotations of rows and columns in memory: every group, every size
    tridiagonal,  ///< reflections to a tridiagonal matrix, then QL steps: every group, every size
    columns,  ///< one-sided Jacobi, in the registers of the lanes: static order up to 32, a lane for each column or two
};

/// Up to this order Jacobi rotations are the automatic choice, which are more accurate.
inline constexpr int largest_jacobi_order = 32;

/// Choices of syev(), passed by name: `syev<syev_policy{.algorithm = syev_algorithm::columns}>(g, A, W, V, scratch)`.
struct syev_policy {
    syev_algorithm algorithm = syev_algorithm::automatic;
    /// Sweeps after which the search is given up, ten are the most seen on matrices up to 128; QL steps a row.
    int max_sweeps = 24;
};

/// Elements of scratch that syev() needs for a matrix of order n.
SHOAL_FN constexpr int syev_scratch(int n) {
    return n * n + n + n % 2;
}

/// A V = V diag(W), V orthogonal: all eigenvalues and eigenvectors of a symmetric A of order n (`symmetric_lower(A)` or
/// `symmetric_upper(A)`), by two-sided Jacobi rotations, n / 2 disjoint ones at a time, or by way of a tridiagonal matrix.
///
/// W is ascending; column j of V belongs to W(j). A is not changed, and only its named triangle is read. Eigenvectors of
/// equal eigenvalues are some orthonormal basis. The bits are the same at every scope and group size.
///
/// The columns algorithm rotates in another order and has bits of its own, the same for every group that can run it: static
/// orders up to 32 on a tile, a warp or a block of whole warps (another block takes the automatic one). The tile may have a
/// lane for each column, which is quicker for one matrix, or for two, which is quicker for thousands. Every algorithm
/// leaves eigenvalues within 4 n u |A|, u half an epsilon, and vectors orthogonal to 10 n u.
///
/// \param w n elements, written
/// \param v n x n, written
/// \param scratch syev_scratch(n) elements shared by the members
/// \return 0; k > 0: k pairs (columns: k lanes; tridiagonal: k elements beside the diagonal) still had to be made zero when
///         the search was given up, and W and V are approximate; n + 1: A is not finite, and W and V are not written. Every
///         member gets the same value.
/// Barriers: three a round of n / 2 rotations; tridiagonal: two a reflection and two a QL step; columns: the exit barrier, and
/// no scratch. Cost, shared by the members: two_sided about 6 n^3 FMA a sweep, 6 to 10 sweeps; columns 3 n^3 a sweep;
/// tridiagonal about 7 n^3 in all, and 2 n^2 rotations by one member, which are what takes the time.
/// Equivalent: `numpy.linalg.eigh(A)`; LAPACK syev. Source: G. Golub, C. Van Loan, Matrix Computations, 8.3 and 8.5.
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
            "each column or for two");
        if (G::scope != scope::block || fast::whole_warps(g)) {
            const int info = fast::syev_columns(g, a, w, v, Policy.max_sweeps);
            // The values and vectors that other members wrote.
            if constexpr (syncs_on_exit<G>) g.sync();
            return info;
        }
    }
    const int n = a.matrix.rows();
    const matrix<T> s(&scratch[0], n, n);
    T* const beside = &scratch[n * n];

    const auto entry = [&](int i, int j) SHOAL_INLINE_LAMBDA {
        const bool stored = Uplo == uplo::lower ? i >= j : i <= j;
        return stored ? a.matrix(i, j) : a.matrix(j, i);
    };
    const auto larger = [](T x, T y) SHOAL_INLINE_LAMBDA {
        return core::magnitude_key(x) < core::magnitude_key(y) ? y : x;
    };
    T largest = detail::reduce_for_all(
        g, n * n, T(0),
        [&](T part, int e) SHOAL_INLINE_LAMBDA { return larger(part, core::abs(entry(e % n, e / n))); },
        larger);
    if (largest != 0 && !core::good_pivot(largest)) {
        // Everyone has read A: it may be written.
        if constexpr (syncs_on_exit<G>) g.sync();
        return n + 1;
    }
    // With entries near one no difference of two of them overflows, and no rotation is lost below the normal numbers.
    const auto scale = core::scale_to_one(largest);
    largest *= scale.down;
    strided(core::rolled{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
        s(e % n, e / n) = entry(e % n, e / n) * scale.down;
        v(e % n, e / n) = e % n == e / n ? T(1) : T(0);
    });
    // The working copy, before the first rotations are made from it.
    g.sync();

    // What is left off the diagonal then moves no eigenvalue by more than a quarter unit of the norm.
    const T negligible = largest * (core::epsilon<T> / T(4 * (n + 1)));
    constexpr int N = M::static_rows;
    constexpr bool by_order =
        Policy.algorithm == syev_algorithm::automatic || Policy.algorithm == syev_algorithm::columns;
    constexpr bool may_reflect =
        by_order ? N < 0 || N > largest_jacobi_order : Policy.algorithm == syev_algorithm::tridiagonal;
    constexpr bool may_rotate =
        by_order ? N <= largest_jacobi_order : Policy.algorithm == syev_algorithm::two_sided;
    int left = 0;
    if (may_reflect && (!may_rotate || n > largest_jacobi_order)) {
        if constexpr (may_reflect) {
            detail::reduce_to_tridiagonal(g, s, w, v, beside);
            left = detail::make_diagonal(g, s, w, v, beside, negligible, Policy.max_sweeps * n);
        }
    } else if constexpr (may_rotate) {
        left = detail::jacobi_sweeps(g, s, v, beside, negligible, Policy.max_sweeps);
    }
    detail::sort_eigenpairs(g, s, w, v, beside, scale.up);
    return left;
}

}  // namespace shoal
