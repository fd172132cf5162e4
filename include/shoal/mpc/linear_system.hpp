#pragma once

/// \file
/// One block-arrow system with its backend: factor, solve, residual, refinement, and the time that they took.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/batched/executor.hpp>
#include <shoal/core/math.hpp>
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

namespace detail {

/// sum -= B' x over this member's columns of one column-major block, whose columns are ld apart.
template <class G>
SHOAL_FN void subtract_dots(const G& g, const double* B, int ld, const double* x, double* sum) {
    constexpr int W = G::static_size, each = columns_each<G>;
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) {
        const double* column = B + (g.rank() + W * j) * ld;
        double product = 0;
        for (int row = 0; row < stage_size; ++row) product += column[row] * x[row];
        sum[j] -= product;
    }
}

/// r -= K x over the rows of stage k = 0..N-1 of tail i; raises `largest` to the largest |diagonal entry|, a lower bound
/// of |K|. Reads both triangles of the diagonal blocks, which vectorises; every assembly here fills both. next: E_k, with
/// columns ld apart, which may be a copy of the one in K.
template <class G>
SHOAL_FN void subtract_block(const G& g, const arrow::matrix_view<const double>& K, arrow::extent shape,
                             const double* next, int ld, const double* x, int i, int k, double* r,
                             double& largest) {
    constexpr int W = G::static_size, each = columns_each<G>;
    const std::int64_t b = std::int64_t{i} * shape.stages + k, link = b - i;
    const double* xb = x + b * stage_size;
    double sum[each];
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) sum[j] = r[b * stage_size + g.rank() + W * j];
    if (k > 0) {
        const double* E = K.lower + (link - 1) * block_entries + g.rank();
        for (int c = 0; c < stage_size; ++c) {
            SHOAL_UNROLL
            for (int j = 0; j < each; ++j) sum[j] -= E[c * stage_size + W * j] * (xb - stage_size)[c];
        }
    }
    const double* D = K.diagonal + b * block_entries;
    for (int c = 0; c < stage_size; ++c) {
        SHOAL_UNROLL
        for (int j = 0; j < each; ++j) sum[j] -= D[c * stage_size + g.rank() + W * j] * xb[c];
    }
    if (k == 0)
        subtract_dots(g, K.coupling + std::int64_t{i} * block_entries, stage_size,
                      x + std::int64_t{shape.tails} * shape.stages * stage_size, sum);
    if (k + 1 < shape.stages) subtract_dots(g, next, ld, xb + stage_size, sum);
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) r[b * stage_size + g.rank() + W * j] = sum[j];
    for (int c = g.rank(); c < stage_size; c += W) {
        const double size = core::abs(D[c * (stage_size + 1)]);
        largest = largest < size ? size : largest;
    }
}

/// y -= B x for one column-major block.
template <class G>
SHOAL_FN void subtract_columns(const G& g, const double* B, const double* x, double* y) {
    constexpr int W = G::static_size, each = columns_each<G>;
    double sum[each];
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) sum[j] = y[g.rank() + W * j];
    for (int c = 0; c < stage_size; ++c) {
        SHOAL_UNROLL
        for (int j = 0; j < each; ++j) sum[j] -= B[c * stage_size + g.rank() + W * j] * x[c];
    }
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) y[g.rank() + W * j] = sum[j];
}

}  // namespace detail

/// r -= K x over the root's rows; returns the largest |diagonal entry|.
inline double subtract_root(const arrow_storage& K, const double* x, double* r) {
    const int M = K.shape.tails, N = K.shape.stages;
    const std::int64_t root = std::int64_t{M} * N * stage_size;
    double largest = 0;
    for (std::size_t c = 0; c < stage_size; ++c)
        largest = std::max(largest, std::abs(K.root[c * (stage_size + 1)]));
    detail::subtract_columns(thread_group{}, K.root.data(), x + root, r + root);
    for (int i = 0; i < M; ++i)
        detail::subtract_columns(thread_group{}, K.coupling_block(i), x + std::int64_t{i} * N * stage_size,
                                 r + root);
    return largest;
}

