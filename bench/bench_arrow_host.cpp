// Block-arrow factor and solve on the host, beside LAPACK called block by block in the same order (block Thomas from the
// free end, one thread a tail). n = 16, double. Writes CSV to the file named by the first argument, or to the terminal.
//
//     bench_arrow_host [FILE [COMMIT [THREADS]]]
//
// Without THREADS it measures one thread, then as many as there are cores; the latter wants a machine without other load.
//
// Each figure is the median of interleaved repetitions, the spread their interquartile range; rows of one thread count
// the thread's own time, rows of several the time on the wall. The error is the relative backward error of the
// solution. The floor is the larger of two times, for this many threads: operations at the rate of a loop of independent
// multiply-adds, and, where they exceed the last cache, bytes (in and out, read and written once) at the rate of a large
// copy.

#include "support/arrow_matrices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#if defined(__x86_64__)
#  include <immintrin.h>
#endif

#include <shoal/arrow/host_solver.hpp>

extern "C" {
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
            const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, double*, const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*,
            const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
}

namespace {

using namespace shoal::arrow;
using shoal_bench::arrow_matrix;
constexpr int n = 16;
constexpr int block = n * n;

/// What a user with a LAPACK at hand would write.
class lapack_solver {
  public:
    lapack_solver(extent size, int threads)
        : size_(size),
          threads_(threads),
          l_(static_cast<std::size_t>(size.tails) * static_cast<std::size_t>(size.stages) * block),
          b_(l_.size()),
          root_(block),
          updates_(static_cast<std::size_t>(size.tails) * block) {}

    int factor(matrix_view<const double> k) {
        threads_.parallel_for(size_.tails, [&](std::int64_t t, int) { factor_tail(k, t); });
        std::memcpy(root_.data(), k.root, sizeof(double) * block);
        for (std::size_t t = 0; t < static_cast<std::size_t>(size_.tails); ++t) {
            for (std::size_t i = 0; i < block; ++i) root_[i] -= updates_[t * block + i];
        }
        int info = 0;
        dpotrf_("L", &n, root_.data(), &n, &info);
        return info;
    }

    void solve(double* b) {
        double* x0 = b + static_cast<std::int64_t>(size_.tails) * size_.stages * n;
        threads_.parallel_for(size_.tails, [&](std::int64_t t, int) {
            double* x = b + t * size_.stages * n;
            for (int k = size_.stages - 1; k >= 0; --k) {
                if (k + 1 < size_.stages) gemv("N", of(b_, t, k + 1), x + (k + 1) * n, x + k * n);
                dtrsv_("L", "N", "N", &n, of(l_, t, k), &n, x + k * n, &one_);
            }
        });
        for (int t = 0; t < size_.tails; ++t)
            gemv("N", of(b_, t, 0), b + std::int64_t{t} * size_.stages * n, x0);
        dtrsv_("L", "N", "N", &n, root_.data(), &n, x0, &one_);
        dtrsv_("L", "T", "N", &n, root_.data(), &n, x0, &one_);
        threads_.parallel_for(size_.tails, [&](std::int64_t t, int) {
            double* x = b + t * size_.stages * n;
            for (int k = 0; k < size_.stages; ++k) {
                gemv("T", of(b_, t, k), k == 0 ? x0 : x + (k - 1) * n, x + k * n);
                dtrsv_("L", "T", "N", &n, of(l_, t, k), &n, x + k * n, &one_);
            }
        });
    }

  private:
    double* of(std::vector<double>& blocks, std::int64_t t, int k) {
        return blocks.data() + (t * size_.stages + k) * block;
    }
    void gemv(const char* how, const double* a, const double* x, double* y) {
        dgemv_(how, &n, &n, &minus_, a, &n, x, &one_, &plus_, y, &one_);
    }
    void factor_tail(matrix_view<const double> k, std::int64_t t) {
        for (int s = size_.stages - 1; s >= 0; --s) {
            double* l = of(l_, t, s);
            double* b = of(b_, t, s);
            std::memcpy(l, k.diagonal + (t * size_.stages + s) * block, sizeof(double) * block);
            if (s + 1 < size_.stages) dsyrk_("L", "N", &n, &n, &minus_, of(b_, t, s + 1), &n, &plus_, l, &n);
            int info = 0;
            dpotrf_("L", &n, l, &n, &info);
            if (s == 0) {
                std::memcpy(b, k.coupling + t * block, sizeof(double) * block);
            } else {
                const double* e = k.lower + (t * (size_.stages - 1) + s - 1) * block;
                for (int j = 0; j < n; ++j) {
                    for (int i = 0; i < n; ++i) b[i + n * j] = e[j + n * i];
                }
            }
            dtrsm_("R", "L", "T", "N", &n, &n, &plus_, l, &n, b, &n);
        }
        double* u = updates_.data() + t * block;
        dsyrk_("L", "N", &n, &n, &plus_, of(b_, t, 0), &n, &zero_, u, &n);
    }

