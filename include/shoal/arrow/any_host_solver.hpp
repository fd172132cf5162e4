#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <shoal/arrow/host_solver.hpp>
#include <shoal/arrow/storage.hpp>

namespace shoal::arrow {

namespace detail {

template <class T>
struct any_solver {
    virtual ~any_solver() = default;
    virtual info factor(matrix_view<const T> k) = 0;
    virtual void solve(T* b, int nrhs, std::int64_t ld) = 0;
};

/// Blocks of n x n, 0 < n <= Size, in a solver for blocks of Size x Size.
template <class T, int Size>
class padded_solver final : public any_solver<T> {
    static constexpr int columns = 4;

  public:
    padded_solver(int n, extent size, host_options options)
        : n_(n), size_(size), solver_(size, options), padded_(n == Size ? extent{0, 1} : size) {
        if (n != Size) columns_.resize(static_cast<std::size_t>(columns * solver_.unknowns()));
    }

    info factor(matrix_view<const T> k) override {
        if (n_ == Size) return solver_.factor(k);
        check_blocks(k, size_);
        const std::int64_t block = static_cast<std::int64_t>(n_) * n_;
        const auto fill = [&](auto to, const T* from) {
            for (int j = 0; j < n_; ++j) {
                for (int i = 0; i < n_; ++i) to(i, j) = from[i + n_ * j];
            }
        };
        for (int t = 0; t < size_.tails; ++t) {
            for (int s = 0; s < size_.stages; ++s) {
                const std::int64_t at = static_cast<std::int64_t>(t) * size_.stages + s;
                fill(padded_.diagonal(t, s), k.diagonal + at * block);
                if (s + 1 < size_.stages) fill(padded_.lower(t, s), k.lower + (at - t) * block);
            }
            fill(padded_.coupling(t), k.coupling + t * block);
        }
        fill(padded_.root(), k.root);
        const info found = solver_.factor(padded_);
        factored_ = found.good();
        return found;
    }

    void solve(T* b, int nrhs, std::int64_t ld) override {
        if (n_ == Size) return solver_.solve(b, nrhs, ld);
        check_columns(b, nrhs, ld, arrow::unknowns(size_, n_), factored_);
        const std::int64_t wide = solver_.unknowns();
        const std::int64_t stages = wide / Size;
        for (int first = 0; first < nrhs; first += columns) {
            const int count = std::min(columns, nrhs - first);
            for (int c = 0; c < count; ++c) {
                T* to = columns_.data() + c * wide;
                std::fill_n(to, wide, T(0));
                for (std::int64_t s = 0; s < stages; ++s) {
                    std::copy_n(b + (first + c) * ld + s * n_, n_, to + s * Size);
                }
            }
            solver_.solve(columns_.data(), count);
            for (int c = 0; c < count; ++c) {
                const T* from = columns_.data() + c * wide;
                for (std::int64_t s = 0; s < stages; ++s) {
                    std::copy_n(from + s * Size, n_, b + (first + c) * ld + s * n_);
                }
            }
        }
    }

  private:
    int n_;
    extent size_;
    host_solver<T, Size> solver_;
    storage<T, Size> padded_;
    std::vector<T> columns_;
    bool factored_ = false;
};

template <class T, int... Sizes>
std::unique_ptr<any_solver<T>> make_any_solver(int n, extent size, host_options options,
                                               std::integer_sequence<int, Sizes...>) {
    std::unique_ptr<any_solver<T>> made;
    // The smallest size that holds n.
    (void)((n <= Sizes && (made = std::make_unique<padded_solver<T, Sizes>>(n, size, options), true)) || ...);
    return made;
}

}  // namespace detail

/// host_solver for a block size that is known when the program runs, 0 <= n <= 32.
///
/// Sizes 4, 6, 8, 12, 16, 24 and 32 are used as they are; others are copied into the next larger one, with identity
/// and zeros around, which changes no number of the solution. `factor` and `solve` do not allocate.
template <class T>
class any_host_solver {
  public:
    any_host_solver(int n, extent size, host_options options = {}) : n_(n), size_(checked(size)) {
        // Without unknowns there is nothing to solve, and every call succeeds.
        if (n != 0) {
            solver_ = n < 0 ? nullptr
                            : detail::make_any_solver<T>(
                                  n, size, options, std::integer_sequence<int, 4, 6, 8, 12, 16, 24, 32>{});
            if (!solver_) {
                throw std::invalid_argument("arrow: block size " + std::to_string(n) +
                                            ", must be from 0 to 32");
            }
        }
    }

    int block_size() const { return n_; }
    extent size() const { return size_; }
    std::int64_t unknowns() const { return arrow::unknowns(size_, n_); }

    /// As host_solver::factor; the blocks are n x n.
    [[nodiscard]] info factor(matrix_view<const T> k) { return solver_ ? solver_->factor(k) : success; }
    /// As host_solver::solve.
    void solve(T* b, int nrhs = 1, std::int64_t ld = 0) const {
        if (solver_) solver_->solve(b, nrhs, ld == 0 ? unknowns() : ld);
    }

  private:
    int n_;
    extent size_;
    std::unique_ptr<detail::any_solver<T>> solver_;
};

}  // namespace shoal::arrow
