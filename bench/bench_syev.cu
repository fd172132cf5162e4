// Eigenvalues and eigenvectors of many small symmetric matrices: syev() by columns, a tile for each matrix with a lane for a
// column or for two, beside cuSOLVER's syevjBatched.
//   bench_syev_gpu [--csv FILE] [--commit NAME] [--replays COUNT] [--n ORDER]
// The limit counts one triangle read, and the values and vectors written.

#include "support/batched_bench.cuh"
#include "support/vendor.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include <shoal/batched/launch.cuh>
#include <shoal/lapack/syev.hpp>

namespace {

using namespace shoal_bench;

template <class T, int N>
struct decompose {
    const T* a;
    T* w;
    T* v;
    template <shoal::Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t s) const {
        constexpr shoal::syev_policy policy{.algorithm = shoal::syev_algorithm::columns};
        return shoal::syev<policy>(g, symmetric_lower(shoal::matrix<const T, N, N>(a + s * N * N)),
                                   shoal::vector<T, N>(w + s * N), shoal::matrix<T, N, N>(v + s * N * N),
                                   static_cast<T*>(nullptr));
    }
};

/// A full symmetric matrix from the lower triangles that fill_matrices() makes.
template <class T>
__global__ void mirror(T* a, int n, std::int64_t elements) {
    const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    const int i = static_cast<int>(e % n);
    const int j = static_cast<int>(e / n % n);
    if (i < j) a[e] = a[e - i - static_cast<std::int64_t>(j) * n + j + static_cast<std::int64_t>(i) * n];
}

/// cuSOLVER's batched Jacobi.
class jacobi {
  public:
    explicit jacobi(cudaStream_t stream) {
        void* solver = open_library("libcusolver.so.12", "libcusolver.so.11");
        const auto make = find<decltype(cusolverDnCreate)>(solver, "cusolverDnCreate");
        const auto on = find<decltype(cusolverDnSetStream)>(solver, "cusolverDnSetStream");
        const auto info = find<decltype(cusolverDnCreateSyevjInfo)>(solver, "cusolverDnCreateSyevjInfo");
        ssize =
            find<decltype(cusolverDnSsyevjBatched_bufferSize)>(solver, "cusolverDnSsyevjBatched_bufferSize");
        dsize =
            find<decltype(cusolverDnDsyevjBatched_bufferSize)>(solver, "cusolverDnDsyevjBatched_bufferSize");
        srun = find<decltype(cusolverDnSsyevjBatched)>(solver, "cusolverDnSsyevjBatched");
        drun = find<decltype(cusolverDnDsyevjBatched)>(solver, "cusolverDnDsyevjBatched");
        ready_ = make && on && info && ssize && dsize && srun && drun &&
                 make(&handle_) == CUSOLVER_STATUS_SUCCESS &&
                 on(handle_, stream) == CUSOLVER_STATUS_SUCCESS &&
                 info(&parameters_) == CUSOLVER_STATUS_SUCCESS;
    }
    bool ready() const { return ready_; }
    int room(int n, float* a, float* w, int batch) const {
        int elements = 0;
        const auto s = ssize(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, &elements,
                             parameters_, batch);
        return s == CUSOLVER_STATUS_SUCCESS ? elements : -1;
    }
    int room(int n, double* a, double* w, int batch) const {
        int elements = 0;
        const auto s = dsize(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, &elements,
                             parameters_, batch);
        return s == CUSOLVER_STATUS_SUCCESS ? elements : -1;
    }
    bool run(int n, float* a, float* w, float* work, int room, int* info, int batch) const {
        return srun(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, work, room, info,
                    parameters_, batch) == CUSOLVER_STATUS_SUCCESS;
    }
    bool run(int n, double* a, double* w, double* work, int room, int* info, int batch) const {
        return drun(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, work, room, info,
                    parameters_, batch) == CUSOLVER_STATUS_SUCCESS;
    }

  private:
    cusolverDnHandle_t handle_ = nullptr;
    syevjInfo_t parameters_ = nullptr;
    bool ready_ = false;
    decltype(cusolverDnSsyevjBatched_bufferSize)* ssize = nullptr;
    decltype(cusolverDnDsyevjBatched_bufferSize)* dsize = nullptr;
    decltype(cusolverDnSsyevjBatched)* srun = nullptr;
    decltype(cusolverDnDsyevjBatched)* drun = nullptr;
};

/// max |A v - w v| / (n max |A|) and max |V' V - I|, the larger in units of n u.
template <class T>
double eigen_error(const std::vector<T>& A, const std::vector<T>& w, const std::vector<T>& V, int n) {
    const auto a = [&](int i, int j) -> long double { return A[static_cast<std::size_t>(i + j * n)]; };
    const auto v = [&](int i, int j) -> long double { return V[static_cast<std::size_t>(i + j * n)]; };
    double size = 0;
    double off = 0;
    double skew = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            size = std::max(size, std::fabs(static_cast<double>(a(i, j))));
            long double r = -v(i, j) * w[static_cast<std::size_t>(j)];
            long double d = i == j ? -1 : 0;
            for (int k = 0; k < n; ++k) {
                r += a(i, k) * v(k, j);
                d += v(k, i) * v(k, j);
            }
            if (!(std::fabs(static_cast<double>(r)) < INFINITY)) return INFINITY;
            off = std::max(off, std::fabs(static_cast<double>(r)));
            skew = std::max(skew, std::fabs(static_cast<double>(d)));
        }
    }
    return std::max(off / (n * size), skew) / (n * unit_roundoff<T>());
}