    static constexpr int one_ = 1;
    static constexpr double plus_ = 1, minus_ = -1, zero_ = 0;
    extent size_;
    shoal::executor threads_;
    std::vector<double> l_, b_, root_, updates_;
};

/// For one thread its own time, which other programs on the machine do not lengthen; for several the time on the wall.
double seconds(int threads, const std::function<void()>& f) {
    const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    timespec start{}, end{};
    clock_gettime(clock, &start);
    f();
    clock_gettime(clock, &end);
    return static_cast<double>(end.tv_sec - start.tv_sec) +
           1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec);
}

/// Multiply-adds a second that one core can do, in operations: the best of the widths that it has.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) double fma_512(long rounds) {
    __m512d sum[16];
    for (int i = 0; i < 16; ++i) sum[i] = _mm512_set1_pd(i);
    const __m512d a = _mm512_set1_pd(0.999), b = _mm512_set1_pd(1e-3);
    for (long r = 0; r < rounds; ++r) {
#  pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) sum[i] = _mm512_fmadd_pd(sum[i], a, b);
    }
    double total = 0;
    for (int i = 0; i < 16; ++i) total += sum[i][0];
    return total;
}
#endif
double fma_plain(long rounds) {
    double sum[64];
    for (int i = 0; i < 64; ++i) sum[i] = i;
    for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 64
        for (int i = 0; i < 64; ++i) sum[i] = __builtin_fma(sum[i], 0.999, 1e-3);
    }
    double total = 0;
    for (const double s : sum) total += s;
    return total;
}

struct rates {
    double operations;  ///< a second
    double bytes;       ///< a second, read and written counted
};

rates measure_rates(int threads) {
    shoal::executor team(threads);
    const long rounds = 400000;
    rates r{0, 0};
    double keep = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<double> sums(static_cast<std::size_t>(threads) * 8);
        const auto all = [&](auto f, double lanes) {
            const double t = seconds(threads, [&] {
                team.parallel_for(
                    threads, [&](std::int64_t i, int) { sums[static_cast<std::size_t>(i) * 8] = f(rounds); });
            });
            r.operations = std::max(r.operations, 2 * lanes * static_cast<double>(rounds) * threads / t);
            keep += sums[0];
        };
        all(fma_plain, 64);
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f")) all(fma_512, 128);
#endif
    }
    const std::size_t part = std::size_t{96} << 20;
    std::vector<char> from(part, 1), to(part, 2);
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double t = seconds(threads, [&] {
            team.parallel_for(threads, [&](std::int64_t i, int) {
                const std::size_t share = part / static_cast<std::size_t>(threads);
                std::memcpy(to.data() + static_cast<std::size_t>(i) * share,
                            from.data() + static_cast<std::size_t>(i) * share, share);
            });
        });
        r.bytes = std::max(r.bytes, 2.0 * static_cast<double>(part) / t);
    }
    if (keep == 42) std::puts("");
    return r;
}

/// Bytes of the last cache; what sysconf says of it is the whole processor's, also where a virtual machine has a part.
double last_cache() {
    std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index3/size");
    double kilobytes = 0;
    in >> kilobytes;
    return 1024 * kilobytes;
}

std::string cpu_name() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    }
    return "unknown CPU";
}

/// One solver's way through factor and solve, with its times.
struct entrant {
    std::string solver, variant;
    std::function<bool()> factor;
    std::function<void(double*)> solve;
    std::vector<double> factor_times{}, solve_times{};
    double error = 0;
};

void report(std::FILE* out, const entrant& e, const char* phase, std::vector<double> times, extent size,
            double floor_us, const std::string& device, const std::string& commit) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double q) {
        return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))] * 1e6;
    };
    std::fprintf(out, "arrow,double,%d,%d,%d,%s,%s,%s,%.2f,%.1f,%.2f,%.2e,%s,%s\n", size.tails, size.stages,
                 n, phase, e.solver.c_str(), e.variant.c_str(), at(0.5),
                 100 * (at(0.75) - at(0.25)) / at(0.5), floor_us, e.error, device.c_str(), commit.c_str());
    std::fflush(out);
}

