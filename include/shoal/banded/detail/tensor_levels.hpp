#pragma once

#include <shoal/banded/detail/bdsv_products.hpp>

namespace shoal::detail {

/// What one warp does for one knot of doubles in bdsv_levels.hpp, by products on the tensor cores.
template <ShuffleGroup W, class A>
class tensor_level_step {
    static constexpr int n = A::block_size;
    static constexpr int tiles = tensor_cut<n>::tiles;
    static constexpr int panels = tensor_cut<n>::panels;
    using block = tensor_tiles_of<tiles, tiles>;
    using vector_tiles = tensor_tiles_of<1, tiles>;
    using sweep_type = warp_sweep<W, A>;
    using terms = typename sweep_type::terms;
    enum class reading { plain, transposed };

  public:
    SHOAL_FN tensor_level_step(const W& warp, A a)
        : warp_(warp), a_(a), memory_(a, warp.rank()), sweep_(warp) {}

    /// Takes what level s / 2 left for knot c, and eliminates c where it is its turn.
    /// \return 0 or the first bad pivot
    SHOAL_FN int factor(int c, int s) const { return run<0>(c, s, nullptr, nullptr); }
    /// The same, and the forward sweep: y_c from x_c on the first level, later from y_c.
    template <class X, class Y>
    SHOAL_FN int factor(int c, int s, X x, Y y) const {
        return run<1>(c, s, x, y);
    }

    /// The forward sweep for knot c at level s.
    template <class X>
    SHOAL_FN void forward(int c, int s, X x) const {
        const bool turn = (c + 1) / s % 2 != 0;
        if (s == 1 && !turn) return;
        terms t{};
        double y = element(x, c, sweep_.mine());
        if (turn) load_triangle<direction::forward>(c, t);
        if (s > 1) {
            const int before = c - s / 2, behind = c + s / 2;
            y = sweep_.share_of(y, product<reading::transposed>(before, 2, true, t),
                                element(x, before, true));
            const bool there = behind < a_.knots();
            y = sweep_.share_of(y, product<reading::transposed>(behind, 0, there, t),
                                element(x, behind, there));
        }
        y = sweep_.over_parts(y);
        if (turn) y = sweep_.template solve<direction::forward>(t, y);
        if (sweep_.mine()) x(c * n + sweep_.row()) = y;
    }

    /// The backward sweep for knot c, which level s eliminated: x_c from y_c and the x of its neighbours.
    template <class Y, class X>
    SHOAL_FN void backward(int c, int s, Y from, X x) const {
        terms t{};
        load_triangle<direction::backward>(c, t);
        double y = element(from, c, sweep_.mine());
        const bool before = c - s >= 0, behind = c + s < a_.knots();
        y = sweep_.share_of(y, product<reading::plain>(c, 0, before, t), element(x, c - s, before));
        y = sweep_.share_of(y, product<reading::plain>(c, 2, behind, t), element(x, c + s, behind));
        y = sweep_.template solve<direction::backward>(t, sweep_.over_parts(y));
        if (sweep_.mine()) x(c * n + sweep_.row()) = y;
    }

