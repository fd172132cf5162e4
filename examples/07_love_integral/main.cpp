// Dense systems whose size is known at run time only, with two right-hand sides: a sweep over the distance of two discs.
#include "../harness.hpp"
#include "sweep.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

/// The trapezoid rule errs by a series in even powers of the step, so two grids give the value in the limit.
double extrapolated_capacity(double distance, int n) {
    const double coarse = love::solve_allocated({n, distance}).capacity;
    const double fine = love::solve_allocated({2 * n - 1, distance}).capacity;
    return fine + (fine - coarse) / 3;
}

/// Whether a batch of interleaved systems gives the bits that each gives alone.
bool interleaved_is_the_same(int n, int count) {
    const std::vector<love::task> tasks = love::sweep({n}, count);
    const auto systems = tasks.size();
    const auto rows = static_cast<std::size_t>(n);
    std::vector<double> a(systems * rows * rows), u(systems * 2 * rows);
    std::vector<int> pivots(systems * rows);
    std::vector<love::outcome> together, alone;
    for (std::size_t s = 0; s < systems; ++s) {
        together.push_back(
            love::solve_interleaved(tasks[s], static_cast<int>(s), count, a.data(), pivots.data(), u.data()));
        alone.push_back(love::solve_allocated(tasks[s]));
    }
    return love::same_bits(together, alone);
}

}  // namespace

int main() {
    const std::vector<love::task> tasks = love::sweep({5, 18, 50, 100, 163}, 16);
    std::vector<love::outcome> results(tasks.size()), reference;
    bool right = true;
    const auto solve = [&](int s) {
        const auto system = static_cast<std::size_t>(s);
        results[system] = love::solve_allocated(tasks[system]);
    };
    harness::on_all([&](const char* name, const auto& loop) {
        const double time = harness::milliseconds([&] { loop(static_cast<int>(tasks.size()), solve); });
        if (reference.empty()) reference = results;
        const love::verdict found = love::judge(results);
        right = harness::line(name, time, found.error, found.good && love::same_bits(results, reference)) &&
                right;
    });

    love::outcome large{};
    const double time = harness::milliseconds([&] { large = love::solve_allocated({1000, 1}); });
    right = harness::line("n = 1000", time, large.error, love::judge({large}).good) && right;

    const bool same = interleaved_is_the_same(50, 3);
    const double capacity = extrapolated_capacity(1, 33);
    const double change = std::fabs(extrapolated_capacity(1, 65) - capacity);
    std::printf("capacity at distance 1: %.7f, finer grids change it by %.0e; interleaved: %s\n", capacity,
                change, same ? "the same bits" : "OTHER BITS");
    return right && same && change < 1e-7 ? 0 : 1;
}
