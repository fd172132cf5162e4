#pragma once

/// \file
/// An observer for the acceleration that a vehicle shows beyond its nominal model: wind, and the thrust's effect on
/// a mass that is not the nominal one.
///
///     offset += gain ((v_measured - v_predicted) / dt)

#include <algorithm>

#include <shoal/mpc/quadrotor.hpp>

namespace shoal::mpc {

class acceleration_observer {
  public:
    acceleration_observer(const quadrotor& nominal, double dt, double gain, double bound)
        : nominal_(nominal), dt_(dt), gain_(gain), bound_(bound) {}

    /// before, u: state and input of the last step; after: the state that was measured behind it.
    void update(const double* before, const double* u, const double* after) {
        quadrotor q = nominal_;
        std::copy(offset_, offset_ + 3, q.acceleration);
        double predicted[state_size];
        rk4(q, dt_, before, u, predicted);
        for (int i = 0; i < 3; ++i) {
            const double seen = offset_[i] + gain_ * (after[3 + i] - predicted[3 + i]) / dt_;
            offset_[i] = std::clamp(seen, -bound_, bound_);
        }
    }

    [[nodiscard]] const double* offset() const { return offset_; }

  private:
    quadrotor nominal_;
    double dt_, gain_, bound_;
    double offset_[3] = {};
};

}  // namespace shoal::mpc