void run(std::FILE* out, extent size, int threads, rates r, const std::string& device,
         const std::string& commit) {
    const arrow_matrix k = shoal_bench::make_arrow("random", size, 1);
    const matrix_view<const double> view{k.diagonal.data(), k.lower.data(), k.coupling.data(), k.root.data()};
    std::mt19937_64 g(7);
    std::normal_distribution<double> normal;
    std::vector<double> b(static_cast<std::size_t>(unknowns(size, n)));
    for (double& v : b) v = normal(g);
    auto x = b;

    std::string suffix = "-";
    suffix += std::to_string(threads);
    suffix += "t";
    host_solver<double, n> sequential(size, {.which = order::sequential, .threads = threads});
    host_solver<double, n> recursive(size, {.which = order::recursive, .threads = threads});
    lapack_solver lapack(size, threads);
    std::vector<entrant> entrants{
        {"shoal", "sequential" + suffix, [&] { return sequential.factor(view).good(); },
         [&](double* v) { sequential.solve(v); }},
        {"shoal", "recursive" + suffix, [&] { return recursive.factor(view).good(); },
         [&](double* v) { recursive.solve(v); }},
        {SHOAL_BENCH_LAPACK, "block-thomas" + suffix, [&] { return lapack.factor(view) == 0; },
         [&](double* v) { lapack.solve(v); }},
    };
    for (entrant& e : entrants) {
        x = b;
        if (!e.factor()) std::exit(1);
        e.solve(x.data());
        e.error = k.backward_error(x, b);
        // Nothing wrong is timed.
        if (!(e.error < 1e-13)) {
            std::fprintf(stderr, "%s %s: backward error %g\n", e.solver.c_str(), e.variant.c_str(), e.error);
            std::exit(1);
        }
    }
    const int repeats = size.tails * size.stages > 8000 ? 15 : 41;
    for (int i = 0; i < repeats; ++i) {
        for (entrant& e : entrants) {
            e.factor_times.push_back(seconds(threads, [&] { e.factor(); }));
            x = b;
            e.solve_times.push_back(seconds(threads, [&] { e.solve(x.data()); }));
        }
    }
    for (const entrant& e : entrants) {
        const counts c =
            count(make_plan(size.stages, e.variant[0] == 'r' ? order::recursive : order::sequential));
        const double tails = size.tails;
        const double in = tails * static_cast<double>(c.blocks_in) * block * 8,
                     made = tails * static_cast<double>(c.blocks_out) * block * 8;
        // In a repeated call, what fits the cache comes from there.
        const double memory = in + made > last_cache() ? 1 / r.bytes : 0;
        const double factor_floor =
            std::max(tails * c.factor_n3 * block * n / r.operations, (in + made) * memory);
        const double solve_floor = std::max(tails * c.solve_n2 * block / r.operations, made * memory);
        report(out, e, "factor", e.factor_times, size, factor_floor * 1e6, device, commit);
        report(out, e, "solve", e.solve_times, size, solve_floor * 1e6, device, commit);
    }
}

}  // namespace

int main(int argc, char** argv) {
    // The baseline's own threads would fight with ours. OpenBLAS reads this when it is loaded, before main() begins.
    if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    std::FILE* out = argc > 1 ? std::fopen(argv[1], "w") : stdout;
    if (out == nullptr) {
        std::fprintf(stderr, "cannot write %s\n", argv[1]);
        return 2;
    }
    const std::string commit = argc > 2 ? argv[2] : "unknown";
    std::string device = cpu_name();
    std::replace(device.begin(), device.end(), ',', ' ');
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::fprintf(
        out, "op,type,M,N,n,phase,solver,variant,median_us,spread_percent,floor_us,error,device,commit\n");
    rates alone{0, 0};
    std::vector<int> counts_of_threads = all > 1 ? std::vector<int>{1, all} : std::vector<int>{1};
    if (argc > 3) counts_of_threads = {std::max(1, std::atoi(argv[3]))};
    for (const int threads : counts_of_threads) {
        rates r = measure_rates(threads);
        if (threads == 1) alone = r;
        // A floor is never above what one thread reached.
        r.operations = std::max(r.operations, threads * alone.operations);
        r.bytes = std::max(r.bytes, alone.bytes);
        std::fprintf(stderr, "%d threads: %.1f GFLOP/s, %.1f GB/s\n", threads, r.operations * 1e-9,
                     r.bytes * 1e-9);
        for (const int tails : {20, 100, 200}) {
            for (const int stages : {20, 40, 160}) run(out, {tails, stages}, threads, r, device, commit);
        }
    }
    if (out != stdout) std::fclose(out);
    return 0;
}
