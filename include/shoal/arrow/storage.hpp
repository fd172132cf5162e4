#pragma once

#include <cstdint>
#include <vector>

#include <shoal/arrow/types.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal::arrow {

/// Memory for a block-arrow matrix on the host, with each block as a matrix view: `K.diagonal(i, k)(row, column) = ...`.
///
/// Starts as the identity matrix. What is never set is therefore padding that changes no other number, exactly:
/// - a tail of m < N stages sets stages 0 .. m-1 (x_1 .. x_m) and its couplings, nothing beyond; m = 0 sets nothing;
/// - a stage, or the root, of m < n unknowns sets the leading m x m part of its diagonal block, and of its couplings
///   the rows and columns that exist.
/// Put zeros in the padded entries of a right-hand side: the solution is zero there.
///
/// A chain alone, a block-tridiagonal matrix, is one tail with its coupling and the root left as they are. The solver
/// starts at the free end; where the first failing pivot of the natural order is wanted, number the chain from its end:
/// stage N-1 first.
template <class T, int n>
class storage {
    static_assert(n >= 1, "storage: a block has at least one row");
    static constexpr std::int64_t block = n * n;

  public:
    using block_view = shoal::matrix<T, n, n>;

    explicit storage(extent size)
        : size_(checked(size)),
          diagonal_(count(size.tails, size.stages)),
          lower_(count(size.tails, size.stages - 1)),
          coupling_(count(size.tails, 1)),
          root_(static_cast<std::size_t>(block)) {
        for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal_[i] = identity(i);
        for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = identity(i);
    }

    /// D_k of tail i, k = 0 .. N-1; only the lower triangle is read.
    block_view diagonal(int i, int k) {
        return at(diagonal_, static_cast<std::int64_t>(i) * size_.stages + k);
    }
    /// E_k = K(stage k+1, stage k) of tail i, k = 0 .. N-2: rows stage k+1, columns stage k.
    block_view lower(int i, int k) {
        return at(lower_, static_cast<std::int64_t>(i) * (size_.stages - 1) + k);
    }
    /// C_i = K(root, x_1 of tail i): rows root, columns x_1.
    block_view coupling(int i) { return at(coupling_, i); }
    /// R; only the lower triangle is read.
    block_view root() { return at(root_, 0); }

    extent size() const { return size_; }
    std::int64_t unknowns() const { return arrow::unknowns(size_, n); }
    matrix_view<T> view() { return {diagonal_.data(), lower_.data(), coupling_.data(), root_.data()}; }
    matrix_view<const T> view() const {
        return {diagonal_.data(), lower_.data(), coupling_.data(), root_.data()};
    }

    /// Where the unknowns of stage k of tail i begin in a right-hand side, and where those of the root do.
    std::int64_t stage_offset(int i, int k) const {
        return (static_cast<std::int64_t>(i) * size_.stages + k) * n;
    }
    std::int64_t root_offset() const { return static_cast<std::int64_t>(size_.tails) * size_.stages * n; }

  private:
    static std::size_t count(int tails, int blocks) {
        return static_cast<std::size_t>(static_cast<std::int64_t>(tails) * blocks * block);
    }
    static T identity(std::size_t i) { return T(i % block % (n + 1) == 0 ? 1 : 0); }
    static block_view at(std::vector<T>& blocks, std::int64_t index) {
        return block_view{blocks.data() + index * block};
    }

    extent size_;
    std::vector<T> diagonal_;
    std::vector<T> lower_;
    std::vector<T> coupling_;
    std::vector<T> root_;
};

}  // namespace shoal::arrow
