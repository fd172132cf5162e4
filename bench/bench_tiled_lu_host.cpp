// Solutions of many small general systems with one right-hand side on the host: batched::tiled_lu beside LAPACK's gesv and,
// where Eigen is installed, its PartialPivLU of fixed size, a system after the other. Writes CSV to the file named by the
// first argument, or to the terminal.
//
//     bench_tiled_lu_host [FILE [COMMIT [THREADS]]]
//
// Without THREADS one thread. Figures are the median over repetitions that take turns, for the whole batch; the spread is
// their interquartile range; rows of one thread count the thread's own time, rows of several the time on the wall. The batch fits the
// last cache. Every solver starts from the same right-hand sides, copied before the time starts. Variants: `stored`: systems one after the other; `interleaved`: element e of all systems together.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#if defined(SHOAL_BENCH_EIGEN)
#  include <Eigen/Dense>
#endif

#include <shoal/batched/tiled_lu.hpp>

extern "C" {
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
void sgesv_(const int*, const int*, float*, const int*, int*, float*, const int*, int*);
}

namespace {

namespace batched = shoal::batched;

void lapack_gesv(int n, double* a, int* pivots, double* b, int* info) {
    const int one = 1;
    dgesv_(&n, &one, a, &n, pivots, b, &n, info);
}
void lapack_gesv(int n, float* a, int* pivots, float* b, int* info) {
    const int one = 1;
    sgesv_(&n, &one, a, &n, pivots, b, &n, info);
}

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    }
    return "unknown";
}

struct contender {
    const char* solver;
    const char* variant;
    std::function<void()> restore;
    std::function<void()> run;
    std::function<double()> error;
    std::vector<double> times = {};
};

struct report {
    std::FILE* csv;
    std::string commit;
    std::string device = processor();
    int threads;

    /// Microseconds.
    double now() const {
        timespec t{};
        clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
        return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
    }

    void measure(const char* type, int n, std::int64_t batch, std::vector<contender>& all) const {
        for (int repetition = 0; repetition < 31; ++repetition) {
            for (contender& c : all) {
                c.restore();
                const double start = now();
                c.run();
                if (repetition > 0) c.times.push_back(now() - start);
            }
        }
        for (contender& c : all) {
            c.restore();
            c.run();
            std::sort(c.times.begin(), c.times.end());
            const std::size_t count = c.times.size();
            const double median = 0.5 * (c.times[(count - 1) / 2] + c.times[count / 2]);
            std::fprintf(csv, "gesv,%s,%d,%lld,%s,%s-%dt,%.4g,%.2g,%.3g,%s,%s\n", type, n,
                         static_cast<long long>(batch), c.solver, c.variant, threads, median,
                         100 * (c.times[count * 3 / 4] - c.times[count / 4]) / median, c.error(),
                         device.c_str(), commit.c_str());
            std::fflush(csv);
        }
    }
};

/// max |A x - b| / (|A| |x| + |b|) over the systems; `get(s, i)` is x.
template <class T, class Get>
double backward_error(const std::vector<T>& A, const std::vector<T>& b, int n, std::int64_t batch, Get get) {
    double worst = 0;
    for (std::int64_t s = 0; s < batch; ++s) {
        double residual = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (int i = 0; i < n; ++i) {
            long double r = b[static_cast<std::size_t>(s * n + i)];
            double row = 0;
            for (int j = 0; j < n; ++j) {
                const T a = A[static_cast<std::size_t>((s * n + j) * n + i)];
                r -= static_cast<long double>(a) * get(s, j);
                row += std::fabs(static_cast<double>(a));
            }
            residual = std::max(residual, std::fabs(static_cast<double>(r)));
            norm_a = std::max(norm_a, row);
            norm_x = std::max(norm_x, std::fabs(static_cast<double>(get(s, i))));
            norm_b = std::max(norm_b, std::fabs(static_cast<double>(b[static_cast<std::size_t>(s * n + i)])));
        }
        worst = std::max(worst, residual / (norm_a * norm_x + norm_b));
    }
    return worst;
}

