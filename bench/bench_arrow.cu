// The block-arrow solver: factorisation and solve over a grid of (tails, stages), n = 16, double.
//
//   bench_arrow_gpu [--grid targets|small|full|M,N] [--type random|published|early|middle|late] [--csv FILE] [--commit ID]
//                   [--sweep] [--quick]
//
// A time is the median over 60 replays of a CUDA graph of 20 equal nodes, divided by 20, buffers warm. Beside it: a graph
// of one node between two events (`single`), and the same with the L2 cache flushed before it (`cold`). Floors: bytes that
// must move over the measured copy bandwidth, and the dependent steps of the chosen schedule at their measured length.
#include "arrow_matrices.hpp"
#include "arrow_per_level.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <shoal/arrow/cuda_solver.cuh>

namespace {

using namespace shoal_bench;
using shoal::arrow::cuda_options;
using shoal::arrow::extent;
using shoal::arrow::root_sum;
using solver16 = shoal::arrow::cuda_solver<double, 16>;

void check(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
}
#define CHECK(x) check((x), __LINE__)

template <class T>
T* to_device(const std::vector<T>& v) {
    T* p = nullptr;
    CHECK(cudaMalloc(&p, std::max<std::size_t>(1, v.size()) * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

struct timing {
    double median = 0, spread_percent = 0;  // interquartile range over the median
};

struct stopwatch {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void* flush = nullptr;
    static constexpr std::size_t flush_bytes = 256 << 20;

    stopwatch() {
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
        CHECK(cudaMalloc(&flush, flush_bytes));
    }
    /// us per call of f, of `nodes` calls in one graph. before: run outside of the timed part.
    template <class F, class G>
    timing time(int nodes, int replays, bool cold, F f, G before) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < nodes; ++i) f(stream);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        std::vector<double> us;
        for (int r = 0; r < replays + 5; ++r) {
            before(stream);
            if (cold) CHECK(cudaMemsetAsync(flush, r, flush_bytes, stream));
            CHECK(cudaEventRecord(start, stream));
            CHECK(cudaGraphLaunch(executable, stream));
            CHECK(cudaEventRecord(stop, stream));
            CHECK(cudaEventSynchronize(stop));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (r >= 5) us.push_back(1e3 * ms / nodes);
        }
        CHECK(cudaGraphExecDestroy(executable));
        CHECK(cudaGraphDestroy(graph));
        return summary(us);
    }
    /// us from the call of f until the stream is idle, by the wall clock: the launch is in it.
    template <class F, class G>
    timing time_wall(int replays, F f, G before) {
        std::vector<double> us;
        for (int r = 0; r < replays + 5; ++r) {
            before(stream);
            CHECK(cudaStreamSynchronize(stream));
            const auto begin = std::chrono::steady_clock::now();
            f(stream);
            CHECK(cudaStreamSynchronize(stream));
            const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
            if (r >= 5) us.push_back(took.count());
        }
        return summary(us);
    }
    static timing summary(std::vector<double>& us) {
        std::sort(us.begin(), us.end());
        const double median = us[us.size() / 2];
        return {median, 100.0 * (us[us.size() * 3 / 4] - us[us.size() / 4]) / median};
    }
};

struct problem {
    arrow_matrix host;
    std::vector<double> b;
    shoal::arrow::matrix_view<const double> K;
    double *device_b, *x;
    std::vector<double*> owned;

    problem(const std::string& type, extent e) : host(make_arrow(type, e, 1)) {
        b.resize(static_cast<std::size_t>(shoal::arrow::unknowns(e, 16)));
        std::mt19937_64 g(7);
        std::normal_distribution<double> nd;
        for (double& v : b) v = nd(g);
        for (const auto* v : {&host.diagonal, &host.lower, &host.coupling, &host.root, &b, &b})
            owned.push_back(to_device(*v));
        K = {owned[0], owned[1], owned[2], owned[3]};
        device_b = owned[4];
        x = owned[5];
    }
    ~problem() {
        for (double* p : owned) cudaFree(p);
    }
    void reset(cudaStream_t s) const {
        CHECK(cudaMemcpyAsync(x, device_b, b.size() * sizeof(double), cudaMemcpyDeviceToDevice, s));
    }
    double error() const {
        std::vector<double> y(b.size());
        CHECK(cudaMemcpy(y.data(), x, y.size() * sizeof(double), cudaMemcpyDeviceToHost));
        return host.backward_error(y, b);
    }
};

struct settings {
    std::string grid = "targets", type = "published", csv, commit = "unknown";
    bool sweep = false;
    int replays = 60, nodes = 20;
};

struct report {
    FILE* csv = nullptr;
    std::string device, commit, type;
    void row(extent e, const char* phase, const char* solver, const char* variant, timing t, double floor,
             double error) {
        if (csv == nullptr) return;
        std::fprintf(csv, "arrow,%s,%d,%d,16,%s,%s,%s,%.3f,%.2f,%.2f,%.2e,%s,%s\n", type.c_str(), e.tails,
                     e.stages, phase, solver, variant, t.median, t.spread_percent, floor, error,
                     device.c_str(), commit.c_str());
        std::fflush(csv);
    }
};

/// One factorisation and solve with the given options; the backward error of the solution.
double factor_and_solve(solver16& s, const problem& p, cudaStream_t stream) {
    p.reset(stream);
    s.factor(stream, p.K).or_throw("factor");
    s.solve(stream, p.x).or_throw("solve");
    CHECK(cudaStreamSynchronize(stream));
    shoal::arrow::info i{};
    CHECK(cudaMemcpy(&i, s.device_info(), sizeof i, cudaMemcpyDeviceToHost));
    return i.good() ? p.error() : INFINITY;
}

timing time_factor(stopwatch& w, solver16& s, const problem& p, const settings& o, int nodes, bool cold) {
    return w.time(
        nodes, o.replays, cold, [&](cudaStream_t t) { s.factor(t, p.K).or_throw("factor"); },
        [](cudaStream_t) {});
}
timing time_solve(stopwatch& w, solver16& s, const problem& p, const settings& o, int nodes, bool cold) {
    return w.time(
        nodes, o.replays, cold, [&](cudaStream_t t) { s.solve(t, p.x).or_throw("solve"); },
        [&](cudaStream_t t) { p.reset(t); });
}

/// Bytes that must move once over 4.13 TB/s, and dependent steps at their measured length (1.98 GHz).
std::pair<double, double> floors(const shoal::arrow::cuda_plan& p, bool factor) {
    const double blocks = double(p.size.tails) * p.size.stages, steps = p.single.longest;
    const int levels = shoal::arrow::detail::separator_levels(p.at.chunks);
    const double record = 1088 + 2048.0 * (p.at.chunks == 1 ? 1.0 : 2.0 - 1.0 / p.at.chunks);
    if (factor) {
        return {blocks * (1088 + 2048 + record) / 4.13e6, (steps + levels + 2) * 1400 / 1980.0 + 2.0};
    }
    return {blocks * (record + 256) / 4.13e6, 2 * (steps + levels + 2) * 150 / 1980.0 + 2.0};
}

/// Every schedule that may pay; err: its largest distance from the chosen one's solution, over the largest entry.
void try_all(stopwatch& w, const problem& p, extent e, const settings& o) {
    const auto solution = [&](solver16& s) {
        p.reset(w.stream);
        s.factor_solve(w.stream, p.K, p.x).or_throw("factor_solve");
        CHECK(cudaStreamSynchronize(w.stream));
        std::vector<double> x(p.b.size());
        CHECK(cudaMemcpy(x.data(), p.x, x.size() * sizeof(double), cudaMemcpyDeviceToHost));
        return x;
    };
    solver16 chosen(e);
    const std::vector<double> expected = solution(chosen);
    const auto distance = [&](solver16& s) {
        const std::vector<double> x = solution(s);
        double d = 0, m = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!std::isfinite(x[i])) return double{INFINITY};
            d = std::max(d, std::fabs(x[i] - expected[i]));
            m = std::max(m, std::fabs(expected[i]));
        }
        return d / m;
    };
    for (int chunks : {2, 3, 4, 5, 6, 8, 10, 12, 15, 16}) {
        if (chunks > e.stages || (e.stages > 60 && (chunks & (chunks - 1)) != 0)) continue;
        for (int cluster : {1, 2, 4, 8}) {
            for (int warps : {2, 4, 8, 16}) {
                if (e.tails * cluster > 8 * 132) continue;
                cuda_options c;
                c.chunks = chunks;
                if (warps <= 8 && 2 * (cluster - 1) < chunks && (e.tails <= 132 || warps <= 4)) {
                    c.factor_warps = warps;
                    c.factor_cluster = cluster;
                    try {
                        solver16 s(e, c);
                        const double error = distance(s);
                        const timing t = time_factor(w, s, p, o, o.nodes, false);
                        std::printf("F %d %d P=%d w=%d c=%d us=%.2f err=%.1e model=%.1f\n", e.tails, e.stages,
                                    chunks, warps, cluster, t.median, error, s.plan().factor_us);
                    } catch (const std::exception& x) {
                    }
                }
                c = {};
                c.chunks = chunks;
                if (warps >= 2 && warps * cluster >= chunks && warps * cluster < 2 * std::max(chunks, 2)) {
                    c.solve_warps = warps;
                    c.solve_cluster = cluster;
                    for (const root_sum sum : {root_sum::every_tail, root_sum::first_tail}) {
                        c.sum = sum;
                        try {
                            solver16 s(e, c);
                            const double error = distance(s);
                            const timing t = time_solve(w, s, p, o, o.nodes, false);
                            std::printf("S %d %d P=%d w=%d c=%d R=%d one=%d %s us=%.2f err=%.1e model=%.1f\n",
                                        e.tails, e.stages, chunks, warps, cluster, s.plan().single.ring,
                                        int(s.plan().single.resident),
                                        sum == root_sum::every_tail ? "every" : "first", t.median, error,
                                        s.plan().solve_us);
                        } catch (const std::exception& x) {
                        }
                    }
                }
            }
        }
    }
    std::fflush(stdout);
}

