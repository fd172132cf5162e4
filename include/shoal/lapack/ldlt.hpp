#pragma once

#include <shoal/fast/ldlt_pivoted_rows.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/bunch_kaufman.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// How ldlt() and ldlt_unpivoted() work.
enum class ldlt_algorithm {
    automatic,  ///< the fastest that the group and the extents allow
    columns,    ///< column by column in place: every group, every size
    rows,       ///< a row in the registers of each lane: static order up to 32, a lane for each row
};

/// Choices of ldlt() and ldlt_unpivoted(), passed by name.
struct ldlt_policy {
    ldlt_algorithm algorithm = ldlt_algorithm::automatic;
};

namespace detail {

/// P A P' = L D L' step by step, in place.
template <Group G, MatrixView M, VectorView P>
SHOAL_FN int ldlt_columns(const G& g, M a, P pivots) {
    const int n = a.rows();
    int info = 0;
    for (int k = 0; k < n;) {
        const auto step = choose_pivot_of(g, a, k);
        if (info == 0 && step.bad) info = k + 1;
        const bool nothing_to_eliminate = step.bad && a(k, k) == 0;
        // Everyone has read what the choice depends on, before rows and columns change places.
        g.sync();
        if (g.rank() == 0) {
            pivots(k) = step.width == 1 ? step.row : -step.row - 1;
            if (step.width == 2) pivots(k + 1) = -step.row - 1;
        }
        swap_symmetric(g, a, k, step);
        // The pivot block and its columns in place, before the update reads them.
        g.sync();
        if (!nothing_to_eliminate) eliminate(g, a, k, step);
        k += step.width;
    }
    return info;
}

}  // namespace detail

/// P A P' = L D L' with Bunch-Kaufman pivoting, A symmetric of order n (`symmetric_lower(A)`), in place.
///
/// L is unit lower triangular, stored strictly below the diagonal; D has blocks of order one on the diagonal and blocks
/// of order two with their off-diagonal at (k + 1, k). pivots(k) >= 0: rows and columns k and pivots(k) changed places
/// and D(k, k) is a block of its own; pivots(k) = pivots(k + 1) = -p - 1: rows and columns k + 1 and p changed places
/// and D has a block of order two at k. As LAPACK does, the columns of L already made keep their order. Only the lower
/// triangle is read and written. The bits are the same at every scope and group size.
///
/// \param pivots n integers, written by the group
/// \return 0, or k > 0: D(k, k) is the first pivot that is zero or not finite, 1-based. Every member gets the same
///         value. The factorisation is completed where the pivot is zero; after NaN or infinity its contents mean
///         nothing. inertia() counts the signs of D.
/// Barriers: three a step; with the rows algorithm the exit barrier, and in a block one more. No scratch. Cost: n^3 / 6 FMA
/// shared by the members. Equivalent: `scipy.linalg.ldl(A)`; LAPACK sytrf, its pivots as stated.
template <ldlt_policy Policy = ldlt_policy{}, Group G, MatrixView M, VectorView P>
SHOAL_FN int ldlt(const G& g, symmetric<M, uplo::lower> a, P pivots) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "ldlt: A is not square");
    static_assert(detail::extents_agree<M::static_rows, P::static_size>,
                  "ldlt: A has not as many rows as pivots");
    static_assert(detail::writable<M>, "ldlt writes A, but its elements are const");
    static_assert(detail::writable<P>, "ldlt writes the pivots, but they are const");
    constexpr bool rows = fast::suits_ldlt_rows<G, M>();
    static_assert(rows || Policy.algorithm != ldlt_algorithm::rows,
                  "ldlt: the rows algorithm needs a static order up to 32 and a lane of a tile or a warp for "
                  "each row");
    if constexpr (rows && Policy.algorithm != ldlt_algorithm::columns) {
        if (G::scope != scope::block || fast::whole_warps(g)) {
            const int info = fast::ldlt_pivoted_rows(g, a.matrix, pivots);
            // The factor and the pivots that other members wrote.
            if constexpr (syncs_on_exit<G>) g.sync();
            return info;
        }
    }
    return detail::ldlt_columns(g, a.matrix, pivots);
}