  private:
    /// Solves = 1: with a right-hand side, which rides along as a row of tiles.
    template <int Solves, class X, class Y>
    SHOAL_FN int run(int c, int s, [[maybe_unused]] X x, [[maybe_unused]] Y y) const {
        const bool turn = (c + 1) / s % 2 != 0;
        // What stays is not touched on the first level: the second finds it where it was.
        if (s == 1 && !turn) return 0;
        const int before = c - s / 2, behind = c + s / 2;
        const bool to_a = turn && c - s >= 0;
        const bool to_b = turn && c + s < a_.knots();
        constexpr int rows = 2 * tiles + Solves * tensor_memory<A>::own_tiles;
        block d;
        vector_tiles right;
        tensor_tiles_of<rows, tiles> k;
        const auto gather = [&](block& d_, vector_tiles& right_, auto& k_) SHOAL_INLINE_LAMBDA {
            right_ = vector_tiles::zero();
            memory_.load_main(c, d_);
            if constexpr (Solves == 1) {
                if (s <= 2) {
                    load_vector(x, c, right_);
                } else {
                    load_vector(y, c, right_);
                }
                right_.negate();
            }
            if (s == 1) {
                memory_.load_transposed(c, 0, to_a, k_);
                memory_.load(c + 1, 0, to_b, k_, tiles);
                k_.negate();
                d_.negate();
            } else {
                block b, a, other_a, other_b;
                vector_tiles y_before = vector_tiles::zero(), y_behind = vector_tiles::zero();
                memory_.load_transposed(before, 2, true, b);
                memory_.load_transposed(behind, 0, behind < a_.knots(), a);
                if constexpr (Solves == 1) {
                    load_vector(y, before, y_before);
                    if (behind < a_.knots()) load_vector(y, behind, y_behind);
                }
                memory_.load_transposed(before, 0, to_a, other_a);
                memory_.load_transposed(behind, 2, to_b, other_b);
                d_.negate();
                add_product<panels, tensor_part::lower>(warp_, d_, b, b);
                add_product<panels, tensor_part::lower>(warp_, d_, a, a);
                if constexpr (Solves == 1) {
                    add_product<panels, tensor_part::full>(warp_, right_, y_before, b);
                    add_product<panels, tensor_part::full>(warp_, right_, y_behind, a);
                }
                // -K_ac = A B' with the knot before, -K_bc = B A' with the one behind.
                block k_ac = block::zero(), k_bc = block::zero();
                add_product<panels, tensor_part::full>(warp_, k_ac, other_a, b);
                add_product<panels, tensor_part::full>(warp_, k_bc, other_b, a);
                k_.each([&](int r, int col, int h, double& e) SHOAL_INLINE_LAMBDA {
                    if (r < 2 * tiles) e = r < tiles ? k_ac.x[r % tiles][col][h] : k_bc.x[r % tiles][col][h];
                });
            }
            if constexpr (Solves == 1) memory_.join(k_, right_);
        };
        gather(d, right, k);
        // All lanes have read D_c, of which each replaces some elements.
        warp_.sync();
        if (!turn) {
            d.negate();
            memory_.store_lower(c, d);
            if constexpr (Solves == 1) {
                right.negate();
                memory_.each_of_vector(right, [&](int i, double e) SHOAL_INLINE_LAMBDA { y(c * n + i) = e; });
            }
            return 0;
        }
        const int bad = tensor_step<rows, n>::run(
            warp_, d, k,
            [&](block& d_again, auto& k_again) SHOAL_INLINE_LAMBDA { gather(d_again, right, k_again); });
        memory_.store_lower(c, d);
        if (to_a) memory_.store_transposed(c, 0, k);
        if (to_b) memory_.store_transposed(c, 2, k, tiles);
        if constexpr (Solves == 1) {
            auto solved = memory_.part(k);
            memory_.each_of_vector(solved, [&](int i, double e) SHOAL_INLINE_LAMBDA { y(c * n + i) = e; });
        }
        return bad;
    }
    template <class X>
    SHOAL_FN void load_vector(X x, int k, vector_tiles& to) const {
        memory_.each_of_vector(to, [&](int i, double& e) SHOAL_INLINE_LAMBDA { e = x(k * n + i); });
    }
    template <class X>
    SHOAL_FN double element(X x, int k, bool there) const {
        return there && sweep_.row() < n ? double(x(k * n + sweep_.row())) : 0.0;
    }
    template <direction Way>
    SHOAL_FN void load_triangle(int c, terms& t) const {
        const auto f = a_.main(c);
        sweep_.template load_triangle<Way>(true, t,
                                           [&](int i, int j) SHOAL_INLINE_LAMBDA { return f(i, j); });
    }
    /// The terms of a product with the block in slot `which` of knot k, transposed or as it lies there.
    template <reading How>
    SHOAL_FN terms& product(int k, int which, bool there, terms& t) const {
        const double* const from = a_.left(k).data() + which * n;
        sweep_.load_product(there, t, [&](int i, int j) SHOAL_INLINE_LAMBDA {
            return from[How == reading::transposed ? j * A::row_length + i : i * A::row_length + j];
        });
        return t;
    }
    const W& warp_;
    A a_;
    tensor_memory<A> memory_;
    sweep_type sweep_;
};

}  // namespace shoal::detail
