#pragma once

#include <shoal/fast/potrf_panels.hpp>
#include <shoal/fast/potrf_rows.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// How potrf() works.
enum class potrf_algorithm {
    automatic,  ///< the fastest that the group and the extents allow
    columns,    ///< column by column in place: every group, every size
    rows,       ///< the matrix in registers: static order up to 32, members that exchange registers
    panels,     ///< 16 columns at a time in registers: a block of whole warps, or a warp
};

/// Choices of potrf(), passed by name: `potrf<potrf_policy{.algorithm = potrf_algorithm::columns}>(g, A)`.
struct potrf_policy {
    potrf_algorithm algorithm = potrf_algorithm::automatic;
};

namespace detail {

/// A = L L', left-looking, in place. Every member takes the pivot itself from the finished part of row k: one barrier
/// a column, and no place needed to hand the pivot on.
template <Group G, MatrixView M>
SHOAL_FN int potrf_columns(const G& g, M a) {
    using T = typename M::value_type;
    using how = flatten<G, M::static_rows>;
    const int n = a.rows();
    int info = 0;
    T root = 0;
    const auto inner = [&](int i, int k) SHOAL_INLINE_LAMBDA {
        T value = a(i, k);
        core::loop(how{}, 0, k,
                   [&](int l) SHOAL_INLINE_LAMBDA { value = core::fma(-a(i, l), a(k, l), value); });
        return value;
    };
    core::loop(how{}, 0, n, [&](int k) SHOAL_INLINE_LAMBDA {
        if (info != 0) return;
        // Row k without its diagonal is final; the diagonal of row k - 1 has been read by all and may be replaced.
        if (k > 0) {
            g.sync();
            if (g.rank() == (k - 1) % g.size()) a(k - 1, k - 1) = root;
        }
        const T pivot = inner(k, k);
        if (!core::good_pivot(pivot)) {
            info = k + 1;
            return;
        }
        const auto r = core::pivot_rsqrt(pivot);
        root = r.root;
        // Fixed owners: row i belongs to member i mod size, and no one else writes it.
        core::loop(how{}, g.rank(), n, g.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            if (i > k) a(i, k) = inner(i, k) * r.reciprocal;
        });
    });
    if (info == 0 && n > 0) {
        // The last diagonal has been read by all and may be replaced.
        g.sync();
        if (g.rank() == (n - 1) % g.size()) a(n - 1, n - 1) = root;
    }
    return info;
}

/// Whether the ladder of potrf() takes the register body.
template <potrf_policy Policy, class G, class M>
SHOAL_FN constexpr bool potrf_by_rows() {
    if constexpr (Policy.algorithm == potrf_algorithm::rows) {
        static_assert(
            fast::suits_rows<G, M>,
            "potrf: the rows algorithm needs a static order up to 32 and a thread, tile or warp whose "
            "registers hold the triangle");
        return true;
    } else {
        // A thread already holds its matrix in registers, or will: a second copy only spills them.
        return Policy.algorithm == potrf_algorithm::automatic && group_size<G> != 1 && fast::suits_rows<G, M>;
    }
}

/// A = L L' by panels where the group consists of whole warps and the order is not too large, otherwise by columns.
template <potrf_policy Policy, Group G, MatrixView M>
SHOAL_FN int potrf_in_memory(const G& g, M a) {
    constexpr bool panels = Policy.algorithm != potrf_algorithm::columns && fast::has_warps<G>;
    static_assert(panels || Policy.algorithm != potrf_algorithm::panels,
                  "potrf: the panels algorithm needs a warp, or a block of whole warps");
    constexpr int members = group_size<G>;
    if constexpr (panels && members > 0 && M::static_rows > 0) {
        if constexpr (M::static_rows <= fast::detail::panel_limit<G>(members)) {
            return fast::potrf_panels(g, a);
        } else {
            return potrf_columns(g, a);
        }
    } else if constexpr (panels) {
        if (fast::whole_warps(g) && a.rows() <= fast::detail::panel_limit<G>(g.size()))
            return fast::potrf_panels(g, a);
        return potrf_columns(g, a);
    } else {
        return potrf_columns(g, a);
    }
}

}  // namespace detail

/// A = L L' (`lower(A)`) or A = U' U (`upper(A)`), A symmetric positive definite of order n, in place.
///
/// Only the named triangle is read and written. Order: a(i, k) = fma(-l(i, j), l(k, j), a(i, k)) in ascending j, the
/// pivot through core::pivot_rsqrt, l = a * (1 / sqrt(pivot)): the same bits at every scope, group size and algorithm.
///
/// \return 0, or k > 0 when the leading minor of order k is not positive definite: the pivot is not positive, not
///         finite or NaN. Every member gets the same value. The columns of L before k are then final, and the rest of
///         the triangle is as it was, the bad pivot included. No pivot is ever changed to go on: a shift that is to
///         make A definite must be relative to its diagonal, since one below a rounding of it changes nothing.
/// Barriers: one a column, or three a panel of 16 columns, and the exit barrier. No scratch. Cost: n^3 / 6 FMA, n
/// reciprocal roots; the rows shared by the members. Equivalent: `numpy.linalg.cholesky(A)`; LAPACK potrf.
template <potrf_policy Policy = potrf_policy{}, Group G, MatrixView M, uplo Uplo>
SHOAL_FN int potrf(const G& g, triangular<M, Uplo> a) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "potrf: A is not square");
    static_assert(detail::writable<M>, "potrf writes A, but its elements are const");
    int info = 0;
    if constexpr (Uplo == uplo::upper) {
        info = potrf<Policy>(defer_sync(g), transposed(a));
    } else if constexpr (detail::potrf_by_rows<Policy, G, M>()) {
        return fast::potrf_rows(g, a.matrix);
    } else {
        info = detail::potrf_in_memory<Policy>(g, a.matrix);
    }
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

/// \cond
template <potrf_policy = potrf_policy{}, Group G, MatrixView M>
SHOAL_FN void potrf(const G&, M) {
    static_assert(!MatrixView<M>, "potrf: say which triangle of A is stored, as in potrf(g, lower(A))");
}
/// \endcond

}  // namespace shoal
