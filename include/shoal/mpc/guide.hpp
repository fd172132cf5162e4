#pragma once

/// \file
/// The guide: a polyline around the obstacles, and a reference that moves along it at bounded speed.
///
/// Sequential programming is local: seen from the start, an obstacle in the middle of the way is a stable place to
/// hover in front of. The guide settles on which side to pass. It is the shortest path in a visibility graph whose nodes
/// lie on spheres around the obstacles.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <shoal/mpc/problem.hpp>

namespace shoal::mpc {

/// A position in the world frame.
using point3 = std::array<double, 3>;

namespace detail {

inline point3 to_point(const double* p) {
    return {p[0], p[1], p[2]};
}
inline point3 along(const point3& a, const point3& b, double t) {
    return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}
inline double distance(const point3& a, const point3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Distance of c from the segment a b.
inline double segment_distance(const point3& a, const point3& b, const point3& c) {
    double dot = 0, length = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        dot += (c[i] - a[i]) * (b[i] - a[i]);
        length += (b[i] - a[i]) * (b[i] - a[i]);
    }
    return distance(c, along(a, b, length > 0 ? std::clamp(dot / length, 0.0, 1.0) : 0.0));
}

struct ball {
    point3 centre;
    double radius;
};

inline bool visible(const std::vector<ball>& balls, const point3& a, const point3& b) {
    return std::all_of(balls.begin(), balls.end(),
                       [&](const ball& o) { return segment_distance(a, b, o.centre) >= o.radius; });
}

/// Shortest path from start to goal outside the balls, through points on slightly larger balls; empty if there is none.
inline std::vector<point3> shortest_path(const std::vector<ball>& balls, const point3& start,
                                         const point3& goal) {
    std::vector<point3> nodes{start, goal};
    const int per_ball = std::clamp(1200 / std::max(1, int(balls.size())), 12, 80);
    // A chord between neighbouring nodes must stay outside the ball that they surround.
    const double swell = 1.0 / std::cos(std::sqrt(3.14159265358979 / per_ball));
    for (const ball& o : balls)
        for (int j = 0; j < per_ball; ++j) {
            const double z = 1 - (2 * j + 1.0) / per_ball, r = std::sqrt(1 - z * z),
                         angle = 2.399963229728653 * j;
            const double R = o.radius * swell;
            const point3 p{o.centre[0] + R * r * std::cos(angle), o.centre[1] + R * r * std::sin(angle),
                           o.centre[2] + R * z};
            if (visible(balls, p, p)) nodes.push_back(p);
        }
    std::vector<double> cost(nodes.size(), std::numeric_limits<double>::infinity());
    std::vector<std::size_t> next(nodes.size(), 1);
    std::vector<char> done(nodes.size(), 0);
    cost[1] = 0;
    for (;;) {
        std::size_t here = nodes.size();
        for (std::size_t j = 0; j < nodes.size(); ++j)
            if (!done[j] && std::isfinite(cost[j]) && (here == nodes.size() || cost[j] < cost[here]))
                here = j;
        if (here == nodes.size()) return {};
        if (here == 0) break;
        done[here] = 1;
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            const double there = cost[here] + distance(nodes[here], nodes[j]);
            if (!done[j] && there < cost[j] && visible(balls, nodes[here], nodes[j])) {
                cost[j] = there;
                next[j] = here;
            }
        }
    }
    std::vector<point3> path{start};
    for (std::size_t j = 0; j != 1;) {
        j = next[j];
        path.push_back(nodes[j]);
    }
    return path;
}

}  // namespace detail

