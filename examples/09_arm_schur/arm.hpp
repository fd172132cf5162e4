#pragma once

// A chain of uniform links in a vertical plane: exact inertia, velocity terms and gravity, a torque at each joint.
//
//     q: angle of each link with the horizontal,   M(q) q'' + h(q, q') = P u
//
// Link i reaches c(k, i) times its direction into the position of the centre of mass of link k: its length when it lies
// before k, half of it when it is k. With w(i, j) = sum_k m c(k, i) c(k, j), and the inertia of a rod on the diagonal,
//     M(i, j) = w(i, j) cos(q_i - q_j)        h_i = sum_j w(i, j) sin(q_i - q_j) q_j'^2 + gravity_i cos q_i + friction.

#include <array>
#include <cmath>
#include <cstddef>

#include <shoal/shoal.hpp>

namespace arm {

inline constexpr int links = 7;
inline constexpr int states = 2 * links;  // angles and their rates
inline constexpr int inputs = links;      // torques of the joints
inline constexpr double mass = 1.5, length = 0.3, gravity = 9.81, friction = 0.1, step = 0.02;

using state = std::array<double, states>;
using input = std::array<double, inputs>;

inline constexpr double reach(int k, int i) {
    return i < k ? length : i == k ? length / 2 : 0;
}
inline constexpr double weight(int i, int j) {
    double sum = i == j ? mass * length * length / 12 : 0;
    for (int k = 0; k < links; ++k) sum += mass * reach(k, i) * reach(k, j);
    return sum;
}

/// x' for the state x = (q, q') and the torques u. Torque i acts on link i, and against it on link i - 1.
inline state rate(const state& x, const input& u) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    double M[links * links], f[links];
    for (int i = 0; i < links; ++i) {
        f[i] = u[at(i)] - (i + 1 < links ? u[at(i + 1)] : 0.0) - friction * x[at(links + i)];
        for (int k = 0; k < links; ++k) f[i] -= mass * gravity * reach(k, i) * std::cos(x[at(i)]);
        for (int j = 0; j < links; ++j) {
            const double angle = x[at(i)] - x[at(j)];
            M[i + j * links] = weight(i, j) * std::cos(angle);
            f[i] -= weight(i, j) * std::sin(angle) * x[at(links + j)] * x[at(links + j)];
        }
    }
    // The mass matrix is positive definite: the kinetic energy is.
    shoal::posv(shoal::this_thread(), lower(shoal::matrix<double, links, links>{M}),
                shoal::vector<double, links>{f});
    state result;
    for (int i = 0; i < links; ++i) {
        result[at(i)] = x[at(links + i)];
        result[at(links + i)] = f[i];
    }
    return result;
}

/// x after one step of Runge and Kutta's method.
inline state next(const state& x, const input& u) {
    const auto along = [&](const state& slope, double h) {
        state y = x;
        for (std::size_t i = 0; i < states; ++i) y[i] += h * slope[i];
        return y;
    };
    const state a = rate(x, u), b = rate(along(a, step / 2), u), c = rate(along(b, step / 2), u),
                d = rate(along(c, step), u);
    state y = x;
    for (std::size_t i = 0; i < states; ++i) y[i] += step / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    return y;
}

/// Torques that hold the arm where it is.
inline input holding(const state& x) {
    input u{};
    for (int i = links - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(i);
        u[at] = i + 1 < links ? u[at + 1] : 0.0;
        for (int k = 0; k < links; ++k) u[at] += mass * gravity * reach(k, i) * std::cos(x[at]);
    }
    return u;
}

/// Derivatives of next(), by central differences: A of states x states and B of states x inputs, column-major.
inline void linearise(const state& x, const input& u, double* A, double* B) {
    constexpr double h = 1e-6;
    for (std::size_t j = 0; j < states + inputs; ++j) {
        state up = x, down = x;
        input more = u, less = u;
        if (j < states) {
            up[j] += h;
            down[j] -= h;
        } else {
            more[j - states] += h;
            less[j - states] -= h;
        }
        const state a = next(up, more), b = next(down, less);
        double* column = j < states ? A + j * states : B + (j - states) * states;
        for (std::size_t i = 0; i < states; ++i) column[i] = (a[i] - b[i]) / (2 * h);
    }
}

}  // namespace arm
