// Block-tridiagonal systems: batched::bdsv and its parts beside our own elimination column by column in memory, by a
// block of 128 threads a system, as kernels have it that are put together from small dense ops.
//   bench_banded_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER] [--knots COUNT] [--tune yes] [--type f64]
// Phases: `solve`: both sweeps over a factor; `factor`; `factor and solve`. The limit counts [L | D] read once, the factor
// written once unless only a solve is timed, and the vector both ways. --tune yes: every width of tile, not only the
// chosen one.
// Rows of pcg: one iteration with block Jacobi; the limit is what an iteration reads from shared memory, 128 bytes a
// cycle: three blocks a knot for A, one for the preconditioner.

#include "support/batched_bench.cuh"

#include <utility>

#include <shoal/batched/bdsv.cuh>
#include <shoal/batched/pcg.cuh>

namespace {

using namespace shoal_bench;
using shoal::batched::detail::bdsv_phase;

/// Strips [L | D] of diagonally dominant systems.
template <class T>
__global__ void fill_strips(T* a, int n, std::int64_t elements) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    const int row = static_cast<int>(e / (2 * n) % n), column = static_cast<int>(e % (2 * n));
    const T random = static_cast<T>(random_element(static_cast<std::uint64_t>(e)));
    a[e] = column == n + row ? static_cast<T>(4 * n) + random : random;
}

/// max |A x - b| / (|A| |x| + |b|) of one system, from its strips.
template <class T>
double chain_error(const std::vector<T>& a, const std::vector<T>& x, const std::vector<T>& b, int n,
                   int knots) {
    double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    const auto strip = [&](int k, int i, int column) {
        return static_cast<double>(a[static_cast<std::size_t>((k * n + i) * 2 * n + column)]);
    };
    const auto at = [&](const std::vector<T>& v, int k, int i) {
        return static_cast<double>(v[static_cast<std::size_t>(k * n + i)]);
    };
    for (int k = 0; k < knots; ++k) {
        for (int i = 0; i < n; ++i) {
            long double r = at(b, k, i);
            double row = 0;
            const auto term = [&](double element, double value) {
                r -= static_cast<long double>(element) * value;
                row += std::fabs(element);
            };
            for (int j = 0; j < n; ++j) {
                if (k > 0) term(strip(k, i, j), at(x, k - 1, j));
                term(i >= j ? strip(k, i, n + j) : strip(k, j, n + i), at(x, k, j));
                if (k + 1 < knots) term(strip(k + 1, j, i), at(x, k + 1, j));
            }
            if (!(std::fabs(static_cast<double>(r)) < INFINITY)) return INFINITY;
            worst = std::max(worst, std::fabs(static_cast<double>(r)));
            norm_a = std::max(norm_a, row);
            norm_x = std::max(norm_x, std::fabs(at(x, k, i)));
            norm_b = std::max(norm_b, std::fabs(at(b, k, i)));
        }
    }
    return worst / (norm_a * norm_x + norm_b);
}

/// One system by a block, column by column in memory.
template <class A, class X>
struct stepwise {
    A a;
    X x;
    template <class G>
    SHOAL_FN int operator()(const G& g, std::int64_t s) const {
        constexpr shoal::bdsv_policy policy{.algorithm = shoal::bdsv_algorithm::columns};
        return shoal::bdsv<policy>(g, a(s), x(s)).index(A::view::block_size);
    }
};

/// One system by the warps of a block, in levels.
template <bdsv_phase Phase, class A, class X, class T>
struct by_levels {
    A a;
    X x;
    T* scratch;
    template <class G>
    SHOAL_FN int operator()(const G& g, std::int64_t s) const {
        constexpr shoal::bdsv_policy policy{.algorithm = shoal::bdsv_algorithm::levels};
        T* const room = scratch + s * shoal::bdsv_levels_scratch(A::view::block_size, a.knots());
        if constexpr (Phase == bdsv_phase::solve) {
            shoal::bdsv_solve<policy>(g, a(s), x(s));
            return 0;
        } else {
            return shoal::bdsv<policy>(g, a(s), x(s), room).index(A::view::block_size);
        }
    }
};

/// Strips [L | D | R] from [L | D]; R has no meaning before.
template <class T>
__global__ void widen_strips(T* to, const T* from, int n, std::int64_t elements) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < elements) to[e / (2 * n) * 3 * n + e % (2 * n)] = from[e];
}

struct options {
    bool tune = false;
    bool floats = true;
    int knots = 0;
};