/// A path from start to goal that keeps the widest of a few margins, or an empty one if not even the vehicle's own
/// radius fits through.
inline std::vector<point3> plan_path(const flight_problem& problem, const double* start) {
    for (const double margin : {0.05, 0.03, 0.02, 0.005}) {
        std::vector<detail::ball> balls;
        const point3 a = detail::to_point(start), b = detail::to_point(problem.goal);
        for (const obstacle& o : problem.obstacles) {
            const point3 c = detail::to_point(o.centre);
            // Start and goal may lie nearer to an obstacle than the margin.
            const double room = 0.999 * std::min(detail::distance(a, c), detail::distance(b, c));
            balls.push_back({c, std::min(o.radius + problem.radius + margin, room)});
        }
        auto path = detail::shortest_path(balls, a, b);
        if (!path.empty()) return path;
    }
    return {};
}

/// Position and velocity that the vehicle should have at one moment.
struct reference_point {
    point3 position, velocity;
};

/// Runs along a path at a pace that the vehicle can follow, and says where it should be now and soon.
class guide {
  public:
    guide(std::vector<point3> path, double cruise_speed, double acceleration)
        : path_(std::move(path)), arc_(path_.size(), 0.0), speed_(cruise_speed), acceleration_(acceleration) {
        for (std::size_t j = 1; j < path_.size(); ++j)
            arc_[j] = arc_[j - 1] + detail::distance(path_[j - 1], path_[j]);
    }

    [[nodiscard]] double length() const { return arc_.back(); }
    [[nodiscard]] double progress() const { return progress_; }
    [[nodiscard]] const std::vector<point3>& path() const { return path_; }

    /// Moves the reference on by dt along the path, but never more than `lead` ahead of the vehicle at p: a vehicle that
    /// is held back is waited for, one that lags a little is pulled along. Returns the vehicle's distance from the path.
    double follow(const double* p, double dt) {
        advance(dt, progress_, pace_);
        const point3 here = detail::to_point(p);
        double best = std::numeric_limits<double>::infinity(), nearest = progress_;
        for (double s = std::max(0.0, progress_ - 2 * lead); s <= std::min(length(), progress_ + lead);
             s += 0.01) {
            const double d = detail::distance(here, at(s));
            if (d < best) {
                best = d;
                nearest = s;
            }
        }
        progress_ = std::min(progress_, nearest + lead);
        return best;
    }

    /// Fills out with the reference at times 0, dt, .. from the present progress.
    void reference(double dt, std::vector<reference_point>& out) const {
        double s = progress_, pace = pace_;
        for (reference_point& r : out) {
            r.position = at(s);
            const point3 ahead = at(std::min(length(), s + 0.02)), behind = at(std::max(0.0, s - 0.02));
            const double norm = std::max(1e-9, detail::distance(ahead, behind));
            for (std::size_t i = 0; i < 3; ++i) r.velocity[i] = pace * (ahead[i] - behind[i]) / norm;
            advance(dt, s, pace);
        }
    }

  private:
    static constexpr double lead = 0.3;

    /// Speeds up and slows down at the same rate, so as to stop at the end.
    void advance(double dt, double& s, double& pace) const {
        constexpr int substeps = 8;
        const double h = dt / substeps;
        for (int j = 0; j < substeps; ++j) {
            const double left = std::max(0.0, length() - s);
            pace = std::min({pace + acceleration_ * h, speed_, std::sqrt(2 * acceleration_ * left)});
            // The last centimetres in finite time: the square root alone would only approach the end.
            s = std::min(length(), s + h * std::max(pace, 0.02));
        }
    }

    [[nodiscard]] point3 at(double s) const {
        const auto j = std::size_t(std::upper_bound(arc_.begin(), arc_.end(), s) - arc_.begin());
        if (j == arc_.size()) return path_.back();
        if (j == 0) return path_.front();
        return detail::along(path_[j - 1], path_[j],
                             (s - arc_[j - 1]) / std::max(1e-12, arc_[j] - arc_[j - 1]));
    }

    std::vector<point3> path_;
    std::vector<double> arc_;
    double speed_, acceleration_;
    double progress_ = 0, pace_ = 0;
};

}  // namespace shoal::mpc
