#pragma once

#include <cstdint>

#include <shoal/banded/detail/tensor_blocks.hpp>

/// \file
/// One step of elimination by a warp on the FP64 tensor cores.

namespace shoal::detail {

/// Collects what the quick step cannot do: a pivot that is not positive, a product out of range.
struct pivot_watch {
    int signs = 0;
    int least = 0x7fffffff;
    int most = 0;

    SHOAL_FN static int high_word(double x) {
#if defined(__CUDA_ARCH__)
        return __double2hiint(x);
#else
        return static_cast<int>(static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x) >> 32U));
#endif
    }
    /// The first pivot and the running products of pivots. With the last well inside the range of normal numbers, so are
    /// the others: the elements of a positive definite block bound them.
    SHOAL_FN void see(double first, double second, double third, double fourth) {
        signs |= high_word(first) | high_word(second) | high_word(third);
        const int last = high_word(fourth);
        least = last < least ? last : least;
        most = last > most ? last : most;
    }
    /// Below 2^-927 or above 2^913, NaN among them.
    SHOAL_FN bool trouble() const {
        return signs < 0 || least < 0x06000000 || most > 0x79000000;
    }
};

/// 1 / sqrt(x) for normal x, to the last places.
SHOAL_FN double quick_rsqrt(double x) {
#if defined(__CUDA_ARCH__)
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = __fma_rn(-(x * y), y, 1.0);
    return __fma_rn(__fma_rn(0.375, e, 0.5), y * e, y);
#else
    return 1 / core::sqrt(x);
#endif
}

/// c ? a : b without a branch, which the compiler makes of such choices where it can, and which would take lanes apart.
SHOAL_FN double choose(bool c, double a, double b) {
#if defined(__CUDA_ARCH__)
    double x;
    asm("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\nselp.f64 %0, %1, %2, p;\n}"
        : "=d"(x)
        : "d"(a), "d"(b), "r"(static_cast<int>(c)));
    return x;
#else
    return c ? a : b;
#endif
}

/// A panel's triangle L as right operands of products of which the even columns are wanted, in lane 4 g + q.
struct panel_scale {
    double inverse;  ///< -L^-T
    double factor;   ///< L'
    double own;      ///< element (g / 2, q) of L

    /// From a negated pivot block: element (i, j) in x of lane 4 (2 i + s) + j.
    ///
    /// Every lane eliminates its own element, and one of an identity beside it, without division: the leading minors
    /// appear as products, and one reciprocal root a lane is enough, whose latency is the largest of the step. The products
    /// are of degree 15: see pivot_watch.
    template <ShuffleGroup W>
    SHOAL_FN static panel_scale of(const W& warp, double x, int s, pivot_watch& watch) {
        const int k = warp.rank() / 8;
        const int q = warp.rank() % 4;
        const bool even = warp.rank() / 4 % 2 == 0;
        // Both lanes of a row and column.
        x = -warp.shuffle(x, 8 * k + 4 * s + q);
        double m = k == q ? 1 : 0;
        double product[4];
        SHOAL_UNROLL
        for (int step = 0; step < 3; ++step) {
            const double pivot = warp.shuffle(x, 9 * step);
            product[step] = step == 0 ? pivot : product[step == 0 ? 0 : step - 1] * pivot;
            const double left = warp.shuffle(x, 8 * k + step);
            const double above = warp.shuffle(x, 8 * step + q);
            const double beside = warp.shuffle(m, 8 * step + q);
            const double next = core::fma(pivot, x, -left * above);
            const double next_beside = core::fma(pivot, m, -left * beside);
            x = choose(k > step && q > step, next, x);
            m = choose(k > step, next_beside, m);
        }
        product[3] = product[2] * warp.shuffle(x, 9 * 3);
        watch.see(product[0], product[1], product[2], product[3]);
        const double low = choose(k == 0, product[0], product[1]);
        const double high = choose(k == 2, product[2], product[3]);
        const double root = quick_rsqrt(choose(k < 2, low, high));
        const double own = choose(q <= k, x, 0.0) * warp.shuffle(root, 8 * q);
        return {choose(even, -m, 0.0) * root, choose(even, own, 0.0), own};
    }
};

/// Panel (c, s) of X := -X L^-T, in rows `from` .. of tiles. The product with the inverse is corrected once by what it leaves
/// of X, as it would otherwise be no better than the condition of L.
template <int Rows, int Cols, ShuffleGroup W>
SHOAL_FN void scale_panel(const W& warp, tensor_tiles_of<Rows, Cols>& X, int c, int s, panel_scale l,
                          int from = 0) {
    double scaled[Rows], left[Rows], unused[Rows];
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r) {
        scaled[r] = unused[r] = 0;
        left[r] = X.x[r][c][s];
    }
    multiply_rows(warp, scaled, unused, left, l.inverse, from);
    multiply_rows(warp, left, unused, scaled, l.factor, from);
    multiply_rows(warp, scaled, unused, left, l.inverse, from);
    SHOAL_UNROLL
    for (int r = 0; r < Rows; ++r)
        if (r >= from) X.x[r][c][s] = scaled[r];
}

