#pragma once

/// \file
/// Random block-arrow problems, and what they are compared with: the dense matrix, factored by naive loops in the
/// documented order, and by LAPACK.

#include "support/oracle.hpp"
#include "support/random.hpp"

#include <cstdint>
#include <vector>

#include <shoal/arrow/dense.hpp>
#include <shoal/arrow/host_solver.hpp>
#include <shoal/arrow/residual.hpp>
#include <shoal/arrow/storage.hpp>

namespace shoal::arrow::testing {

using support::dense;
using support::random_stream;

/// Random and well conditioned: diagonally dominant by a small margin. What is not to be read holds NaN.
template <class T, int n>
storage<T, n> random_problem(extent size, random_stream& r) {
    storage<T, n> k(size);
    const auto coupling = [&](auto block) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) block(i, j) = static_cast<T>(r.uniform(-1, 1));
        }
    };
    const auto diagonal = [&](auto block, double dominance) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                block(i, j) =
                    static_cast<T>(i < j ? std::nan("") : r.uniform(-1, 1) + (i == j ? dominance : 0));
            }
        }
    };
    for (int i = 0; i < size.tails; ++i) {
        for (int s = 0; s < size.stages; ++s) diagonal(k.diagonal(i, s), 2.0 * n);
        for (int s = 0; s + 1 < size.stages; ++s) coupling(k.lower(i, s));
        coupling(k.coupling(i));
    }
    diagonal(k.root(), n * (0.6 * size.tails + 2.0));
    return k;
}

template <class T>
std::vector<T> random_vector(std::int64_t count, random_stream& r) {
    std::vector<T> v(static_cast<std::size_t>(count));
    for (T& x : v) x = static_cast<T>(r.uniform(-1, 1));
    return v;
}

/// b := K x for x = ones, in long double.
template <class T, int n>
std::vector<T> times_ones(const storage<T, n>& k) {
    const auto full = arrow::dense<T, n>(k.size(), k.view());
    const auto total = static_cast<std::size_t>(k.unknowns());
    std::vector<T> b(total);
    for (std::size_t i = 0; i < total; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < total; ++j) sum += full[i + total * j];
        b[i] = static_cast<T>(sum);
    }
    return b;
}

/// |b - K x| / (|K| |x| + |b|) with the residual in long double, in units of the rounding of T.
template <class T, int n>
double backward_units(const storage<T, n>& k, const T* x, const T* b) {
    const auto full = arrow::dense<T, n>(k.size(), k.view());
    const auto total = static_cast<std::size_t>(k.unknowns());
    long double residual = 0, of_k = 0, of_x = 0, of_b = 0;
    for (std::size_t i = 0; i < total; ++i) {
        long double sum = b[i], row = 0;
        for (std::size_t j = 0; j < total; ++j) {
            sum -= static_cast<long double>(full[i + total * j]) * x[j];
            row += std::fabs(static_cast<long double>(full[i + total * j]));
        }
        if (!(std::fabs(sum) <= residual)) residual = std::fabs(sum);
        of_k = std::max(of_k, row);
        of_x = std::max(of_x, std::fabs(static_cast<long double>(x[i])));
        of_b = std::max(of_b, std::fabs(static_cast<long double>(b[i])));
    }
    return static_cast<double>(residual / (of_k * of_x + of_b) / std::numeric_limits<T>::epsilon());
}

/// The same for LAPACK's posv on the dense matrix: the level to be at.
template <class T, int n>
double lapack_backward_units(const storage<T, n>& k, const std::vector<T>& b) {
    const int total = static_cast<int>(k.unknowns());
    const auto full = arrow::dense<T, n>(k.size(), k.view());
    auto a = dense<T>::from(total, total,
                            [&](int i, int j) { return full[static_cast<std::size_t>(i + total * j)]; });
    auto x = dense<T>::from(total, 1, [&](int i, int) { return b[static_cast<std::size_t>(i)]; });
    if (support::lapack::posv('L', a, x) != 0) return std::numeric_limits<double>::infinity();
    return backward_units(k, x.data(), b.data());
}

}  // namespace shoal::arrow::testing
