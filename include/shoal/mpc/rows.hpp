#pragma once

/// \file
/// One inequality row inside the interior-point method, with its slack eliminated.
///
///     hard:  g'z + t = h,            lambda t = mu
///     soft:  g'z + t = h + s,        lambda t = mu,   nu s = mu,   nu = w + w2 s - lambda
///
/// Newton's method on these equations, with the proximal term -delta dlambda in the first, leaves
///
///     dlambda = Z (g'dz + q)
///
/// and everything else follows from dlambda. On a soft row Z <= w2 + nu / s: the penalty bounds the stiffness.

#include <algorithm>

#include <shoal/core/macros.hpp>

namespace shoal::mpc {

/// Exact penalty of a soft row's slack s: w s + w2 s^2 / 2.
struct penalty {
    double weight;     ///< w
    double curvature;  ///< w2
};

/// Slack and multiplier of a row, and those of its softening.
struct row_values {
    double t, lambda, s, nu;
};

/// What is left of a row: dlambda = Z (g'dz + q).
struct row_reduction {
    double Z, q;
};

/// gap = g'z + t - h (- s): violation of the first equation. r_t, r_s: wanted change of t lambda and s nu.
SHOAL_FN row_reduction reduce_hard(const row_values& v, double delta, double gap, double r_t) {
    return {1 / (v.t / v.lambda + delta), gap + r_t / v.lambda};
}

/// The same for a soft row.
SHOAL_FN row_reduction reduce_soft(const row_values& v, const penalty& w, double delta, double gap,
                                   double r_t, double r_s) {
    const double stiffness = w.curvature + v.nu / v.s;
    const double rest = -(w.weight + w.curvature * v.s - v.lambda - v.nu) + r_s / v.s;
    return {1 / (v.t / v.lambda + delta + 1 / stiffness), gap + r_t / v.lambda - rest / stiffness};
}

/// The changes of a hard row's values that follow from dlambda.
SHOAL_FN row_values expand_hard(const row_values& v, double dlambda, double r_t) {
    return {(r_t - v.t * dlambda) / v.lambda, dlambda, 0, 0};
}

/// The same for a soft row.
SHOAL_FN row_values expand_soft(const row_values& v, const penalty& w, double dlambda, double r_t,
                                double r_s) {
    const double stiffness = w.curvature + v.nu / v.s;
    const double rest = -(w.weight + w.curvature * v.s - v.lambda - v.nu) + r_s / v.s;
    const double ds = (dlambda + rest) / stiffness;
    return {(r_t - v.t * dlambda) / v.lambda, dlambda, ds, (r_s - v.nu * ds) / v.s};
}

/// Where the search for the longest step begins; a Newton step is 1.
inline constexpr double longest_step_considered = 2;

/// Largest step up to the given one that keeps value + step * change >= 0.
SHOAL_FN double longest_step(double value, double change, double step) {
    return value + step * change < 0 ? -value / change : step;
}

}  // namespace shoal::mpc
