#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/bunch_kaufman.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

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
/// Barriers: three a step. No scratch. Cost: n^3 / 6 FMA shared by the members. Equivalent: `scipy.linalg.ldl(A)`;
/// LAPACK sytrf, its pivots as stated.
template <Group G, MatrixView M, VectorView P>
SHOAL_FN int ldlt(const G& g, symmetric<M, uplo::lower> a, P pivots) {
    const int n = a.matrix.rows();
    int info = 0;
    for (int k = 0; k < n;) {
        const auto step = detail::choose_pivot(a.matrix, k);
        if (info == 0 && step.bad) info = k + 1;
        // Everyone has read what the choice depends on, before rows and columns change places.
        g.sync();
        if (g.rank() == 0) {
            pivots(k) = step.width == 1 ? step.row : -step.row - 1;
            if (step.width == 2) pivots(k + 1) = -step.row - 1;
        }
        detail::swap_symmetric(g, a.matrix, k, step);
        // The pivot block and its columns in place, before the update reads them.
        g.sync();
        if (!(step.bad && step.width == 1 && a.matrix(k, k) == 0)) detail::eliminate(g, a.matrix, k, step);
        // The updated matrix, before the next choice.
        g.sync();
        k += step.width;
    }
    return info;
}

/// Number of positive, negative and zero eigenvalues.
struct inertia_counts {
    int positive = 0;
    int negative = 0;
    int zero = 0;
};

/// The signs of the eigenvalues of A, from the D of ldlt(); every member counts alone.
///
/// A block of order two always has one of each sign. No barrier. Cost: n comparisons by each member.
template <Group G, MatrixView M, VectorView P>
SHOAL_FN inertia_counts inertia(const G&, symmetric<M, uplo::lower> a, P pivots) {
    inertia_counts counts;
    for (int k = 0; k < a.matrix.rows(); ++k) {
        if (pivots(k) < 0) {
            ++counts.positive;
            ++counts.negative;
            ++k;
        } else if (a.matrix(k, k) > 0) {
            ++counts.positive;
        } else if (a.matrix(k, k) < 0) {
            ++counts.negative;
        } else {
            ++counts.zero;
        }
    }
    return counts;
}

}  // namespace shoal
