#pragma once

#include <shoal/banded/detail/bdsv_columns.hpp>
#include <shoal/banded/detail/bdsv_levels.hpp>
#include <shoal/banded/detail/bdsv_products.hpp>
#include <shoal/banded/detail/bdsv_sweeps.hpp>

namespace shoal {

/// How the block-tridiagonal solver works.
enum class bdsv_algorithm {
    automatic,  ///< the fastest of the next two that the group, the block size and the scratch allow
    columns,    ///< column by column in memory: every group, every block size
    rows,       ///< a block row a lane, in registers: blocks up to 16, a tile, a warp, or a block's warp
    products,  ///< a knot by products on the tensor cores: doubles, blocks up to 16, a warp or a block's warp
    levels,    ///< log2 N levels, a knot a warp: a block of whole warps, blocks up to 16, strips [L | D | R]
};

/// Choices of bdsv(), passed by name: `bdsv<bdsv_policy{.algorithm = bdsv_algorithm::columns}>(g, A, x)`.
struct bdsv_policy {
    bdsv_algorithm algorithm = bdsv_algorithm::automatic;
};

/// Elements of scratch with which a block lets one of its warps eliminate in registers.
inline constexpr int bdsv_scratch = 2;
/// Elements of scratch for bdsv() by products.
SHOAL_FN constexpr int bdsv_products_scratch(int n, int knots) {
    return n * knots + bdsv_scratch;
}
/// Elements of scratch for bdsv() in levels; bdsv_factor() takes an element a knot.
SHOAL_FN constexpr int bdsv_levels_scratch(int n, int knots) {
    return (n + 1) * knots;
}

namespace detail {

/// Whether the members work in registers.
template <bdsv_policy Policy, class G, int n>
SHOAL_FN constexpr bool bdsv_by_rows() {
    if constexpr (Policy.algorithm == bdsv_algorithm::rows && G::scope != scope::block) {
        static_assert(
            suits_row_blocks<G, n>(),
            "bdsv: the rows algorithm needs blocks up to 16 and a tile or a warp with a lane for each row");
    }
    return (Policy.algorithm == bdsv_algorithm::automatic || Policy.algorithm == bdsv_algorithm::rows) &&
           suits_row_blocks<G, n>();
}
/// Whether the members, a warp, work by products.
template <bdsv_policy Policy, class G, class S>
SHOAL_FN constexpr bool bdsv_by_tensors() {
    if constexpr (Policy.algorithm == bdsv_algorithm::products) {
        static_assert(std::is_same_v<typename S::value_type, double> && S::block_size <= largest_row_block &&
                          (G::scope == scope::warp || G::scope == scope::block),
                      "bdsv: the products algorithm needs doubles, blocks up to 16, and a warp or a block");
        return G::scope == scope::warp;
    } else {
        return false;
    }
}
/// Whether the knots are eliminated in levels.
template <bdsv_policy Policy, class G, class S>
SHOAL_FN constexpr bool bdsv_by_levels() {
    if constexpr (Policy.algorithm == bdsv_algorithm::levels) {
        static_assert(G::scope == scope::block && S::block_size <= largest_row_block && !S::symmetric,
                      "bdsv: the levels algorithm needs a block of whole warps, blocks up to 16 and strips "
                      "[L | D | R]");
        return true;
    } else {
        return false;
    }
}
/// Whether a block that is made of whole warps lets one of them work in registers.
template <bdsv_policy Policy, class G, int n>
SHOAL_FN constexpr bool bdsv_by_warp() {
    return Policy.algorithm != bdsv_algorithm::columns && G::scope == scope::block &&
           n <= largest_row_block && requires(const G& g) {
        g.template split<32>();
    };
}

/// work(warp) by the first warp of a block of whole ones; every member gets what it found. bdsv_scratch elements.
template <Group G, class T, class Work>
SHOAL_FN knot_info found_by_one_warp(const G& g, T* scratch, Work work) {
    if (g.rank() < 32) {
        const auto warp = g.template split<32>();
        const knot_info found = work(defer_sync(warp));
        if (warp.rank() == 0) {
            scratch[0] = static_cast<T>(found.knot);
            scratch[1] = static_cast<T>(found.pivot);
        }
    }
    // What the warp wrote and found, before anyone reads it.
    g.sync();
    const knot_info found{static_cast<int>(scratch[0]), static_cast<int>(scratch[1])};
    // Everyone has read the scratch: it may be used again.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

}  // namespace detail

/// A = F F' for A symmetric positive definite and block tridiagonal, N knots of n x n in strips, in place.
///
///     F_0 = chol(D_0);   E_k = L_k F_{k-1}^-T,   F_k = chol(D_k - E_k E_k')   for k = 1 .. N - 1
///
/// The lower triangle of D_k becomes F_k and L_k becomes E_k; the strictly upper triangles of D_k, L_0 and every R_k
/// have no influence and are not written. A = F F' with F_k on the diagonal of F and E_k left of it.
/// Order: that of a dense potrf(), whose bits it has: the same at every scope, group size and algorithm, the products
/// aside: those have the same factor to rounding, with the backward error of LAPACK, and after a bad pivot the strips are of
/// no use. They need doubles, blocks up to 16, and a warp; blocks that are not made of whole warps work column by column.
///
/// \return the first bad pivot: not positive, not finite or NaN. The columns of F before it are then final, and the rest
///         is as it was. Every member gets the same value. An indefinite matrix needs another method: LU, or LDL' of the
///         dense matrix.
/// Barriers: in registers (a tile or a warp with a lane for each row, blocks up to 16) one a knot, otherwise one a column;
/// and the exit barrier. No scratch. Cost: 7/6 N n^3 FMA shared by the members. Equivalent:
/// `scipy.linalg.cholesky_banded`.
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S>
SHOAL_FN knot_info bdsv_factor(const G& g, S a) {
    static_assert(Policy.algorithm != bdsv_algorithm::levels, "bdsv: the levels algorithm needs scratch");
    if constexpr (detail::bdsv_by_tensors<Policy, G, S>()) {
        return detail::bdsv_factor_by_products(g, a);
    } else if constexpr (detail::bdsv_by_rows<Policy, G, S::block_size>()) {
        return detail::bdsv_factor_rows(g, a);
    } else {
        return detail::bdsv_factor_columns(g, a);
    }
}

/// The same with scratch, by which a block of whole warps lets one of them eliminate in registers: several times faster
/// for blocks up to 16. Other groups do not touch it.
///
/// With the levels algorithm all warps of the block work, which must consist of whole ones, on log2 N levels. The factor is
/// another one, in D, L and R, and belongs to a bdsv_solve() with the same policy. The first bad pivot is then that of the
/// lowest knot of the first level that has one, and after it the strips are of no use. 2 N n^3 FMA more; for few systems
/// with many knots.
///
/// \param scratch bdsv_scratch elements shared by the members; with the levels algorithm N
/// Barriers: one, and the exit barrier; one a level.
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S, class T>
SHOAL_FN knot_info bdsv_factor(const G& g, S a, T* scratch) {
    if constexpr (detail::bdsv_by_levels<Policy, G, S>()) {
        return detail::bdsv_factor_levels(g, a, nullptr, nullptr, scratch);
    } else if constexpr (detail::bdsv_by_warp<Policy, G, S::block_size>()) {
        if (g.size() % 32 == 0) {
            return detail::found_by_one_warp(g, scratch, [&](const auto& warp) SHOAL_INLINE_LAMBDA {
                return bdsv_factor<Policy>(warp, a);
            });
        }
        return bdsv_factor<Policy>(g, a);
    } else {
        return bdsv_factor<Policy>(g, a);
    }
}

/// x := A^-1 x from the factor of bdsv_factor(), x a block vector of N knots of n.
///
/// The factor is only read; the pads of x are not touched.
/// Order: forward y_k = F_k^-1 (x_k - E_k y_{k-1}), then backward x_k = F_k^-T (y_k - E_{k+1}' x_{k+1}), the products as
/// chains in ascending order: the same bits at every scope, group size and algorithm, but for the products and the levels,
/// whose sums have an order of their own.
/// Barriers: in registers, and where a block lets one of its warps work, the exit barrier; otherwise those of two trsv()
/// and two more a knot. No scratch. Cost: 3 N n^2 FMA shared by the members. Equivalent: `scipy.linalg.cho_solve_banded`.
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S, class X>
SHOAL_FN void bdsv_solve(const G& g, S factor, X x) {
    constexpr int n = S::block_size;
    if constexpr (detail::bdsv_by_levels<Policy, G, S>()) {
        detail::bdsv_solve_levels(g, factor, x);
    } else if constexpr (detail::bdsv_by_tensors<Policy, G, S>()) {
        detail::bdsv_solve_by_products(g, factor, x);
    } else if constexpr (detail::bdsv_by_rows<Policy, G, n>()) {
        detail::bdsv_solve_rows(g, factor, detail::one_column<X>{x});
    } else {
        if constexpr (detail::bdsv_by_warp<Policy, G, n>()) {
            if (g.size() % 32 == 0) {
                if (g.rank() < 32) bdsv_solve<Policy>(defer_sync(g.template split<32>()), factor, x);
                // The solution that the warp wrote.
                if constexpr (syncs_on_exit<G>) g.sync();
                return;
            }
        }
        detail::bdsv_solve_columns(g, factor, x);
    }
}

/// B := A^-1 B for a matrix B of N n rows, a right-hand side a column; the bits of each are those of the vector above.
///
/// Barriers: the exit barrier. Parts of a warp that hold no rows of their own take columns of theirs; elsewhere each
/// member solves for whole columns.
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S, MatrixView B>
SHOAL_FN void bdsv_solve(const G& g, S factor, B b) {
    if constexpr (detail::bdsv_by_rows<Policy, G, S::block_size>()) {
        detail::bdsv_solve_rows(g, factor, detail::many_columns<B>{b});
    } else {
        detail::bdsv_solve_shared(g, factor, b);
    }
}

/// x := A^-1 x; the strips of A are replaced by their factor. See bdsv_factor() and bdsv_solve().
///
/// \return as bdsv_factor(): where it is not good, x is unchanged.
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S, class X>
SHOAL_FN knot_info bdsv(const G& g, S a, X x) {
    if constexpr (detail::bdsv_by_rows<Policy, G, S::block_size>()) {
        return detail::bdsv_rows(g, a, x);
    } else {
        const knot_info found = bdsv_factor<Policy>(with_exit_sync(g), a);
        if (found.good()) bdsv_solve<Policy>(g, a, x);
        return found;
    }
}
/// The same with scratch; see bdsv_factor().
///
/// \param scratch as for bdsv_factor(); with the products algorithm bdsv_products_scratch(n, N) elements and with
///        the levels bdsv_levels_scratch(n, N), by which a sweep over memory is saved
template <bdsv_policy Policy = bdsv_policy{}, Group G, class S, class X, class T>
SHOAL_FN knot_info bdsv(const G& g, S a, X x, T* scratch) {
    if constexpr (detail::bdsv_by_levels<Policy, G, S>()) return detail::bdsv_levels(g, a, x, scratch);
    if constexpr (detail::bdsv_by_tensors<Policy, G, S>()) return detail::bdsv_by_products(g, a, x, scratch);
    if constexpr (Policy.algorithm == bdsv_algorithm::products && G::scope == scope::block) {
        if (g.size() % 32 == 0) {
            return detail::found_by_one_warp(g, scratch, [&](const auto& warp) SHOAL_INLINE_LAMBDA {
                return detail::bdsv_by_products(warp, a, x, scratch + bdsv_scratch);
            });
        }
    }
    const knot_info found = bdsv_factor<Policy>(with_exit_sync(g), a, scratch);
    if (found.good()) bdsv_solve<Policy>(g, a, x);
    return found;
}

}  // namespace shoal
