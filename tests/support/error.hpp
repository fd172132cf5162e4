#pragma once

/// \file
/// Error measures, in units of what rounding explains. None of them can be fooled by a NaN: a maximum taken with `>`
/// skips NaNs, so maxima go through `worst`, which keeps the first NaN, and limits through `within`, which no NaN
/// passes.

#include "support/bits.hpp"
#include "support/dense.hpp"
#include "support/oracle.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace shoal::support {

using wide = long double;

/// The largest number added, or NaN as soon as one was a NaN.
class worst {
  public:
    void add(wide x) {
        if (!std::isnan(value_) && !(x <= value_)) value_ = x;
    }
    wide value() const { return value_; }

  private:
    wide value_ = 0;
};

/// Passes if error <= limit; a NaN never does.
inline testing::AssertionResult within(double error, double limit) {
    if (error <= limit) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "error " << error << " exceeds " << limit;
}

/// Every element, bit for bit.
template <class T>
testing::AssertionResult bits_equal(const dense<T>& a, const dense<T>& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return testing::AssertionFailure() << "shapes differ";
    for (int j = 0; j < a.cols(); ++j)
        for (int i = 0; i < a.rows(); ++i)
            if (!same_bits(a(i, j), b(i, j)))
                return testing::AssertionFailure()
                       << "element (" << i << ", " << j << "): " << show_bits(a(i, j)) << " is not "
                       << show_bits(b(i, j));
    return testing::AssertionSuccess();
}

template <class T>
bool has_nan(const dense<T>& a) {
    for (int j = 0; j < a.cols(); ++j)
        for (int i = 0; i < a.rows(); ++i)
            if (std::isnan(a(i, j))) return true;
    return false;
}

/// Frobenius norm; NaN if any element is.
template <class T>
wide norm(const dense<T>& a) {
    wide s = 0;
    for (int j = 0; j < a.cols(); ++j)
        for (int i = 0; i < a.rows(); ++i) s += static_cast<wide>(a(i, j)) * static_cast<wide>(a(i, j));
    return std::sqrt(s);
}

namespace detail {

/// numerator / denominator, where 0 / 0 is no error and x / 0 an infinite one.
inline wide ratio(wide numerator, wide denominator) {
    if (numerator == 0 && denominator == 0) return 0;
    return numerator / denominator;
}

/// The largest |got - exact| / (terms * eps * scale), element by element.
template <class T>
double componentwise(const dense<T>& got, const dense<wide>& exact, const dense<wide>& scale, int terms) {
    if (got.rows() != exact.rows() || got.cols() != exact.cols())
        return std::numeric_limits<double>::quiet_NaN();
    const wide unit = static_cast<wide>(terms) * std::numeric_limits<T>::epsilon();
    worst w;
    for (int j = 0; j < got.cols(); ++j)
        for (int i = 0; i < got.rows(); ++i)
            w.add(ratio(std::abs(static_cast<wide>(got(i, j)) - exact(i, j)), unit * scale(i, j)));
    return static_cast<double>(w.value());
}

template <class T>
dense<wide> absolute(const dense<T>& a) {
    return dense<wide>::from(a.rows(), a.cols(),
                             [&](int i, int j) { return std::abs(static_cast<wide>(a(i, j))); });
}

}  // namespace detail

/// ||got - exact||_F / ||exact||_F.
template <class T, class U>
double relative_error(const dense<T>& got, const dense<U>& exact) {
    if (got.rows() != exact.rows() || got.cols() != exact.cols())
        return std::numeric_limits<double>::quiet_NaN();
    const auto d = dense<wide>::from(got.rows(), got.cols(), [&](int i, int j) {
        return static_cast<wide>(got(i, j)) - static_cast<wide>(exact(i, j));
    });
    return static_cast<double>(detail::ratio(norm(d), norm(exact)));
}

/// C against alpha * A * B + beta * C0, element by element, in units of (k + 2) * eps * (|alpha| |A| |B| + |beta| |C0|).
/// Any order of summation stays below 1. beta == 0 does not read C0.
template <class T>
double product_error(T alpha, const dense<T>& a, const dense<T>& b, T beta, const dense<T>& c0,
                     const dense<T>& c) {
    const auto exact =
        naive::gemm<wide>(alpha, a.template as<wide>(), b.template as<wide>(), beta, c0.template as<wide>());
    const auto scale = naive::gemm<wide>(std::abs(alpha), detail::absolute(a), detail::absolute(b),
                                         std::abs(beta), detail::absolute(c0));
    return detail::componentwise(c, exact, scale, a.cols() + 2);
}

/// ||A - L L^T||_F / (n * eps * ||A||_F) for a Cholesky factor L (only its lower triangle is read).
template <class T>
double cholesky_error(const dense<T>& a, const dense<T>& factor) {
    const auto l = lower_part(factor).template as<wide>();
    const auto back = naive::gemm<wide>(1, l, transpose(l), 0, l);
    const wide unit = static_cast<wide>(a.rows()) * std::numeric_limits<T>::epsilon();
    return static_cast<double>(static_cast<wide>(relative_error(back, a)) / (a.rows() == 0 ? 1 : unit));
}

/// The largest over the columns of ||b - A x||_inf / (n * eps * (||A||_inf ||x||_inf + ||b||_inf)): the normwise
/// backward error of A X = B. For a triangular solve give the triangle with zeros elsewhere.
template <class T>
double solve_error(const dense<T>& a, const dense<T>& x, const dense<T>& b) {
    const int n = a.rows();
    worst norm_a;
    for (int i = 0; i < n; ++i) {
        wide s = 0;
        for (int j = 0; j < n; ++j) s += std::abs(static_cast<wide>(a(i, j)));
        norm_a.add(s);
    }
    worst all;
    for (int c = 0; c < b.cols(); ++c) {
        worst r;
        worst norm_x;
        worst norm_b;
        for (int i = 0; i < n; ++i) {
            wide s = b(i, c);
            for (int j = 0; j < n; ++j) s -= static_cast<wide>(a(i, j)) * static_cast<wide>(x(j, c));
            r.add(std::abs(s));
            norm_x.add(std::abs(static_cast<wide>(x(i, c))));
            norm_b.add(std::abs(static_cast<wide>(b(i, c))));
        }
        const wide unit = static_cast<wide>(n) * std::numeric_limits<T>::epsilon();
        all.add(detail::ratio(r.value(), unit * (norm_a.value() * norm_x.value() + norm_b.value())));
    }
    return static_cast<double>(all.value());
}

/// ||P A - L U||_F / (n * eps * ||A||_F) for a factorisation with partial pivoting as LAPACK stores it; row i was
/// swapped with row pivots[i] (0-based).
template <class T>
double lu_error(const dense<T>& a, const dense<T>& factors, const int* pivots) {
    auto pa = a;
    for (int i = 0; i < a.rows() && i < a.cols(); ++i)
        for (int j = 0; j < a.cols(); ++j) std::swap(pa(i, j), pa(pivots[i], j));
    const auto l = with_unit_diagonal(lower_part(factors)).template as<wide>();
    const auto u = upper_part(factors).template as<wide>();
    const wide unit = static_cast<wide>(a.rows()) * std::numeric_limits<T>::epsilon();
    return static_cast<double>(static_cast<wide>(relative_error(naive::gemm<wide>(1, l, u, 0, l), pa)) /
                               (a.rows() == 0 ? 1 : unit));
}

}  // namespace shoal::support