namespace detail {

/// A = L D L' column by column, in place.
template <Group G, MatrixView M>
SHOAL_FN int ldlt_columns(const G& g, M m) {
    using T = typename M::value_type;
    using how = flatten<G, M::static_rows>;
    const int n = m.rows();
    int info = 0;
    core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        const T pivot = m(k, k);
        if (info == 0 && !core::good_pivot(core::abs(pivot))) info = k + 1;
        const detail::divider<T> over(pivot);
        if constexpr (how::value) {
            // A flat loop needs bounds that do not move with k.
            strided(how{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
                const int i = e % n;
                const int j = e / n;
                if (i >= j && j > k) m(i, j) = core::fma(-over(m(i, k)), m(j, k), m(i, j));
            });
        } else {
            fast::update_tiles<M::static_rows>(
                g, m, k + 1, [&](int i) SHOAL_INLINE_LAMBDA { return over(m(i, k)); },
                [&](int j) SHOAL_INLINE_LAMBDA { return T(m(j, k)); },
                [](T l, T u, T value) SHOAL_INLINE_LAMBDA { return core::fma(-l, u, value); },
                [](int i, int j) SHOAL_INLINE_LAMBDA { return i >= j; });
        }
        // Everyone has used column k, before its multipliers replace it; and the next pivot is final. Behind the last
        // column nothing is written: this is the exit barrier.
        if (syncs_on_exit<G> || k + 1 < n) g.sync();
        strided(how{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            if (i > k) m(i, k) = over(m(i, k));
        });
    });
    return info;
}

}  // namespace detail

/// A = L D L' without pivoting, A symmetric of order n (`symmetric_lower(A)`), in place: for quasi-definite matrices, whose
/// every leading minor is regular. An indefinite matrix in general needs ldlt().
///
/// L is unit lower triangular, stored strictly below the diagonal; D is on the diagonal. Only the lower triangle is read
/// and written. Order: a(i, j) = fma(-l(i, k), a(j, k), a(i, j)) in ascending k, l = a * (1 / d): the same bits at every
/// scope and group size. inertia() counts the signs of D.
///
/// \return 0, or k > 0: D(k, k) is the first pivot that is zero or not finite, 1-based; what follows then means nothing.
///         Every member gets the same value. A tiny pivot is accepted and can cost all accuracy.
/// Barriers: one a column, the last of them the exit barrier; with the rows algorithm the exit barrier, and in a block one
/// more. No scratch. Cost: n^3 / 6 FMA shared by the members.
template <ldlt_policy Policy = ldlt_policy{}, Group G, MatrixView M>
SHOAL_FN int ldlt_unpivoted(const G& g, symmetric<M, uplo::lower> a) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "ldlt_unpivoted: A is not square");
    static_assert(detail::writable<M>, "ldlt_unpivoted writes A, but its elements are const");
    constexpr bool rows = fast::suits_ldlt_rows<G, M>();
    static_assert(rows || Policy.algorithm != ldlt_algorithm::rows,
                  "ldlt_unpivoted: the rows algorithm needs a static order up to 32 and a lane of a tile or "
                  "a warp for each row");
    if constexpr (rows && Policy.algorithm != ldlt_algorithm::columns) {
        if (G::scope != scope::block || fast::whole_warps(g)) {
            const int info = fast::ldlt_rows(g, a.matrix);
            // The factor that other members wrote.
            if constexpr (syncs_on_exit<G>) g.sync();
            return info;
        }
    }
    return detail::ldlt_columns(g, a.matrix);
}

/// Number of positive, negative and zero eigenvalues.
struct inertia_counts {
    int positive = 0;
    int negative = 0;
    int zero = 0;
};

namespace detail {
/// NaN has no sign and is counted as zero.
template <class T>
SHOAL_FN void count_sign(T d, inertia_counts& counts) {
    if (d > 0) {
        ++counts.positive;
    } else if (d < 0) {
        ++counts.negative;
    } else {
        ++counts.zero;
    }
}
}  // namespace detail

/// The signs of the eigenvalues of A, from the D of ldlt(); every member counts alone.
///
/// A block of order two always has one of each sign. No barrier. Cost: n comparisons by each member.
template <MatrixView M, VectorView P>
SHOAL_FN inertia_counts inertia(symmetric<M, uplo::lower> a, P pivots) {
    inertia_counts counts;
    for (int k = 0; k < a.matrix.rows(); ++k) {
        if (pivots(k) < 0) {
            ++counts.positive;
            ++counts.negative;
            ++k;
        } else {
            detail::count_sign(a.matrix(k, k), counts);
        }
    }
    return counts;
}

/// The same from the D of ldlt_unpivoted().
template <MatrixView M>
SHOAL_FN inertia_counts inertia(symmetric<M, uplo::lower> a) {
    inertia_counts counts;
    for (int k = 0; k < a.matrix.rows(); ++k) detail::count_sign(a.matrix(k, k), counts);
    return counts;
}

}  // namespace shoal
