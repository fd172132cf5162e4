#pragma once

/// \file
/// A block-arrow matrix as general sparse solvers take it: rows of the upper or the lower triangle, exact zeros left out,
/// and the elimination orders that its structure suggests.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <shoal/arrow/types.hpp>

namespace shoal_bench {

enum class half { lower, upper };

/// Compressed rows of one triangle, diagonal included, columns ascending, zero-based.
struct sparse_matrix {
    std::vector<int> row_start;
    std::vector<int> column;
    std::vector<double> value;

    int rows() const { return static_cast<int>(row_start.size()) - 1; }
    std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
};

namespace detail {

inline void push(sparse_matrix& m, std::int64_t column, double value) {
    if (value == 0.0) return;
    m.column.push_back(static_cast<int>(column));
    m.value.push_back(value);
}

inline void end_row(sparse_matrix& m) {
    m.row_start.push_back(static_cast<int>(m.column.size()));
}

}  // namespace detail

/// One triangle of K in the numbering of types.hpp: the tails, stage after stage, then the root.
///
/// Exact zeros off the diagonal are dropped: a general solver is given the sparsity that the blocks really have.
template <int n>
sparse_matrix to_sparse(shoal::arrow::extent size, shoal::arrow::matrix_view<const double> k, half which) {
    constexpr std::int64_t block = n * n;
    const std::int64_t M = size.tails, N = size.stages, root = M * N * n;
    if ((root + n) * (2 * n) > std::numeric_limits<int>::max())
        throw std::length_error("too large for 32-bit row starts");
    sparse_matrix m;
    m.row_start.push_back(0);
    // Rows of a diagonal block, from its lower triangle; `lower` asks for columns up to the row, otherwise from it on.
    const auto diagonal = [&](const double* d, std::int64_t first, int r) {
        const int from = which == half::lower ? 0 : r, to = which == half::lower ? r : n - 1;
        for (int c = from; c <= to; ++c) detail::push(m, first + c, d[std::max(r, c) + n * std::min(r, c)]);
    };
    for (std::int64_t i = 0; i < M; ++i) {
        for (std::int64_t s = 0; s < N; ++s) {
            const std::int64_t at = (i * N + s) * n;
            const double* d = k.diagonal + (i * N + s) * block;
            const double* before = k.lower + (i * (N - 1) + s - 1) * block;
            const double* after = k.lower + (i * (N - 1) + s) * block;
            const double* to_root = k.coupling + i * block;
            for (int r = 0; r < n; ++r) {
                if (which == half::lower && s > 0)
                    for (int c = 0; c < n; ++c) detail::push(m, at - n + c, before[r + n * c]);
                diagonal(d, at, r);
                if (which == half::upper && s + 1 < N)
                    for (int c = 0; c < n; ++c) detail::push(m, at + n + c, after[c + n * r]);
                if (which == half::upper && s == 0)
                    for (int c = 0; c < n; ++c) detail::push(m, root + c, to_root[c + n * r]);
                detail::end_row(m);
            }
        }
    }
    for (int r = 0; r < n; ++r) {
        if (which == half::lower)
            for (std::int64_t i = 0; i < M; ++i)
                for (int c = 0; c < n; ++c) detail::push(m, i * N * n + c, k.coupling[i * block + r + n * c]);
        diagonal(k.root, root, r);
        detail::end_row(m);
    }
    return m;
}

/// From the free end of every tail to the root: no fill outside the blocks, N dependent steps.
/// Entry p is the unknown that is eliminated as the p-th.
template <int n>
std::vector<int> chain_order(shoal::arrow::extent size) {
    std::vector<int> order;
    order.reserve(static_cast<std::size_t>(shoal::arrow::unknowns(size, n)));
    for (int i = 0; i < size.tails; ++i)
        for (int s = size.stages - 1; s >= 0; --s)
            for (int r = 0; r < n; ++r) order.push_back((i * size.stages + s) * n + r);
    for (int r = 0; r < n; ++r) order.push_back(size.tails * size.stages * n + r);
    return order;
}

/// Tail by tail: every other stage from the free end, then every other of the rest, ..., x_1 last; then the root. More
/// fill than the chain, ceil(log2 N) + 1 dependent steps. Entry p is the unknown that is eliminated as the p-th.
template <int n>
std::vector<int> nested_order(shoal::arrow::extent size) {
    std::vector<int> order;
    order.reserve(static_cast<std::size_t>(shoal::arrow::unknowns(size, n)));
    const auto stage = [&](int i, std::int64_t from_end) {
        const int s = size.stages - static_cast<int>(from_end);
        for (int r = 0; r < n; ++r) order.push_back((i * size.stages + s) * n + r);
    };
    for (int i = 0; i < size.tails; ++i) {
        for (std::int64_t step = 1; step < size.stages; step *= 2)
            for (std::int64_t j = step; j < size.stages; j += 2 * step) stage(i, j);
        stage(i, size.stages);
    }
    for (int r = 0; r < n; ++r) order.push_back(size.tails * size.stages * n + r);
    return order;
}

}  // namespace shoal_bench
