#pragma once

/// \file
/// How batches are timed: graph replays between events, the median of at least 20; inputs are restored before each
/// replay, outside the window. Small batches are repeated inside the graph, each on its own copy of the data and all of
/// it within the L2 cache; large ones are one node over data several times the L2.
///
/// The limit: the bytes that must move, over the rate of a copy. Each input is read once and each output written once;
/// of a triangle, the 32-byte sectors that it touches in column-major storage.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include <shoal/core/status.hpp>

namespace shoal_bench {

inline void check(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}
inline void check(shoal::status s) {
    if (s.ok()) return;
    std::fprintf(stderr, "%s\n", s.message());
    std::exit(1);
}

/// Rate of a plain copy kernel on the card of the committed rows, bytes read plus bytes written.
inline constexpr double copy_bytes_per_us = 4129e3;

inline std::size_t& array_spacing() {
    static std::size_t bytes = std::size_t{34} << 20;
    return bytes;
}

template <class T>
class device_array {
  public:
    explicit device_array(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
        // Some room behind large arrays: two that lie a power of two apart, and are walked through together, would meet
        // in the same banks of the memory all the way.
        const std::size_t room = bytes_ >> 20 == 0 ? 0 : array_spacing();
        check(cudaMalloc(&data_, bytes_ + room), "cudaMalloc");
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }
    T* data() const { return data_; }
    void copy_from(const device_array& other, cudaStream_t stream) {
        check(cudaMemcpyAsync(data_, other.data_, bytes_, cudaMemcpyDeviceToDevice, stream), "restore");
    }
    std::vector<T> read(std::int64_t first, std::int64_t count) const {
        std::vector<T> host(static_cast<std::size_t>(count));
        check(cudaMemcpy(host.data(), data_ + first, host.size() * sizeof(T), cudaMemcpyDeviceToHost),
              "read");
        return host;
    }

  private:
    std::size_t bytes_;
    T* data_ = nullptr;
};

/// splitmix64 of the element's number, in (-1, 1).
__device__ inline double random_element(std::uint64_t e) {
    std::uint64_t z = e * 0x9e3779b97f4a7c15u + 0x1234567u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

/// n x n matrices with `diagonal` on the diagonal: positive definite, well conditioned as triangles.
template <class T>
__global__ void fill_matrices(T* a, int n, double diagonal, std::int64_t elements) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    const int in_system = static_cast<int>(e % (n * n));
    a[e] = in_system % n == in_system / n ? static_cast<T>(diagonal)
                                          : static_cast<T>(random_element(static_cast<std::uint64_t>(e)));
}
template <class T>
__global__ void fill_random(T* a, std::int64_t elements) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < elements)
        a[e] = static_cast<T>(random_element(static_cast<std::uint64_t>(e) + (std::uint64_t{1} << 50)));
}
template <class T>
__global__ void fill_pointers(T** p, T* first, std::int64_t stride, std::int64_t count) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < count) p[e] = first + e * stride;
}
inline unsigned blocks_of_256(std::int64_t n) {
    return static_cast<unsigned>((n + 255) / 256);
}

/// to[e * systems + s] = from[s * size + e]: systems one after the other become interleaved; and back.
template <class T>
__global__ void interleave(T* to, const T* from, int size, std::int64_t systems, bool back) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= systems * size) return;
    const std::int64_t e = k / systems;
    const std::int64_t stored = k % systems * size + e;
    if (back) {
        to[stored] = from[k];
    } else {
        to[k] = from[stored];
    }
}

