#pragma once

/// \file
/// A quadrotor as a rigid body: 12 states, 4 rotor thrusts, and the exact Jacobian of one Runge-Kutta step.
///
///     x = (p, v, a, w): position and velocity in the world (z up), ZYX Euler angles a = (phi, theta, psi), body rates
///     p' = v
///     v' = R(a) e3 sum(u) / m - c_v v / m - g e3 + d
///     a' = W(a) w
///     w' = J^-1 (tau(u) - w x J w) - c_w w
///     tau = (sum y_i u_i, -sum x_i u_i, kappa sum spin_i u_i)
///
/// d is an acceleration that acts from outside: the wind, and whatever an observer adds to it.
/// Nothing here allocates or keeps state, so every function may be called from a kernel as well.

#include <cmath>

#include <shoal/core/macros.hpp>
#include <shoal/group/thread.hpp>

namespace shoal::mpc {

/// Position, velocity, ZYX Euler angles, body rates.
inline constexpr int state_size = 12;
/// Thrusts of the four rotors.
inline constexpr int input_size = 4;
/// Unknowns of a stage.
inline constexpr int stage_size = state_size + input_size;

/// What the equations of motion need to know about a vehicle and the air around it.
struct quadrotor {
    double mass = 1.0;
    double inertia[3] = {1.0, 1.0, 1.0};
    double rotor_x[input_size] = {};
    double rotor_y[input_size] = {};
    double rotor_yaw[input_size] = {};  ///< spin times torque_to_thrust: yaw torque per thrust
    double linear_drag = 0.0;
    double angular_drag = 0.0;
    double gravity = 9.81;
    double acceleration[3] = {};  ///< d
};

namespace detail {

/// Sines and cosines that both the equations of motion and their Jacobian use.
struct attitude {
    double sin_phi, cos_phi, sin_theta, cos_theta, sin_psi, cos_psi;
};

SHOAL_FN attitude make_attitude(const double* x) {
    return {std::sin(x[6]), std::cos(x[6]), std::sin(x[7]), std::cos(x[7]), std::sin(x[8]), std::cos(x[8])};
}

/// R e3: the direction in which the rotors push.
SHOAL_FN void thrust_direction(const attitude& t, double* r) {
    r[0] = t.cos_psi * t.sin_theta * t.cos_phi + t.sin_psi * t.sin_phi;
    r[1] = t.sin_psi * t.sin_theta * t.cos_phi - t.cos_psi * t.sin_phi;
    r[2] = t.cos_theta * t.cos_phi;
}

SHOAL_FN void derivative(const quadrotor& q, const attitude& t, const double* x, const double* u,
                         double* dx) {
    double force = 0, torque_x = 0, torque_y = 0, torque_z = 0;
    for (int i = 0; i < input_size; ++i) {
        force += u[i];
        torque_x += q.rotor_y[i] * u[i];
        torque_y -= q.rotor_x[i] * u[i];
        torque_z += q.rotor_yaw[i] * u[i];
    }
    double r[3];
    thrust_direction(t, r);
    const double inverse_mass = 1 / q.mass;
    for (int i = 0; i < 3; ++i) {
        dx[i] = x[3 + i];
        dx[3 + i] = (r[i] * force - q.linear_drag * x[3 + i]) * inverse_mass + q.acceleration[i];
    }
    dx[5] -= q.gravity;
    const double* w = x + 9;
    const double turn = t.sin_phi * w[1] + t.cos_phi * w[2];
    dx[6] = w[0] + turn * t.sin_theta / t.cos_theta;
    dx[7] = t.cos_phi * w[1] - t.sin_phi * w[2];
    dx[8] = turn / t.cos_theta;
    const double* J = q.inertia;
    dx[9] = (torque_x - (J[2] - J[1]) * w[1] * w[2]) / J[0] - q.angular_drag * w[0];
    dx[10] = (torque_y - (J[0] - J[2]) * w[2] * w[0]) / J[1] - q.angular_drag * w[1];
    dx[11] = (torque_z - (J[1] - J[0]) * w[0] * w[1]) / J[2] - q.angular_drag * w[2];
}

/// The entries of df/d(x, u) that are neither zero nor constant.
struct derivative_jacobian {
    double drag;            ///< dv'/dv, diagonal
    double v_angles[3][3];  ///< dv'/da
    double v_input[3];      ///< dv'/du, the same for every rotor
    double a_angles[3][2];  ///< da'/d(phi, theta)
    double a_rates[3][3];   ///< da'/dw
    double w_rates[3][3];   ///< dw'/dw
    double w_input[3][input_size];
};

SHOAL_FN void jacobian(const quadrotor& q, const attitude& t, const double* x, const double* u,
                       derivative_jacobian& F) {
    double force = 0;
    for (int i = 0; i < input_size; ++i) force += u[i];
    const double inverse_mass = 1 / q.mass;
    const double f = force * inverse_mass;
    double r[3];
    thrust_direction(t, r);

    F.drag = -q.linear_drag * inverse_mass;
    F.v_angles[0][0] = f * (-t.cos_psi * t.sin_theta * t.sin_phi + t.sin_psi * t.cos_phi);
    F.v_angles[1][0] = f * (-t.sin_psi * t.sin_theta * t.sin_phi - t.cos_psi * t.cos_phi);
    F.v_angles[2][0] = f * (-t.cos_theta * t.sin_phi);
    F.v_angles[0][1] = f * (t.cos_psi * t.cos_theta * t.cos_phi);
    F.v_angles[1][1] = f * (t.sin_psi * t.cos_theta * t.cos_phi);
    F.v_angles[2][1] = f * (-t.sin_theta * t.cos_phi);
    F.v_angles[0][2] = -f * r[1];
    F.v_angles[1][2] = f * r[0];
    F.v_angles[2][2] = 0;
    for (int i = 0; i < 3; ++i) F.v_input[i] = r[i] * inverse_mass;

    const double* w = x + 9;
    const double sec = 1 / t.cos_theta;
    const double tan = t.sin_theta * sec;
    const double turn = t.sin_phi * w[1] + t.cos_phi * w[2];
    const double turn_phi = t.cos_phi * w[1] - t.sin_phi * w[2];
    F.a_angles[0][0] = turn_phi * tan;
    F.a_angles[0][1] = turn * sec * sec;
    F.a_angles[1][0] = -turn;
    F.a_angles[1][1] = 0;
    F.a_angles[2][0] = turn_phi * sec;
    F.a_angles[2][1] = turn * tan * sec;
    F.a_rates[0][0] = 1;
    F.a_rates[0][1] = t.sin_phi * tan;
    F.a_rates[0][2] = t.cos_phi * tan;
    F.a_rates[1][0] = 0;
    F.a_rates[1][1] = t.cos_phi;
    F.a_rates[1][2] = -t.sin_phi;
    F.a_rates[2][0] = 0;
    F.a_rates[2][1] = t.sin_phi * sec;
    F.a_rates[2][2] = t.cos_phi * sec;

    const double* J = q.inertia;
    const double gyro[3] = {-(J[2] - J[1]) / J[0], -(J[0] - J[2]) / J[1], -(J[1] - J[0]) / J[2]};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        F.w_rates[i][i] = -q.angular_drag;
        F.w_rates[i][j] = gyro[i] * w[k];
        F.w_rates[i][k] = gyro[i] * w[j];
    }
    for (int i = 0; i < input_size; ++i) {
        F.w_input[0][i] = q.rotor_y[i] / J[0];
        F.w_input[1][i] = -q.rotor_x[i] / J[1];
        F.w_input[2][i] = q.rotor_yaw[i] / J[2];
    }
}

/// Columns of the Jacobian that one member of a group has: all of them, or one for each of 16 members.
template <class G>
inline constexpr int jacobian_columns = stage_size / G::static_size;

/// Z += [I_12 0], of which this member has its columns.
template <class G>
SHOAL_FN void add_identity(const G& g, double* Z) {
    constexpr int each = jacobian_columns<G>;
    static_assert(each == stage_size || each == 1);
    for (int i = 0; i < state_size; ++i) {
        if constexpr (each == 1) {
            if (i == g.rank()) Z[i] += 1.0;
        } else {
            Z[i * each + i] += 1.0;
        }
    }
}

/// K = F_x Z + [0 F_u]: this member's columns of 12 x 16, row-major, Z being the derivative of the point at which F was
/// taken.
template <class G>
SHOAL_FN void chain(const G& g, const derivative_jacobian& F, const double* Z, double* K) {
    constexpr int ld = jacobian_columns<G>;
    for (int c = 0; c < ld; ++c) {
        const double* z = Z + c;
        double* k = K + c;
        SHOAL_UNROLL
        for (int i = 0; i < 3; ++i) {
            k[i * ld] = z[(3 + i) * ld];
            k[(3 + i) * ld] = F.drag * z[(3 + i) * ld] + F.v_angles[i][0] * z[6 * ld] +
                              F.v_angles[i][1] * z[7 * ld] + F.v_angles[i][2] * z[8 * ld];
            k[(6 + i) * ld] = F.a_angles[i][0] * z[6 * ld] + F.a_angles[i][1] * z[7 * ld] +
                              F.a_rates[i][0] * z[9 * ld] + F.a_rates[i][1] * z[10 * ld] +
                              F.a_rates[i][2] * z[11 * ld];
            k[(9 + i) * ld] =
                F.w_rates[i][0] * z[9 * ld] + F.w_rates[i][1] * z[10 * ld] + F.w_rates[i][2] * z[11 * ld];
        }
    }
    SHOAL_UNROLL
    for (int i = 0; i < 3; ++i) {
        SHOAL_UNROLL
        for (int j = 0; j < input_size; ++j) {
            if constexpr (ld == 1) {
                if (g.rank() != state_size + j) continue;
                K[3 + i] += F.v_input[i];
                K[9 + i] += F.w_input[i][j];
            } else {
                K[(3 + i) * stage_size + state_size + j] += F.v_input[i];
                K[(9 + i) * stage_size + state_size + j] += F.w_input[i][j];
            }
        }
    }
}

}  // namespace detail

