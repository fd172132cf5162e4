#pragma once

/// \file
/// Block elimination of an arrow system with plain loops, as an oracle that shares nothing with arrow/.

#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/arrow/types.hpp>

namespace mpc_test {

class reference_solver {
  public:
    static constexpr int n = 16;

    explicit reference_solver(shoal::arrow::extent e)
        : e_(e),
          L_(std::size_t(e.tails) * e.stages * n * n),
          B_(L_.size()),
          F_(std::size_t(e.tails) * n * n),
          R_(n * n) {}

    // Eliminates x_N first, x_1 last, then the root.
    shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) {
        std::copy(K.root, K.root + n * n, R_.begin());
        for (int i = 0; i < e_.tails; ++i) {
            for (int k = e_.stages - 1; k >= 0; --k) {
                double* L = block(L_, i, k);
                const double* D = K.diagonal + (std::int64_t{i} * e_.stages + k) * n * n;
                std::copy(D, D + n * n, L);
                if (k + 1 < e_.stages) {
                    double* B = block(B_, i, k);
                    const double* E = K.lower + (std::int64_t{i} * (e_.stages - 1) + k) * n * n;
                    std::copy(E, E + n * n, B);
                    lower_solve_columns(block(L_, i, k + 1), B);
                    subtract_gram(B, L);
                }
                if (int pivot = cholesky(L)) return {i, k + 1, pivot};
            }
            double* F = F_.data() + std::int64_t{i} * n * n;
            const double* C = K.coupling + std::int64_t{i} * n * n;
            for (int r = 0; r < n; ++r)
                for (int c = 0; c < n; ++c) F[r * n + c] = C[c * n + r];
            lower_solve_columns(block(L_, i, 0), F);
            subtract_gram(F, R_.data());
        }
        if (int pivot = cholesky(R_.data())) return {-1, 0, pivot};
        return {0, 0, 0};
    }

    void solve(double* b) const {
        double* b0 = b + std::int64_t{e_.tails} * e_.stages * n;
        for (int i = 0; i < e_.tails; ++i) {
            for (int k = e_.stages - 1; k >= 0; --k) {
                double* x = b + (std::int64_t{i} * e_.stages + k) * n;
                if (k + 1 < e_.stages) subtract_transposed(block(B_, i, k), x + n, x);
                forward(block(L_, i, k), x);
            }
            subtract_transposed(F_.data() + std::int64_t{i} * n * n, b + std::int64_t{i} * e_.stages * n, b0);
        }
        forward(R_.data(), b0);
        backward(R_.data(), b0);
        for (int i = 0; i < e_.tails; ++i) {
            double* x = b + std::int64_t{i} * e_.stages * n;
            subtract(F_.data() + std::int64_t{i} * n * n, b0, x);
            backward(block(L_, i, 0), x);
            for (int k = 1; k < e_.stages; ++k) {
                subtract(block(B_, i, k - 1), x + (k - 1) * n, x + k * n);
                backward(block(L_, i, k), x + k * n);
            }
        }
    }

  private:
    double* block(std::vector<double>& v, int i, int k) const {
        return v.data() + (std::int64_t{i} * e_.stages + k) * n * n;
    }
    const double* block(const std::vector<double>& v, int i, int k) const {
        return v.data() + (std::int64_t{i} * e_.stages + k) * n * n;
    }

    static int cholesky(double* A) {
        for (int c = 0; c < n; ++c) {
            for (int j = 0; j < c; ++j)
                for (int r = c; r < n; ++r) A[c * n + r] -= A[j * n + r] * A[j * n + c];
            if (!(A[c * n + c] > 0) || std::isinf(A[c * n + c])) return c + 1;
            const double d = std::sqrt(A[c * n + c]);
            for (int r = c; r < n; ++r) A[c * n + r] /= d;
        }
        return 0;
    }
    static void forward(const double* L, double* x) {
        for (int c = 0; c < n; ++c) {
            x[c] /= L[c * n + c];
            for (int r = c + 1; r < n; ++r) x[r] -= L[c * n + r] * x[c];
        }
    }
    static void backward(const double* L, double* x) {
        for (int c = n - 1; c >= 0; --c) {
            for (int r = c + 1; r < n; ++r) x[c] -= L[c * n + r] * x[r];
            x[c] /= L[c * n + c];
        }
    }
    // B := L^-1 B
    static void lower_solve_columns(const double* L, double* B) {
        for (int c = 0; c < n; ++c) forward(L, B + c * n);
    }
    // A -= B' B
    static void subtract_gram(const double* B, double* A) {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r)
                for (int j = 0; j < n; ++j) A[c * n + r] -= B[r * n + j] * B[c * n + j];
    }
    // y -= B' x
    static void subtract_transposed(const double* B, const double* x, double* y) {
        for (int c = 0; c < n; ++c)
            for (int j = 0; j < n; ++j) y[c] -= B[c * n + j] * x[j];
    }
    // y -= B x
    static void subtract(const double* B, const double* x, double* y) {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r) y[r] -= B[c * n + r] * x[c];
    }

    shoal::arrow::extent e_;
    std::vector<double> L_, B_, F_, R_;
};

}  // namespace mpc_test
