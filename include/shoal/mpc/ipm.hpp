#pragma once

/// \file
/// A proximal primal-dual interior-point method for the program of qp.hpp: one block-arrow factorisation and two solves
/// (predictor and corrector) an iteration.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/batched/executor.hpp>
#include <shoal/mpc/ipm_steps.hpp>
#include <shoal/mpc/linear_system.hpp>

namespace shoal::mpc {

/// Choices of an ipm_solver.
///
/// The matrices' condition numbers grow with 1 / delta: from about 1e8 to 1e13 over a solve with these values, from 1e4
/// with rho = 1e-2, delta = 1, shrink = 0.1, at twice the iterations.
struct ipm_settings {
    int max_iterations = 40;
    double tolerance = 1e-6;  ///< on the equations (absolute), on the gradient (relative) and on mu
    double rho = 1e-6;        ///< proximal weight of the primal variables at the start
    double rho_min = 1e-10;
    double delta = 1e-4;  ///< proximal weight of the multipliers at the start
    double delta_min = 1e-9;
    double shrink = 0.2;  ///< of rho and delta, an iteration
    double mu_start = 10.0;
    int retries = 5;  ///< of a failed factorisation, each with a hundred times larger rho
};

/// How a solve ended.
enum class ipm_status { solved, iteration_limit, factorization_failed, not_finite };

/// What a solve found, and what it took.
struct ipm_result {
    ipm_status status = ipm_status::iteration_limit;
    int iterations = 0;
    double mu = 0;
    double primal_residual = 0;  ///< largest violation of an equation or row
    double dual_residual = 0;    ///< largest entry of the Lagrangian's gradient
    arrow::info failure = {};    ///< where the last factorisation failed, if one did
    int regularised = 0;         ///< factorisations repeated with a larger rho
    linear_statistics linear = {};
};

/// What a recorder sees after every assembly.
struct ipm_snapshot {
    int iteration;
    double mu, rho, delta;
    const arrow_storage& matrix;
    const std::vector<double>& rhs;  ///< of the predictor
};

/// Proximal interior-point method for the quadratic programs of qp.hpp; each iteration factors one arrow matrix and solves
/// with it.
///
/// \tparam Solver factors and solves arrow matrices: `factor(view)`, `solve(b)`
template <class Solver>
class ipm_solver {
  public:
    /// threads runs the passes over the scenarios; the results do not depend on how many there are.
    ipm_solver(qp_shape shape, Solver& backend, executor& threads, ipm_settings options = {})
        : settings(options),
          point(shape),
          shape_(shape),
          threads_(threads),
          work_(shape),
          system_(shape, backend, threads) {}

    /// Starts at z = 0 with the equations' multipliers as `point.y` holds them: zero at first, afterwards those of the
    /// last program, which suit a similar one; a failure sets them to zero. record(ipm_snapshot) is called once an
    /// iteration. Never allocates.
    template <class Recorder>
    ipm_result solve(const qp_data& data, Recorder&& record) {
        ipm_result result, first;
        const penalty w{data.penalty, data.penalty_curvature};
        double rho = settings.rho, delta = settings.delta;
        for_tails([&](int i) { start_tail(data, w, settings.mu_start, i, point, work_); });
        start_root(data, w, settings.mu_start, point, work_);
        system_.begin();
        for (int iteration = 0;; ++iteration) {
            result.iterations = iteration;
            const double complement = evaluate(data, w, result);
            result.linear = system_.statistics();
            if (iteration == 0) first = result;
            first.primal_residual = std::max(first.primal_residual, 1e-3);
            if (!(result.primal_residual + result.dual_residual + result.mu < 1e100))
                return fail(result, ipm_status::not_finite);
            if (result.primal_residual <= settings.tolerance && result.mu <= settings.tolerance &&
                result.dual_residual <= settings.tolerance * std::max(1.0, largest_gradient_)) {
                result.status = ipm_status::solved;
                return result;
            }
            if (iteration == settings.max_iterations) return result;

            for (int attempt = 0;; ++attempt) {
                predictor(data, w, rho, delta);
                result.failure = system_.factor();
                if (result.failure.good()) break;
                if (attempt == settings.retries) return fail(result, ipm_status::factorization_failed);
                rho = std::max(rho, 1e-8) * 100;
                ++result.regularised;
            }
            record(ipm_snapshot{iteration, result.mu, rho, delta, system_.matrix, system_.rhs});
            system_.solve();
            const double ahead = complement_after(data, direction(data, w, delta));
            const double ratio = complement > 0 ? std::min(1.0, ahead / complement) : 0.0;
            double target = std::max(result.mu * ratio * ratio * ratio, 0.1 * settings.tolerance);
            // Where mu runs ahead of the equations the rows are in the way long before the equations hold.
            const double behind = std::min(1.0, result.primal_residual / first.primal_residual);
            target = std::max(target, 0.01 * first.mu * behind);
            corrector(data, w, delta, target);
            system_.solve();
            const double step = direction(data, w, delta);
            for_tails([&](int i) { advance_tail(shape_, step, i, point, work_); });
            advance_root(shape_, step, point, work_);
            rho = std::max(settings.rho_min, settings.shrink * rho);
            delta = std::max(settings.delta_min, settings.shrink * delta);
        }
    }