/// Keeps the stream busy while the host queues what is to be timed.
template <int = 0>  // a template, so that several files of one program may hold it
__global__ void wait_cycles(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

struct timing {
    double median_us;
    double spread_percent;  ///< (90th - 10th percentile) / median
};

/// Times `nodes` calls of `work(k)` in one graph; `restore()` stands in the stream before each replay. The time is that
/// of one call.
template <class Restore, class Work>
timing time_graph(cudaStream_t stream, int nodes, int replays, Restore restore, Work work) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;
    cudaEvent_t start = nullptr;
    cudaEvent_t stop = nullptr;
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&stop), "event");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int k = 0; k < nodes; ++k) work(k);
    check(cudaStreamEndCapture(stream, &graph), "capture");
    check(cudaGraphInstantiate(&run, graph, 0), "graph");
    std::vector<double> times;
    for (int r = 0; r < replays + 3; ++r) {
        restore();
        wait_cycles<0><<<1, 1, 0, stream>>>(60000);
        check(cudaEventRecord(start, stream), "event");
        check(cudaGraphLaunch(run, stream), "graph");
        check(cudaEventRecord(stop, stream), "event");
        check(cudaStreamSynchronize(stream), "run");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, start, stop), "event");
        if (r >= 3) times.push_back(1e3 * static_cast<double>(ms) / nodes);
    }
    check(cudaGraphExecDestroy(run), "graph");
    check(cudaGraphDestroy(graph), "graph");
    check(cudaEventDestroy(start), "event");
    check(cudaEventDestroy(stop), "event");
    std::sort(times.begin(), times.end());
    const std::size_t n = times.size();
    const double median = 0.5 * (times[(n - 1) / 2] + times[n / 2]);
    return {median, 100 * (times[n * 9 / 10] - times[n / 10]) / median};
}

/// Bytes of the 32-byte sectors that a column-major n x n matrix touches, or its lower triangle: the average over
/// systems that follow each other without gaps.
inline double sector_bytes(int n, int element_bytes, bool triangle) {
    std::int64_t sectors = 0;
    std::int64_t last = -1;
    for (std::int64_t s = 0; s < 8; ++s) {
        for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = triangle ? j : 0; i < n; ++i) {
                const std::int64_t sector = (s * n * n + j * n + i) * element_bytes / 32;
                sectors += sector != last ? 1 : 0;
                last = sector;
            }
        }
    }
    return 32.0 * static_cast<double>(sectors) / 8;
}

template <class T>
constexpr const char* type_name() {
    return sizeof(T) == 4 ? "f32" : "f64";
}
template <class T>
constexpr double unit_roundoff() {
    return sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
}

/// Where results go, and what was asked for.
struct report {
    std::string commit = "unknown";
    std::string device;
    int replays = 21;
    int only_n = 0;
    std::FILE* csv = stdout;

    report(int count, char** words) {
        for (int i = 1; i + 1 < count; i += 2) {
            const std::string_view option = words[i];
            if (option == "--commit") commit = words[i + 1];
            if (option == "--replays") replays = std::max(20, std::atoi(words[i + 1]));
            if (option == "--n") only_n = std::atoi(words[i + 1]);
            if (option == "--spacing")
                array_spacing() = static_cast<std::size_t>(std::atoll(words[i + 1])) << 20;
            if (option == "--csv") csv = std::fopen(words[i + 1], "w");
        }
        if (csv == nullptr) {
            std::fprintf(stderr, "the file cannot be written\n");
            std::exit(2);
        }
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, 0), "device");
        device = properties.name;
        std::fprintf(
            csv,
            "op,type,n,batch,solver,variant,median_us,spread_percent,percent_of_limit,error,device,commit\n");
    }

    /// One row. `bytes`: what a system must move.
    void row(const char* op, const char* type, int n, std::int64_t batch, const char* solver,
             const char* variant, timing t, double bytes, double error) const {
        const double percent = 100 * bytes * static_cast<double>(batch) / copy_bytes_per_us / t.median_us;
        std::fprintf(csv, "%s,%s,%d,%lld,%s,%s,%.4g,%.2g,%.4g,%.3g,%s,%s\n", op, type, n,
                     static_cast<long long>(batch), solver, variant, t.median_us, t.spread_percent, percent,
                     error, device.c_str(), commit.c_str());
        std::fflush(csv);
    }
};

/// What is measured: an op on `batch` systems, of which the arrays hold `copies` batches.
struct contest {
    const report& to;
    cudaStream_t stream;
    const char* op;
    const char* type;
    int n;
    std::int64_t batch;
    int copies;

