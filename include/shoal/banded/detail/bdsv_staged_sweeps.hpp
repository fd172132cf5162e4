#pragma once

#include <shoal/banded/detail/bdsv_staged.hpp>

namespace shoal::detail {

/// Solves with the triangle of one knot: y := F^-1 y, or F^-T y going down. Four unknowns at a time: every lane gets their
/// right-hand sides and solves for all four, so that one exchange serves four steps.
template <int n, direction Way, class T, ShuffleGroup G>
SHOAL_FN T solve_by_fours(const G& g, const T* rows, const T* reciprocals, const T (&f)[n], int i, T y) {
    using room = staging<T, n>;
    constexpr bool down = Way == direction::backward;
    constexpr int blocks = (n + 3) / 4;
    SHOAL_UNROLL
    for (int step = 0; step < blocks; ++step) {
        const int q = 4 * (down ? blocks - 1 - step : step);
        constexpr int four = 4;
        T v[four] = {}, t[four * four] = {}, r[four] = {};
        SHOAL_UNROLL
        for (int h = 0; h < four; ++h) {
            if (q + h >= n) continue;
            r[h] = reciprocals[q + h];
            v[h] = g.shuffle(y, q + h);
            SHOAL_UNROLL
            for (int s = 0; s < h; ++s) t[4 * h + s] = rows[(q + h) * room::row + room::block_part + q + s];
        }
        SHOAL_UNROLL
        for (int turn = 0; turn < four; ++turn) {
            const int h = down ? four - 1 - turn : turn;
            if (q + h >= n) continue;
            v[h] *= r[h];
            SHOAL_UNROLL
            for (int s = 0; s < four; ++s) {
                if (q + s >= n) continue;
                if (down && s < h) v[s] = core::fma(-t[4 * h + s], v[h], v[s]);
                if (!down && s > h) v[s] = core::fma(-t[4 * s + h], v[h], v[s]);
            }
            // Finished rows must not see the product: with an infinite or NaN factor it would not be zero.
            if (down ? i < q : i >= q + four) y = core::fma(-f[q + h], v[h], y);
            if (i == q + h) y = v[h];
        }
    }
    return y;
}

/// Both sweeps over one right-hand side, with scratch; see sweep_columns().
template <ShuffleGroup G, class A, class X>
SHOAL_FN void bdsv_sweeps_staged(const G& g, A a, X x, typename X::value_type* scratch, keep result) {
    using T = typename X::value_type;
    constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;
    using room = staging<T, n>;
    const int i = g.rank() % deal::width;
    const int part = g.rank() / deal::width;
    const int knots = a.knots();
    const bool mine = i < n && part == 0 && result == keep::yes;
    const knot_ring<G, A> ring(g, a, scratch);
    T* const exchange = scratch + room::slots * room::slot;
    const auto right_side = [&](int k) SHOAL_INLINE_LAMBDA {
        return k >= 0 && k < knots && i < n ? T(x(k * n + i)) : T(0);
    };
    // Reciprocals of the diagonal, and the block solved for, where every lane finds them.
    const auto tell = [&](int k, T solved, int place) SHOAL_INLINE_LAMBDA {
        if (part == 0 && i < n) exchange[k % 2 * room::column + place * room::block_part + i] = solved;
    };
    const auto told = [&](int k, int place) SHOAL_INLINE_LAMBDA {
        return exchange + k % 2 * room::column + place * room::block_part;
    };
    T f[n], e[n], z[n];
    T y = right_side(0), ahead = right_side(1), solved = 0;
    SHOAL_UNROLL
    for (int k = 0; k < room::slots; ++k) ring.fetch(k);
    for (int k = 0; k < knots; ++k) {
        const T far = right_side(k + 2);
        ring.template wait<room::slots - 1>();
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) e[j] = f[j] = T(0);
        T pivot = 1;
        if (i < n) {
            read_pieces<n>(ring.row(k, i), e);
            read_pieces<n>(ring.row(k, i) + room::block_part, f);
            pivot = ring.row(k, i)[room::block_part + i];
        }
        tell(k, core::pivot_reciprocal(pivot), 1);
        // The reciprocals; and the block before, which was told at the end of the last turn.
        g.sync();
        if (k > 0) {
            read_pieces<n>(told(k - 1, 0), z);
            SHOAL_UNROLL
            for (int l = 0; l < n; ++l) y = core::fma(-e[l], z[l], y);
        }
        solved = solve_by_fours<n, direction::forward>(g, ring.row(k, 0), told(k, 1), f, i, y);
        if (mine) x(k * n + i) = solved;
        tell(k, solved, 0);
        y = ahead;
        ahead = far;
        // The slot has been read by all before it is filled again.
        g.sync();
        ring.fetch(k + room::slots);
    }
    // The copies that reach behind the last knot are empty. What a lane reads of x again it wrote itself.
    y = solved;
    ahead = right_side(knots - 2);
    SHOAL_UNROLL
    for (int k = 0; k < room::slots; ++k) ring.fetch(knots - 1 - k);
    for (int k = knots - 1; k >= 0; --k) {
        const T far = right_side(k - 2);
        ring.template wait<room::slots - 1>();
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) {
            f[j] = i < n ? ring.row(k, j)[room::block_part + (j < i ? j : i)] : T(0);
            e[j] = i < n && k > 0 ? ring.row(k, j)[i] : T(0);
        }
        tell(k, core::pivot_reciprocal(i < n ? ring.row(k, i)[room::block_part + i] : T(1)), 1);
        // The reciprocals, before they are read.
        g.sync();
        solved = solve_by_fours<n, direction::backward>(g, ring.row(k, 0), told(k, 1), f, i, y);
        if (mine) x(k * n + i) = solved;
        if (k == 0) break;
        tell(k, solved, 0);
        // The solved block, before it is read; and the slot has been read by all before it is filled again.
        g.sync();
        read_pieces<n>(told(k, 0), z);
        y = ahead;
        ahead = far;
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) y = core::fma(-e[l], z[l], y);
        ring.fetch(k - room::slots);
    }
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// bdsv_factor() with `staging<T, n>::size` elements of scratch at a multiple of 16 bytes; strips in global memory.
template <ShuffleGroup G, class A>
SHOAL_FN knot_info bdsv_factor_staged(const G& g, A a, typename A::value_type* scratch) {
    return bdsv_factor_rows(g, a, staged_medium<G, A>(g, a, scratch));
}
/// bdsv() likewise.
template <ShuffleGroup G, class A, class X>
SHOAL_FN knot_info bdsv_staged(const G& g, A a, X x, typename A::value_type* scratch) {
    // The exit barrier of the factorisation: the factor is read by others next, and the scratch used again.
    const knot_info found = bdsv_factor_staged(with_exit_sync(g), a, scratch);
    bdsv_sweeps_staged(g, a, x, scratch, found.good() ? keep::yes : keep::no);
    return found;
}

}  // namespace shoal::detail
