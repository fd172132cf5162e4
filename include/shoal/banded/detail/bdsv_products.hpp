#pragma once

#include <shoal/banded/detail/row_blocks.hpp>
#include <shoal/banded/detail/tensor_memory.hpp>
#include <shoal/banded/detail/warp_sweep.hpp>
#include <shoal/banded/knot_info.hpp>

/// \file
/// The elimination by products: a knot is a step on the tensor cores, on which the right-hand side rides along as one more
/// row of the coupling. The factor is that of the other bodies, with other roundings.

namespace shoal::detail {

/// The factor, and with a right-hand side y_k = F_k^-1 (b_k - E_k y_{k-1}) on the way: right_side(k, i), and told(k, i, y).
template <ShuffleGroup W, class A, class B, class Y>
SHOAL_FN knot_info bdsv_factor_products(const W& warp, A a, B right_side, Y told) {
    constexpr int n = A::block_size;
    constexpr int tiles = tensor_cut<n>::tiles;
    constexpr int panels = tensor_cut<n>::panels;
    constexpr bool solves = !std::is_same_v<B, std::nullptr_t>;
    constexpr int rows = tiles + (solves ? tensor_memory<A>::own_tiles : 0);
    const int knots = a.knots();
    const tensor_memory<A> memory(a, warp.rank());
    using block = tensor_tiles_of<tiles, tiles>;
    using vector_tiles = tensor_tiles_of<1, tiles>;
    const auto load_vector = [&](int k, vector_tiles& x) SHOAL_INLINE_LAMBDA {
        x = vector_tiles::zero();
        if constexpr (solves) {
            if (k < knots)
                memory.each_of_vector(x, [&](int i, double& e) SHOAL_INLINE_LAMBDA { e = right_side(k, i); });
        }
    };
    knot_info found;
    block d, next;
    block l;
    vector_tiles b;
    tensor_tiles_of<rows, tiles> m;
    memory.load_main(0, d);
    d.negate();
    memory.load(1, 0, knots > 1, l);
    load_vector(0, b);
    b.negate();
    for (int k = 0; k < knots; ++k) {
        // What the next step needs is asked for a step ahead, and negated when it is there.
        m.each([&](int r, int c, int s, double& x) SHOAL_INLINE_LAMBDA {
            if (r < tiles) x = -l.x[r < tiles ? r : 0][c][s];
        });
        [[maybe_unused]] const vector_tiles right = b;
        if constexpr (solves) memory.join(m, b);
        memory.load_main(k + 1, next);
        memory.load(k + 2, 0, k + 2 < knots, l);
        load_vector(k + 1, b);
        const int bad =
            tensor_step<rows, n>::run(warp, d, m, [&](auto& again, auto& k_again) SHOAL_INLINE_LAMBDA {
                memory.load_main(k, again);
                again.negate();
                if (k > 0) {
                    block e;
                    memory.load(k, 0, true, e);
                    add_product<panels, tensor_part::lower>(warp, again, e, e);
                }
                memory.load(k + 1, 0, k + 1 < knots, k_again);
                k_again.negate();
                if constexpr (solves) memory.join(k_again, right);
            });
        // All lanes have read D_k, of which each replaces some elements.
        warp.sync();
        memory.store_lower(k, d);
        [[maybe_unused]] vector_tiles y;
        if constexpr (solves) {
            y = memory.part(m);
            memory.each_of_vector(y, [&](int i, double& e) SHOAL_INLINE_LAMBDA { told(k, i, e); });
        }
        if (k + 1 < knots) memory.store(k + 1, 0, m);
        if (bad != 0) {
            found = {k + 1, bad};
            break;
        }
        block e;
        e.each([&](int r, int c, int s, double& x) SHOAL_INLINE_LAMBDA { x = m.x[r][c][s]; });
        next.negate();
        d = next;
        add_product<panels, tensor_part::lower>(warp, d, e, e);
        if constexpr (solves) {
            b.negate();
            add_product<panels, tensor_part::full>(warp, b, y, e);
        }
    }
    return found;
}

/// One sweep: forward y_k = F_k^-1 (x_k - E_k y_{k-1}), or backward x_k = F_k^-T (y_k - E_{k+1}' x_{k+1}).
template <direction Way, ShuffleGroup W, class A, class Y, class X>
SHOAL_FN void products_sweep(const W& warp, A a, Y y, X x) {
    constexpr int n = A::block_size;
    constexpr bool down = Way == direction::backward;
    const warp_sweep<W, A> sweep(warp);
    const int knots = a.knots();
    using terms = typename warp_sweep<W, A>::terms;
    const auto load = [&](int step, terms& t) SHOAL_INLINE_LAMBDA {
        const int k = down ? knots - 1 - step : step;
        const bool there = step < knots;
        const auto e = a.left(down ? k + 1 : k);
        const auto f = a.main(k);
        sweep.load_product(there && step > 0, t,
                           [&](int i, int j) SHOAL_INLINE_LAMBDA { return down ? e(j, i) : e(i, j); });
        sweep.template load_triangle<Way>(there, t,
                                          [&](int i, int j) SHOAL_INLINE_LAMBDA { return f(i, j); });
        t.right = there && sweep.mine() ? double(y(k * n + sweep.row())) : 0.0;
    };
    terms now, next;
    double solved = 0;
    load(0, now);
    for (int step = 0; step < knots; ++step) {
        load(step + 1, next);
        const int k = down ? knots - 1 - step : step;
        solved = sweep.template solve<Way>(now, sweep.over_parts(sweep.share_of(now.right, now, solved)));
        if (sweep.mine()) x(k * n + sweep.row()) = solved;
        now = next;
    }
}

/// bdsv_factor() by products. Barriers: the exit barrier.
template <ShuffleGroup W, class A>
SHOAL_FN knot_info bdsv_factor_by_products(const W& warp, A a) {
    const knot_info found = bdsv_factor_products(warp, a, nullptr, nullptr);
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<W>) warp.sync();
    return found;
}
/// bdsv_solve() by products.
template <ShuffleGroup W, class A, class X>
SHOAL_FN void bdsv_solve_by_products(const W& warp, A a, X x) {
    // Of x a lane reads back only what it wrote itself.
    products_sweep<direction::forward>(warp, a, x, x);
    products_sweep<direction::backward>(warp, a, x, x);
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<W>) warp.sync();
}
/// bdsv() by products, the forward sweep on the way. scratch: the elements of a block vector.
template <ShuffleGroup W, class A, class X>
SHOAL_FN knot_info bdsv_by_products(const W& warp, A a, X x, double* scratch) {
    constexpr int n = A::block_size;
    const knot_info found = bdsv_factor_products(
        warp, a, [&](int k, int i) SHOAL_INLINE_LAMBDA { return double(x(k * n + i)); },
        [&](int k, int i, double y) SHOAL_INLINE_LAMBDA { scratch[k * n + i] = y; });
    // The factor, and what the forward sweep left, before other lanes read them.
    warp.sync();
    if (found.good())
        products_sweep<direction::backward>(warp, a, block_vector<const double, n>(scratch, a.knots()), x);
    // The elements of x that other members wrote.
    if constexpr (syncs_on_exit<W>) warp.sync();
    return found;
}

}  // namespace shoal::detail
