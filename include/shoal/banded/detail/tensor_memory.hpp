#pragma once

#include <shoal/banded/detail/tensor_step.hpp>

namespace shoal::detail {

/// A lane's way to its elements of the blocks in strips.
template <class A>
class tensor_memory {
    static constexpr int n = A::block_size;
    static constexpr int tiles = tensor_cut<n>::tiles;
    using block = tensor_tiles_of<tiles, tiles>;

  public:
    SHOAL_FN tensor_memory(A a, int lane) : a_(a), at_(lane) {}

    /// The lower triangle of D_k, mirrored in tiles on the diagonal, and the identity where there is nothing.
    SHOAL_FN void load_main(int k, block& x) const {
        const double* const from = data(k, 1);
        x.each([&](int r, int c, int s, double& e) SHOAL_INLINE_LAMBDA {
            const int i = row(r), j = col(c, s);
            const bool there = k < a_.knots() && i < n && j < n && c <= r;
            e = there ? from[i >= j ? i * step + j : j * step + i] : i == j ? 1.0 : 0.0;
        });
    }
    /// A block: 0 for L_k, 2 for R_k. Zeros where there is nothing.
    template <int Rows>
    SHOAL_FN void load(int k, int which, bool there, tensor_tiles_of<Rows, tiles>& x, int first = 0) const {
        const double* const from = data(k, which);
        each_row(x, first, [&](int i, int j, double& e) SHOAL_INLINE_LAMBDA {
            e = there && i < n && j < n ? from[i * step + j] : 0.0;
        });
    }
    /// The same, transposed.
    template <int Rows>
    SHOAL_FN void load_transposed(int k, int which, bool there, tensor_tiles_of<Rows, tiles>& x,
                                  int first = 0) const {
        const double* const from = data(k, which);
        each_row(x, first, [&](int i, int j, double& e) SHOAL_INLINE_LAMBDA {
            e = there && i < n && j < n ? from[j * step + i] : 0.0;
        });
    }
    template <int Rows>
    SHOAL_FN void store(int k, int which, const tensor_tiles_of<Rows, tiles>& x, int first = 0) const {
        double* const to = data(k, which);
        each_row(x, first, [&](int i, int j, const double& e) SHOAL_INLINE_LAMBDA {
            if (i < n && j < n) to[i * step + j] = e;
        });
    }
    template <int Rows>
    SHOAL_FN void store_transposed(int k, int which, const tensor_tiles_of<Rows, tiles>& x,
                                   int first = 0) const {
        double* const to = data(k, which);
        each_row(x, first, [&](int i, int j, const double& e) SHOAL_INLINE_LAMBDA {
            if (i < n && j < n) to[j * step + i] = e;
        });
    }
    /// The lower triangle of D_k.
    SHOAL_FN void store_lower(int k, const block& x) const {
        double* const to = data(k, 1);
        SHOAL_UNROLL
        for (int r = 0; r < tiles; ++r) {
            SHOAL_UNROLL
            for (int c = 0; c <= r; ++c) {
                SHOAL_UNROLL
                for (int s = 0; s < 2; ++s) {
                    const int i = row(r), j = col(c, s);
                    if (i < n && j <= i) to[i * step + j] = x.x[r][c][s];
                }
            }
        }
    }
    /// A block of a vector is a row of a row of tiles. Where blocks do not fill their tiles it rides along in the first
    /// row that they leave, otherwise in tiles of its own.
    static constexpr int own_tiles = n < 8 * tiles ? 0 : 1;
    using row_of_tiles = tensor_tiles_of<1, tiles>;

    /// f(i, e) for the elements of a block of a vector, in the lanes that hold them.
    template <class F>
    SHOAL_FN void each_of_vector(row_of_tiles& x, F f) const {
        SHOAL_UNROLL
        for (int c = 0; c < tiles; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s)
                if (holds_vector() && col(c, s) < n) f(col(c, s), x.x[0][c][s]);
        }
    }
    /// Puts a vector beside the block in the first rows of m.
    template <int Rows>
    SHOAL_FN void join(tensor_tiles_of<Rows, tiles>& m, const row_of_tiles& v) const {
        SHOAL_UNROLL
        for (int c = 0; c < tiles; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) {
                double& to = m.x[own_tiles == 1 ? Rows - 1 : tiles - 1][c][s];
                to = own_tiles == 1 ? v.x[0][c][s] : choose(holds_vector(), v.x[0][c][s], to);
            }
        }
    }
    /// The vector alone; zero is left in its place.
    template <int Rows>
    SHOAL_FN row_of_tiles part(tensor_tiles_of<Rows, tiles>& m) const {
        row_of_tiles v;
        SHOAL_UNROLL
        for (int c = 0; c < tiles; ++c) {
            SHOAL_UNROLL
            for (int s = 0; s < 2; ++s) {
                double& from = m.x[own_tiles == 1 ? Rows - 1 : tiles - 1][c][s];
                v.x[0][c][s] = own_tiles == 1 ? from : choose(holds_vector(), from, 0.0);
                if (own_tiles == 0) from = choose(holds_vector(), 0.0, from);
            }
        }
        return v;
    }

  private:
    static constexpr int step = A::row_length;
    SHOAL_FN bool holds_vector() const { return at_.row == n % 8; }
    SHOAL_FN int row(int r) const { return 8 * r + at_.row; }
    SHOAL_FN int col(int c, int s) const { return 8 * c + 4 * s + at_.q; }
    SHOAL_FN auto* data(int k, int which) const { return a_.left(k).data() + which * n; }
    template <class Tiles, class F>
    SHOAL_FN void each_row(Tiles& x, int first, F f) const {
        SHOAL_UNROLL
        for (int r = 0; r < tiles; ++r) {
            SHOAL_UNROLL
            for (int c = 0; c < tiles; ++c) {
                SHOAL_UNROLL
                for (int s = 0; s < 2; ++s) f(row(r), col(c, s), x.x[first + r][c][s]);
            }
        }
    }
    A a_;
    tensor_lane at_;
};

}  // namespace shoal::detail
