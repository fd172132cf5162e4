// Batches of block-tridiagonal systems on the host: batched::bdsv beside LAPACK's dpbsv, which solves a band of 2 n - 1
// diagonals, called for one system after the other on one thread.
//
//     bench_banded_host [FILE [COMMIT]]
//
// Each figure is the median of interleaved repetitions, the spread their interquartile range, in the thread's own time.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <shoal/batched/bdsv.hpp>

extern "C" {
void dpbsv_(const char*, const int*, const int*, const int*, double*, const int*, double*, const int*, int*);
}

namespace {

double thread_microseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

struct timing {
    double median = 0, spread_percent = 0;
};
timing summarise(std::vector<double> us) {
    std::sort(us.begin(), us.end());
    const std::size_t m = us.size();
    return {us[m / 2], 100 * (us[m * 3 / 4] - us[m / 4]) / us[m / 2]};
}

/// Strips [L | D] of diagonally dominant chains, and the same as bands: element (i, j), i >= j, at i - j + j * (width + 1).
struct problem {
    int n, knots, systems;
    std::vector<double> strips, bands, right;

    int order() const { return n * knots; }
    int width() const { return 2 * n - 1; }

    problem(int block, int count, int batch) : n(block), knots(count), systems(batch) {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> element(-1, 1);
        strips.resize(static_cast<std::size_t>(systems) * static_cast<std::size_t>(2 * n * order()));
        bands.assign(static_cast<std::size_t>(systems) * static_cast<std::size_t>(2 * n * order()), 0.0);
        right.resize(static_cast<std::size_t>(systems) * static_cast<std::size_t>(order()));
        for (double& b : right) b = element(random);
        for (int s = 0; s < systems; ++s) {
            double* const a = strips.data() + std::int64_t{s} * 2 * n * order();
            double* const band = bands.data() + std::int64_t{s} * 2 * n * order();
            for (int i = 0; i < order(); ++i) {
                for (int c = 0; c < 2 * n; ++c) {
                    const int j = (i / n - 1) * n + c;
                    double value = element(random);
                    if (j == i) value += 4 * n;
                    a[i * 2 * n + c] = value;
                    if (j >= 0 && j <= i) band[i - j + j * 2 * n] = value;
                }
            }
        }
    }
};

/// max |A x - b| / (|A| |x| + |b|) of one system, from its band.
double backward_error(const problem& p, int s, const double* x) {
    const double* band = p.bands.data() + std::int64_t{s} * 2 * p.n * p.order();
    const double* b = p.right.data() + std::int64_t{s} * p.order();
    double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    for (int i = 0; i < p.order(); ++i) {
        long double r = b[i];
        double row = 0;
        for (int j = std::max(0, i - p.width()); j <= std::min(p.order() - 1, i + p.width()); ++j) {
            const double element = i >= j ? band[i - j + j * 2 * p.n] : band[j - i + i * 2 * p.n];
            r -= static_cast<long double>(element) * x[j];
            row += std::abs(element);
        }
        worst = std::max(worst, std::abs(static_cast<double>(r)));
        norm_a = std::max(norm_a, row);
        norm_x = std::max(norm_x, std::abs(x[i]));
        norm_b = std::max(norm_b, std::abs(b[i]));
    }
    return worst / (norm_a * norm_x + norm_b);
}

template <int n>
void measure(std::FILE* out, const std::string& device, const std::string& commit) {
    for (const int knots : {8, 32, 128}) {
        constexpr int systems = 64;
        const problem p(n, knots, systems);
        auto strips = p.strips, bands = p.bands, x = p.right, y = p.right;
        const auto ours = [&] {
            const shoal::batched::symmetric_strips<double, n> a(
                shoal::symmetric_strip<double, n>(strips.data(), knots));
            const shoal::batched::block_vectors<double, n> v(shoal::block_vector<double, n>(x.data(), knots));
            if (!shoal::batched::bdsv(a, v, systems).ok()) std::abort();
        };
        const auto theirs = [&] {
            const int order = p.order(), width = p.width(), ld = 2 * n, one = 1;
            for (int s = 0; s < systems; ++s) {
                int info = 0;
                dpbsv_("L", &order, &width, &one, bands.data() + std::int64_t{s} * ld * order, &ld,
                       y.data() + std::int64_t{s} * order, &order, &info);
                if (info != 0) std::abort();
            }
        };
        std::vector<double> us, them;
        for (int r = -2; r < 21; ++r) {
            strips = p.strips;
            x = p.right;
            const double a = thread_microseconds();
            ours();
            const double b = thread_microseconds();
            bands = p.bands;
            y = p.right;
            const double c = thread_microseconds();
            theirs();
            const double d = thread_microseconds();
            if (r >= 0) {
                us.push_back((b - a) / systems);
                them.push_back((d - c) / systems);
            }
        }
        const auto row = [&](const char* solver, const std::vector<double>& times, const double* solution) {
            const timing t = summarise(times);
            std::fprintf(out, "bdsv,f64,%d,%d,%d,factor and solve,%s,1 thread,%.4g,%.3g,%.2g,%.3g,%s,%s\n", n,
                         knots, systems, solver, t.median * systems, t.median / knots, t.spread_percent,
                         backward_error(p, systems - 1, solution + std::int64_t{systems - 1} * p.order()),
                         device.c_str(), commit.c_str());
        };
        row("shoal", us, x.data());
        row(SHOAL_BENCH_LAPACK "_dpbsv", them, y.data());
    }
}

std::string processor() {
    std::FILE* file = std::fopen("/proc/cpuinfo", "r");
    char line[256];
    std::string name = "unknown";
    while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
        const std::string text = line;
        if (text.rfind("model name", 0) == 0) {
            name = text.substr(text.find(':') + 2);
            name.erase(name.find_last_not_of(" \n") + 1);
            std::replace(name.begin(), name.end(), ',', ' ');
            break;
        }
    }
    if (file != nullptr) std::fclose(file);
    return name;
}

}  // namespace

int main(int count, char** words) {
    std::FILE* out = count > 1 ? std::fopen(words[1], "w") : stdout;
    if (out == nullptr) return 2;
    std::fprintf(out,
                 "op,type,n,knots,batch,phase,solver,variant,median_us,us_per_knot,spread_percent,error,"
                 "device,commit\n");
    const std::string device = processor(), commit = count > 2 ? words[2] : "unknown";
    measure<2>(out, device, commit);
    measure<4>(out, device, commit);
    measure<6>(out, device, commit);
    measure<8>(out, device, commit);
    measure<12>(out, device, commit);
    measure<14>(out, device, commit);
    measure<16>(out, device, commit);
    if (out != stdout) std::fclose(out);
}
