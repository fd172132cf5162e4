#pragma once

#include <cstddef>

#include <shoal/banded/detail/direction.hpp>
#include <shoal/core/math.hpp>
#include <shoal/group/concept.hpp>

namespace shoal::detail {

/// One lane's part in the sweeps of a warp: lane W p + i holds element i of a block of the vector in each part p. Of
/// products with E a part takes its share of the terms; triangles all parts solve alike.
template <ShuffleGroup W, class A>
class warp_sweep {
    static constexpr int n = A::block_size;
    static constexpr int width = n <= 8 ? 8 : 16;
    static constexpr int parts = 32 / width;
    static constexpr int share = width / parts;

  public:
    /// What a lane needs of a knot.
    struct terms {
        double e[static_cast<std::size_t>(share)];
        double f[static_cast<std::size_t>(n)];
        double diagonal = 1;
        double right = 0;  ///< of the right-hand side
    };

    SHOAL_FN explicit warp_sweep(const W& warp)
        : warp_(warp), i_(warp.rank() % width), base_(warp.rank() - i_), first_(base_ / width * share) {}

    SHOAL_FN int row() const { return i_; }
    /// Whether the vector's element in this lane is this lane's to read and write.
    SHOAL_FN bool mine() const { return base_ == 0 && i_ < n; }

    /// t.e := the terms e(i, j) of a product that there is.
    template <class F>
    SHOAL_FN void load_product(bool there, terms& t, F e) const {
        SHOAL_UNROLL
        for (int h = 0; h < share; ++h) {
            const int j = first_ + h;
            t.e[h] = there && i_ < n && j < n ? double(e(i_, j)) : 0.0;
        }
    }
    /// Row i of the triangle, or backward column i.
    template <direction Way, class F>
    SHOAL_FN void load_triangle(bool there, terms& t, F f) const {
        constexpr bool down = Way == direction::backward;
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            t.f[j] = there && i_ < n && (down ? j > i_ : j < i_) ? double(down ? f(j, i_) : f(i_, j)) : 0.0;
        t.diagonal = there && i_ < n ? double(f(i_, i_)) : 1.0;
    }
    /// This part's share of element i of a sum less E v, given its share of the sum.
    SHOAL_FN double share_of(double start, const terms& t, double v) const {
        double sum[2] = {start, 0.0};
        SHOAL_UNROLL
        for (int h = 0; h < share; ++h)
            sum[h % 2] = core::fma(-t.e[h], warp_.shuffle(v, first_ + h), sum[h % 2]);
        return sum[0] + sum[1];
    }
    /// The sum of the shares, in every part.
    SHOAL_FN double over_parts(double x) const {
        SHOAL_UNROLL
        for (int lanes = width; lanes < 32; lanes *= 2) x += warp_.shuffle_xor(x, lanes);
        return x;
    }
    /// Element i of F^-1 r, or backward F^-T r. Rows are divided by their diagonal first, off the chain of unknowns, of
    /// which every lane solves for two at a time: one exchange serves both.
    template <direction Way>
    SHOAL_FN double solve(const terms& t, double r) const {
        constexpr bool down = Way == direction::backward;
        const double reciprocal = core::pivot_reciprocal(t.diagonal);
        double f[static_cast<std::size_t>(n)];
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) f[j] = t.f[j] * reciprocal;
        r *= reciprocal;
        SHOAL_UNROLL
        for (int step = 0; step + 1 < n; step += 2) {
            const int a = down ? n - 1 - step : step;
            const int b = down ? a - 1 : a + 1;
            const double link = warp_.shuffle(f[a], base_ + b);
            const double x = warp_.shuffle(r, base_ + a);
            const double y = core::fma(-link, x, warp_.shuffle(r, base_ + b));
            // Finished rows must not see the products: with an infinite or NaN factor they would not be zero.
            if (down ? i_ < b : i_ > b) r = core::fma(-f[b], y, core::fma(-f[a], x, r));
            if (i_ == b) r = y;
        }
        return r;
    }

  private:
    const W& warp_;
    int i_, base_, first_;
};

}  // namespace shoal::detail
