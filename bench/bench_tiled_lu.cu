// Solutions of many small general systems with one right-hand side: batched::tiled_lu beside cuBLAS' getrfBatched
// followed by getrsBatched.
//   bench_tiled_lu_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER]
// Variants: `stored`: systems one after the other, by columns; `interleaved`: element e of all systems together. The
// matrices are only read, and the limit counts them, the right-hand sides and the solutions, for the peer as well.
// `tangent`: a factorisation and six columns of the inverse by each thread, as at the end of a step in a material point; the
// limit counts the matrix and the columns.

#include "support/batched_bench.cuh"
#include "support/vendor.hpp"

#include <utility>

#include <shoal/batched/tiled_lu.cuh>

namespace {

using namespace shoal_bench;
namespace batched = shoal::batched;

/// Element e of system s from `s * size + e` to `e * systems + s`.
template <class T>
__global__ void interleave(T* to, const T* from, std::int64_t systems, int size) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < systems * size) to[e % size * systems + e / size] = from[e];
}

constexpr int tangent_order = 7;
constexpr int tangent_columns = 6;

template <class T>
__global__ void __launch_bounds__(128, sizeof(T) == 4 ? 5 : 1)
    tangents(std::int64_t systems, const T* matrices, T* columns, int* info) {
    namespace lu = shoal::tiled_lu;
    const std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * 128 + threadIdx.x;
    if (s >= systems) return;
    T a[tangent_order * tangent_order];
    int pivots[tangent_order];
    SHOAL_UNROLL
    for (int e = 0; e < tangent_order * tangent_order; ++e) a[e] = matrices[e * systems + s];
    const auto A = lu::of_order<tangent_order>(lu::local(a));
    info[s] = lu::factorize(A, lu::local(pivots));
    SHOAL_UNROLL
    for (int c = 0; c < tangent_columns; ++c) {
        T x[tangent_order];
        lu::substitute_canonical(A, lu::local(pivots), c, lu::local(x));
        SHOAL_UNROLL
        for (int i = 0; i < tangent_order; ++i) columns[(c * tangent_order + i) * systems + s] = x[i];
    }
}

template <class T>
void measure_tangents(const report& r, cudaStream_t stream, std::int64_t systems) {
    constexpr int n = tangent_order;
    if (r.only_n != 0 && r.only_n != n) return;
    device_array<T> matrices(systems * n * n), columns(systems * n * tangent_columns);
    device_array<int> info(systems);
    fill_random<<<blocks_of_256(systems * n * n), 256, 0, stream>>>(matrices.data(), systems * n * n);
    const auto work = [&](int) {
        tangents<<<static_cast<unsigned>((systems + 127) / 128), 128, 0, stream>>>(
            systems, matrices.data(), columns.data(), info.data());
    };
    work(0);
    check(cudaStreamSynchronize(stream), "tangents");
    double worst = 0;
    for (const std::int64_t s : samples(systems)) {
        // Rows after another, as the solver reads them.
        const auto element = [&](int i, int j) { return matrices.read((i * n + j) * systems + s, 1)[0]; };
        for (int c = 0; c < tangent_columns; ++c) {
            std::vector<T> x, e(n, T(0));
            for (int i = 0; i < n; ++i) x.push_back(columns.read((c * n + i) * systems + s, 1)[0]);
            e[static_cast<std::size_t>(c)] = T(1);
            worst = std::max(worst, solve_error(element, x.data(), e.data(), n));
        }
    }
    const double bytes = static_cast<double>((n * n + n * tangent_columns) * std::int64_t{sizeof(T)});
    r.row("tangent", type_name<T>(), n, systems, "shoal", "interleaved",
          time_graph(
              stream, 1, r.replays, [] {}, work),
          bytes, gate(worst, 20 * n * unit_roundoff<T>(), "tangents"));
}

