#pragma once

/// \file
/// A Kalman filter for what the true vehicle differs by from the mean of the scenarios: how much more the thrust
/// accelerates it (it is lighter), and an acceleration from outside (the wind).
///
///     (v_measured - mean_i v_predicted^i) / dt = [b I_3] (eta, d) + noise
///
/// b is the acceleration by the thrust over the step. Measured against the mean of the scenarios, not against the nominal
/// model: a few scenarios have a mean of their own, and the first input that they share is right for that mean.
/// A plain acceleration observer takes a wrong mass for wind, which is wrong again as soon as the thrust changes.

#include <algorithm>
#include <vector>

#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/quadrotor.hpp>

namespace shoal::mpc {

/// What the scenarios are moved by: thrust accelerates by 1 + thrust_gain times as much, acceleration comes on top.
struct vehicle_offset {
    double thrust_gain = 0;
    double acceleration[3] = {};
};

/// Learns from each step by how much the true vehicle differs from the scenarios' mean.
class vehicle_estimator {
  public:
    /// The prior is the problem's uncertainty.
    vehicle_estimator(const flight_problem& problem, double dt) : dt_(dt) {
        const double mass = problem.mass_relative_std, wind = std::max(problem.wind_acceleration_std, 0.1);
        covariance_[0][0] = mass * mass;
        for (int a = 1; a < 4; ++a) covariance_[a][a] = wind * wind;
    }

    /// scenarios: what the controller planned with, the present offset included; before, u: state and input of the last
    /// step; after: the state that was measured behind it.
    void update(const std::vector<quadrotor>& scenarios, const double* before, const double* u,
                const double* after) {
        double error[3] = {}, b[3] = {};
        const double share = 1 / double(scenarios.size());
        for (const quadrotor& q : scenarios) {
            double predicted[state_size];
            rk4(q, dt_, before, u, predicted);
            for (int a = 0; a < 3; ++a) {
                const double gained = (predicted[3 + a] - before[3 + a]) / dt_;
                const double drag = q.linear_drag * before[3 + a] / q.mass;
                b[a] += share * (gained - q.acceleration[a] + drag + (a == 2 ? q.gravity : 0.0));
                error[a] += share * (after[3 + a] - predicted[3 + a]) / dt_;
            }
        }
        // Gusts and what the model leaves out let the estimate drift; a constant one would stop listening.
        constexpr double drift = 0.2, noise = 0.05;
        for (int a = 1; a < 4; ++a) covariance_[a][a] += drift * drift * dt_;
        // The axes have independent noise, so they may be taken one after the other, each with a scalar division.
        double theta[4] = {}, seen[4];
        for (int a = 0; a < 3; ++a) {
            for (int i = 0; i < 4; ++i) seen[i] = covariance_[i][0] * b[a] + covariance_[i][a + 1];
            const double innovation = error[a] - b[a] * theta[0] - theta[a + 1];
            const double variance = b[a] * seen[0] + seen[a + 1] + noise * noise;
            for (int i = 0; i < 4; ++i) {
                theta[i] += seen[i] * innovation / variance;
                for (int j = 0; j < 4; ++j) covariance_[i][j] -= seen[i] * seen[j] / variance;
            }
        }
        offset_.thrust_gain = std::clamp((1 + offset_.thrust_gain) * (1 + theta[0]) - 1, -0.6, 1.5);
        for (int a = 0; a < 3; ++a)
            offset_.acceleration[a] = std::clamp(offset_.acceleration[a] + theta[a + 1], -8.0, 8.0);
    }

    [[nodiscard]] const vehicle_offset& offset() const { return offset_; }

  private:
    double dt_;
    double covariance_[4][4] = {};
    vehicle_offset offset_;
};

}  // namespace shoal::mpc