    /// One row: `work(k)`, on copy k, after `error(name)` has passed its results; `restore()` brings the inputs back.
    template <class Restore, class Work, class Error>
    void enter(const char* solver, const char* variant, double bytes, Restore restore, Work work,
               Error error) const {
        restore();
        for (int k = 0; k < copies; ++k) work(k);
        check(cudaStreamSynchronize(stream), variant);
        const double e = error(variant);
        to.row(op, type, n, batch, solver, variant, time_graph(stream, copies, to.replays, restore, work),
               bytes, e);
    }
};

/// The end of a program whose peer does not take the call.
inline void require(bool accepted, const char* call) {
    if (accepted) return;
    std::fprintf(stderr, "%s refuses\n", call);
    std::exit(1);
}

/// Systems of a batch that fit 4 GB, and how many copies of the batch fit the L2 cache.
inline std::int64_t fitting(std::int64_t batch, std::int64_t bytes_per_system) {
    return std::min(batch, (std::int64_t{4} << 30) / bytes_per_system);
}
inline int copies_in_cache(std::int64_t batch, std::int64_t bytes_per_system) {
    return static_cast<int>(
        std::clamp<std::int64_t>((std::int64_t{20} << 20) / (batch * bytes_per_system), 1, 64));
}

/// f.template operator()<T, N>() for every type and order of the tables.
template <class F>
void for_each_order(const report& r, F f) {
    const auto orders = [&]<class T, int... N>(std::integer_sequence<int, N...>, T) {
        ((r.only_n == 0 || r.only_n == N ? f.template operator()<T, N>() : void()), ...);
    };
    using sizes = std::integer_sequence<int, 4, 6, 8, 12, 16, 24, 32>;
    orders(sizes{}, double{});
    orders(sizes{}, float{});
}

/// The rows of a gate that failed say why and end the program.
inline double gate(double error, double bound, const char* what) {
    if (error <= bound) return error;
    std::fprintf(stderr, "%s is wrong: backward error %g exceeds %g\n", what, error, bound);
    std::exit(1);
}

/// Systems whose results are compared: the first, the last and some between.
inline std::vector<std::int64_t> samples(std::int64_t batch) {
    std::vector<std::int64_t> s{0, batch - 1};
    for (int k = 1; k < 14; ++k) s.push_back(batch * k / 14);
    return s;
}

/// max |A - L L'| / (n max |A|), both column-major, of which the lower triangles count. Not-a-number counts as infinite.
template <class T>
double factor_error(const std::vector<T>& A, const std::vector<T>& L, int n) {
    double largest = 0;
    double worst = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            long double r = A[static_cast<std::size_t>(i + j * n)];
            largest = std::max(largest, std::fabs(static_cast<double>(r)));
            for (int k = 0; k <= j; ++k) {
                r -= static_cast<long double>(L[static_cast<std::size_t>(i + k * n)]) *
                     L[static_cast<std::size_t>(j + k * n)];
            }
            if (!(std::fabs(static_cast<double>(r)) < INFINITY)) return INFINITY;
            worst = std::max(worst, std::fabs(static_cast<double>(r)));
        }
    }
    return worst / (n * largest);
}

/// max |A x - b| / (|A| |x| + |b|) for one column; a(i, j) gives the elements.
template <class T, class Element>
double solve_error(Element a, const T* x, const T* b, int n) {
    double worst = 0;
    double norm_a = 0;
    double norm_x = 0;
    double norm_b = 0;
    for (int i = 0; i < n; ++i) {
        long double r = b[i];
        double row = 0;
        for (int j = 0; j < n; ++j) {
            r -= static_cast<long double>(a(i, j)) * x[j];
            row += std::fabs(static_cast<double>(a(i, j)));
        }
        if (!(std::fabs(static_cast<double>(r)) < INFINITY)) return INFINITY;
        worst = std::max(worst, std::fabs(static_cast<double>(r)));
        norm_a = std::max(norm_a, row);
        norm_x = std::max(norm_x, std::fabs(static_cast<double>(x[i])));
        norm_b = std::max(norm_b, std::fabs(static_cast<double>(b[i])));
    }
    return worst / (norm_a * norm_x + norm_b);
}

}  // namespace shoal_bench
