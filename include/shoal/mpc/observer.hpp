#pragma once

/// \file
/// An observer for the acceleration that a vehicle shows beyond what the scenarios predict on average: the wind, and what
/// the thrust does to a mass that is not the mean one.
///
///     offset += gain (v_measured - mean_i v_predicted^i) / dt
///
/// Measured against the mean of the scenarios, not against the nominal model: a few scenarios have a mean of their own,
/// and what they share as a first input is right for that mean.

#include <algorithm>
#include <vector>

#include <shoal/mpc/quadrotor.hpp>

namespace shoal::mpc {

class acceleration_observer {
  public:
    acceleration_observer(const std::vector<quadrotor>& scenarios, double dt, double gain, double bound)
        : scenarios_(scenarios), dt_(dt), gain_(gain), bound_(bound) {}

    /// before, u: state and input of the last step; after: the state that was measured behind it.
    void update(const double* before, const double* u, const double* after) {
        double mean[3] = {};
        for (quadrotor q : scenarios_) {
            for (int a = 0; a < 3; ++a) q.acceleration[a] += offset_[a];
            double predicted[state_size];
            rk4(q, dt_, before, u, predicted);
            for (int a = 0; a < 3; ++a) mean[a] += predicted[3 + a] / double(scenarios_.size());
        }
        for (int a = 0; a < 3; ++a)
            offset_[a] = std::clamp(offset_[a] + gain_ * (after[3 + a] - mean[a]) / dt_, -bound_, bound_);
    }

    [[nodiscard]] const double* offset() const { return offset_; }

  private:
    std::vector<quadrotor> scenarios_;
    double dt_, gain_, bound_;
    double offset_[3] = {};
};

}  // namespace shoal::mpc