void measure(stopwatch& w, const problem& p, extent e, const settings& o, report& out) {
    solver16 s(e);
    const double error = factor_and_solve(s, p, w.stream);
    const timing factor = time_factor(w, s, p, o, o.nodes, false),
                 factor_single = time_factor(w, s, p, o, 1, false),
                 factor_cold = time_factor(w, s, p, o, 1, true);
    const timing solve = time_solve(w, s, p, o, o.nodes, false),
                 solve_single = time_solve(w, s, p, o, 1, false),
                 solve_cold = time_solve(w, s, p, o, 1, true);
    const auto ff = floors(s.plan(), true), sf = floors(s.plan(), false);
    const double fmax = std::max(ff.first, ff.second), smax = std::max(sf.first, sf.second);
    out.row(e, "factor", "shoal", "fused", factor, fmax, error);
    out.row(e, "factor", "shoal", "fused_single", factor_single, fmax, error);
    out.row(e, "factor", "shoal", "fused_cold", factor_cold, fmax, error);
    out.row(e, "solve", "shoal", "fused", solve, smax, error);
    out.row(e, "solve", "shoal", "fused_single", solve_single, smax, error);
    out.row(e, "solve", "shoal", "fused_cold", solve_cold, smax, error);

    const auto reset = [&](cudaStream_t t) { p.reset(t); };
    const auto do_factor = [&](cudaStream_t t) { s.factor(t, p.K).or_throw("factor"); };
    const auto do_solve = [&](cudaStream_t t) { s.solve(t, p.x).or_throw("solve"); };
    const auto do_both = [&](cudaStream_t t) { do_factor(t), do_solve(t); };
    out.row(e, "factor", "shoal", "fused_wall", w.time_wall(o.replays, do_factor, reset), fmax, error);
    out.row(e, "solve", "shoal", "fused_wall", w.time_wall(o.replays, do_solve, reset), smax, error);
    const double both = fmax + smax;
    out.row(e, "factor_solve", "shoal", "fused", w.time(o.nodes, o.replays, false, do_both, reset), both,
            error);
    out.row(e, "factor_solve", "shoal", "fused_single", w.time(1, o.replays, false, do_both, reset), both,
            error);
    out.row(e, "factor_solve", "shoal", "fused_wall", w.time_wall(o.replays, do_both, reset), both, error);

    // The published shape.
    per_level_args a{};
    a.chunks = std::max(1, e.stages / 2);
    a.f.systems = a.f.group = 1;
    a.f.tails = e.tails;
    a.f.at.stages = e.stages;
    a.f.K = p.K;
    std::vector<void*> owned;
    const auto take = [&](std::size_t bytes) {
        void* q = nullptr;
        CHECK(cudaMalloc(&q, bytes));
        owned.push_back(q);
        return q;
    };
    const auto M = static_cast<std::size_t>(e.tails), N = static_cast<std::size_t>(e.stages);
    a.f.records = static_cast<double*>(take(M * N * shoal::arrow::detail::record16 * 8));
    a.f.root_record = static_cast<double*>(take(192 * 8));
    a.f.grams = static_cast<double*>(take(M * 192 * 8));
    a.f.failure = static_cast<unsigned long long*>(take(8));
    a.f.result = static_cast<shoal::arrow::info*>(take(16));
    a.state = static_cast<double*>(
        take(M * static_cast<std::size_t>(a.chunks + 1) * shoal::arrow::detail::separator_doubles * 8));
    CHECK(cudaMemset(a.f.failure, 0xff, 8));
    CHECK(per_level_prepare());
    per_level_factor(w.stream, a);
    CHECK(cudaStreamSynchronize(w.stream));
    shoal::arrow::info i{};
    CHECK(cudaMemcpy(&i, a.f.result, sizeof i, cudaMemcpyDeviceToHost));
    const timing levels = w.time(
        5, o.replays, false, [&](cudaStream_t t) { per_level_factor(t, a); }, [](cudaStream_t) {});
    out.row(e, "factor", "shoal", "per_level_graph", levels, fmax, i.good() ? 0.0 : INFINITY);
    for (void* q : owned) cudaFree(q);

    std::printf(
        "%4d %4d factor %7.2f (single %7.2f cold %7.2f levels %7.2f; floors bytes %6.2f path %6.2f) "
        "solve %7.2f (single %7.2f cold %7.2f; bytes %6.2f path %6.2f) error %.1e\n     %s\n",
        e.tails, e.stages, factor.median, factor_single.median, factor_cold.median, levels.median, ff.first,
        ff.second, solve.median, solve_single.median, solve_cold.median, sf.first, sf.second, error,
        s.plan().text().c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    settings o;
    for (int i = 1; i < count; ++i) {
        const std::string w = words[i];
        const auto next = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
        if (w == "--grid")
            o.grid = next();
        else if (w == "--type")
            o.type = next();
        else if (w == "--csv")
            o.csv = next();
        else if (w == "--commit")
            o.commit = next();
        else if (w == "--sweep")
            o.sweep = true;
        else if (w == "--quick")
            o.replays = 15;
        else {
            std::fprintf(stderr, "unknown option %s\n", w.c_str());
            return 2;
        }
    }
    std::vector<extent> grid;
    if (o.grid == "targets")
        grid = {{20, 30}, {200, 30}, {100, 160}, {200, 160}};
    else if (o.grid == "small") {
        for (int M : {20, 60, 100, 200}) {
            for (int N : {20, 30, 60, 100, 160}) grid.push_back({M, N});
        }
    } else if (o.grid == "full") {
        for (int M = 20; M <= 200; M += 20) {
            for (int N = 20; N <= 160; N += 10) {
                if (N == 20 || N == 30 || N % 20 == 0) grid.push_back({M, N});
            }
        }
    } else {
        extent e{};
        if (std::sscanf(o.grid.c_str(), "%d,%d", &e.tails, &e.stages) != 2) return 2;
        grid = {e};
    }
    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    report out;
    out.device = device.name;
    out.commit = o.commit;
    out.type = o.type;
    if (!o.csv.empty()) {
        out.csv = std::fopen(o.csv.c_str(), "a");
        if (out.csv != nullptr && std::ftell(out.csv) == 0) {
            std::fprintf(
                out.csv,
                "op,type,M,N,n,phase,solver,variant,median_us,spread_percent,floor_us,error,device,commit\n");
        }
    }
    stopwatch w;
    for (extent e : grid) {
        const problem p(o.type, e);
        if (o.sweep) try_all(w, p, e, o);
        measure(w, p, e, o, out);
    }
    if (out.csv != nullptr) std::fclose(out.csv);
    return 0;
}
