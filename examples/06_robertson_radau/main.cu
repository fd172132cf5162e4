// The same cells on a GPU, a thread each: Newton matrices in arrays of the threads, or interleaved in global memory.
#include "../device.cuh"
#include "../harness.hpp"
#include "batch.hpp"

#include <vector>

namespace {

using robertson::outcome;
using robertson::rates;
using robertson::unknowns;

__global__ void in_arrays(const rates* cells, int count, outcome* results) {
    const int c = harness::thread_index();
    if (c < count) results[c] = robertson::integrate_in_arrays(cells[c]);
}

__global__ void interleaved(const rates* cells, int count, double* a, int* pivots, double* z,
                            outcome* results) {
    const int c = harness::thread_index();
    if (c < count) results[c] = robertson::integrate_interleaved(cells[c], c, count, a, pivots, z);
}

}  // namespace

int main() {
    const std::vector<rates> cells = robertson::all_cells();
    const int count = static_cast<int>(cells.size());
    std::vector<outcome> reference(cells.size());
    const double host_time = harness::milliseconds([&] {
        for (std::size_t c = 0; c < cells.size(); ++c)
            reference[c] = robertson::integrate_in_arrays(cells[c]);
    });
    const robertson::verdict expected = robertson::judge(reference);
    bool right = harness::line("host, sequential", host_time, expected.error, expected.good);

    const harness::device_array<rates> device_cells(cells);
    const harness::device_array<outcome> device_results(cells.size());
    const auto check = [&](const char* name, double time) {
        const std::vector<outcome> results = device_results.download();
        const robertson::verdict found = robertson::judge(results);
        // The model calls no function of the mathematical library, so host and device agree to the bit.
        const bool good = time >= 0 && found.good && robertson::same_bits(results, reference);
        right = harness::line(name, time, found.error, good) && right;
    };

    constexpr int threads = 32;
    const int blocks = (count + threads - 1) / threads;
    check("CUDA, thread-local", harness::device_milliseconds([&] {
              in_arrays<<<blocks, threads>>>(device_cells.data(), count, device_results.data());
          }));

    const harness::device_array<double> a(cells.size() * unknowns * unknowns), z(cells.size() * unknowns);
    const harness::device_array<int> pivots(cells.size() * unknowns);
    check("CUDA, SoA", harness::device_milliseconds([&] {
              interleaved<<<blocks, threads>>>(device_cells.data(), count, a.data(), pivots.data(), z.data(),
                                               device_results.data());
          }));
    return right ? 0 : 1;
}
