// The snippets of the pages on batches and on ops of your own that are for a GPU.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/launch.cuh>
#include <shoal/batched/posv.cuh>
#include <shoal/shoal.cuh>

namespace {

constexpr int systems = 100;
constexpr int n = 6;

// [body]
struct solve_and_measure {
    shoal::batched::matrices<double, n, n> A;
    shoal::batched::vectors<double, n> b;
    double* length;  // device memory, as A and b

    template <shoal::Group G>
    __device__ int operator()(const G& g, std::int64_t s) const {
        const int k = shoal::posv(g, lower(A(s)), b(s));
        const double norm = shoal::nrm2(g, b(s));
        if (g.rank() == 0) length[s] = k == 0 ? norm : 0.0;
        return k;
    }
};
// [end]

// [loop]
__global__ void solve_all(std::int64_t count, double* A, double* b, int* info) {
    const auto g = shoal::tile<8>();
    for (std::int64_t s = shoal::first_system(g); s < count; s += shoal::group_count(g)) {
        const int k = shoal::posv(g, lower(shoal::matrix<double, n, n>{A + n * n * s}),
                                  shoal::vector<double, n>{b + n * s});
        if (g.rank() == 0) info[s] = k;
    }
}
// [end]

TEST(docs_batched, on_a_stream) {
    std::vector<double> matrices(systems * n * n), vectors(systems * n, 1.0);
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < n; ++i) matrices[static_cast<std::size_t>(s * n * n + i * (n + 1))] = 4;
    double *A = nullptr, *b = nullptr;
    int* info = nullptr;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&A, matrices.size() * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&b, vectors.size() * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&info, systems * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(A, matrices.data(), matrices.size() * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpy(b, vectors.data(), vectors.size() * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);
    // [stream]
    // A, b and info in device memory; A is only read, and its factor is not kept.
    const shoal::status done =
        shoal::batched::posv(stream, lower(shoal::batched::matrices<const double, n, n>{A}),
                             shoal::batched::vectors<double, n>{b}, systems, info);
    // [end]
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);

    std::vector<int> found(systems, -1);
    ASSERT_EQ(cudaMemcpy(found.data(), info, systems * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(vectors.data(), b, vectors.size() * sizeof(double), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(found, std::vector<int>(systems, 0));
    EXPECT_EQ(vectors, std::vector<double>(systems * n, 0.25));
    cudaFree(A);
    cudaFree(b);
    cudaFree(info);
    cudaStreamDestroy(stream);
}

/// A batch of systems 4 x = 1 in memory that host and device share.
struct small_batch {
    double *A = nullptr, *b = nullptr, *length = nullptr;
    int* info = nullptr;
    small_batch() {
        cudaMallocManaged(&A, systems * n * n * sizeof(double));
        cudaMallocManaged(&b, systems * n * sizeof(double));
        cudaMallocManaged(&length, systems * sizeof(double));
        cudaMallocManaged(&info, systems * sizeof(int));
        for (int e = 0; e < systems * n * n; ++e) A[e] = e % (n * n) % (n + 1) == 0 ? 4 : 0;
        for (int e = 0; e < systems * n; ++e) b[e] = 1;
        for (int s = 0; s < systems; ++s) info[s] = -1;
    }
    ~small_batch() {
        for (void* p : {static_cast<void*>(A), static_cast<void*>(b), static_cast<void*>(length),
                        static_cast<void*>(info)})
            cudaFree(p);
    }
    small_batch(const small_batch&) = delete;
    small_batch& operator=(const small_batch&) = delete;
};

TEST(docs_batched, own_body_on_a_stream) {
    const small_batch at;
    cudaStream_t stream = nullptr;
    // [launch]
    const shoal::batched::matrices<double, n, n> A{at.A};
    const shoal::batched::vectors<double, n> b{at.b};
    const solve_and_measure body{A, b, at.length};
    const shoal::status done =
        shoal::batched::launch<shoal::tile_group<8>>(stream, systems, body, at.info);  // 8 lanes a system
    // [end]
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    for (int s = 0; s < systems; ++s) {
        EXPECT_EQ(at.info[s], 0);
        EXPECT_NEAR(at.length[s], 0.25 * std::sqrt(6.0), 1e-15);
    }
}

TEST(docs_batched, own_kernel_with_fewer_groups_than_systems) {
    const small_batch at;
    solve_all<<<2, 64>>>(systems, at.A, at.b, at.info);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int s = 0; s < systems; ++s) {
        EXPECT_EQ(at.info[s], 0);
        EXPECT_EQ(at.b[n * s], 0.25);
    }
}

}  // namespace
