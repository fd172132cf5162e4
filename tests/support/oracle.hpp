#pragma once

/// \file
/// What the library is compared with: LAPACK and BLAS, called with one name for float and double, and naive loops
/// for any scalar type, long double in particular.

#include "support/dense.hpp"

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#define SHOAL_TEST_LAPACK(T, p)                                                                             \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,           \
                const int*, const T*, const int*, const T*, T*, const int*);                                \
  void p##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, \
                T*, const int*);                                                                            \
  void p##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*,  \
                const T*, T*, const int*);                                                                  \
  void p##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*,       \
                const T*, const int*, T*, const int*);                                                      \
  void p##trmm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*,       \
                const T*, const int*, T*, const int*);                                                      \
  void p##potrf_(const char*, const int*, T*, const int*, int*);                                            \
  void p##potrs_(const char*, const int*, const int*, const T*, const int*, T*, const int*, int*);          \
  void p##posv_(const char*, const int*, const int*, T*, const int*, T*, const int*, int*);                 \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                       \
  void p##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*,     \
                 int*);                                                                                     \
  void p##gesv_(const int*, const int*, T*, const int*, int*, T*, const int*, int*);                        \
  void p##syev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*)

extern "C" {
SHOAL_TEST_LAPACK(float, s);
SHOAL_TEST_LAPACK(double, d);
}
#undef SHOAL_TEST_LAPACK

