// The snippet of the page on block-arrow systems that is for a GPU.

#include <vector>

#include <gtest/gtest.h>

#include <shoal/arrow/cuda_solver.cuh>

namespace {

constexpr int n = 16;

std::vector<double> diagonal_blocks(int count) {
    std::vector<double> all(static_cast<std::size_t>(count) * n * n);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(k * n * n + i * (n + 1))] = 4;
    return all;
}

double* on_device(const std::vector<double>& values) {
    double* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, values.size() * sizeof(double)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(p, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);
    return p;
}

TEST(docs_arrow, on_a_stream) {
    const shoal::arrow::extent size{.tails = 3, .stages = 20};
    std::vector<double> values(static_cast<std::size_t>(shoal::arrow::unknowns(size, n)), 1.0);
    const shoal::arrow::matrix_view<const double> K{
        on_device(diagonal_blocks(60)), on_device(std::vector<double>(57 * n * n)),
        on_device(std::vector<double>(3 * n * n)), on_device(diagonal_blocks(1))};
    double* const b = on_device(values);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    // [cuda]
    shoal::arrow::cuda_solver<double, n> solver(size);  // chooses the schedule, takes the device memory

    const shoal::arrow::status factored = solver.factor(stream, K);  // K and b in device memory
    const shoal::arrow::status solved = solver.solve(stream, b);     // in place
    // [end]
    ASSERT_TRUE(factored.ok());
    ASSERT_TRUE(solved.ok());
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);

    shoal::arrow::info found{};
    ASSERT_EQ(cudaMemcpy(&found, solver.device_info(), sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(values.data(), b, values.size() * sizeof(double), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_TRUE(found.good());
    for (const double x : values) EXPECT_EQ(x, 0.25);
    for (const double* p : {K.diagonal, K.lower, K.coupling, K.root, static_cast<const double*>(b)})
        cudaFree(const_cast<double*>(p));
    cudaStreamDestroy(stream);
}

}  // namespace