template <class T, int n>
void measure(const report& r, const options& o, cudaStream_t stream, int knots, std::int64_t wanted) {
    using shoal::batched::block_vectors;
    using shoal::batched::symmetric_strips;
    const std::int64_t size = std::int64_t{2} * n * n * knots, length = std::int64_t{n} * knots;
    const auto bytes_of = [](std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(T)); };
    const std::int64_t batch = fitting(wanted, bytes_of(size));
    const int copies = copies_in_cache(batch, bytes_of(size + length));
    const std::int64_t systems = batch * copies;
    device_array<T> original(systems * size), a(systems * size), right(systems * length), x(systems * length);
    device_array<int> info(systems);
    fill_strips<<<blocks_of_256(systems * size), 256, 0, stream>>>(original.data(), n, systems * size);
    fill_random<<<blocks_of_256(systems * length), 256, 0, stream>>>(right.data(), systems * length);
    const auto restore_vectors = [&] { x.copy_from(right, stream); };
    const auto restore = [&] {
        a.copy_from(original, stream);
        restore_vectors();
    };
    const auto A = [&](int k) {
        return symmetric_strips<T, n>(shoal::symmetric_strip<T, n>(a.data() + k * batch * size, knots));
    };
    const auto X = [&](int k) {
        return block_vectors<T, n>(shoal::block_vector<T, n>(x.data() + k * batch * length, knots));
    };
    const auto error = [&] {
        check(cudaStreamSynchronize(stream), "bdsv");
        double worst = 0;
        for (const std::int64_t s : samples(systems)) {
            if (info.read(s, 1)[0] != 0) return static_cast<double>(INFINITY);
            worst = std::max(worst, chain_error(original.read(s * size, size), x.read(s * length, length),
                                                right.read(s * length, length), n, knots));
        }
        return gate(worst, 20 * n * unit_roundoff<T>(), "bdsv");
    };
    const auto row = [&](const char* phase, const char* variant, double bytes, timing t, double wrong) {
        std::fprintf(r.csv, "bdsv,%s,%d,%d,%lld,%s,shoal,%s,%.4g,%.3g,%.2g,%.4g,%.3g,%s,%s\n", type_name<T>(),
                     n, knots, static_cast<long long>(batch), phase, variant, t.median_us,
                     t.median_us / knots, t.spread_percent,
                     100 * bytes * static_cast<double>(batch) / copy_bytes_per_us / t.median_us, wrong,
                     r.device.c_str(), r.commit.c_str());
        std::fflush(r.csv);
    };
    const double strips = static_cast<double>(bytes_of(size)),
                 vectors = 2.0 * static_cast<double>(bytes_of(length));
    // `run(phase, k)` starts one batch; all three phases of one variant.
    const auto phases_of = [&](const char* variant, auto again, auto run) {
        using both = std::integral_constant<bdsv_phase, bdsv_phase::both>;
        using factor = std::integral_constant<bdsv_phase, bdsv_phase::factor>;
        using solve = std::integral_constant<bdsv_phase, bdsv_phase::solve>;
        again();
        for (int k = 0; k < copies; ++k) check(run(both{}, k));
        const double first = error();
        row("factor and solve", variant, 2 * strips + vectors,
            time_graph(stream, copies, r.replays, again, [&](int k) { check(run(both{}, k)); }), first);
        row("factor", variant, 2 * strips,
            time_graph(stream, copies, r.replays, again, [&](int k) { check(run(factor{}, k)); }), first);
        restore_vectors();
        for (int k = 0; k < copies; ++k) check(run(solve{}, k));
        const double second = error();
        row("solve", variant, strips + vectors,
            time_graph(stream, copies, r.replays, restore_vectors, [&](int k) { check(run(solve{}, k)); }),
            second);
    };
    const auto phases = [&](const char* variant, auto run) { phases_of(variant, restore, run); };
    phases("automatic", [&]<class Phase>(Phase, int k) {
        return shoal::batched::detail::bdsv_on_stream<Phase::value>(stream, A(k), X(k), batch,
                                                                    info.data() + k * batch);
    });
    if constexpr (std::is_same_v<T, double>) {
        phases("products", [&]<class Phase>(Phase, int k) {
            constexpr shoal::bdsv_policy policy{.algorithm = shoal::bdsv_algorithm::products};
            return shoal::batched::detail::bdsv_on_stream<Phase::value, policy>(stream, A(k), X(k), batch,
                                                                                info.data() + k * batch);
        });
    }
    if constexpr (shoal::batched::detail::bdsv_takes_products<bdsv_phase::both, shoal::bdsv_policy{}, T, n>) {
        phases("rows", [&]<class Phase>(Phase, int k) {
            constexpr shoal::bdsv_policy policy{.algorithm = shoal::bdsv_algorithm::rows};
            return shoal::batched::detail::bdsv_on_stream<Phase::value, policy>(stream, A(k), X(k), batch,
                                                                                info.data() + k * batch);
        });
    }
    if (o.tune) {
        phases("warp", [&]<class Phase>(Phase, int k) {
            return shoal::batched::detail::start_bdsv<32, Phase::value>(stream, batch, A(k), X(k),
                                                                        info.data() + k * batch);
        });
        phases("tile", [&]<class Phase>(Phase, int k) {
            return shoal::batched::detail::start_bdsv < n <= 8 ? 8 : 16,
                   Phase::value > (stream, batch, A(k), X(k), info.data() + k * batch);
        });
    }
    if (batch == 1) {
        device_array<T> wide(systems * size / 2 * 3), kept(systems * size / 2 * 3),
            scratch(systems * shoal::bdsv_levels_scratch(n, knots));
        widen_strips<<<blocks_of_256(systems * size), 256, 0, stream>>>(kept.data(), original.data(), n,
                                                                        systems * size);
        const auto restore_wide = [&] {
            wide.copy_from(kept, stream);
            restore_vectors();
        };
        const auto levels = [&]<bdsv_phase Phase, int Threads>(int k) {
            using strips_type = shoal::batched::strips<T, n>;
            const strips_type three(shoal::strip<T, n>(wide.data() + k * size / 2 * 3, knots));
            const by_levels<Phase, strips_type, block_vectors<T, n>, T> body{
                three, X(k), scratch.data() + k * shoal::bdsv_levels_scratch(n, knots)};
            return shoal::batched::launch<shoal::sized_block_group<Threads>>(stream, 1, body,
                                                                             info.data() + k);
        };
        const auto rows = [&]<int Threads>(const char* variant) {
            restore_wide();
            for (int k = 0; k < copies; ++k) check(levels.template operator()<bdsv_phase::both, Threads>(k));
            const double wrong = error();
            row("factor and solve", variant, 2 * strips + vectors,
                time_graph(stream, copies, r.replays, restore_wide,
                           [&](int k) { check(levels.template operator()<bdsv_phase::both, Threads>(k)); }),
                wrong);
            restore_vectors();
            row("solve", variant, strips + vectors,
                time_graph(stream, copies, r.replays, restore_vectors,
                           [&](int k) { check(levels.template operator()<bdsv_phase::solve, Threads>(k)); }),
                wrong);
        };
        const auto on_clusters = [&]<class Phase>(Phase, int k) {
            constexpr shoal::bdsv_policy policy{.algorithm = shoal::bdsv_algorithm::levels};
            const shoal::batched::strips<T, n> three(
                shoal::strip<T, n>(wide.data() + k * size / 2 * 3, knots));
            return shoal::batched::detail::bdsv_on_stream<Phase::value, policy>(stream, three, X(k), 1,
                                                                                info.data() + k);
        };
        phases_of("levels", restore_wide, on_clusters);
        rows.template operator()<256>("levels_256");
        rows.template operator()<512>("levels_512");
    }
    if (batch <= 1024) {
        const auto step_by_step = [&](int k) {
            const stepwise<symmetric_strips<T, n>, block_vectors<T, n>> body{A(k), X(k)};
            check(shoal::batched::launch<shoal::sized_block_group<128>>(stream, batch, body,
                                                                        info.data() + k * batch));
        };
        restore();
        for (int k = 0; k < copies; ++k) step_by_step(k);
        const double wrong = error();
        row("factor and solve", "stepwise", 2 * strips + vectors,
            time_graph(stream, copies, r.replays, restore, step_by_step), wrong);
    }
}

