#pragma once

// Norton viscoplasticity at a material point: what a finite-element code asks of it in every iteration at every point.
//
//   strain = elastic strain + p n,  stress = D : elastic strain,  dp/dt = (seq / K)^E,  n = 3/2 s / seq
//
// s is the deviator of the stress and seq = sqrt(3/2 s : s). Backward Euler gives 7 equations for the increments of the elastic
// strain and of p. Newton solves with its 7 x 7 matrix in every iteration. The consistent tangent d stress / d strain needs
// six columns of the inverse of the last one: factorized once, substituted with six unit vectors.
//
// Tensors are vectors xx, yy, zz, sqrt2 xy, sqrt2 xz, sqrt2 yz, so that products of tensors are dot products. Stress in MPa.

#include <cmath>

#include <shoal/core/math.hpp>
#include <shoal/tiled_lu/tiled_lu.hpp>

namespace norton {

inline constexpr int components = 6;
inline constexpr int unknowns = components + 1;

struct material {
    double young = 150e3, poisson = 0.3;
    double K = 600, E = 8.2;  // at 600 MPa p grows by 1 per second

    SHOAL_FN double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
    SHOAL_FN double mu() const { return young / (2 * (1 + poisson)); }
};

struct state {
    double elastic[components] = {};
    double p = 0;
};

struct outcome {
    double stress[components];
    double tangent[components][components];  // d stress / d strain
    int iterations;
    bool good;
};

/// The stress of an elastic strain; the same map for increments.
SHOAL_FN void hooke(const material& m, const double* strain, double* stress) {
    const double trace = strain[0] + strain[1] + strain[2];
    for (int i = 0; i < components; ++i)
        stress[i] = (i < 3 ? m.lambda() * trace : 0) + 2 * m.mu() * strain[i];
}

/// The residual of the increments x and, for Newton, its derivatives.
template <class Matrix, class Vector>
SHOAL_FN void equations(const material& m, const state& old, const double* strain_increment, double dt,
                        const double* x, const Matrix& A, const Vector& residual) {
    double elastic[components], stress[components], normal[components];
    for (int i = 0; i < components; ++i) elastic[i] = old.elastic[i] + x[i];
    hooke(m, elastic, stress);
    const double mean = (stress[0] + stress[1] + stress[2]) / 3;
    double square = 0;
    for (int i = 0; i < components; ++i) {
        normal[i] = stress[i] - (i < 3 ? mean : 0);
        square += normal[i] * normal[i];
    }
    const double equivalent = shoal::core::sqrt(1.5 * square);
    const double inverse = equivalent > 1e-9 * m.young ? 1 / equivalent : 0;
    for (int i = 0; i < components; ++i) normal[i] *= 1.5 * inverse;
    const double rate = std::pow(equivalent / m.K, m.E);
    const double slope = dt * m.E * rate * inverse;
    const double dp = x[components];

    for (int i = 0; i < components; ++i) {
        residual[i] = x[i] - strain_increment[i] + dp * normal[i];
        for (int j = 0; j < components; ++j) {
            // 3/2 of the projector on deviators, less n n'
            const double deviator = 1.5 * ((i == j ? 1.0 : 0.0) - (i < 3 && j < 3 ? 1.0 / 3 : 0.0));
            A(i, j) = (i == j ? 1 : 0) + 2 * m.mu() * dp * inverse * (deviator - normal[i] * normal[j]);
        }
        A(i, components) = normal[i];
        A(components, i) = -2 * m.mu() * slope * normal[i];
    }
    residual[components] = dp - dt * rate;
    A(components, components) = 1;
}

/// One step of time: the new state, its stress and the tangent. A (7 x 7), pivots and x (7) are
/// operands, wherever their elements lie.
template <class Matrix, class Pivots, class Vector>
SHOAL_FN outcome advance(const material& m, state& now, const double* strain_increment, double dt,
                         const Matrix& A, const Pivots& pivots, const Vector& x) {
    namespace lu = shoal::tiled_lu;
    outcome result{};
    double increment[unknowns] = {};
    bool good = true;
    for (bool converged = false; good && !converged; ++result.iterations) {
        equations(m, now, strain_increment, dt, increment, A, x);
        double norm = 0;
        for (int i = 0; i < unknowns; ++i) norm = norm + shoal::core::abs(x[i]);
        converged = norm < 1e-15;
        if (converged) break;
        good = lu::solve_inplace(A, pivots, x) == 0 && result.iterations < 100;
        for (int i = 0; i < unknowns; ++i) increment[i] -= x[i];
    }

    // The residual has -strain in its first six rows, so d increment / d strain is the inverse's first six columns.
    good = good && lu::factorize(A, pivots) == 0;
    for (int c = 0; good && c < components; ++c) {
        double column[components], stress[components];
        lu::substitute_canonical(A, pivots, c, x);
        for (int i = 0; i < components; ++i) column[i] = x[i];
        hooke(m, column, stress);
        for (int i = 0; i < components; ++i) result.tangent[i][c] = stress[i];
    }
    for (int i = 0; i < components; ++i) now.elastic[i] += increment[i];
    now.p += increment[components];
    hooke(m, now.elastic, result.stress);
    result.good = good;
    return result;
}

}  // namespace norton
