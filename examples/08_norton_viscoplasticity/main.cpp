// Viscoplastic material points under load: in every step each solves a small nonlinear system and gives a consistent tangent.
#include "../harness.hpp"
#include "points.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

namespace lu = shoal::tiled_lu;
using norton::components;
using norton::unknowns;

norton::outcome advance(norton::state& now, const double* strain_increment) {
    double a[unknowns * unknowns], x[unknowns];
    int pivots[unknowns];
    return norton::advance(norton::material{}, now, strain_increment, norton::step_length,
                           lu::of_order<unknowns>(lu::local(a)), lu::local(pivots), lu::local(x));
}

/// The largest distance of the tangent from central differences of the stress, relative to Young's modulus.
double tangent_error(int point, int step) {
    norton::state before;
    double strain[components];
    for (int s = 0; s < step; ++s) {
        norton::loading(point, s, strain);
        advance(before, strain);
    }
    norton::loading(point, step, strain);
    norton::state now = before;
    const norton::outcome center = advance(now, strain);
    double largest = center.good ? 0 : NAN;
    constexpr double h = 1e-8;
    for (int c = 0; c < components; ++c) {
        norton::outcome sides[2];
        for (int side = 0; side < 2; ++side) {
            norton::loading(point, step, strain);
            strain[c] += side == 0 ? -h : h;
            now = before;
            sides[side] = advance(now, strain);
        }
        for (int i = 0; i < components; ++i) {
            const double slope = (sides[1].stress[i] - sides[0].stress[i]) / (2 * h);
            largest =
                harness::worse(largest, std::fabs(slope - center.tangent[i][c]) / norton::material{}.young);
        }
    }
    return largest;
}

/// Sheared steadily, a point comes to flow as fast as it is sheared: by how much its stress then misses the law, relative.
double steady_flow_error() {
    const norton::material m;
    const double shear[components] = {0, 0, 0, 1e-3, 0, 0};
    norton::state now;
    norton::outcome last{};
    for (int step = 0; step < 100; ++step) last = advance(now, shear);
    const double rate = std::sqrt(2.0 / 3) * shear[3] / norton::step_length;
    return std::fabs(std::sqrt(1.5) * last.stress[3] / (m.K * std::pow(rate, 1 / m.E)) - 1);
}

}  // namespace

int main() {
    constexpr int count = norton::point_count;
    const norton::material m;
    std::vector<norton::history> results(count), reference;
    bool right = true;
    const auto check = [&](const char* name, double time) {
        if (reference.empty()) reference = results;
        // The same calls on the same numbers: no difference at all.
        const double error = norton::difference(reference, results);
        right = harness::line(name, time, error, error == 0) && right;
    };

    harness::on_all([&](const char* name, const auto& loop) {
        const auto load = [&](int point) {
            results[static_cast<std::size_t>(point)] = norton::load_in_arrays(m, point);
        };
        check(name, harness::milliseconds([&] { loop(count, load); }));
    });

    std::vector<double> a(count * unknowns * unknowns), x(count * unknowns);
    std::vector<int> pivots(count * unknowns);
    const auto load = [&](int point) {
        results[static_cast<std::size_t>(point)] =
            norton::load_interleaved(m, point, count, a.data(), pivots.data(), x.data());
    };
    check("sequential, SoA", harness::milliseconds([&] { harness::sequential(count, load); }));

    double tangents = 0;
    for (const int point : {0, 700, 1999}) {
        for (const int step : {0, 3, 6}) tangents = harness::worse(tangents, tangent_error(point, step));
    }
    const double flow = steady_flow_error();
    std::printf("tangents within %.1e of finite differences, steady flow within %.1e of the law\n", tangents,
                flow);
    return right && tangents < 1e-8 && flow < 1e-9 ? 0 : 1;
}
