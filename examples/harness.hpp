#pragma once

// The ways in which the examples with a body per system run it on a host: one after the other, with OpenMP, and with the
// parallel algorithms of the standard library. Which of them there are, CMake says.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#ifdef SHOAL_EXAMPLE_PARALLEL_ALGORITHMS
#  include <execution>
#endif

namespace harness {

/// body(0), body(1), ..., body(count - 1).
template <class Body>
void sequential(int count, const Body& body) {
    for (int system = 0; system < count; ++system) body(system);
}

#ifdef _OPENMP
template <class Body>
void openmp(int count, const Body& body) {
#  pragma omp parallel for schedule(dynamic)
    for (int system = 0; system < count; ++system) body(system);
}
#endif

#ifdef SHOAL_EXAMPLE_PARALLEL_ALGORITHMS
template <class Body>
void standard(int count, const Body& body) {
    std::vector<int> systems(static_cast<std::size_t>(count));
    std::iota(systems.begin(), systems.end(), 0);
    std::for_each(std::execution::par, systems.begin(), systems.end(), body);
}
#endif

/// run(name, harness) for every harness on the host; the first one is the sequential one.
template <class Run>
void on_all(const Run& run) {
    run("sequential", [](int count, const auto& body) { sequential(count, body); });
#ifdef _OPENMP
    run("OpenMP", [](int count, const auto& body) { openmp(count, body); });
#endif
#ifdef SHOAL_EXAMPLE_PARALLEL_ALGORITHMS
    run("std::execution::par", [](int count, const auto& body) { standard(count, body); });
#endif
}

/// Milliseconds that work() takes.
template <class Work>
double milliseconds(const Work& work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

/// The larger error; NaN, once there, stays.
inline double worse(double one, double other) {
    return std::isnan(other) || one < other ? other : one;
}

/// A line of the table, and whether the run that it tells of is as it should be.
inline bool line(const char* name, double time, double error, bool good) {
    std::printf("%-22s %9.1f ms  error %8.1e  %s\n", name, time, error, good ? "good" : "WRONG");
    return good;
}

}  // namespace harness
