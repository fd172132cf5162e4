#pragma once

#include <shoal/view/matrix.hpp>

namespace shoal {

/// A block-tridiagonal matrix of N block rows ("knots") with blocks of n x n, row-major strips one behind the other:
///
///         | D_0  R_0           |       strip of knot k, n x 3 n, row-major:
///     A = | L_1  D_1  R_1      |
///         |      L_2  D_2  R_2 |         [ L_k | D_k | R_k ]
///         |           L_3  D_3 |
///
/// L_0 and R_{N-1} have their place but no meaning, and are never touched. With `Blocks` = 2 a strip is [ L_k | D_k ]
/// and R_k stands for the transposed L_{k+1}: a symmetric matrix in two thirds of the memory.
///
/// \tparam n block size
/// \tparam Knots number of block rows, or `dynamic`
/// \tparam RowLength elements from one row to the next, if there is a gap behind each; see padded_strip
template <class T, int n, int Knots = dynamic, int Blocks = 3, int RowLength = Blocks* n>
class strip : detail::extent<Knots> {
    using knots_base = detail::extent<Knots>;

    static_assert(n >= 1, "strip: blocks have at least one row");
    static_assert(Blocks == 2 || Blocks == 3, "strip: [L | D] or [L | D | R]");
    static_assert(RowLength >= Blocks * n, "strip: rows overlap");

  public:
    using value_type = std::remove_cv_t<T>;
    using block_type = matrix<T, n, n, row_ld<RowLength>>;
    static constexpr int block_size = n;
    static constexpr int static_knots = Knots;
    /// Elements from one row of a block to the next.
    static constexpr int row_length = RowLength;
    static constexpr bool symmetric = Blocks == 2;

    /// The number of knots is static.
    SHOAL_FN constexpr explicit strip(T* data) requires(Knots != dynamic) : data_(data) {}
    /// A static number of knots must be given as it is.
    SHOAL_FN constexpr strip(T* data, int knots) : knots_base(knots), data_(data) {}
    /// A view for writing serves for reading.
    template <class U>
    requires(std::is_same_v<const U, T>) SHOAL_FN constexpr strip(strip<U, n, Knots, Blocks, RowLength> a)
        : strip(a.data(), a.knots()) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int knots() const { return knots_base::get(); }
    /// Block (k, k - 1).
    SHOAL_FN constexpr block_type left(int k) const { return part(k, 0); }
    /// Block (k, k).
    SHOAL_FN constexpr block_type main(int k) const { return part(k, 1); }
    /// Block (k, k + 1).
    SHOAL_FN constexpr auto right(int k) const {
        if constexpr (symmetric) {
            return transposed(left(k + 1));
        } else {
            return part(k, 2);
        }
    }

  private:
    SHOAL_FN constexpr block_type part(int k, int slot) const {
        return block_type{data_ + std::int64_t{k} * (RowLength * n) + slot * n};
    }

    T* data_ = nullptr;
};

/// Strips [ L | D ] of a symmetric block-tridiagonal matrix.
template <class T, int n, int Knots = dynamic>
using symmetric_strip = strip<T, n, Knots, 2>;

/// Strips for shared memory, rows an odd number of elements apart: where the members of a warp take a row each, as in bdmv(),
/// neighbours lie in different banks at every block size. N n ((Blocks n) | 1) elements.
template <class T, int n, int Knots = dynamic, int Blocks = 3>
using padded_strip = strip<T, n, Knots, Blocks, (Blocks * n) | 1>;

/// Elements of memory that the strips of a matrix take.
SHOAL_FN constexpr std::int64_t strip_size(int n, int knots, int blocks = 3) {
    return std::int64_t{blocks} * n * n * knots;
}

/// A vector of N blocks of n elements, `Pad` blocks in front of the first and behind the last:
///
///     Pad = 1:  | 0 | x_0 | x_1 | ... | x_{N-1} | 0 |
///
/// The pads have their place but are never touched. `data` points at the first pad.
template <class T, int n, int Knots = dynamic, int Pad = 0>
class block_vector : detail::extent<Knots> {
    using knots_base = detail::extent<Knots>;

  public:
    using value_type = std::remove_cv_t<T>;
    static constexpr int block_size = n;
    static constexpr int static_knots = Knots;
    static constexpr int static_size = Knots == dynamic ? dynamic : Knots * n;

    /// The number of knots is static.
    SHOAL_FN constexpr explicit block_vector(T* data) requires(Knots != dynamic) : data_(data) {}
    /// A static number of knots must be given as it is.
    SHOAL_FN constexpr block_vector(T* data, int knots) : knots_base(knots), data_(data) {}
    /// A view for writing serves for reading.
    template <class U>
    requires(std::is_same_v<const U, T>) SHOAL_FN constexpr block_vector(block_vector<U, n, Knots, Pad> x)
        : block_vector(x.data(), x.knots()) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int knots() const { return knots_base::get(); }
    /// Number of elements, the pads not counted.
    SHOAL_FN constexpr int size() const { return knots() * n; }
    /// Element i of the vector without its pads.
    SHOAL_FN constexpr T& operator()(int i) const { return data_[Pad * n + i]; }
    /// Block x_k.
    SHOAL_FN constexpr vector<T, n> block(int k) const { return vector<T, n>{data_ + (Pad + k) * n}; }

  private:
    T* data_ = nullptr;
};

/// A block vector with one pad on each end.
template <class T, int n, int Knots = dynamic>
using padded_vector = block_vector<T, n, Knots, 1>;

/// Elements of memory that a vector takes.
SHOAL_FN constexpr std::int64_t block_vector_size(int n, int knots, int pad = 0) {
    return n * (std::int64_t{knots} + 2 * pad);
}

}  // namespace shoal
