// Batches in the order of the caller's stream, and from several host threads at once.

#include "batched/batch_lane.hpp"
#include "support/random.hpp"

#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::lower;
using batched::matrices;
using batched::upper;
using batched::vectors;

constexpr double nanoseconds_per_millisecond = 1e6;

/// Keeps its stream busy.
__global__ void delay(double milliseconds) {
    unsigned long long start = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (static_cast<double>(now - start) < milliseconds * nanoseconds_per_millisecond);
}

/// 2 I + (all ones), times `scale`, and right-hand sides whose solution is all `scale`.
template <int N>
__global__ void write_systems(double* a, double* x, int systems, double scale) {
    const int s = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= systems) return;
    for (int j = 0; j < N; ++j) {
        for (int i = 0; i < N; ++i) a[s * N * N + i + j * N] = scale * (i == j ? 3.0 : 1.0);
        x[s * N + j] = scale * scale * (N + 2);
    }
}

/// Counts the elements that are not `want`.
__global__ void count_wrong(const double* x, int elements, double want, int* wrong) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < elements && !(fabs(x[e] - want) <= 1e-12 * want)) atomicAdd(wrong, 1);
}

constexpr unsigned blocks_for(int threads) {
    return static_cast<unsigned>((threads + 127) / 128);
}

/// Writes, factors or solves, and checks on one stream, without waiting; `delayed` stands in front.
template <int N>
void expect_stream_order(int systems, const std::vector<double>& delays) {
    const auto count = static_cast<std::size_t>(systems);
    batch_memory<double> a(std::vector<double>(count * N * N, -1)), x(std::vector<double>(count * N, -1));
    batch_memory<double> kept(std::vector<double>(count * N * N, -1)), y(std::vector<double>(count * N, -1));
    batch_memory<int> wrong(std::vector<int>(1, 0)), info(std::vector<int>(2 * count, 99));
    double scale = 1;
    for (const double milliseconds : delays) {
        scale += 1;
        delay<<<1, 1, 0, stream()>>>(milliseconds);
        write_systems<N><<<blocks_for(systems), 128, 0, stream()>>>(a.data(), x.data(), systems, scale);
        write_systems<N><<<blocks_for(systems), 128, 0, stream()>>>(kept.data(), y.data(), systems, scale);
        ASSERT_TRUE(accepted(batched::posv(stream(), lower(matrices<double, N, N>(a.data())),
                                           vectors<double, N>(x.data()), systems, info.data())));
        ASSERT_TRUE(accepted(batched::potrf(stream(), lower(matrices<double, N, N>(kept.data())), systems,
                                            info.data() + systems)));
        ASSERT_TRUE(accepted(batched::trsm(stream(), lower(matrices<const double, N, N>(kept.data())),
                                           matrices<double, N, 1>(y.data()), systems)));
        ASSERT_TRUE(accepted(batched::trsm(stream(), upper(matrices<const double, N, N, row>(kept.data())),
                                           matrices<double, N, 1>(y.data()), systems)));
        count_wrong<<<blocks_for(systems * N), 128, 0, stream()>>>(x.data(), systems * N, scale,
                                                                   wrong.data());
        count_wrong<<<blocks_for(systems * N), 128, 0, stream()>>>(y.data(), systems * N, scale,
                                                                   wrong.data());
    }
    EXPECT_EQ(wrong.read(), std::vector<int>{0});
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
}

TEST(batched_streams, D06_everything_stands_in_the_callers_stream) {
    std::vector<double> delays(201, 0.05);
    delays[0] = 50;
    expect_stream_order<12>(100, delays);
    expect_stream_order<12>(3000, {50, 0.05});
    expect_stream_order<48>(50, {50, 0.05});
}

TEST(batched_streams, D06_nothing_goes_to_the_default_stream) {
    // While a stream of the blocking kind is captured, work on the default stream is an error and spoils the capture.
    cudaStream_t blocking = nullptr;
    ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
    const int systems = 3000;
    batch_memory<double> a(std::vector<double>(systems * 16 * 16, 1)),
        x(std::vector<double>(systems * 16, 1));
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_TRUE(accepted(batched::potrf(blocking, lower(matrices<double, 16, 16>(a.data())), systems)));
    EXPECT_TRUE(accepted(batched::trsm(blocking, lower(matrices<const double, 16, 16>(a.data())),
                                       matrices<double, 16, 1>(x.data()), systems)));
    EXPECT_TRUE(accepted(batched::posv(blocking, lower(matrices<double, 16, 16>(a.data())),
                                       vectors<double, 16>(x.data()), systems)));
    ASSERT_EQ(cudaStreamEndCapture(blocking, &graph), cudaSuccess);
    std::size_t nodes = 0;
    ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 3U);
    expect_cuda(cudaGraphDestroy(graph));
    expect_cuda(cudaStreamDestroy(blocking));
}

__global__ void count_differences(const double* got, const double* want, int elements, int* wrong) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < elements && __double_as_longlong(got[e]) != __double_as_longlong(want[e])) atomicAdd(wrong, 1);
}

