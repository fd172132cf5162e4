#pragma once

/// \file
/// The thrusts at which a vehicle hovers level in still air.

#include <algorithm>
#include <cmath>
#include <utility>

#include <shoal/mpc/quadrotor.hpp>

namespace shoal::mpc {

/// Whether the rotors can hold the vehicle in the air.
enum class trim_result { found, no_authority };

/// Solves sum u = m g, tau(u) = 0 for u. no_authority: the rotors cannot set thrust and three torques independently.
inline trim_result hover_thrusts(const quadrotor& q, double* u) {
    constexpr int n = input_size;
    double A[n][n + 1] = {}, scale[n] = {1, 0, 0, 0};
    for (int j = 0; j < n; ++j) {
        A[0][j] = 1;
        A[1][j] = q.rotor_y[j];
        A[2][j] = -q.rotor_x[j];
        A[3][j] = q.rotor_yaw[j];
        for (int i = 1; i < n; ++i) scale[i] = std::max(scale[i], std::abs(A[i][j]));
    }
    A[0][n] = q.mass * q.gravity;
    for (int i = 0; i < n; ++i) {
        if (!(scale[i] > 0)) return trim_result::no_authority;
        for (double& a : A[i]) a /= scale[i];
    }
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r)
            if (std::abs(A[r][c]) > std::abs(A[pivot][c])) pivot = r;
        // Rows are scaled to one, so this is a relative threshold.
        if (!(std::abs(A[pivot][c]) > 1e-9)) return trim_result::no_authority;
        std::swap(A[c], A[pivot]);
        for (int r = 0; r < n; ++r) {
            if (r == c) continue;
            const double f = A[r][c] / A[c][c];
            for (int k = c; k <= n; ++k) A[r][k] -= f * A[c][k];
        }
    }
    for (int i = 0; i < n; ++i) u[i] = A[i][n] / A[i][i];
    return trim_result::found;
}

}  // namespace shoal::mpc
