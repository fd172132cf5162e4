#pragma once

#include <shoal/fast/products.hpp>
#include <shoal/fast/trsm_lanes.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

namespace detail {

/// Rows that are solved for in registers together.
inline constexpr int sweep_rows_together = 16;

/// Some rows of a matrix in the order of a sweep, the first of which is step `first`: with `both`, the columns likewise.
enum class swept { rows, both };
template <MatrixView M, uplo Uplo, int Rows, swept What>
struct swept_part {
    using storage = M;
    using value_type = typename M::value_type;
    static constexpr int static_rows = Rows;
    static constexpr int static_cols = What == swept::both ? Rows : M::static_cols;
    M matrix;
    int first;
    SHOAL_FN static constexpr int rows() { return Rows; }
    SHOAL_FN constexpr int cols() const { return What == swept::both ? Rows : matrix.cols(); }
    SHOAL_FN constexpr decltype(auto) operator()(int i, int j) const {
        const int n = matrix.rows();
        const int row = shoal::detail::sweep_row<Uplo>(first + i, n);
        return matrix(row, What == swept::both ? shoal::detail::sweep_row<Uplo>(first + j, n) : j);
    }
};

}  // namespace detail

/// B := T^-1 B by 16 rows at a time, for a warp or a block of whole warps: the finished rows are applied to the next 16 in
/// tiles, then these are solved for in registers as in trsm_lanes().
///
/// The bits are those of the generic body.
/// Barriers: two for every 16 rows, the last the exit barrier. No scratch. Registers: 16 rows of a column, and a tile.
template <Group G, MatrixView M, uplo Uplo, diagonal Diagonal, MatrixView B>
SHOAL_FN void trsm_panels(const G& g, triangular<M, Uplo, Diagonal> t, B b) {
    using T = typename B::value_type;
    constexpr int W = detail::sweep_rows_together;
    const int n = b.rows();
    const int m = b.cols();
    const auto row = [&](int s) SHOAL_INLINE_LAMBDA { return shoal::detail::sweep_row<Uplo>(s, n); };
    constexpr product_kind kind{W,
                                B::static_cols,
                                dynamic,
                                crowding_of<M>(crowding::rows, crowding::terms),
                                crowding_of<B>(crowding::terms, crowding::rows),
                                crowding_of<B>(crowding::rows, crowding::none)};
    for (int first = 0; first < n; first += W) {
        const int count = n - first < W ? n - first : W;
        if (first > 0) {
            products<kind, region::full, T>(
                g, count, m, first, [&](int i, int j) SHOAL_INLINE_LAMBDA { return b(row(first + i), j); },
                [&](int i, int k) SHOAL_INLINE_LAMBDA { return -t.matrix(row(first + i), row(k)); },
                [&](int k, int j) SHOAL_INLINE_LAMBDA { return b(row(k), j); },
                [&](int i, int j, T x) SHOAL_INLINE_LAMBDA { b(row(first + i), j) = x; });
            // The rows that the finished ones are applied to, before they are solved for.
            g.sync();
        }
        if (count == W) {
            const detail::swept_part<M, Uplo, W, detail::swept::both> corner{t.matrix, first};
            const detail::swept_part<B, Uplo, W, detail::swept::rows> rows{b, first};
            trsm_lanes(g, triangular<decltype(corner), uplo::lower, Diagonal>{corner}, rows);
        } else {
            strided(core::rolled{}, g, m, [&](int j) SHOAL_INLINE_LAMBDA {
                for (int s = first; s < n; ++s) {
                    T x = b(row(s), j);
                    for (int k = first; k < s; ++k) x = core::fma(-t.matrix(row(s), row(k)), b(row(k), j), x);
                    if constexpr (Diagonal == diagonal::stored)
                        x *= core::pivot_reciprocal(t.matrix(row(s), row(s)));
                    b(row(s), j) = x;
                }
            });
        }
        // The finished rows, before they are applied to the next; after the last this is the exit barrier.
        if (syncs_on_exit<G> || first + W < n) g.sync();
    }
}

}  // namespace shoal::fast