    ipm_result solve(const qp_data& data) {
        return solve(data, [](const ipm_snapshot&) {});
    }

    ipm_settings settings;
    qp_point point;

  private:
    ipm_result fail(ipm_result result, ipm_status status) {
        result.status = status;
        result.linear = system_.statistics();
        std::fill(point.y.begin(), point.y.end(), 0.0);
        return result;
    }

    template <class F>
    void for_tails(F&& f) {
        threads_.parallel_for(shape_.scenarios, [&](std::int64_t i, int) { f(int(i)); });
    }

    /// Residuals at `point` into result; returns the sum of all products that mu is the mean of.
    double evaluate(const qp_data& data, const penalty& w, ipm_result& result) {
        for_tails([&](int i) { evaluate_tail(data, point, w, i, work_); });
        evaluate_root(data, point, w, work_);
        double complement = 0, rows = 0;
        result.primal_residual = result.dual_residual = largest_gradient_ = 0;
        for (const tail_summary& s : work_.summary) {
            result.primal_residual = larger(result.primal_residual, s.primal);
            result.dual_residual = larger(result.dual_residual, s.dual);
            largest_gradient_ = std::max(largest_gradient_, s.gradient);
            complement += s.complement;
            rows += s.rows;
        }
        result.mu = rows > 0 ? complement / rows : 0;
        return complement;
    }

    /// The matrix, and the right-hand side that aims at mu = 0.
    void predictor(const qp_data& data, const penalty& w, double rho, double delta) {
        for_tails([&](int i) {
            reduce_tail(data, point, w, delta, 0.0, newton_kind::predictor, i, work_);
            assemble_tail(data, work_.grams.data(), work_.weight.data(), rho, delta, i, system_.matrix);
            rhs_tail(data, i, work_, system_.rhs.data());
        });
        reduce_root(data, point, w, delta, 0.0, newton_kind::predictor, work_);
        assemble_root(data, work_.gram_sum, work_.weight.data(), rho, delta, system_.matrix);
        rhs_root(data, work_, system_.rhs.data());
    }

    /// The right-hand side that aims at the given mu, without the predictor's second-order error.
    void corrector(const qp_data& data, const penalty& w, double delta, double mu) {
        for_tails([&](int i) {
            reduce_tail(data, point, w, delta, mu, newton_kind::corrector, i, work_);
            rhs_tail(data, i, work_, system_.rhs.data());
        });
        reduce_root(data, point, w, delta, mu, newton_kind::corrector, work_);
        rhs_root(data, work_, system_.rhs.data());
    }

    /// Expands the solution; returns the step that every row allows.
    double direction(const qp_data& data, const penalty& w, double delta) {
        for_tails([&](int i) { direction_tail(data, point, w, delta, system_.solution.data(), i, work_); });
        direction_root(data, point, w, delta, system_.solution.data(), work_);
        double step = longest_step_considered;
        for (const tail_summary& s : work_.summary) step = std::min(step, s.step);
        // Short of the boundary, also where the boundary is met at exactly one.
        return std::min(1.0, 0.995 * step);
    }

    double complement_after(const qp_data& data, double step) {
        for_tails([&](int i) {
            work_.summary[std::size_t(i)].complement = complement_ahead(
                data, point, work_, step, shape_.block(i, 1), shape_.block(i, shape_.stages) + 1);
        });
        double sum = complement_ahead(data, point, work_, step, shape_.root(), shape_.blocks());
        for (int i = 0; i < shape_.scenarios; ++i) sum += work_.summary[std::size_t(i)].complement;
        return sum;
    }

    double largest_gradient_ = 0;
    qp_shape shape_;
    executor& threads_;
    ipm_work work_;
    linear_system<Solver> system_;
};

}  // namespace shoal::mpc
