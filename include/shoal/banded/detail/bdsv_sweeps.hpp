#pragma once

#include <shoal/banded/detail/bdsv_rows.hpp>
#include <shoal/banded/detail/direction.hpp>

/// \file
/// Forward and backward sweep over the factor of a block-tridiagonal matrix in the registers of a tile or a warp. Lane
/// W p + i holds element i of the current block of the right-hand sides p, p + S / W, ...

namespace shoal::detail {

/// A block vector as right-hand sides: one column.
template <class X>
struct one_column {
    using value_type = typename X::value_type;
    static constexpr int panel = 1;
    X x;
    SHOAL_FN static constexpr int columns() { return 1; }
    SHOAL_FN decltype(auto) operator()(int i, int) const { return x(i); }
};
/// A matrix of N n rows as right-hand sides.
template <class B>
struct many_columns {
    using value_type = typename B::value_type;
    static constexpr int panel = 2;  ///< columns that a lane sweeps together
    B b;
    SHOAL_FN int columns() const { return b.cols(); }
    SHOAL_FN decltype(auto) operator()(int i, int c) const { return b(i, c); }
};

/// The rows or columns of one knot's factor that a lane needs, and the reciprocal of its diagonal element.
template <class T, int n>
struct sweep_block {
    T e[n];  ///< coupling to the knot before in the sweep
    T f[n];  ///< the triangle
    T reciprocal;
};

/// One block of `panel` right-hand sides: y := F^-1 (y - E z), z the block solved before. Backward: row j after the rows
/// j + 1, .., otherwise after 0 .. j - 1.
template <int n, direction Way, int panel, class T, ShuffleGroup G>
SHOAL_FN void sweep_step(const G& g, const sweep_block<T, n>& s, int i, int part, const T (&z)[panel],
                         T (&y)[panel], bool coupled) {
    constexpr bool down = Way == direction::backward;
    constexpr int width = row_deal<n, G::static_size>::width;
    const int base = part * width;
    if (coupled) {
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) {
            SHOAL_UNROLL
            for (int c = 0; c < panel; ++c) y[c] = core::fma(-s.e[l], g.shuffle(z[c], base + l), y[c]);
        }
    }
    SHOAL_UNROLL
    for (int step = 0; step + 1 < n; ++step) {
        const int p = down ? n - 1 - step : step;
        SHOAL_UNROLL
        for (int c = 0; c < panel; ++c) {
            const T solved = g.shuffle(y[c] * s.reciprocal, base + p);
            // Finished rows must not see the product: with an infinite or NaN factor it would not be zero.
            if (down ? i < p : i > p) y[c] = core::fma(-s.f[p], solved, y[c]);
        }
    }
    SHOAL_UNROLL
    for (int c = 0; c < panel; ++c) y[c] *= s.reciprocal;
}

/// Columns first .. of the right-hand sides through both sweeps. The result goes to memory only with keep::yes.
enum class keep { no, yes };
template <ShuffleGroup G, class A, class B>
SHOAL_FN void sweep_columns(const G& g, A a, B b, int first, keep result) {
    using T = typename B::value_type;
    constexpr int n = A::block_size;
    constexpr int panel = B::panel;
    using deal = row_deal<n, G::static_size>;
    const int part = g.rank() / deal::width;
    const int i = g.rank() % deal::width;
    const int knots = a.knots();
    const strip_rows<A> rows(a, i);
    const auto active = [&](int c) SHOAL_INLINE_LAMBDA {
        return i < n && first + c * deal::parts + part < b.columns();
    };
    const auto column_of = [&](int c) SHOAL_INLINE_LAMBDA { return first + c * deal::parts + part; };
    const auto load = [&](int k, T(&y)[panel]) SHOAL_INLINE_LAMBDA {
        SHOAL_UNROLL
        for (int c = 0; c < panel; ++c)
            y[c] = k >= 0 && k < knots && active(c) ? b(k * n + i, column_of(c)) : T(0);
    };
    const auto store = [&](int k, const T(&y)[panel]) SHOAL_INLINE_LAMBDA {
        SHOAL_UNROLL
        for (int c = 0; c < panel; ++c)
            if (active(c) && result == keep::yes) b(k * n + i, column_of(c)) = y[c];
    };
    const auto diagonal = [&](int k) SHOAL_INLINE_LAMBDA {
        return k >= 0 && k < knots && i < n ? T(a.main(k)(i, i)) : T(1);
    };
    // By rows: what is left of the diagonal.
    const auto load_rows = [&](int k, sweep_block<T, n>& s) SHOAL_INLINE_LAMBDA {
        rows.left(k, s.e);
        rows.main(k, 0, s.f);
        s.reciprocal = diagonal(k);
    };
    // By columns: what is below the diagonal, and the block to the left of the next knot.
    const auto load_columns = [&](int k, sweep_block<T, n>& s) SHOAL_INLINE_LAMBDA {
        const auto f = a.main(k);
        const auto e = a.left(k + 1);
        const bool some = k >= 0 && i < n;
        const bool coupled = some && k + 1 < knots;
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) {
            s.f[j] = some && j > i ? f(j, i) : T(0);
            s.e[j] = coupled ? e(j, i) : T(0);
        }
        s.reciprocal = diagonal(k);
    };

    sweep_block<T, n> now, next;
    T y[panel], y_next[panel], z[panel] = {};
    load_rows(0, now);
    load(0, y);
    for (int k = 0; k < knots; ++k) {
        load_rows(k + 1, next);
        load(k + 1, y_next);
        now.reciprocal = core::pivot_reciprocal(now.reciprocal);
        sweep_step<n, direction::forward, panel>(g, now, i, part, z, y, k > 0);
        store(k, y);
        SHOAL_UNROLL
        for (int c = 0; c < panel; ++c) {
            z[c] = y[c];
            y[c] = y_next[c];
        }
        now = next;
    }
    // Of the right-hand side a lane reads back only what it wrote itself.
    load_columns(knots - 1, now);
    SHOAL_UNROLL
    for (int c = 0; c < panel; ++c) y[c] = z[c];
    for (int k = knots - 1; k >= 0; --k) {
        load_columns(k - 1, next);
        load(k - 1, y_next);
        now.reciprocal = core::pivot_reciprocal(now.reciprocal);
        sweep_step<n, direction::backward, panel>(g, now, i, part, z, y, k + 1 < knots);
        store(k, y);
        SHOAL_UNROLL
        for (int c = 0; c < panel; ++c) {
            z[c] = y[c];
            y[c] = y_next[c];
        }
        now = next;
    }
}

/// B := A^-1 B from the factor, in registers. Barriers: the exit barrier.
template <ShuffleGroup G, class A, class B>
SHOAL_FN void bdsv_solve_rows(const G& g, A a, B b, keep result = keep::yes) {
    constexpr int columns = row_deal<A::block_size, G::static_size>::parts * B::panel;
    for (int first = 0; first < b.columns(); first += columns) sweep_columns(g, a, b, first, result);
    // The elements of B that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// bdsv() in registers; like its parts without a branch that depends on the numbers.
template <ShuffleGroup G, class A, class X>
SHOAL_FN knot_info bdsv_rows(const G& g, A a, X x) {
    // The exit barrier of the factorisation: the factor is read by columns next.
    const knot_info found = bdsv_factor_rows(with_exit_sync(g), a);
    bdsv_solve_rows(g, a, one_column<X>{x}, found.good() ? keep::yes : keep::no);
    return found;
}

}  // namespace shoal::detail
