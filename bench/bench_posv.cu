// Solutions of many small positive definite systems with one right-hand side: batched::posv beside cuSOLVER's
// potrfBatched followed by potrsBatched.
//   bench_posv_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER]
// Variants: `solution`: the matrices are only read; `factor`: the factors are kept, and counted in the limit;
// `interleaved`: as `solution`, element by element in the order of the systems, where a thread holds one.

#include "support/batched_bench.cuh"
#include "support/vendor.hpp"

#include <utility>

#include <shoal/batched/posv.cuh>

namespace {

using namespace shoal_bench;
using shoal::batched::interleaved_matrices;
using shoal::batched::interleaved_vectors;
using shoal::batched::lower;
using shoal::batched::matrices;
using shoal::batched::vectors;

template <class T, int N>
void measure(const report& r, const vendor& peer, cudaStream_t stream, std::int64_t wanted) {
    constexpr std::int64_t size = N * N;
    const std::int64_t batch = fitting(wanted, size * static_cast<std::int64_t>(sizeof(T)));
    const int copies = copies_in_cache(batch, (size + N) * static_cast<std::int64_t>(sizeof(T)));
    const std::int64_t systems = batch * copies;
    device_array<T> original(systems * size), a(systems * size), right(systems * N), b(systems * N);
    device_array<int> info(systems);
    device_array<T*> matrix_pointers(systems), vector_pointers(systems);
    fill_matrices<<<blocks_of_256(systems * size), 256, 0, stream>>>(original.data(), N, N + 1.0,
                                                                     systems * size);
    fill_random<<<blocks_of_256(systems * N), 256, 0, stream>>>(right.data(), systems * N);
    fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(matrix_pointers.data(), a.data(), size,
                                                              systems);
    fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(vector_pointers.data(), b.data(),
                                                              std::int64_t{N}, systems);
    const double triangle = sector_bytes(N, sizeof(T), true);
    const double solution_bytes = triangle + 2.0 * N * sizeof(T);
    const double factor_bytes = triangle + solution_bytes;
    const auto restore_vectors = [&] { b.copy_from(right, stream); };
    const auto restore = [&] {
        a.copy_from(original, stream);
        restore_vectors();
    };
    const auto error = [&](const char* what) {
        double worst = 0;
        for (const std::int64_t s : samples(systems)) {
            const auto A = original.read(s * size, size), B = right.read(s * N, N), X = b.read(s * N, N);
            const auto element = [&](int i, int j) {
                return A[static_cast<std::size_t>(i >= j ? i + j * N : j + i * N)];
            };
            worst = std::max(worst, solve_error(element, X.data(), B.data(), N));
        }
        return gate(worst, 20 * N * unit_roundoff<T>(), what);
    };

    const contest c{r, stream, "posv", type_name<T>(), N, batch, copies};
    const auto solution = [&](int k) {
        check(shoal::batched::posv(stream, lower(matrices<const T, N, N>(original.data() + k * batch * size)),
                                   vectors<T, N>(b.data() + k * batch * N), batch, info.data() + k * batch));
    };
    c.enter("shoal", "solution", solution_bytes, restore_vectors, solution, error);
    const auto factor = [&](int k) {
        check(shoal::batched::posv(stream, lower(matrices<T, N, N>(a.data() + k * batch * size)),
                                   vectors<T, N>(b.data() + k * batch * N), batch, info.data() + k * batch));
    };
    c.enter("shoal", "factor", factor_bytes, restore, factor, error);
    if constexpr (shoal::batched::detail::by_threads<interleaved_matrices<T, N, N>>) {
        if (copies == 1) {
            device_array<T> woven(systems * size), start(systems * N), x(systems * N);
            const auto weave = [&](device_array<T>& to, const device_array<T>& from, int elements,
                                   bool back) {
                interleave<<<blocks_of_256(systems * elements), 256, 0, stream>>>(to.data(), from.data(),
                                                                                  elements, systems, back);
            };
            weave(woven, original, N * N, false);
            weave(start, right, N, false);
            const auto woven_error = [&](const char* what) {
                weave(b, x, N, true);
                check(cudaStreamSynchronize(stream), what);
                return error(what);
            };
            const auto interleaved = [&](int) {
                check(shoal::batched::posv(stream,
                                           lower(interleaved_matrices<const T, N, N>(woven.data(), systems)),
                                           interleaved_vectors<T, N>(x.data(), systems), batch, info.data()));
            };
            c.enter(
                "shoal", "interleaved", (N * (N + 1) / 2 + 2.0 * N) * static_cast<double>(sizeof(T)),
                [&] { x.copy_from(start, stream); }, interleaved, woven_error);
        }
    }
    if (!peer.has_potrf()) return;
    const auto theirs = [&](int k) {
        T** const A = matrix_pointers.data() + k * batch;
        int* const i = info.data() + k * batch;
        require(peer.potrf(N, A, i, static_cast<int>(batch)), "cusolverDnXpotrfBatched");
        require(peer.potrs(N, A, vector_pointers.data() + k * batch, i, static_cast<int>(batch)),
                "cusolverDnXpotrsBatched");
    };
    c.enter("cusolver", "potrfBatched_potrsBatched", factor_bytes, restore, theirs, error);
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