/// The routines of cuBLAS; null where the machine lacks them.
struct lu_vendor {
    explicit lu_vendor(cudaStream_t stream) {
        void* blas = open_library("libcublas.so.13", "libcublas.so.12");
        sgetrf = find<decltype(cublasSgetrfBatched)>(blas, "cublasSgetrfBatched");
        dgetrf = find<decltype(cublasDgetrfBatched)>(blas, "cublasDgetrfBatched");
        sgetrs = find<decltype(cublasSgetrsBatched)>(blas, "cublasSgetrsBatched");
        dgetrs = find<decltype(cublasDgetrsBatched)>(blas, "cublasDgetrsBatched");
        const auto make = find<decltype(cublasCreate_v2)>(blas, "cublasCreate_v2");
        const auto set_stream = find<decltype(cublasSetStream_v2)>(blas, "cublasSetStream_v2");
        ready = sgetrf && dgetrf && sgetrs && dgetrs && make && set_stream &&
                make(&handle) == CUBLAS_STATUS_SUCCESS && set_stream(handle, stream) == CUBLAS_STATUS_SUCCESS;
    }
    bool solve(int n, float** a, int* pivots, float** b, int* info, int batch) const {
        int bad = 0;
        return sgetrf(handle, n, a, n, pivots, info, batch) == CUBLAS_STATUS_SUCCESS &&
               sgetrs(handle, CUBLAS_OP_N, n, 1, a, n, pivots, b, n, &bad, batch) == CUBLAS_STATUS_SUCCESS;
    }
    bool solve(int n, double** a, int* pivots, double** b, int* info, int batch) const {
        int bad = 0;
        return dgetrf(handle, n, a, n, pivots, info, batch) == CUBLAS_STATUS_SUCCESS &&
               dgetrs(handle, CUBLAS_OP_N, n, 1, a, n, pivots, b, n, &bad, batch) == CUBLAS_STATUS_SUCCESS;
    }
    bool ready = false;
    cublasHandle_t handle = nullptr;
    decltype(cublasSgetrfBatched)* sgetrf = nullptr;
    decltype(cublasDgetrfBatched)* dgetrf = nullptr;
    decltype(cublasSgetrsBatched)* sgetrs = nullptr;
    decltype(cublasDgetrsBatched)* dgetrs = nullptr;
};

