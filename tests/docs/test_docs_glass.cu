// The example of the page on GLASS, word for word.

#include <vector>

#include <gtest/gtest.h>

// [step]
#include <shoal/compat/glass.cuh>  // instead of "glass.cuh"; compile with nvcc -std=c++20

__global__ void step(double* A, double* B, int* failed) {
    glass::posv<double, 12, 4, true, true>(A, B, 1e-6, failed);
}
// [end]

TEST(docs_glass, a_shifted_solve_reports_a_bad_pivot) {
    for (const double diagonal : {2.0, -2.0}) {
        std::vector<double> a(144), b(48, 4.0);
        for (std::size_t i = 0; i < 12; ++i) a[13 * i] = diagonal;
        double* device = nullptr;
        int* failed = nullptr;
        ASSERT_EQ(cudaMalloc(&device, (144 + 48) * sizeof(double)), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&failed, sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(device, a.data(), 144 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(device + 144, b.data(), 48 * sizeof(double), cudaMemcpyHostToDevice),
                  cudaSuccess);

        step<<<1, 96>>>(device, device + 144, failed);

        int flag = -1;
        ASSERT_EQ(cudaMemcpy(&flag, failed, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(b.data(), device + 144, 48 * sizeof(double), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        EXPECT_EQ(flag, diagonal > 0 ? 0 : 1);
        for (const double x : b) EXPECT_NEAR(x, diagonal > 0 ? 4 / (2 + 1e-6) : 4.0, 1e-14);
        ASSERT_EQ(cudaFree(device), cudaSuccess);
        ASSERT_EQ(cudaFree(failed), cudaSuccess);
    }
}