template <class T, int N>
void measure(const report& r, shoal::executor& threads) {
    // Not a power of two: the elements of an interleaved system would all meet in the same set of a cache.
    const std::int64_t batch = 4000;
    const auto count = static_cast<std::size_t>(batch);
    std::mt19937_64 random(N);
    std::uniform_real_distribution<T> entry(-1, 1);
    std::vector<T> A(count * N * N), b(count * N), mixed(A.size()), mixed_b(b.size()), x(b.size()),
        y(b.size()), z(b.size()), e(b.size());
    for (T& v : A) v = entry(random);
    for (T& v : b) v = entry(random);
    for (std::size_t s = 0; s < count; ++s) {
        for (std::size_t k = 0; k < N * N; ++k) mixed[k * count + s] = A[s * N * N + k];
        for (std::size_t k = 0; k < N; ++k) mixed_b[k * count + s] = b[s * N + k];
    }
    std::vector<int> info(count);
    const auto stored = [&](const std::vector<T>& from) {
        return [&] {
            return backward_error(A, b, N, batch, [&](std::int64_t s, int i) {
                return from[static_cast<std::size_t>(s * N + i)];
            });
        };
    };
    std::vector<contender> all;
    all.push_back({"shoal", "stored", [&] { x = b; },
                   [&] {
                       (void)batched::tiled_lu(threads, batched::matrices<const T, N, N>(A.data()),
                                               batched::vectors<T, N>(x.data()), batch, info.data());
                   },
                   stored(x)});
    all.push_back({"shoal", "interleaved", [&] { y = mixed_b; },
                   [&] {
                       (void)batched::tiled_lu(
                           threads, batched::interleaved_matrices<const T, N, N>(mixed.data(), batch),
                           batched::interleaved_vectors<T, N>(y.data(), batch), batch, info.data());
                   },
                   [&] {
                       return backward_error(A, b, N, batch, [&](std::int64_t s, int i) {
                           return y[static_cast<std::size_t>(i * batch + s)];
                       });
                   }});
    all.push_back({SHOAL_BENCH_LAPACK, "gesv", [&] { z = b; },
                   [&] {
                       threads.parallel_for(batch, [&](std::int64_t s, int) {
                           T copy[N * N];
                           int pivots[N];
                           std::memcpy(copy, &A[static_cast<std::size_t>(s * N * N)], sizeof copy);
                           lapack_gesv(N, copy, pivots, &z[static_cast<std::size_t>(s * N)],
                                       &info[static_cast<std::size_t>(s)]);
                       });
                   },
                   stored(z)});
#if defined(SHOAL_BENCH_EIGEN)
    all.push_back({"eigen", "PartialPivLU", [&] { e = b; },
                   [&] {
                       threads.parallel_for(batch, [&](std::int64_t s, int) {
                           const Eigen::Map<const Eigen::Matrix<T, N, N>> a(
                               &A[static_cast<std::size_t>(s * N * N)]);
                           Eigen::Map<Eigen::Matrix<T, N, 1>> v(&e[static_cast<std::size_t>(s * N)]);
                           v = Eigen::Matrix<T, N, 1>(a.partialPivLu().solve(Eigen::Matrix<T, N, 1>(v)));
                       });
                   },
                   stored(e)});
#endif
    r.measure(sizeof(T) == 4 ? "f32" : "f64", N, batch, all);
}

template <class T, int... N>
void measure_orders(const report& r, shoal::executor& threads, std::integer_sequence<int, N...>) {
    (measure<T, N>(r, threads), ...);
}

}  // namespace

int main(int count, char** words) {
    const int wanted = count > 3 ? std::atoi(words[3]) : 1;
    shoal::executor threads(wanted);
    const report r{count > 1 ? std::fopen(words[1], "w") : stdout, count > 2 ? words[2] : "unknown",
                   processor(), threads.threads()};
    if (r.csv == nullptr) {
        std::fprintf(stderr, "the file cannot be written\n");
        return 2;
    }
    std::fprintf(r.csv, "op,type,n,batch,solver,variant,median_us,spread_percent,error,device,commit\n");
    using sizes = std::integer_sequence<int, 3, 4, 6, 8, 12, 16>;
    measure_orders<double>(r, threads, sizes{});
    measure_orders<float>(r, threads, sizes{});
}