namespace shoal::support {

/// LAPACK and BLAS on `dense` matrices. Arguments in their order, sizes and leading dimensions taken from the
/// matrices; `info` is returned.
namespace lapack {

#define SHOAL_TEST_CALL(p_name, ...)        \
  do {                                      \
    if constexpr (std::is_same_v<T, float>) \
      s##p_name##_(__VA_ARGS__);            \
    else                                    \
      d##p_name##_(__VA_ARGS__);            \
  } while (false)

namespace detail {
template <class T>
int leading(const dense<T>& a) {
    return a.rows() > 1 ? a.rows() : 1;
}
}  // namespace detail

/// C := alpha * op(A) * op(B) + beta * C
template <class T>
void gemm(char trans_a, char trans_b, T alpha, const dense<T>& a, const dense<T>& b, T beta, dense<T>& c) {
    const int m = c.rows(), n = c.cols(), k = trans_a == 'N' ? a.cols() : a.rows();
    const int lda = detail::leading(a), ldb = detail::leading(b), ldc = detail::leading(c);
    SHOAL_TEST_CALL(gemm, &trans_a, &trans_b, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta,
                    c.data(), &ldc);
}

/// C := alpha * A * A^T + beta * C ('N') or alpha * A^T * A + beta * C ('T'), one triangle of C
template <class T>
void syrk(char uplo, char trans, T alpha, const dense<T>& a, T beta, dense<T>& c) {
    const int n = c.rows(), k = trans == 'N' ? a.cols() : a.rows();
    const int lda = detail::leading(a), ldc = detail::leading(c);
    SHOAL_TEST_CALL(syrk, &uplo, &trans, &n, &k, &alpha, a.data(), &lda, &beta, c.data(), &ldc);
}

/// y := alpha * op(A) * x + beta * y
template <class T>
void gemv(char trans, T alpha, const dense<T>& a, const dense<T>& x, T beta, dense<T>& y) {
    const int m = a.rows(), n = a.cols(), lda = detail::leading(a), one = 1;
    SHOAL_TEST_CALL(gemv, &trans, &m, &n, &alpha, a.data(), &lda, x.data(), &one, &beta, y.data(), &one);
}

/// B := alpha * op(A)^-1 * B ('L') or alpha * B * op(A)^-1 ('R'), A triangular
template <class T>
void trsm(char side, char uplo, char trans, char diag, T alpha, const dense<T>& a, dense<T>& b) {
    const int m = b.rows(), n = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    SHOAL_TEST_CALL(trsm, &side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, b.data(), &ldb);
}

/// B := alpha * op(A) * B ('L') or alpha * B * op(A) ('R'), A triangular
template <class T>
void trmm(char side, char uplo, char trans, char diag, T alpha, const dense<T>& a, dense<T>& b) {
    const int m = b.rows(), n = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    SHOAL_TEST_CALL(trmm, &side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, b.data(), &ldb);
}

/// A = L L^T ('L') or U^T U ('U') in place
template <class T>
int potrf(char uplo, dense<T>& a) {
    const int n = a.rows(), lda = detail::leading(a);
    int info = 0;
    SHOAL_TEST_CALL(potrf, &uplo, &n, a.data(), &lda, &info);
    return info;
}

/// B := A^-1 B from the factor of `potrf`
template <class T>
int potrs(char uplo, const dense<T>& a, dense<T>& b) {
    const int n = a.rows(), nrhs = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    int info = 0;
    SHOAL_TEST_CALL(potrs, &uplo, &n, &nrhs, a.data(), &lda, b.data(), &ldb, &info);
    return info;
}

/// B := A^-1 B; A becomes its factor
template <class T>
int posv(char uplo, dense<T>& a, dense<T>& b) {
    const int n = a.rows(), nrhs = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    int info = 0;
    SHOAL_TEST_CALL(posv, &uplo, &n, &nrhs, a.data(), &lda, b.data(), &ldb, &info);
    return info;
}

/// P A = L U in place; pivots 1-based
template <class T>
int getrf(dense<T>& a, std::vector<int>& pivots) {
    const int m = a.rows(), n = a.cols(), lda = detail::leading(a);
    pivots.assign(static_cast<std::size_t>(m < n ? m : n), 0);
    int info = 0;
    SHOAL_TEST_CALL(getrf, &m, &n, a.data(), &lda, pivots.data(), &info);
    return info;
}

/// B := op(A)^-1 B from the factors of `getrf`
template <class T>
int getrs(char trans, const dense<T>& a, const std::vector<int>& pivots, dense<T>& b) {
    const int n = a.rows(), nrhs = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    int info = 0;
    SHOAL_TEST_CALL(getrs, &trans, &n, &nrhs, a.data(), &lda, pivots.data(), b.data(), &ldb, &info);
    return info;
}

/// B := A^-1 B; A becomes its factors
template <class T>
int gesv(dense<T>& a, std::vector<int>& pivots, dense<T>& b) {
    const int n = a.rows(), nrhs = b.cols(), lda = detail::leading(a), ldb = detail::leading(b);
    pivots.assign(static_cast<std::size_t>(n), 0);
    int info = 0;
    SHOAL_TEST_CALL(gesv, &n, &nrhs, a.data(), &lda, pivots.data(), b.data(), &ldb, &info);
    return info;
}

/// Eigenvalues in ascending order; with jobz 'V' the eigenvectors replace A
template <class T>
int syev(char jobz, char uplo, dense<T>& a, dense<T>& w) {
    const int n = a.rows(), lda = detail::leading(a), lwork = 40 * n + 40;
    w = dense<T>(n, 1);
    dense<T> work(lwork, 1);
    int info = 0;
    SHOAL_TEST_CALL(syev, &jobz, &uplo, &n, a.data(), &lda, w.data(), work.data(), &lwork, &info);
    return info;
}

#undef SHOAL_TEST_CALL

}  // namespace lapack

/// The textbook, without a thought for speed.
namespace naive {

/// alpha * A * B + beta * C; beta == 0 does not read C
template <class T>
dense<T> gemm(T alpha, const dense<T>& a, const dense<T>& b, T beta, const dense<T>& c) {
    return dense<T>::from(a.rows(), b.cols(), [&](int i, int j) {
        T s = 0;
        for (int k = 0; k < a.cols(); ++k) s += a(i, k) * b(k, j);
        return beta == T(0) ? alpha * s : alpha * s + beta * c(i, j);
    });
}

/// X with T X = B, T lower triangular (its upper triangle is not read)
template <class T>
dense<T> solve_lower(const dense<T>& l, dense<T> b) {
    for (int c = 0; c < b.cols(); ++c)
        for (int i = 0; i < l.rows(); ++i) {
            for (int k = 0; k < i; ++k) b(i, c) -= l(i, k) * b(k, c);
            b(i, c) /= l(i, i);
        }
    return b;
}

/// X with T X = B, T upper triangular (its lower triangle is not read)
template <class T>
dense<T> solve_upper(const dense<T>& u, dense<T> b) {
    for (int c = 0; c < b.cols(); ++c)
        for (int i = u.rows() - 1; i >= 0; --i) {
            for (int k = i + 1; k < u.rows(); ++k) b(i, c) -= u(i, k) * b(k, c);
            b(i, c) /= u(i, i);
        }
    return b;
}

/// The Cholesky factor of the lower triangle of A, zeros above; info as in LAPACK
template <class T>
int potrf(dense<T>& a) {
    for (int j = 0; j < a.cols(); ++j) {
        T d = a(j, j);
        for (int k = 0; k < j; ++k) d -= a(j, k) * a(j, k);
        if (!(d > 0)) return j + 1;
        a(j, j) = std::sqrt(d);
        for (int i = j + 1; i < a.rows(); ++i) {
            T s = a(i, j);
            for (int k = 0; k < j; ++k) s -= a(i, k) * a(j, k);
            a(i, j) = s / a(j, j);
        }
        for (int i = 0; i < j; ++i) a(i, j) = 0;
    }
    return 0;
}

/// X with A X = B, by elimination with partial pivoting
template <class T>
dense<T> solve(dense<T> a, dense<T> b) {
    const int n = a.rows();
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
        for (int j = 0; j < n; ++j) std::swap(a(k, j), a(p, j));
        for (int j = 0; j < b.cols(); ++j) std::swap(b(k, j), b(p, j));
        for (int i = k + 1; i < n; ++i) {
            const T f = a(i, k) / a(k, k);
            for (int j = k; j < n; ++j) a(i, j) -= f * a(k, j);
            for (int j = 0; j < b.cols(); ++j) b(i, j) -= f * b(k, j);
        }
    }
    return solve_upper(a, std::move(b));
}

}  // namespace naive
}  // namespace shoal::support