/// dx = f(x, u): the equations of motion at the top of this file.
SHOAL_FN void derivative(const quadrotor& q, const double* x, const double* u, double* dx) {
    detail::derivative(q, detail::make_attitude(x), x, u, dx);
}

/// next = x + h/6 (k1 + 2 k2 + 2 k3 + k4): one classical Runge-Kutta step with u held. In place is allowed.
SHOAL_FN void rk4(const quadrotor& q, double h, const double* x, const double* u, double* next) {
    double k[state_size], y[state_size], sum[state_size] = {};
    for (int i = 0; i < state_size; ++i) y[i] = x[i];
    for (int s = 0; s < 4; ++s) {
        derivative(q, y, u, k);
        const double weight = s == 0 || s == 3 ? 1.0 : 2.0;
        const double ahead = s == 2 ? h : h / 2;
        for (int i = 0; i < state_size; ++i) {
            sum[i] += weight * k[i];
            y[i] = x[i] + ahead * k[i];
        }
    }
    for (int i = 0; i < state_size; ++i) next[i] = x[i] + h / 6 * sum[i];
}

/// next as above, and e = d next / d(x, u): 12 x 16, row-major. Differentiates every stage of the step itself, so e is
/// the derivative of what rk4 computes, not of the flow that it approximates. Costs about four times rk4.
///
/// Shared by the members of a group of 1 or 16, one column of e each; every member has its own `next`. No barrier.
template <class G>
SHOAL_FN void rk4_jacobian(const G& g, const quadrotor& q, double h, const double* x, const double* u,
                           double* next, double* e) {
    constexpr int each = detail::jacobian_columns<G>, size = state_size * each;
    double k[state_size], y[state_size], sum[state_size] = {};
    double K[size], Z[size] = {}, total[size] = {};
    detail::derivative_jacobian F;
    SHOAL_UNROLL
    for (int i = 0; i < state_size; ++i) y[i] = x[i];
    detail::add_identity(g, Z);
    for (int s = 0; s < 4; ++s) {
        const detail::attitude t = detail::make_attitude(y);
        detail::derivative(q, t, y, u, k);
        detail::jacobian(q, t, y, u, F);
        detail::chain(g, F, Z, K);
        const double weight = s == 0 || s == 3 ? 1.0 : 2.0;
        const double ahead = s == 2 ? h : h / 2;
        SHOAL_UNROLL
        for (int i = 0; i < state_size; ++i) {
            sum[i] += weight * k[i];
            y[i] = x[i] + ahead * k[i];
        }
        SHOAL_UNROLL
        for (int i = 0; i < size; ++i) {
            total[i] += weight * K[i];
            Z[i] = ahead * K[i];
        }
        detail::add_identity(g, Z);
    }
    SHOAL_UNROLL
    for (int i = 0; i < state_size; ++i) next[i] = x[i] + h / 6 * sum[i];
    SHOAL_UNROLL
    for (int i = 0; i < size; ++i) total[i] = h / 6 * total[i];
    detail::add_identity(g, total);
    SHOAL_UNROLL
    for (int i = 0; i < size; ++i) e[i / each * stage_size + i % each + g.rank()] = total[i];
}

/// The same by the caller alone.
SHOAL_FN void rk4_jacobian(const quadrotor& q, double h, const double* x, const double* u, double* next,
                           double* e) {
    rk4_jacobian(thread_group{}, q, h, x, u, next, e);
}

}  // namespace shoal::mpc
