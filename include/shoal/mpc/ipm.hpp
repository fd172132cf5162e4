#pragma once

/// \file
/// A proximal primal-dual interior-point method for the program of qp.hpp: one block-arrow factorisation and two solves
/// (predictor and corrector) an iteration.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <shoal/batched/executor.hpp>
#include <shoal/mpc/ipm_progress.hpp>
#include <shoal/mpc/ipm_steps.hpp>
#include <shoal/mpc/linear_system.hpp>

namespace shoal::mpc {

/// What a solve found, and what it took.
struct ipm_result {
    ipm_status status = ipm_status::iteration_limit;
    int iterations = 0;
    double mu = 0;
    double primal_residual = 0;            ///< largest violation of an equation or row
    double dual_residual = 0;              ///< largest entry of the Lagrangian's gradient
    arrow::info failure = arrow::success;  ///< where the last factorisation failed, if it did
    int regularised = 0;                   ///< factorisations repeated with a larger rho
    linear_statistics linear = {};
};

/// The same from a solve's scalars.
inline ipm_result make_result(const ipm_progress& p, const arrow::info& failure,
                              const linear_statistics& linear) {
    ipm_result r;
    r.status = p.status;
    r.iterations = p.iteration;
    r.mu = p.mu;
    r.primal_residual = p.primal;
    r.dual_residual = p.dual;
    r.failure = failure;
    r.regularised = p.regularised;
    r.linear = linear;
    return r;
}

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
        using namespace detail;
        const penalty w{data.penalty, data.penalty_curvature};
        ipm_progress p = begin_progress(settings);
        for_tails([&](int i) { start_tail(data, w, settings.mu_start, i, point, work_); });
        start_root(data, w, settings.mu_start, point, work_);
        system_.begin(settings.refine_above);
        for (;;) {
            if (judge(p, evaluate(data, w), settings)) {
                // An iterate that is no number is no start for the next program.
                return p.status == ipm_status::not_finite ? fail(p, arrow::success)
                                                          : result_of(p, arrow::success);
            }
            for (int attempt = 0;; ++attempt) {
                predictor(data, w, p.rho, p.delta);
                const arrow::info found = system_.factor();
                if (found.good()) break;
                if (attempt == settings.retries) {
                    p.status = ipm_status::factorization_failed;
                    return fail(p, found);
                }
                regularise(p);
            }
            record(ipm_snapshot{p.iteration, p.mu, p.rho, p.delta, system_.matrix, system_.rhs});
            system_.solve();
            aim(p, direction(data, w, p.delta), settings);
            corrector(data, w, p.delta, p.target);
            system_.solve();
            const double step = shortened_step(direction(data, w, p.delta));
            for_tails([&](int i) { advance_tail(shape_, step, i, point, work_); });
            advance_root(shape_, step, point, work_);
            next_iteration(p, settings);
        }
    }

    ipm_result solve(const qp_data& data) {
        return solve(data, [](const ipm_snapshot&) {});
    }

    ipm_settings settings;
    qp_point point;

  private:
    ipm_result result_of(const ipm_progress& p, const arrow::info& failure) const {
        return make_result(p, failure, system_.statistics());
    }

    ipm_result fail(const ipm_progress& p, const arrow::info& failure) {
        std::fill(point.y.begin(), point.y.end(), 0.0);
        return result_of(p, failure);
    }

    template <class F>
    void for_tails(F&& f) {
        threads_.parallel_for(shape_.scenarios, [&](std::int64_t i, int) { f(int(i)); });
    }

    /// Residuals at `point`.
    tail_summary evaluate(const qp_data& data, const penalty& w) {
        for_tails([&](int i) { evaluate_tail(data, point, w, i, work_); });
        evaluate_root(data, point, w, work_);
        tail_summary total{};
        for (const tail_summary& s : work_.summary) detail::add_residuals(total, s);
        return total;
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

    /// Expands the solution.
    tail_summary direction(const qp_data& data, const penalty& w, double delta) {
        for_tails([&](int i) { direction_tail(data, point, w, delta, system_.solution.data(), i, work_); });
        direction_root(data, point, w, delta, system_.solution.data(), work_);
        tail_summary total{};
        total.step = longest_step_considered;
        for (const tail_summary& s : work_.summary) detail::add_direction(total, s);
        return total;
    }

    qp_shape shape_;
    executor& threads_;
    ipm_work work_;
    linear_system<Solver> system_;
};

}  // namespace shoal::mpc
