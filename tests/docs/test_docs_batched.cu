// The snippet of the page on batches that is for a GPU.

#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/posv.cuh>

namespace {

constexpr int systems = 100;
constexpr int n = 6;

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

}  // namespace
