#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <shoal/arrow/types.hpp>
#include <shoal/fast/host_sweep.hpp>

namespace shoal::arrow {

namespace detail {

/// y := y - D x, D symmetric with its lower triangle stored.
template <class T, int n>
SHOAL_FN void subtract_symmetric(T* y, const T* d, const T* x) {
    for (int j = 0; j < n; ++j) {
        T sum = y[j];
        for (int i = j; i < n; ++i) sum = core::fma(-d[i + n * j], x[i], sum);
        y[j] = sum;
        for (int i = j + 1; i < n; ++i) y[i] = core::fma(-d[i + n * j], x[j], y[i]);
    }
}

}  // namespace detail

/// r := b - K x on the host. b, x and r have n (M N + 1) numbers; r must not overlap x, but may be b.
///
/// Cost: as many operations as K has numbers, times two; K is read once. See types.hpp for the storage.
template <class T, int n>
void residual(extent size, matrix_view<const T> k, const T* x, const T* b, T* r) {
    using isa = fast::isa_native;
    constexpr std::int64_t block = n * n;
    const std::int64_t total = unknowns(size, n);
    const std::int64_t root = total - n;
    for (std::int64_t i = 0; i < total; ++i) r[i] = b[i];
    detail::subtract_symmetric<T, n>(r + root, k.root, x + root);
    for (std::int64_t t = 0; t < size.tails; ++t) {
        const std::int64_t first = t * size.stages;
        for (int s = 0; s < size.stages; ++s) {
            const std::int64_t at = (first + s) * n;
            detail::subtract_symmetric<T, n>(r + at, k.diagonal + (first + s) * block, x + at);
            if (s + 1 == size.stages) continue;
            const T* e = k.lower + (t * (size.stages - 1) + s) * block;
            fast::block_subtract_product<isa, T, n, 1>(r + at + n, 0, e, x + at, 0);
            fast::block_subtract_transposed<isa, T, n, 1>(r + at, 0, e, x + at + n, 0);
        }
        fast::block_subtract_product<isa, T, n, 1>(r + root, 0, k.coupling + t * block, x + first * n, 0);
        fast::block_subtract_transposed<isa, T, n, 1>(r + first * n, 0, k.coupling + t * block, x + root, 0);
    }
}

/// Largest |x_i|; NaN when one of them is NaN.
template <class T>
T max_norm(const T* x, std::int64_t count) {
    T most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const T a = std::fabs(x[i]);
        if (std::isnan(a)) return a;
        if (a > most) most = a;
    }
    return most;
}

/// Largest sum of |K(i, j)| over a row i. `work` has n (M N + 1) numbers.
template <class T, int n>
T max_norm(extent size, matrix_view<const T> k, T* work) {
    constexpr std::int64_t block = n * n;
    const std::int64_t total = unknowns(size, n);
    for (std::int64_t i = 0; i < total; ++i) work[i] = T(0);
    const auto diagonal = [&](const T* d, T* rows) {
        for (int j = 0; j < n; ++j) {
            for (int i = j; i < n; ++i) {
                rows[i] += std::fabs(d[i + n * j]);
                if (i != j) rows[j] += std::fabs(d[i + n * j]);
            }
        }
    };
    const auto coupling = [&](const T* e, T* rows, T* columns) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                rows[i] += std::fabs(e[i + n * j]);
                columns[j] += std::fabs(e[i + n * j]);
            }
        }
    };
    T* root = work + total - n;
    diagonal(k.root, root);
    for (std::int64_t t = 0; t < size.tails; ++t) {
        T* first = work + t * size.stages * n;
        for (int s = 0; s < size.stages; ++s) {
            diagonal(k.diagonal + (t * size.stages + s) * block, first + s * n);
            if (s + 1 < size.stages) {
                coupling(k.lower + (t * (size.stages - 1) + s) * block, first + (s + 1) * n, first + s * n);
            }
        }
        coupling(k.coupling + t * block, root, first);
    }
    return max_norm(work, total);
}

/// |b - K x| / (|K| |x| + |b|) in the max norm: by how much, relatively, K and b must change for x to be exact.
///
/// A good solution has a few units of rounding, whatever the condition of K. 0 when the residual is 0, even if all is 0;
/// NaN when x or K has NaN. `work` has n (M N + 1) numbers.
template <class T, int n>
T backward_error(extent size, matrix_view<const T> k, const T* x, const T* b, T* work) {
    const std::int64_t total = unknowns(size, n);
    const T scale = max_norm<T, n>(size, k, work) * max_norm(x, total) + max_norm(b, total);
    residual<T, n>(size, k, x, b, work);
    const T r = max_norm(work, total);
    return r == T(0) ? T(0) : r / scale;
}

}  // namespace shoal::arrow