/// How many blocks must share a multiprocessor: a rotation waits for its square root, and warps beside it can be worth more
/// than registers. One leaves the registers to the compiler.
template <class T, int N, int Lanes>
auto residencies() {
    constexpr bool pairs = Lanes < N;
    if constexpr (sizeof(T) * N == 256) {
        return std::conditional_t<pairs, std::integer_sequence<int, 1>, std::integer_sequence<int, 4>>{};
    } else if constexpr (sizeof(T) * N == 128) {
        return std::conditional_t<pairs, std::integer_sequence<int, 4, 5>, std::integer_sequence<int, 6>>{};
    } else if constexpr (sizeof(T) * N == 64) {
        return std::conditional_t<pairs, std::integer_sequence<int, 5, 6>, std::integer_sequence<int, 8>>{};
    } else {
        return std::integer_sequence<int, 8>{};
    }
}

template <class T, int N>
void measure(const report& r, const jacobi& peer, cudaStream_t stream, std::int64_t batch) {
    constexpr std::int64_t size = N * N;
    device_array<T> original(batch * size), v(batch * size), w(batch * N);
    device_array<int> info(batch);
    fill_matrices<<<blocks_of_256(batch * size), 256, 0, stream>>>(original.data(), N, 0.5, batch * size);
    mirror<<<blocks_of_256(batch * size), 256, 0, stream>>>(original.data(), N, batch * size);
    const double bytes = sector_bytes(N, sizeof(T), true) + (N * N + N) * static_cast<double>(sizeof(T));
    const auto error = [&](const char* what) {
        check(cudaStreamSynchronize(stream), what);
        double worst = 0;
        for (const std::int64_t s : samples(batch)) {
            if (info.read(s, 1)[0] != 0) worst = INFINITY;
            worst = std::max(worst, eigen_error(original.read(s * size, size), w.read(s * N, N),
                                                v.read(s * size, size), N));
        }
        return gate(worst, 100, what);
    };
    const auto with_residency = [&]<int lanes, int Blocks>() {
        const auto ours = [&](int) {
            check(shoal::batched::launch<shoal::tile_group<lanes>, Blocks>(
                stream, batch, decompose<T, N>{original.data(), w.data(), v.data()}, info.data()));
        };
        ours(0);
        const double our_error = error("syev");
        const std::string variant = (lanes < N ? "two columns a lane" : "columns") +
                                    (Blocks == 1 ? std::string() : "; " + std::to_string(Blocks) + " blocks");
        r.row("syev", type_name<T>(), N, batch, "shoal", variant.c_str(),
              time_graph(
                  stream, 1, r.replays, [] {}, ours),
              bytes, our_error);
    };
    const auto with_lanes = [&]<int Lanes, int... Blocks>(std::integral_constant<int, Lanes>,
                                                          std::integer_sequence<int, Blocks...>) {
        (with_residency.template operator()<Lanes, Blocks>(), ...);
    };
    constexpr int lanes = shoal::fast::detail::column_lanes(N);
    with_lanes(std::integral_constant<int, lanes>{}, residencies<T, N, lanes>());
    with_lanes(std::integral_constant<int, lanes / 2>{}, residencies<T, N, lanes / 2>());
    if (!peer.ready()) return;
    const int room = peer.room(N, v.data(), w.data(), static_cast<int>(batch));
    if (room < 0) return;
    device_array<T> work(std::max(room, 1));
    const auto theirs = [&](int) {
        if (!peer.run(N, v.data(), w.data(), work.data(), room, info.data(), static_cast<int>(batch))) {
            std::fprintf(stderr, "cuSOLVER refuses\n");
            std::exit(1);
        }
    };
    const auto restore = [&] { v.copy_from(original, stream); };
    restore();
    theirs(0);
    const double their_error = error("cusolver syevjBatched");
    r.row("syev", type_name<T>(), N, batch, "cusolver", "syevjBatched",
          time_graph(stream, 1, r.replays, restore, theirs), bytes, their_error);
}

template <class T>
void measure_sizes(const report& r, const jacobi& peer, cudaStream_t stream) {
    const auto order = [&]<int... N>(std::integer_sequence<int, N...>) {
        ((r.only_n == 0 || r.only_n == N ? measure<T, N>(r, peer, stream, 16384) : void()), ...);
    };
#ifdef SHOAL_BENCH_ONE_SIZE
    order(std::integer_sequence<int, 8>{});
#else
    order(std::integer_sequence<int, 4, 8, 16, 32>{});
#endif
}

}  // namespace

int main(int count, char** words) {
    const report r(count, words);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const jacobi peer(stream);
    measure_sizes<double>(r, peer, stream);
    measure_sizes<float>(r, peer, stream);
}