/// A step in place: D becomes F = chol(D) in its lower tiles, and the couplings K become K F^-T.
template <int Rows, int n>
struct tensor_step {
    static constexpr int tiles = tensor_cut<n>::tiles;
    static constexpr int panels = tensor_cut<n>::panels;
    using block = tensor_tiles_of<tiles, tiles>;
    using couplings = tensor_tiles_of<Rows, tiles>;

    /// D and K come negated, since tensor cores only add; of D the lower tiles count, and those on the diagonal are full.
    /// again(d, k) makes them once more: to keep them would take registers that are always wanted for what is almost never.
    /// \return 0, or the first bad pivot, counted from 1
    template <ShuffleGroup W, class Again>
    SHOAL_FN static int run(const W& warp, block& f, couplings& m, Again again) {
        if (quick(warp, f, m)) [[likely]]
            return 0;
        // What is indexed there would not stay in registers here either.
        block d;
        couplings k;
        again(d, k);
        const int bad = careful(warp, d, k);
        f = d;
        m = k;
        return bad;
    }

  private:
    template <ShuffleGroup W>
    SHOAL_FN static bool quick(const W& warp, block& f, couplings& m) {
        pivot_watch watch;
        panel_scale l = panel_scale::of(warp, f.x[0][0][0], 0, watch);
        SHOAL_UNROLL
        for (int p = 0; p < panels; ++p) {
            const int c = p / 2, s = p % 2;
            panel_scale next = l;
            // First what the next pivot block waits for.
            scale_panel(warp, f, c, s, l, c);
            // The triangle itself is better known than from the products.
            f.x[c][c][s] = choose(warp.rank() / 4 % 2 == s, l.own, f.x[c][c][s]);
            if (p + 1 < panels) {
                if (s == 0) add_to_odd(warp, f, c, f.x[c][c][0], c);
                SHOAL_UNROLL
                for (int to = c + 1; to < tiles; ++to) add_to_tiles(warp, f, to, f, c, s, f.x[to][c][s], to);
                const int tile = (p + 1) / 2;
                next = panel_scale::of(warp, f.x[tile][tile][1 - s], 1 - s, watch);
            }
            // Then what rides along.
            scale_panel(warp, m, c, s, l);
            l = next;
            if (p + 1 == panels) break;
            if (s == 0) add_to_odd(warp, m, c, f.x[c][c][0]);
            SHOAL_UNROLL
            for (int to = c + 1; to < tiles; ++to) add_to_tiles(warp, m, to, m, c, s, f.x[to][c][s]);
        }
        return !watch.trouble();
    }
    /// Column by column, for what pivot_watch reports; slow.
    template <ShuffleGroup W>
    SHOAL_FN static int careful(const W& warp, block& d, couplings& k) {
        const int lane = warp.rank();
        const int q = lane % 4;
        int bad = 0;
        core::loop(core::rolled{}, 0, n, 1, [&](int p) SHOAL_INLINE_LAMBDA {
            const int owner = p % 4;
            // Element p of the row of tiles, in every lane of the row.
            const auto of_row = [&](const double(&row)[tiles][2], int source) SHOAL_INLINE_LAMBDA {
                double x = row[0][0];
                SHOAL_UNROLL
                for (int e = 1; e < 2 * tiles; ++e) x = p / 4 == e ? row[e / 2][e % 2] : x;
                return warp.shuffle(x, source);
            };
            double column[tiles][2];
            SHOAL_UNROLL
            for (int c = 0; c < tiles; ++c) {
                SHOAL_UNROLL
                for (int s = 0; s < 2; ++s) column[c][s] = of_row(d.x[c], 4 * (2 * q + s) + owner);
            }
            const int row = p % 8;
            double pivot = -of_row(d.x[0], 4 * (2 * (row % 4) + row / 4) + owner);
            if constexpr (tiles > 1) {
                const double other = -of_row(d.x[1], 4 * (2 * (row % 4) + row / 4) + owner);
                pivot = p / 8 == 0 ? pivot : other;
            }
            if (bad == 0 && !core::good_pivot(pivot)) bad = p + 1;
            const double r = core::pivot_rsqrt(pivot).reciprocal;
            const auto eliminate = [&](auto& x) SHOAL_INLINE_LAMBDA {
                constexpr int rows = static_cast<int>(sizeof(x.x) / sizeof(x.x[0]));
                SHOAL_UNROLL
                for (int t = 0; t < rows; ++t) {
                    const double left = -r * of_row(x.x[t], lane - q + owner);
                    SHOAL_UNROLL
                    for (int c = 0; c < tiles; ++c) {
                        SHOAL_UNROLL
                        for (int s = 0; s < 2; ++s) {
                            const int j = 8 * c + 4 * s + q;
                            double& e = x.x[t][c][s];
                            if (j == p) e = left;
                            if (j > p) e = core::fma(left, -r * column[c][s], e);
                        }
                    }
                }
            };
            eliminate(d);
            eliminate(k);
        });
        return bad;
    }
};

}  // namespace shoal::detail
