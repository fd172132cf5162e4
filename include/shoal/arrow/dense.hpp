#pragma once

#include <cstdint>
#include <vector>

#include <shoal/arrow/plan.hpp>
#include <shoal/arrow/types.hpp>

namespace shoal::arrow {

/// K as one dense symmetric matrix, column-major, both triangles, unknowns in the order of the right-hand side.
/// For tests and small problems: (n (M N + 1))^2 numbers.
template <class T, int n>
std::vector<T> dense(extent size, matrix_view<const T> k) {
    constexpr std::int64_t block = n * n;
    const std::int64_t total = unknowns(size, n);
    std::vector<T> full(static_cast<std::size_t>(total * total), T(0));
    const auto put = [&](std::int64_t row, std::int64_t column, const T* from) {
        for (int j = 0; j < n; ++j) {
            // Of a block on the diagonal the lower triangle alone counts.
            for (int i = row == column ? j : 0; i < n; ++i) {
                full[static_cast<std::size_t>(row + i + total * (column + j))] = from[i + n * j];
                full[static_cast<std::size_t>(column + j + total * (row + i))] = from[i + n * j];
            }
        }
    };
    const std::int64_t root = total - n;
    put(root, root, k.root);
    for (std::int64_t t = 0; t < size.tails; ++t) {
        for (int s = 0; s < size.stages; ++s) {
            const std::int64_t at = (t * size.stages + s) * n;
            put(at, at, k.diagonal + (t * size.stages + s) * block);
            if (s + 1 < size.stages) put(at + n, at, k.lower + (t * (size.stages - 1) + s) * block);
        }
        put(root, t * size.stages * n, k.coupling + t * block);
    }
    return full;
}

/// Where each unknown stands when the stages are put in the plan's order of elimination, tail after tail, root last:
/// unknown `result[p]` of the right-hand side is number p of the permuted one.
inline std::vector<std::int64_t> permutation(extent size, int n, const plan& p) {
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(unknowns(size, n)));
    const auto append = [&](std::int64_t first) {
        for (int i = 0; i < n; ++i) order.push_back(first + i);
    };
    for (std::int64_t t = 0; t < size.tails; ++t) {
        for (const step& s : p.steps) append((t * size.stages + stage_of(size.stages, s.node)) * n);
    }
    append(unknowns(size, n) - n);
    return order;
}

}  // namespace shoal::arrow
