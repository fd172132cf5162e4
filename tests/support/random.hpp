#pragma once

/// \file
/// Random test data that is the same with every standard library.

#include "support/dense.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace shoal::support {

/// splitmix64.
class random_stream {
  public:
    explicit random_stream(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// In [0, 1).
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * unit(); }
    /// first .. last, both included.
    int integer(int first, int last) {
        return first + static_cast<int>(bits() % static_cast<std::uint64_t>(last - first + 1));
    }
    double normal() {
        const double u = 1 - unit();
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * unit());
    }

  private:
    std::uint64_t state_;
};

/// Elements uniform in [-1, 1).
template <class T>
dense<T> random_matrix(int rows, int cols, random_stream& r) {
    return dense<T>::from(rows, cols, [&](int, int) { return r.uniform(-1, 1); });
}

/// Whole numbers from -3 to 3: sums of products of these have no rounding error, in any order.
template <class T>
dense<T> random_integers(int rows, int cols, random_stream& r) {
    return dense<T>::from(rows, cols, [&](int, int) { return r.integer(-3, 3); });
}

/// A random orthogonal matrix: a product of Householder reflections.
inline dense<double> random_orthogonal(int n, random_stream& r) {
    auto q = dense<double>::identity(n);
    for (int k = 0; k + 1 < n; ++k) {
        dense<double> v(n, 1);
        double vv = 0;
        for (int i = k; i < n; ++i) {
            v(i) = r.normal();
            vv += v(i) * v(i);
        }
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int i = k; i < n; ++i) s += v(i) * q(i, j);
            for (int i = k; i < n; ++i) q(i, j) -= 2 * s / vv * v(i);
        }
    }
    return q;
}

/// Symmetric with the given eigenvalues (up to rounding), both triangles filled.
template <class T>
dense<T> symmetric_with_eigenvalues(const dense<double>& w, random_stream& r) {
    const int n = w.rows();
    const auto q = random_orthogonal(n, r);
    dense<T> a(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            double s = 0;
            for (int k = 0; k < n; ++k) s += q(i, k) * w(k) * q(j, k);
            a(i, j) = a(j, i) = static_cast<T>(s);
        }
    return a;
}

/// Symmetric positive definite: eigenvalues spread evenly in the logarithm from 1 down to 1 / condition.
template <class T>
dense<T> random_spd(int n, double condition, random_stream& r) {
    const auto w = dense<double>::from(n, 1, [&](int i, int) {
        return n == 1 ? 1.0 : std::pow(condition, -static_cast<double>(i) / (n - 1));
    });
    return symmetric_with_eigenvalues<T>(w, r);
}

/// General with the given condition number: singular values spread like the eigenvalues of `random_spd`.
template <class T>
dense<T> random_general(int n, double condition, random_stream& r) {
    const auto u = random_orthogonal(n, r);
    const auto v = random_orthogonal(n, r);
    return dense<T>::from(n, n, [&](int i, int j) {
        double s = 0;
        for (int k = 0; k < n; ++k)
            s += u(i, k) * (n == 1 ? 1.0 : std::pow(condition, -static_cast<double>(k) / (n - 1))) * v(j, k);
        return s;
    });
}

/// Lower triangular and well conditioned; above the diagonal zeros.
template <class T>
dense<T> random_lower(int n, random_stream& r) {
    return dense<T>::from(n, n, [&](int i, int j) {
        if (i < j) return 0.0;
        const double x = r.uniform(-1, 1);
        return i == j ? (x < 0 ? x - 1 : x + 1) : x / std::sqrt(static_cast<double>(n));
    });
}

/// A lower triangular L of whole numbers, powers of two on its diagonal: L * L^T, its Cholesky factorisation and
/// solves with L have no rounding error for moderate n.
template <class T>
dense<T> integer_cholesky_factor(int n, random_stream& r) {
    return dense<T>::from(n, n, [&](int i, int j) {
        return i < j ? 0 : i == j ? 1 << r.integer(0, 2) : r.integer(-2, 2);
    });
}

}  // namespace shoal::support
