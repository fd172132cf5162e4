#pragma once

/// \file
/// What an interior-point solve decides from sums over all blocks: whether it ends, what the corrector aims at, how the
/// proximal weights fall. The host and a kernel make the same decisions with it.

#include <shoal/core/macros.hpp>
#include <shoal/mpc/ipm_passes.hpp>

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
    int retries = 5;              ///< of a failed factorisation, each with a hundred times larger rho
    double refine_above = 1e-13;  ///< backward error of a linear solution that is refined, at most twice
};

/// How a solve ended.
enum class ipm_status { solved, iteration_limit, factorization_failed, not_finite };

/// Whether a plan came out of it.
SHOAL_FN bool usable(ipm_status s) {
    return s == ipm_status::solved || s == ipm_status::iteration_limit;
}

/// The scalars of a solve.
struct ipm_progress {
    ipm_status status;
    int iteration, regularised;
    double rho, delta;
    double mu, primal, dual, gradient, complement;  ///< at the point where the iteration begins
    double first_mu, first_primal;
    double target;  ///< mu that the corrector aims at
};

namespace detail {

SHOAL_FN double at_least(double x, double least) {
    return x < least ? least : x;
}
SHOAL_FN double at_most(double x, double most) {
    return most < x ? most : x;
}

/// Adds the sums of other blocks, the residuals' part.
SHOAL_FN void add_residuals(tail_summary& total, const tail_summary& s) {
    total.primal = larger(total.primal, s.primal);
    total.dual = larger(total.dual, s.dual);
    total.gradient = at_least(total.gradient, s.gradient);
    total.complement += s.complement;
    total.rows += s.rows;
}

/// The direction's part.
SHOAL_FN void add_direction(tail_summary& total, const tail_summary& s) {
    total.step = at_most(total.step, s.step);
    total.linear += s.linear;
    total.square += s.square;
}

SHOAL_FN ipm_progress begin_progress(const ipm_settings& settings) {
    ipm_progress p{};
    p.rho = settings.rho;
    p.delta = settings.delta;
    return p;
}

/// Whether the solve ends at this point; `status` then says how.
SHOAL_FN bool judge(ipm_progress& p, const tail_summary& s, const ipm_settings& settings) {
    p.mu = s.rows > 0 ? s.complement / s.rows : 0;
    p.primal = s.primal;
    p.dual = s.dual;
    p.gradient = s.gradient;
    p.complement = s.complement;
    if (p.iteration == 0) {
        p.first_mu = p.mu;
        p.first_primal = at_least(p.primal, 1e-3);
    }
    p.status = ipm_status::iteration_limit;
    if (!(p.primal + p.dual + p.mu < 1e100)) {
        p.status = ipm_status::not_finite;
        return true;
    }
    if (p.primal <= settings.tolerance && p.mu <= settings.tolerance &&
        p.dual <= settings.tolerance * at_least(p.gradient, 1.0)) {
        p.status = ipm_status::solved;
        return true;
    }
    return p.iteration == settings.max_iterations;
}

/// Short of the boundary, also where the boundary is met at exactly one.
SHOAL_FN double shortened_step(const tail_summary& s) {
    return at_most(0.995 * s.step, 1.0);
}

/// Chooses the corrector's mu from the predictor's direction.
SHOAL_FN void aim(ipm_progress& p, const tail_summary& s, const ipm_settings& settings) {
    const double step = shortened_step(s);
    const double ahead = p.complement + step * (s.linear + step * s.square);
    const double ratio = p.complement > 0 ? at_most(ahead / p.complement, 1.0) : 0.0;
    p.target = at_least(p.mu * ratio * ratio * ratio, 0.1 * settings.tolerance);
    // Where mu runs ahead of the equations the rows are in the way long before the equations hold.
    p.target = at_least(p.target, 0.01 * p.first_mu * at_most(p.primal / p.first_primal, 1.0));
}

/// After a step.
SHOAL_FN void next_iteration(ipm_progress& p, const ipm_settings& settings) {
    p.rho = at_least(settings.shrink * p.rho, settings.rho_min);
    p.delta = at_least(settings.shrink * p.delta, settings.delta_min);
    ++p.iteration;
}

/// After a failed factorisation.
SHOAL_FN void regularise(ipm_progress& p) {
    p.rho = at_least(p.rho, 1e-8) * 100;
    ++p.regularised;
}

}  // namespace detail

}  // namespace shoal::mpc
