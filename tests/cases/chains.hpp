#pragma once

/// \file
/// The orders of operations that the ops document, written out naively: what every group, layout and extent must give
/// to the bit.

#include "support/dense.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace shoal::support::chain {

/// 32 strided partial sums of fused multiply-adds, then halves added to halves.
template <class T>
T dot(const dense<T>& x, const dense<T>& y) {
    T part[32];
    std::fill(part, part + 32, T(-0.0));
    for (int i = 0; i < x.rows(); ++i) part[i % 32] = std::fma(x(i), y(i), part[i % 32]);
    for (int half = 16; half > 0; half /= 2)
        for (int p = 0; p < half; ++p) part[p] += part[p + half];
    return part[0] + T(0);
}

/// dot() of the vector scaled by a power of two, its root scaled back.
template <class T>
T nrm2(const dense<T>& x) {
    T largest = 0;
    for (int i = 0; i < x.rows(); ++i) largest = std::max(largest, std::abs(x(i)));
    if (largest == T(0)) return T(0);
    const int e = std::ilogb(largest);
    const auto scaled = dense<T>::from(x.rows(), 1, [&](int i, int) { return std::ldexp(x(i), -e); });
    return std::ldexp(std::sqrt(dot(scaled, scaled)), e);
}

/// The first of the largest in magnitude.
template <class T>
int iamax(const dense<T>& x) {
    int best = x.rows() == 0 ? -1 : 0;
    for (int i = 1; i < x.rows(); ++i)
        if (std::abs(x(i)) > std::abs(x(best))) best = i;
    return best;
}

/// alpha A B + beta C.
template <class T>
dense<T> gemm(T alpha, const dense<T>& a, const dense<T>& b, T beta, const dense<T>& c) {
    return dense<T>::from(c.rows(), c.cols(), [&](int i, int j) {
        T sum = 0;
        if (alpha != T(0))
            for (int k = 0; k < a.cols(); ++k) sum = std::fma(a(i, k), b(k, j), sum);
        return beta == T(0) ? alpha * sum : std::fma(beta, c(i, j), alpha * sum);
    });
}

/// T^-1 B with the triangle of t given by full matrices: `lower` says which one holds the entries.
template <class T>
dense<T> solve(const dense<T>& t, bool lower, bool unit, dense<T> b) {
    const int n = b.rows();
    const auto row = [&](int s) { return lower ? s : n - 1 - s; };
    for (int j = 0; j < b.cols(); ++j)
        for (int s = 0; s < n; ++s) {
            T value = b(row(s), j);
            for (int k = 0; k < s; ++k) value = std::fma(-t(row(s), row(k)), b(row(k), j), value);
            b(row(s), j) = unit ? value : value * (T(1) / t(row(s), row(s)));
        }
    return b;
}

/// The lower factor in place; the triangle above is not touched.
template <class T>
int potrf(dense<T>& a) {
    for (int k = 0; k < a.rows(); ++k) {
        const auto inner = [&](int i) {
            T value = a(i, k);
            for (int l = 0; l < k; ++l) value = std::fma(-a(i, l), a(k, l), value);
            return value;
        };
        const T pivot = inner(k);
        if (!(pivot > 0 && pivot <= std::numeric_limits<T>::max())) return k + 1;
        const T r = T(1) / std::sqrt(pivot);
        for (int i = k + 1; i < a.rows(); ++i) a(i, k) = inner(i) * r;
        a(k, k) = std::sqrt(pivot);
    }
    return 0;
}

/// Partial pivoting in place, 0-based pivots; of numbers only.
template <class T>
int getrf(dense<T>& a, std::vector<int>& pivots) {
    const int n = a.rows();
    int info = 0;
    pivots.assign(static_cast<std::size_t>(n), 0);
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
        pivots[static_cast<std::size_t>(k)] = p;
        for (int j = 0; j < n; ++j) std::swap(a(k, j), a(p, j));
        const T pivot = a(k, k);
        if (info == 0 && !(std::abs(pivot) > 0 && std::abs(pivot) <= std::numeric_limits<T>::max()))
            info = k + 1;
        const bool tiny = std::abs(pivot) < std::numeric_limits<T>::min() * 4;
        for (int i = k + 1; i < n; ++i) {
            if (pivot != T(0)) a(i, k) = tiny ? a(i, k) / pivot : a(i, k) * (T(1) / pivot);
            for (int j = k + 1; j < n; ++j) a(i, j) = std::fma(-a(i, k), a(k, j), a(i, j));
        }
    }
    return info;
}

/// A^-1 B (or A^-T B) from getrf().
template <class T>
dense<T> getrs(const dense<T>& lu, const std::vector<int>& pivots, bool transposed, dense<T> b) {
    const auto swap_rows = [&](int k) {
        for (int j = 0; j < b.cols(); ++j) std::swap(b(k, j), b(pivots[static_cast<std::size_t>(k)], j));
    };
    if (transposed) {
        b = solve(transpose(lu), true, false, b);
        b = solve(transpose(lu), false, true, b);
        for (int k = b.rows() - 1; k >= 0; --k) swap_rows(k);
    } else {
        for (int k = 0; k < b.rows(); ++k) swap_rows(k);
        b = solve(lu, true, true, b);
        b = solve(lu, false, false, b);
    }
    return b;
}

}  // namespace shoal::support::chain
