// The same material points on a GPU, a thread each: Newton's matrix in arrays of the thread, or interleaved in global memory.
#include "../device.cuh"
#include "../harness.hpp"
#include "points.hpp"

#include <vector>

namespace {

using norton::history;
using norton::unknowns;

__global__ void in_arrays(norton::material m, int count, history* results) {
    const int point = harness::thread_index();
    if (point < count) results[point] = norton::load_in_arrays(m, point);
}

__global__ void interleaved(norton::material m, int count, double* a, int* pivots, double* x,
                            history* results) {
    const int point = harness::thread_index();
    if (point < count) results[point] = norton::load_interleaved(m, point, count, a, pivots, x);
}

}  // namespace

int main() {
    constexpr int count = norton::point_count;
    const norton::material m;
    std::vector<history> reference(count);
    const double host_time = harness::milliseconds([&] {
        for (int point = 0; point < count; ++point)
            reference[static_cast<std::size_t>(point)] = norton::load_in_arrays(m, point);
    });
    bool right =
        harness::line("host, sequential", host_time, 0, norton::difference(reference, reference) == 0);

    std::vector<history> first;
    const harness::device_array<history> device_results(count);
    const auto check = [&](const char* name, double time) {
        const std::vector<history> results = device_results.download();
        if (first.empty()) first = results;
        // pow on the device differs from the host's in the last digit; the placements do not differ at all.
        const double error = norton::difference(reference, results);
        const bool good = time >= 0 && error < 1e-12 && norton::difference(first, results) == 0;
        right = harness::line(name, time, error, good) && right;
    };

    constexpr int threads = 64;
    constexpr int blocks = (count + threads - 1) / threads;
    check("CUDA, thread-local", harness::device_milliseconds([&] {
              in_arrays<<<blocks, threads>>>(m, count, device_results.data());
          }));

    const harness::device_array<double> a(count * unknowns * unknowns), x(count * unknowns);
    const harness::device_array<int> pivots(count * unknowns);
    check("CUDA, SoA", harness::device_milliseconds([&] {
              interleaved<<<blocks, threads>>>(m, count, a.data(), pivots.data(), x.data(),
                                               device_results.data());
          }));
    return right ? 0 : 1;
}