/// What one of two host threads does: `solve(stream, A, b, info)` over and over on a stream of its own, on new copies of
/// the same systems. Every result is compared with the first one, to the bit, and that one with the solution.
void hammer(int n, int systems, int times,
            const std::function<status(cudaStream_t, double*, double*, int*)>& solve, int* faults) {
    cudaStream_t mine = nullptr;
    double* memory = nullptr;
    int* counts = nullptr;
    const int matrix_elements = systems * n * n;
    const int vector_elements = systems * n;
    const int elements = matrix_elements + vector_elements;
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(double);
    std::vector<double> host(static_cast<std::size_t>(elements), 1.0);
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < n; ++i) host[static_cast<std::size_t>(s * n * n + i * (n + 1))] = n + 1.0 + i + s;
    const auto good = [&](cudaError_t e) { *faults += e == cudaSuccess ? 0 : 1; };
    good(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking));
    good(cudaMalloc(&memory, 3 * bytes));
    good(cudaMalloc(&counts, static_cast<std::size_t>(systems + 1) * sizeof(int)));
    good(cudaMemset(counts, 0, static_cast<std::size_t>(systems + 1) * sizeof(int)));
    good(cudaMemcpy(memory, host.data(), bytes, cudaMemcpyHostToDevice));
    // A copy from pageable memory may still be under way, and the stream does not wait for it.
    good(cudaDeviceSynchronize());
    double* const work = memory + elements;
    double* const first = work + elements;
    for (int k = 0; k < times; ++k) {
        double* const target = k == 0 ? first : work;
        good(cudaMemcpyAsync(target, memory, bytes, cudaMemcpyDeviceToDevice, mine));
        const status s = solve(mine, target, target + matrix_elements, counts + 1);
        *faults += s.ok() ? 0 : 1;
        if (k > 0) {
            count_differences<<<blocks_for(elements), 128, 0, mine>>>(work, first, elements, counts);
            good(cudaGetLastError());
        }
    }
    std::vector<int> results(static_cast<std::size_t>(systems + 1), 99);
    good(cudaStreamSynchronize(mine));
    good(cudaMemcpy(results.data(), counts, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
    good(cudaMemcpy(host.data(), first, bytes, cudaMemcpyDeviceToHost));
    for (const int r : results) *faults += r == 0 ? 0 : 1;
    // Row i of the first system: ones but for n + 1 + i on the diagonal, so x_i = (1 - sum) / (n + i).
    double sum = 0;
    double weights = 0;
    for (int i = 0; i < n; ++i) {
        sum += 1 / static_cast<double>(n + i);
        weights += 1 / static_cast<double>(n + i);
    }
    const double total = sum / (1 + weights);
    for (int i = 0; i < n; ++i) {
        const double x = host[static_cast<std::size_t>(matrix_elements + i)];
        *faults += std::abs(x - (1 - total) / (n + i)) <= 1e-14 ? 0 : 1;
    }
    good(cudaFree(memory));
    good(cudaFree(counts));
    good(cudaStreamDestroy(mine));
}

/// One and the same kernel for all orders.
status solve_dynamic(cudaStream_t mine, int n, double* a, double* x, int systems, int* info) {
    const matrices<double> A(matrix<double>(a, n, n), std::int64_t{n} * n);
    const vectors<double> b(vector<double>(x, n), n);
    return batched::posv(mine, lower(A), b, systems, info);
}
/// Large batches of static order 16: kernels of which some reserve shared memory.
template <int N>
status solve_static(cudaStream_t mine, double* a, double* x, int systems, int* info) {
    const matrices<double, N, N> A(a);
    if (const status s = batched::potrf(mine, lower(A), systems, info); !s.ok()) return s;
    const matrices<double, N, 1> B(x);
    if (const status s = batched::trsm(mine, lower(A), B, systems); !s.ok()) return s;
    // The transposed factor: the same memory by rows.
    return batched::trsm(mine, upper(matrices<double, N, N, row>(a)), B, systems);
}

TEST(batched_streams, D09_two_host_threads_on_one_launcher) {
    int faults[2] = {0, 0};
    const auto with_order = [&](int n, int systems, int* result) {
        hammer(
            n, systems, 1000,
            [=](cudaStream_t mine, double* a, double* x, int* info) {
                return solve_dynamic(mine, n, a, x, systems, info);
            },
            result);
    };
    std::thread other([&] { with_order(8, 20, &faults[0]); });
    with_order(100, 20, &faults[1]);
    other.join();
    EXPECT_EQ(faults[0], 0);
    EXPECT_EQ(faults[1], 0);
}

TEST(batched_streams, D09_two_host_threads_on_launchers_that_reserve_shared_memory) {
    int faults[2] = {0, 0};
    const auto with_batch = [&](int systems, int times, int* result) {
        hammer(
            16, systems, times,
            [=](cudaStream_t mine, double* a, double* x, int* info) {
                return solve_static<16>(mine, a, x, systems, info);
            },
            result);
    };
    std::thread other([&] { with_batch(2300, 200, &faults[0]); });
    with_batch(2100, 200, &faults[1]);
    other.join();
    EXPECT_EQ(faults[0], 0);
    EXPECT_EQ(faults[1], 0);
}

}  // namespace
