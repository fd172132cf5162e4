#pragma once

/// \file
/// Scenarios: vehicles of other mass in other wind. The same seed gives the same scenarios on every standard library.

#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/mpc/problem.hpp>

namespace shoal::mpc {

/// Normal numbers from the splitmix64 generator by Box and Muller's method. Written out because the standard library
/// leaves the algorithm of std::normal_distribution open.
class normal_stream {
  public:
    normal_stream(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
        state_ = bits() ^ (0xd1342543de82ef95u * (stream + 1));
    }

    double operator()() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const double radius = std::sqrt(-2 * std::log(uniform()));
        const double angle = 6.283185307179586 * uniform();
        spare_ = radius * std::sin(angle);
        has_spare_ = true;
        return radius * std::cos(angle);
    }

    /// In (0, 1].
    double uniform() { return (double(bits() >> 11) + 1) * 0x1p-53; }

  private:
    std::uint64_t bits() {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t x = state_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

    std::uint64_t state_;
    double spare_ = 0;
    bool has_spare_ = false;
};

/// Which random numbers of a seed: those of the controller, or of the true vehicle.
enum class scenario_stream : std::uint64_t { controller = 0, truth = 1 };

namespace detail {

inline quadrotor draw_vehicle(const flight_problem& problem, normal_stream& normal) {
    quadrotor q = problem.vehicle;
    // Nothing flies with a tenth of its mass; the draw is repeated, which only a relative deviation above 0.2 ever needs.
    double factor = 0;
    while (factor < 0.1) factor = 1 + problem.mass_relative_std * normal();
    q.mass *= factor;
    for (double& a : q.acceleration) a = problem.wind_acceleration_std * normal();
    return q;
}

}  // namespace detail

/// count vehicles: mass = mass (1 + mass_relative_std n), wind acceleration = wind_acceleration_std (n, n, n).
inline std::vector<quadrotor> sample_scenarios(const flight_problem& problem, std::uint64_t seed, int count) {
    normal_stream normal(seed, std::uint64_t(scenario_stream::controller));
    std::vector<quadrotor> scenarios;
    scenarios.reserve(std::size_t(count));
    for (int i = 0; i < count; ++i) scenarios.push_back(detail::draw_vehicle(problem, normal));
    return scenarios;
}

/// The vehicle that flies, from a stream of its own.
inline quadrotor sample_truth(const flight_problem& problem, std::uint64_t seed) {
    normal_stream normal(seed, std::uint64_t(scenario_stream::truth));
    return detail::draw_vehicle(problem, normal);
}

}  // namespace shoal::mpc
