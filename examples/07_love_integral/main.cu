// The same sweep on a GPU, a thread per distance: small systems in arrays of the threads, larger ones interleaved in global
// memory. The size is a number that the kernel is given.
#include "../device.cuh"
#include "../harness.hpp"
#include "sweep.hpp"

#include <cstdio>
#include <vector>

namespace {

namespace lu = shoal::tiled_lu;

constexpr int largest = 24;  // order that the arrays of a thread have room for

__global__ void in_arrays(const love::task* tasks, int count, love::outcome* results) {
    const int s = harness::thread_index();
    if (s >= count) return;
    double a[largest * largest], u[2 * largest];
    int pivots[largest];
    const int n = tasks[s].n;
    results[s] = love::solve(n, tasks[s].distance, lu::of_order(lu::local(a), n), lu::local(pivots),
                             lu::columns<2>(lu::local(u), n));
}

__global__ void interleaved(const love::task* tasks, int count, double* a, int* pivots, double* u,
                            love::outcome* results) {
    const int s = harness::thread_index();
    if (s < count) results[s] = love::solve_interleaved(tasks[s], s, count, a, pivots, u);
}

/// Runs launch(tasks, results) and compares with the host. Only sums, products and quotients occur: they agree to the bit.
template <class Launch>
bool check(const char* place, int n, const std::vector<love::task>& tasks, const Launch& launch) {
    const harness::device_array<love::task> device_tasks(tasks);
    const harness::device_array<love::outcome> device_results(tasks.size());
    const double time =
        harness::device_milliseconds([&] { launch(device_tasks.data(), device_results.data()); });
    const std::vector<love::outcome> results = device_results.download();
    std::vector<love::outcome> reference;
    for (const love::task& task : tasks) reference.push_back(love::solve_allocated(task));
    const love::verdict found = love::judge(results);
    char name[40];
    std::snprintf(name, sizeof name, "%s, n = %d", place, n);
    return harness::line(name, time, found.error,
                         time >= 0 && found.good && love::same_bits(results, reference));
}

}  // namespace

int main() {
    constexpr int threads = 32;
    constexpr int count = 512;
    constexpr int blocks = count / threads;
    bool right = true;
    for (const int n : {5, 17, largest}) {
        const auto launch = [&](const love::task* tasks, love::outcome* results) {
            in_arrays<<<blocks, threads>>>(tasks, count, results);
        };
        right = check("CUDA, local", n, love::sweep({n}, count), launch) && right;
    }
    for (const int n : {largest, 50, 101}) {
        const auto rows = static_cast<std::size_t>(n);
        const harness::device_array<double> a(count * rows * rows), u(count * 2 * rows);
        const harness::device_array<int> pivots(count * rows);
        const auto launch = [&](const love::task* tasks, love::outcome* results) {
            interleaved<<<blocks, threads>>>(tasks, count, a.data(), pivots.data(), u.data(), results);
        };
        right = check("CUDA, SoA", n, love::sweep({n}, count), launch) && right;
    }
    return right ? 0 : 1;
}