template <class T, int N>
void measure(const report& r, const lu_vendor& peer, cudaStream_t stream, std::int64_t wanted) {
    constexpr std::int64_t size = N * N;
    const std::int64_t batch = std::min(wanted, (std::int64_t{2} << 30) / (size * std::int64_t{sizeof(T)}));
    const int copies = copies_in_cache(batch, (size + N) * static_cast<std::int64_t>(sizeof(T)));
    const std::int64_t systems = batch * copies;
    device_array<T> original(systems * size), other(systems * size), right(systems * N), b(systems * N);
    device_array<int> info(systems);
    fill_random<<<blocks_of_256(systems * size), 256, 0, stream>>>(original.data(), systems * size);
    fill_random<<<blocks_of_256(systems * N), 256, 0, stream>>>(right.data(), systems * N);
    const double bytes = static_cast<double>((size + 2 * N) * std::int64_t{sizeof(T)});
    const auto error = [&](const char* what, auto solution) {
        check(cudaStreamSynchronize(stream), what);
        double worst = 0;
        for (const std::int64_t s : samples(systems)) {
            const auto A = original.read(s * size, size), B = right.read(s * N, N);
            const auto element = [&](int i, int j) { return A[static_cast<std::size_t>(i + j * N)]; };
            const std::vector<T> x = solution(s);
            worst = std::max(worst, solve_error(element, x.data(), B.data(), N));
        }
        return gate(worst, 20 * N * unit_roundoff<T>(), what);
    };
    const auto stored = [&](std::int64_t s) { return b.read(s * N, N); };
    const auto row = [&](const char* solver, const char* variant, timing t, double e) {
        r.row("gesv", type_name<T>(), N, batch, solver, variant, t, bytes, e);
    };

    const auto restore = [&] { b.copy_from(right, stream); };
    const auto ours = [&](int k) {
        check(batched::tiled_lu(stream, batched::matrices<const T, N, N>(original.data() + k * batch * size),
                                batched::vectors<T, N>(b.data() + k * batch * N), batch,
                                info.data() + k * batch));
    };
    restore();
    for (int k = 0; k < copies; ++k) ours(k);
    const double stored_error = error("tiled_lu", stored);
    row("shoal", "stored", time_graph(stream, copies, r.replays, restore, ours), stored_error);

    if (copies == 1) {
        interleave<<<blocks_of_256(systems * size), 256, 0, stream>>>(other.data(), original.data(), systems,
                                                                      static_cast<int>(size));
        device_array<T> right_mixed(systems * N);
        interleave<<<blocks_of_256(systems * N), 256, 0, stream>>>(right_mixed.data(), right.data(), systems,
                                                                   N);
        const auto restore_mixed = [&] { b.copy_from(right_mixed, stream); };
        const auto mixed = [&](int) {
            check(batched::tiled_lu(stream, batched::interleaved_matrices<const T, N, N>(other.data(), batch),
                                    batched::interleaved_vectors<T, N>(b.data(), batch), batch, info.data()));
        };
        restore_mixed();
        mixed(0);
        const double mixed_error = error("tiled_lu, interleaved", [&](std::int64_t s) {
            std::vector<T> x;
            for (int i = 0; i < N; ++i) x.push_back(b.read(i * batch + s, 1)[0]);
            return x;
        });
        row("shoal", "interleaved", time_graph(stream, 1, r.replays, restore_mixed, mixed), mixed_error);
    }

    if (peer.ready) {
        device_array<T*> matrix_pointers(systems), vector_pointers(systems);
        device_array<int> pivots(systems * N);
        fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(matrix_pointers.data(), other.data(), size,
                                                                  systems);
        fill_pointers<<<blocks_of_256(systems), 256, 0, stream>>>(vector_pointers.data(), b.data(),
                                                                  std::int64_t{N}, systems);
        const auto restore_all = [&] {
            other.copy_from(original, stream);
            restore();
        };
        const auto theirs = [&](int k) {
            if (!peer.solve(N, matrix_pointers.data() + k * batch, pivots.data() + k * batch * N,
                            vector_pointers.data() + k * batch, info.data() + k * batch,
                            static_cast<int>(batch))) {
                std::fprintf(stderr, "cuBLAS refuses\n");
                std::exit(1);
            }
        };
        restore_all();
        for (int k = 0; k < copies; ++k) theirs(k);
        const double their_error = error("cublas getrfBatched and getrsBatched", stored);
        row("cublas", "getrfBatched_getrsBatched", time_graph(stream, copies, r.replays, restore_all, theirs),
            their_error);
    }
}

template <class T, int... N>
void measure_orders(const report& r, const lu_vendor& peer, cudaStream_t stream,
                    std::integer_sequence<int, N...>) {
    const auto one = [&]<int n>(std::integral_constant<int, n>) {
        if (r.only_n != 0 && r.only_n != n) return;
        for (const std::int64_t batch : {1, 1048576}) measure<T, n>(r, peer, stream, batch);
    };
    (one(std::integral_constant<int, N>{}), ...);
}

}  // namespace

int main(int count, char** words) {
    const report r(count, words);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const lu_vendor peer(stream);
    using sizes = std::integer_sequence<int, 3, 4, 6, 7, 8, 9, 12, 16, 20, 24, 32, 48, 64>;
    measure_orders<double>(r, peer, stream, sizes{});
    measure_orders<float>(r, peer, stream, sizes{});
    measure_tangents<double>(r, stream, 1048576);
    measure_tangents<float>(r, stream, 1048576);
}
