// Triangular solves with many small matrices, as many right-hand sides as rows, in place: batched::trsm beside cuBLAS's
// trsmBatched.
//   bench_trsm_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER]

#include "support/batched_bench.cuh"
#include "support/vendor.hpp"

#include <utility>

#include <shoal/batched/trsm.cuh>

namespace {

using namespace shoal_bench;
using shoal::batched::lower;
using shoal::batched::matrices;

template <class T, int N>
void measure(const report& r, const vendor& peer, cudaStream_t stream, std::int64_t wanted) {
    constexpr std::int64_t size = N * N;
    const std::int64_t batch = fitting(wanted, size * static_cast<std::int64_t>(sizeof(T)));
    const int copies = copies_in_cache(batch, 2 * size * static_cast<std::int64_t>(sizeof(T)));
    const std::int64_t systems = batch * copies;
    device_array<T> l(systems * size), original(systems * size), b(systems * size);
    device_array<T*> triangles(systems), pointers(systems);
    fill_matrices<<<blocks_of_256(systems * size), 256, 0, stream>>>(l.data(), N, N + 1.0, systems * size);
    fill_random<<<blocks_of_256(systems * size), 256, 0, stream>>>(original.data(), systems * size);
    fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(triangles.data(), l.data(), size, systems);
    fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(pointers.data(), b.data(), size, systems);
    const double bytes = sector_bytes(N, sizeof(T), true) + 2 * sector_bytes(N, sizeof(T), false);
    const auto restore = [&] { b.copy_from(original, stream); };
    const auto error = [&](const char* what) {
        double worst = 0;
        for (const std::int64_t s : samples(systems)) {
            const auto L = l.read(s * size, size), B = original.read(s * size, size),
                       X = b.read(s * size, size);
            const auto element = [&](int i, int j) {
                return i >= j ? L[static_cast<std::size_t>(i + j * N)] : T(0);
            };
            for (int c = 0; c < N; ++c)
                worst = std::max(worst, solve_error(element, X.data() + c * N, B.data() + c * N, N));
        }
        return gate(worst, 20 * N * unit_roundoff<T>(), what);
    };

    const auto ours = [&](int k) {
        check(shoal::batched::trsm(stream, lower(matrices<const T, N, N>(l.data() + k * batch * size)),
                                   matrices<T, N, N>(b.data() + k * batch * size), batch));
    };
    const contest c{r, stream, "trsm", type_name<T>(), N, batch, copies};
    c.enter("shoal", "square", bytes, restore, ours, error);
    if (!peer.has_trsm()) return;
    const auto theirs = [&](int k) {
        require(peer.trsm(N, N, triangles.data() + k * batch, pointers.data() + k * batch,
                          static_cast<int>(batch)),
                "cublasXtrsmBatched");
    };
    c.enter("cublas", "trsmBatched", bytes, restore, theirs, error);
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