/// What a residual is measured against: largest entries of K's diagonal, K x - b, x and b. residual is NaN when one of its
/// entries is not finite.
struct residual_sizes {
    double norm, residual, solution, rhs;

    void add(const residual_sizes& other) {
        norm = std::max(norm, other.norm);
        residual = std::isnan(residual) || other.residual <= residual ? residual : other.residual;
        solution = std::max(solution, other.solution);
        rhs = std::max(rhs, other.rhs);
    }
};

/// The sizes over `count` blocks but for the norm. Sixteen maxima beside each other, so that it vectorises.
SHOAL_HOST_FN residual_sizes sizes_of(const double* r, const double* x, const double* b, std::int64_t count,
                                      double norm) {
    double most[3][stage_size] = {}, poison[stage_size] = {};
    for (std::int64_t first = 0; first < count * stage_size; first += stage_size)
        for (int j = 0; j < stage_size; ++j) {
            const double size[3] = {std::abs(r[first + j]), std::abs(x[first + j]), std::abs(b[first + j])};
            for (int i = 0; i < 3; ++i) most[i][j] = most[i][j] < size[i] ? size[i] : most[i][j];
            poison[j] += r[first + j] - r[first + j];
        }
    residual_sizes all{norm, 0, 0, 0};
    for (int j = 0; j < stage_size; ++j) all.add({0, most[0][j] + poison[j], most[1][j], most[2][j]});
    return all;
}

/// r = b - K x over the rows of tail i, and how large everything is there.
SHOAL_TARGET_CLONES inline residual_sizes residual_tail(const arrow_storage& K, const double* x,
                                                        const double* b, int i, double* r) {
    const std::int64_t first = std::int64_t{i} * K.shape.stages * stage_size;
    const std::int64_t count = std::int64_t{K.shape.stages} * stage_size;
    for (std::int64_t j = first; j < first + count; ++j) r[j] = b[j];
    double largest = 0;
    const arrow::matrix_view<const double> view = K.view();
    for (int k = 0; k < K.shape.stages; ++k)
        detail::subtract_block(thread_group{}, view, K.shape, K.lower_block(i, k), stage_size, x, i, k, r,
                               largest);
    return sizes_of(r + first, x + first, b + first, K.shape.stages, largest);
}

/// Refinements of one solution.
inline constexpr int most_refinements = 2;

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
          sizes_(std::size_t(shape.scenarios)),
          residual_(rhs.size()) {}

    /// refine: backward error above which a solution is refined.
    void begin(double refine) {
        statistics_ = {};
        refine_above_ = refine;
    }

    arrow::info factor() {
        const auto start = clock::now();
        const arrow::info info = backend_.factor(matrix.view());
        statistics_.factor_seconds += seconds_since(start);
        ++statistics_.factorizations;
        return info;
    }

    /// solution = K^-1 rhs, refined at most `most_refinements` times.
    void solve() {
        std::copy(rhs.begin(), rhs.end(), solution.begin());
        timed_solve(solution.data());
        double error = backward_error();
        for (int pass = 0; pass < most_refinements && error > refine_above_; ++pass) {
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
        threads_.parallel_for(matrix.shape.tails, [&](std::int64_t i, int) {
            sizes_[std::size_t(i)] =
                residual_tail(matrix, solution.data(), rhs.data(), int(i), residual_.data());
        });
        const std::size_t root = rhs.size() - stage_size;
        std::copy(rhs.begin() + std::int64_t(root), rhs.end(), residual_.begin() + std::int64_t(root));
        const double norm = subtract_root(matrix, solution.data(), residual_.data());
        residual_sizes all =
            sizes_of(residual_.data() + root, solution.data() + root, rhs.data() + root, 1, norm);
        for (const residual_sizes& s : sizes_) all.add(s);
        if (!(all.residual > 0)) return all.residual;
        return all.residual / (all.norm * all.solution + all.rhs);
    }

    Solver& backend_;
    executor& threads_;
    std::vector<residual_sizes> sizes_;
    linear_statistics statistics_;
    double refine_above_ = 0;
    std::vector<double> residual_;
};

}  // namespace shoal::mpc
