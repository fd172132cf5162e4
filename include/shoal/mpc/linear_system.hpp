#pragma once

/// \file
/// One block-arrow system with its backend: factor, solve, residual, refinement, and the time that they took.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/batched/executor.hpp>
#include <shoal/mpc/kkt.hpp>

namespace shoal::mpc {

/// Sums over the factorisations and solves since begin().
struct linear_statistics {
    int factorizations = 0;
    int solves = 0;
    int refinements = 0;
    double factor_seconds = 0;
    double solve_seconds = 0;
    double largest_residual =
        0;  ///< max over solves of |K x - b| / (|K| |x| + |b|), max norms, after refinement
};

/// total += part.
inline void add(linear_statistics& total, const linear_statistics& part) {
    total.factorizations += part.factorizations;
    total.solves += part.solves;
    total.refinements += part.refinements;
    total.factor_seconds += part.factor_seconds;
    total.solve_seconds += part.solve_seconds;
    if (!(part.largest_residual <= total.largest_residual)) total.largest_residual = part.largest_residual;
}

/// r -= K x over the rows of tail i; returns the largest |diagonal entry|, a lower bound of |K|. Reads both triangles of
/// the diagonal blocks, which vectorises; every assembly here fills both.
SHOAL_TARGET_CLONES inline double subtract_tail(const arrow_storage& K, const double* x, int i, double* r) {
    const int N = K.shape.stages;
    const std::int64_t root = std::int64_t{K.shape.tails} * N;
    double largest = 0;
    for (int k = 0; k < N; ++k) {
        const std::int64_t b = std::int64_t{i} * N + k;
        const double* D = K.diagonal_block(i, k);
        const double* xb = x + b * stage_size;
        double* rb = r + b * stage_size;
        for (int c = 0; c < stage_size; ++c) {
            largest = std::max(largest, std::abs(D[c * (stage_size + 1)]));
            for (int row = 0; row < stage_size; ++row) rb[row] -= D[c * stage_size + row] * xb[c];
        }
        const double* above = k == 0 ? x + root * stage_size : nullptr;
        if (above) {
            const double* C = K.coupling_block(i);
            for (int c = 0; c < stage_size; ++c) {
                double sum = 0;
                for (int row = 0; row < stage_size; ++row) sum += C[c * stage_size + row] * above[row];
                rb[c] -= sum;
            }
        }
        if (k + 1 == N) break;
        const double* E = K.lower_block(i, k);
        for (int c = 0; c < stage_size; ++c) {
            double sum = 0;
            for (int row = 0; row < stage_size; ++row) {
                rb[stage_size + row] -= E[c * stage_size + row] * xb[c];
                sum += E[c * stage_size + row] * xb[stage_size + row];
            }
            rb[c] -= sum;
        }
    }
    return largest;
}

/// r -= K x over the root's rows; returns the largest |diagonal entry|.
inline double subtract_root(const arrow_storage& K, const double* x, double* r) {
    const int M = K.shape.tails, N = K.shape.stages;
    const std::int64_t root = std::int64_t{M} * N;
    double largest = 0;
    double* r0 = r + root * stage_size;
    const double* x0 = x + root * stage_size;
    for (int c = 0; c < stage_size; ++c) {
        largest = std::max(largest, std::abs(K.root[std::size_t(c * (stage_size + 1))]));
        for (int row = 0; row < stage_size; ++row)
            r0[row] -= K.root[std::size_t(c * stage_size + row)] * x0[c];
    }
    for (int i = 0; i < M; ++i) {
        const double* C = K.coupling_block(i);
        const double* x1 = x + std::int64_t{i} * N * stage_size;
        for (int c = 0; c < stage_size; ++c)
            for (int row = 0; row < stage_size; ++row) r0[row] -= C[c * stage_size + row] * x1[c];
    }
    return largest;
}

/// Backend: info factor(arrow::matrix_view<const double>) and void solve(double* b), both without allocation.
template <class Solver>
class linear_system {
  public:
    linear_system(qp_shape shape, Solver& backend, executor& threads)
        : matrix({shape.scenarios, shape.stages}),
          rhs(std::size_t(shape.blocks()) * stage_size),
          solution(rhs.size()),
          backend_(backend),
          threads_(threads),
          norms_(std::size_t(shape.scenarios)),
          residual_(rhs.size()) {}

    void begin() { statistics_ = {}; }

    arrow::info factor() {
        const auto start = clock::now();
        const arrow::info info = backend_.factor(matrix.view());
        statistics_.factor_seconds += seconds_since(start);
        ++statistics_.factorizations;
        return info;
    }

    /// solution = K^-1 rhs, refined while the backward error is above `refine_above`, at most twice.
    void solve() {
        std::copy(rhs.begin(), rhs.end(), solution.begin());
        timed_solve(solution.data());
        double error = backward_error();
        for (int pass = 0; pass < 2 && error > refine_above; ++pass) {
            timed_solve(residual_.data());
            for (std::size_t j = 0; j < solution.size(); ++j) solution[j] += residual_[j];
            ++statistics_.refinements;
            error = backward_error();
        }
        // NaN counts as the largest residual: max(x, NaN) would keep x.
        if (!(error <= statistics_.largest_residual)) statistics_.largest_residual = error;
    }

    [[nodiscard]] const linear_statistics& statistics() const { return statistics_; }

    arrow_storage matrix;
    std::vector<double> rhs, solution;
    double refine_above = 1e-13;

  private:
    using clock = std::chrono::steady_clock;

    static double seconds_since(clock::time_point start) {
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    void timed_solve(double* b) {
        const auto start = clock::now();
        backend_.solve(b);
        statistics_.solve_seconds += seconds_since(start);
        ++statistics_.solves;
    }

    double backward_error() {
        std::copy(rhs.begin(), rhs.end(), residual_.begin());
        threads_.parallel_for(matrix.shape.tails, [&](std::int64_t i, int) {
            norms_[std::size_t(i)] = subtract_tail(matrix, solution.data(), int(i), residual_.data());
        });
        double norm = subtract_root(matrix, solution.data(), residual_.data());
        for (double n : norms_) norm = std::max(norm, n);
        double r = 0, x = 0, b = 0;
        bool finite = true;
        for (std::size_t j = 0; j < rhs.size(); ++j) {
            r = std::max(r, std::abs(residual_[j]));
            x = std::max(x, std::abs(solution[j]));
            b = std::max(b, std::abs(rhs[j]));
            finite = finite && std::isfinite(residual_[j]);
        }
        if (!finite) return std::nan("");
        return r > 0 ? r / (norm * x + b) : 0.0;
    }

    Solver& backend_;
    executor& threads_;
    std::vector<double> norms_;
    linear_statistics statistics_;
    std::vector<double> residual_;
};

}  // namespace shoal::mpc
