// Cholesky factorisations of many small matrices, in place: batched::potrf beside cuSOLVER's potrfBatched.
//   bench_potrf_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER]
// Variants: `automatic`; `fetch32`: the same with the device limit cudaLimitMaxL2FetchGranularity at 32 bytes instead of
// 64, which keeps the cache from fetching sectors above the diagonal; `interleaved`: element by element, in the order of the
// systems, where a thread holds one, and the limit counts the elements. Rows of op `potrf_traffic` move the same sectors
// and compute nothing: what the memory allows this access.

#include "support/batched_bench.cuh"
#include "support/vendor.hpp"

#include <utility>

#include <shoal/batched/potrf.cuh>

namespace {

using namespace shoal_bench;
using shoal::batched::interleaved_matrices;
using shoal::batched::lower;
using shoal::batched::matrices;

/// Reads a lower triangle and writes it back a little changed.
template <class T, int N>
struct touch_triangle {
    matrices<T, N, N> a;
    template <shoal::Group G>
    SHOAL_FN void operator()(const G& g, std::int64_t system) const {
        const auto view = a(system);
        shoal::fast::detail::triangle_rows<T, N, G::static_size> rows;
        rows.load(g.rank(), [&](int i, int j) { return view(i, j); });
        SHOAL_UNROLL
        for (int s = 0; s < rows.slots; ++s) {
            SHOAL_UNROLL
            for (int j = 0; j < rows.width(s); ++j) {
                const int i = s * G::static_size + g.rank();
                if (i >= j && i < N) view(i, j) = rows(s, j) + T(1);
            }
        }
    }
};

/// Elements a lane that a warp of touch_lines() has in flight.
template <int N>
constexpr int lines_in_flight = N* N % 64 == 0 && N* N < 1024 ? N* N / 32 : 32;

/// The same, asking for whole lines: a warp goes through the elements of its systems as they lie.
template <class T, int N>
__global__ void __launch_bounds__(128) touch_lines(T* a) {
    constexpr int rounds = lines_in_flight<N>;
    const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * 4 + threadIdx.x / 32;
    const std::int64_t first = warp * rounds * 32 + threadIdx.x % 32;
    T held[rounds];
    const auto wanted = [&](int r) {
        const int e = static_cast<int>((first + 32 * r) % (N * N));
        return e % N >= e / N;
    };
    SHOAL_UNROLL
    for (int r = 0; r < rounds; ++r) held[r] = wanted(r) ? a[first + 32 * r] : T(0);
    SHOAL_UNROLL
    for (int r = 0; r < rounds; ++r) {
        if (wanted(r)) a[first + 32 * r] = held[r] + T(1);
    }
}

template <class T, int N>
void measure(const report& r, const vendor& peer, cudaStream_t stream, std::int64_t wanted) {
    constexpr std::int64_t size = N * N;
    const std::int64_t batch = fitting(wanted, size * static_cast<std::int64_t>(sizeof(T)));
    const int copies = copies_in_cache(batch, size * static_cast<std::int64_t>(sizeof(T)));
    const std::int64_t systems = batch * copies;
    device_array<T> original(systems * size), a(systems * size);
    device_array<int> info(systems);
    device_array<T*> pointers(systems);
    fill_matrices<<<blocks_of_256(systems * size), 256, 0, stream>>>(original.data(), N, N + 1.0,
                                                                     systems * size);
    fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(pointers.data(), a.data(), size, systems);
    const double bytes = 2 * sector_bytes(N, sizeof(T), true);
    const auto restore = [&] { a.copy_from(original, stream); };
    const auto error = [&](const char* what) {
        double worst = 0;
        for (const std::int64_t s : samples(systems)) {
            if (info.read(s, 1)[0] != 0) worst = INFINITY;
            worst = std::max(worst, factor_error(original.read(s * size, size), a.read(s * size, size), N));
        }
        return gate(worst, 20 * unit_roundoff<T>(), what);
    };

    const auto ours = [&](int k) {
        check(shoal::batched::potrf(stream, lower(matrices<T, N, N>(a.data() + k * batch * size)), batch,
                                    info.data() + k * batch));
    };
    const contest c{r, stream, "potrf", type_name<T>(), N, batch, copies};
    c.enter("shoal", "automatic", bytes, restore, ours, error);
    if (copies == 1) {
        check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32), "limit");
        c.enter("shoal", "fetch32", bytes, restore, ours, error);
        check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 64), "limit");
        constexpr int width = shoal::batched::latency_tile(N).width;
        const auto touch = [&](int) {
            check(shoal::batched::launch<shoal::lockstep_tile<width>>(
                stream, batch, touch_triangle<T, N>{matrices<T, N, N>(a.data())}));
        };
        r.row("potrf_traffic", type_name<T>(), N, batch, "none", "whole_columns",
              time_graph(stream, 1, r.replays, restore, touch), bytes, 0);
        const auto blocks = static_cast<unsigned>(batch * size / (128 * lines_in_flight<N>));
        const auto touch_all = [&](int) { touch_lines<T, N><<<blocks, 128, 0, stream>>>(a.data()); };
        r.row("potrf_traffic", type_name<T>(), N, batch, "none", "whole_lines",
              time_graph(stream, 1, r.replays, restore, touch_all), bytes, 0);
        check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32), "limit");
        r.row("potrf_traffic", type_name<T>(), N, batch, "none", "whole_lines_fetch32",
              time_graph(stream, 1, r.replays, restore, touch_all), bytes, 0);
        check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 64), "limit");
    }
    if constexpr (shoal::batched::detail::by_threads<interleaved_matrices<T, N, N>>) {
        if (copies == 1) {
            device_array<T> start(systems * size), woven(systems * size);
            const auto weave = [&](device_array<T>& to, const device_array<T>& from, bool back) {
                interleave<<<blocks_of_256(systems * size), 256, 0, stream>>>(to.data(), from.data(), N * N,
                                                                              systems, back);
            };
            weave(start, original, false);
            const auto woven_error = [&](const char* what) {
                weave(a, woven, true);
                check(cudaStreamSynchronize(stream), what);
                return error(what);
            };
            const auto interleaved = [&](int) {
                check(shoal::batched::potrf(
                    stream, lower(interleaved_matrices<T, N, N>(woven.data(), systems)), batch, info.data()));
            };
            c.enter(
                "shoal", "interleaved", N * (N + 1) * static_cast<double>(sizeof(T)),
                [&] { woven.copy_from(start, stream); }, interleaved, woven_error);
        }
    }
    if (!peer.has_potrf()) return;
    const auto theirs = [&](int k) {
        require(peer.potrf(N, pointers.data() + k * batch, info.data() + k * batch, static_cast<int>(batch)),
                "cusolverDnXpotrfBatched");
    };
    c.enter("cusolver", "potrfBatched", bytes, restore, theirs, error);
}

}  // namespace

int main(int count, char** words) {
    const report r(count, words);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const vendor peer(stream);
    for_each_order(r, [&]<class T, int N>() {
        for (const std::int64_t batch : {1, 1024, 1048576}) measure<T, N>(r, peer, stream, batch);
    });
}