/// The time of one iteration, from runs of a fixed number of them.
template <class T, int n>
void measure_pcg(const report& r, cudaStream_t stream, int knots, std::int64_t batch) {
    using namespace shoal::batched;
    const std::int64_t size = std::int64_t{2} * n * n * knots, length = std::int64_t{n} * knots;
    device_array<T> a(size), m(size), b(length), x(batch * length);
    device_array<shoal::pcg_result<T>> results(batch);
    fill_strips<<<blocks_of_256(size), 256, 0, stream>>>(a.data(), n, size);
    fill_random<<<blocks_of_256(length), 256, 0, stream>>>(b.data(), length);
    check(cudaStreamSynchronize(stream), "fill");
    auto matrix = a.read(0, size);
    auto inverse = matrix;
    const shoal::symmetric_strip<T, n> A(matrix.data(), knots), M(inverse.data(), knots);
    for (int k = 0; k < knots; ++k) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < i; ++j) A.main(k)(j, i) = A.main(k)(i, j);
    }
    if (!shoal::block_jacobi(shoal::this_thread(), A, M).good()) std::exit(1);
    check(cudaMemcpy(a.data(), matrix.data(), matrix.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(m.data(), inverse.data(), inverse.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
    const symmetric_strips<const T, n> As(shoal::symmetric_strip<const T, n>(a.data(), knots), 0);
    const symmetric_strips<const T, n> Ms(shoal::symmetric_strip<const T, n>(m.data(), knots), 0);
    const block_vectors<const T, n> Bs(shoal::block_vector<const T, n>(b.data(), knots), 0);
    const block_vectors<T, n> Xs(shoal::block_vector<T, n>(x.data(), knots));
    constexpr int few = 3, many = 13;
    const auto run = [&](int iterations) {
        shoal::pcg_options<T> options;
        options.max_iterations = iterations;
        options.relative = options.absolute = -1;
        return time_graph(
            stream, 1, r.replays,
            [&] {
                check(cudaMemsetAsync(x.data(), 0, static_cast<std::size_t>(batch * length) * sizeof(T),
                                      stream),
                      "clear");
            },
            [&](int) {
                check(pcg(stream, As, jacobi_preconditioners{Ms}, Bs, Xs, batch, options, results.data()));
            });
    };
    const timing short_run = run(few), long_run = run(many);
    const auto done = results.read(0, 1)[0];
    if (done.iterations != many) {
        std::fprintf(stderr, "pcg stopped after %d iterations of %d\n", done.iterations, many);
        std::exit(1);
    }
    const double us = (long_run.median_us - short_run.median_us) / (many - few);
    // Clusters on 132 multiprocessors, a block on each, where its shared memory is that of the whole.
    const int cluster = best_pcg_fit<T>(n, knots, 2, 2, 90).cluster;
    const double rounds = static_cast<double>((batch * cluster + 131) / 132);
    const double floor_us = rounds * 4.0 * n * n * knots * sizeof(T) / (128 * 1980.0 * cluster);
    std::fprintf(r.csv, "pcg,%s,%d,%d,%lld,iteration,shoal,jacobi,%.4g,%.3g,%.2g,%.4g,%.3g,%s,%s\n",
                 type_name<T>(), n, knots, static_cast<long long>(batch), us, us / knots,
                 long_run.spread_percent, 100 * floor_us / us, static_cast<double>(done.residual),
                 r.device.c_str(), r.commit.c_str());
    std::fflush(r.csv);
}

}  // namespace

int main(int count, char** words) {
    options o;
    for (int i = 1; i + 1 < count; i += 2) {
        if (std::string_view(words[i]) == "--tune") o.tune = true;
        if (std::string_view(words[i]) == "--type") o.floats = std::string_view(words[i + 1]) != "f64";
        if (std::string_view(words[i]) == "--knots") o.knots = std::atoi(words[i + 1]);
    }
    report r(count, words);
    // The columns of this table, over those of the others.
    std::rewind(r.csv);
    std::fprintf(r.csv,
                 "op,type,n,knots,batch,phase,solver,variant,median_us,us_per_knot,spread_percent,"
                 "percent_of_limit,error,device,commit\n");
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const auto orders = [&]<class T, int... N>(std::integer_sequence<int, N...>, T) {
        const auto one = [&]<int n>() {
            if (r.only_n != 0 && r.only_n != n) return;
            for (const int knots : {8, 32, 64, 128}) {
                if (o.knots != 0 && o.knots != knots) continue;
                for (const std::int64_t batch : {1, 1024, 8192}) measure<T, n>(r, o, stream, knots, batch);
            }
        };
        (one.template operator()<N>(), ...);
    };
    if (r.only_n == 0 || r.only_n == 14) {
        for (const std::int64_t batch : {1, 1024}) {
            measure_pcg<double, 14>(r, stream, 32, batch);
            measure_pcg<float, 14>(r, stream, 64, batch);
            // By clusters.
            measure_pcg<double, 14>(r, stream, 64, batch);
            measure_pcg<double, 14>(r, stream, 128, batch);
            measure_pcg<float, 14>(r, stream, 256, batch);
        }
    }
    using sizes = std::integer_sequence<int, 6, 12, 14, 16>;
    orders(sizes{}, double{});
    if (o.floats) orders(sizes{}, float{});
}
