#pragma once

#include <shoal/fast/trsm_lanes.hpp>
#include <shoal/fast/trsm_panels.hpp>
#include <shoal/fast/trsm_rows.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// How trsm() and trsv() work.
enum class trsm_algorithm {
    automatic,  ///< the fastest that the group and the extents allow
    shared,     ///< in place, columns (trsm) or rows (trsv) shared by the members: every group, every size
    rows,       ///< T in registers: static order up to 32, members that exchange registers
    lanes,  ///< a column of B in the registers of each lane: static order up to 32, a warp or a block of whole warps
    panels,  ///< 16 rows at a time in registers: a block of whole warps, or a warp
};

/// Choices of trsm() and trsv(), passed by name: `trsm<trsm_policy{.algorithm = trsm_algorithm::shared}>(g, T, B)`.
struct trsm_policy {
    trsm_algorithm algorithm = trsm_algorithm::automatic;
};

namespace detail {

/// Whether a lane can solve for a column.
template <class M>
inline constexpr bool suits_lanes = M::static_rows >= 1 && M::static_rows <= fast::largest_lane_column;

/// Whether the ladder of trsm() and trsv() takes the register body.
template <trsm_policy Policy, class G, class M>
SHOAL_FN constexpr bool trsm_by_rows() {
    if constexpr (Policy.algorithm == trsm_algorithm::rows) {
        static_assert(
            fast::suits_rows<G, M>,
            "trsm: the rows algorithm needs a static order up to 32 and a thread, tile or warp whose "
            "registers hold the triangle");
        return true;
    } else {
        // A thread already holds its matrix in registers, or will: a second copy only spills them.
        return Policy.algorithm == trsm_algorithm::automatic && group_size<G> != 1 && fast::suits_rows<G, M>;
    }
}

/// B := T^-1 B, the columns of B shared by the members.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm_columns(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    using T = typename B::value_type;
    using how = flatten<G, M::static_rows, B::static_cols>;
    const int n = b.rows();
    strided(how{}, g, b.cols(), [&](int j) SHOAL_INLINE_LAMBDA {
        core::loop(how{}, 0, n, [&](int s) SHOAL_INLINE_LAMBDA {
            const int i = sweep_row<Uplo>(s, n);
            T value = b(i, j);
            core::loop(how{}, 0, s, [&](int k) SHOAL_INLINE_LAMBDA {
                value = core::fma(-t.matrix(i, sweep_row<Uplo>(k, n)), b(sweep_row<Uplo>(k, n), j), value);
            });
            if constexpr (Diagonal == diagonal::stored) value *= core::pivot_reciprocal(t.matrix(i, i));
            b(i, j) = value;
        });
    });
    // The columns of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// B := T^-1 B by warps where the group consists of whole ones, otherwise a column a member.
template <trsm_policy Policy, Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm_in_memory(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    constexpr bool warps = Policy.algorithm != trsm_algorithm::shared && fast::has_warps<G>;
    static_assert(warps || Policy.algorithm != trsm_algorithm::panels,
                  "trsm: the panels algorithm needs a warp, or a block of whole warps");
    static_assert(
        (warps && suits_lanes<M>) || Policy.algorithm != trsm_algorithm::lanes,
        "trsm: the lanes algorithm needs a static order up to 32 and a warp, or a block of whole warps");
    constexpr int members = group_size<G>;
    if constexpr (warps) {
        if (fast::whole_warps(g)) {
            if constexpr (Policy.algorithm != trsm_algorithm::panels && suits_lanes<M>) {
                fast::trsm_lanes(g, t, b);
                // The columns of B that other members wrote.
                if constexpr (syncs_on_exit<G>) g.sync();
            } else {
                fast::trsm_panels(g, t, b);
            }
        } else if constexpr (members < 0) {
            trsm_columns(g, t, b);
        }
    } else {
        trsm_columns(g, t, b);
    }
}

}  // namespace detail

/// B := T^-1 B, T triangular of order n, B of n x m: `lower(A)`, `unit_upper(A)`, `transposed(lower(A))`, ...
///
/// Views stand for the sides of BLAS: B := B T^-1 is `trsm(g, transposed(T), transposed(B))`.
///
/// Order: as in trsv(), the same bits at every scope and group size. A zero on the diagonal gives infinities or NaN, as
/// the division would, and so does an entry so small that its reciprocal overflows; no test is made, and zeros in B
/// take no shortcut. Only the triangle is read. B must not overlap T.
/// Barriers: the exit barrier; by panels two for every 16 rows. Cost: m n^2 / 2 FMA, the columns of B shared by the
/// members. Equivalent: `scipy.linalg.solve_triangular(T, B)`; BLAS trsm with alpha = 1.
template <trsm_policy Policy = trsm_policy{}, Group G, MatrixView M, uplo Uplo, diagonal Diagonal,
          MatrixView B>
requires(SameScalar<M, B>) SHOAL_FN void trsm(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "trsm: T is not square");
    static_assert(detail::extents_agree<M::static_rows, B::static_rows>, "trsm: T and B differ in rows");
    static_assert(detail::writable<B>, "trsm writes B, but its elements are const");
    // A warp has lanes enough for a column each; a row each, a step costs shuffles.
    constexpr bool lanes = Policy.algorithm == trsm_algorithm::automatic && fast::has_warps<G>;
    if constexpr (!lanes && detail::trsm_by_rows<Policy, G, M>()) {
        fast::trsm_rows(g, t, b);
    } else {
        detail::trsm_in_memory<Policy>(g, t, b);
    }
}

/// \cond
template <trsm_policy = trsm_policy{}, Group G, class M, class B>
requires(MatrixView<M> || !SameScalar<M, B>) SHOAL_FN void trsm(const G&, M, B) {
    static_assert(!MatrixView<M>, "trsm: say which triangle of T to take, as in trsm(g, lower(T), B)");
    static_assert(MatrixView<M> || SameScalar<M, B>, "trsm: the elements of T and B differ in type");
}
/// \endcond

}  // namespace shoal
