#pragma once

// Robertson's stiff kinetics, integrated by Radau IIA with three stages: an implicit Runge-Kutta method of order 5, whose
// Newton iteration has one dense 9 x 9 matrix per step.
//
//   y1' = -k1 y1 + k2 y2 y3        stages Z_i = h sum_j a_ij f(y + Z_j), i = 1..3
//   y2' = -y1' - y3'               Newton matrix I - h (a x J), J = df/dy at the start of the step
//   y3' = k3 y2^2
//
// The matrix is frozen over a step: factorized once, substituted with in every iteration.

#include <shoal/core/math.hpp>
#include <shoal/tiled_lu/tiled_lu.hpp>

namespace robertson {

inline constexpr int species = 3;
inline constexpr int stages = 3;
inline constexpr int unknowns = species * stages;

struct rates {
    double k1, k2, k3;
};

struct tolerances {
    double relative = 1e-6;
    double absolute = 1e-18;  // y2 falls to 1e-13 and must keep its digits
};

struct outcome {
    double y[species];
    int steps, rejected, iterations;
    bool good;
};

/// The coefficients of the method: a(i, j).
SHOAL_FN double stage_weight(int i, int j) {
    constexpr double s = 2.449489742783178098;  // sqrt(6)
    constexpr double a[stages][stages] = {{(88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225},
                                          {(296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225},
                                          {(16 - s) / 36, (16 + s) / 36, 1.0 / 9}};
    return a[i][j];
}

/// The weights of the stages in the error estimate, and the real eigenvalue of the inverse of a.
SHOAL_FN double error_weight(int i) {
    constexpr double s = 2.449489742783178098;
    constexpr double e[stages] = {-(13 + 7 * s) / 3, (-13 + 7 * s) / 3, -1.0 / 3};
    return e[i];
}
inline constexpr double real_eigenvalue = 3.637834252744495732;

SHOAL_FN void reaction(const rates& k, const double* y, double* f) {
    const double first = k.k1 * y[0];
    const double second = k.k2 * y[1] * y[2];
    const double third = k.k3 * y[1] * y[1];
    f[0] = second - first;
    f[1] = first - second - third;
    f[2] = third;
}

SHOAL_FN void jacobian(const rates& k, const double* y, double (&J)[species][species]) {
    J[0][0] = -k.k1, J[0][1] = k.k2 * y[2], J[0][2] = k.k2 * y[1];
    J[2][0] = 0, J[2][1] = 2 * k.k3 * y[1], J[2][2] = 0;
    for (int c = 0; c < species; ++c) J[1][c] = -J[0][c] - J[2][c];
}

/// Integrates from (1, 0, 0) at time 0 to `end`. A (9 x 9), pivots and z (9) are operands, wherever their
/// elements lie.
template <class Matrix, class Pivots, class Vector>
SHOAL_FN outcome integrate(const rates& k, double end, const tolerances& tolerance, const Matrix& A,
                           const Pivots& pivots, const Vector& z) {
    namespace lu = shoal::tiled_lu;
    outcome result{{1, 0, 0}, 0, 0, 0, true};
    double* const y = result.y;
    double time = 0, h = 1e-6;
    while (time < end) {
        const bool last = time + 1.01 * h >= end;
        if (last) h = end - time;

        double J[species][species], scale[species];
        jacobian(k, y, J);
        for (int r = 0; r < species; ++r)
            scale[r] = 1 / (tolerance.absolute + tolerance.relative * shoal::core::abs(y[r]));
        for (int i = 0; i < unknowns; ++i) {
            for (int j = 0; j < unknowns; ++j) {
                A(i, j) = (i == j ? 1 : 0) -
                          h * stage_weight(i / species, j / species) * J[i % species][j % species];
            }
        }
        bool converged = lu::factorize(A, pivots) == 0;

        double Z[unknowns] = {};
        for (int iteration = 0; converged; ++iteration) {
            double f[stages][species];
            for (int s = 0; s < stages; ++s) {
                double state[species];
                for (int r = 0; r < species; ++r) state[r] = y[r] + Z[s * species + r];
                reaction(k, state, f[s]);
            }
            for (int i = 0; i < stages; ++i) {
                for (int r = 0; r < species; ++r) {
                    double sum = 0;
                    for (int j = 0; j < stages; ++j) sum += stage_weight(i, j) * f[j][r];
                    z[i * species + r] = h * sum - Z[i * species + r];
                }
            }
            lu::substitute_inplace(A, pivots, z);
            double norm = 0;
            for (int i = 0; i < unknowns; ++i) {
                Z[i] += z[i];
                norm += z[i] * scale[i % species] * (z[i] * scale[i % species]);
            }
            ++result.iterations;
            if (norm < unknowns * 1e-6) break;  // a thousandth of the tolerance
            converged = iteration < 9 && norm < 1e20;
        }
        if (!converged) {
            h /= 4;
            if (++result.rejected > 1000) return result.good = false, result;
            continue;
        }

        // The error of a method of order 3 embedded in it: another solve, of the size of the reaction.
        double e[species * species], error[species];
        int error_pivots[species];
        const auto E = lu::of_order<species>(lu::local(e));
        reaction(k, y, error);
        for (int r = 0; r < species; ++r) {
            error[r] *= h;
            for (int s = 0; s < stages; ++s) error[r] += error_weight(s) * Z[s * species + r];
            for (int c = 0; c < species; ++c) E(r, c) = (r == c ? real_eigenvalue : 0) - h * J[r][c];
        }
        converged = lu::solve_inplace(E, lu::local(error_pivots), lu::local(error)) == 0;
        double norm = 0;
        for (int r = 0; r < species; ++r) norm += error[r] * scale[r] * (error[r] * scale[r]);
        norm = shoal::core::sqrt(norm / species);
        const double change = norm < 1e-8 ? 8 : 0.9 / shoal::core::sqrt(shoal::core::sqrt(norm));
        if (converged && norm < 1) {
            for (int r = 0; r < species; ++r) y[r] += Z[(stages - 1) * species + r];
            time += h;
            ++result.steps;
            if (last) break;
            h *= change < 8 ? change : 8;
        } else {
            h *= change > 0.2 && change < 0.9 ? change : 0.2;
            if (++result.rejected > 1000) return result.good = false, result;
        }
    }
    return result;
}

}  // namespace robertson
