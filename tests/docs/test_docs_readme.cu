// The example of the README, word for word, on a batch.

#include <vector>

#include <gtest/gtest.h>

#include <shoal/shoal.cuh>

__global__ void newton(double* A, double* b, int* info, int systems) {
    auto g = shoal::this_warp();      // or this_thread(), tile<8>(), this_block(), a cooperative group
    auto s = shoal::first_system(g);  // which system this group owns
    if (s >= systems) return;         // the last block may have warps to spare
    auto K = shoal::matrix<double, 12, 12>{A + 144 * s};
    auto x = shoal::vector<double, 12>{b + 12 * s};
    int k = shoal::posv(g, lower(K), x);  // LAPACK info, the same value on every member
    if (g.rank() == 0) info[s] = k;
}  // four warps a block: newton<<<(systems + 3) / 4, 128>>>(A, b, info, systems);

TEST(docs_readme, a_batch_on_warps) {
    constexpr int systems = 7;
    std::vector<double> matrices(144 * systems), vectors(12 * systems, 3.0);
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < 12; ++i)
            matrices[static_cast<std::size_t>(144 * s + 13 * i)] = s == 5 && i == 2 ? -1 : 4;
    double *A = nullptr, *b = nullptr;
    int* info = nullptr;
    ASSERT_EQ(cudaMalloc(&A, matrices.size() * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&b, vectors.size() * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&info, systems * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(A, matrices.data(), matrices.size() * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpy(b, vectors.data(), vectors.size() * sizeof(double), cudaMemcpyHostToDevice),
              cudaSuccess);

    newton<<<(systems + 3) / 4, 128>>>(A, b, info, systems);

    int found[systems];
    ASSERT_EQ(cudaMemcpy(found, info, sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(vectors.data(), b, vectors.size() * sizeof(double), cudaMemcpyDeviceToHost),
              cudaSuccess);
    for (int s = 0; s < systems; ++s) {
        EXPECT_EQ(found[s], s == 5 ? 3 : 0);
        for (int i = 0; i < 12; ++i)
            EXPECT_EQ(vectors[static_cast<std::size_t>(12 * s + i)], s == 5 ? 3.0 : 0.75);
    }
    cudaFree(A);
    cudaFree(b);
    cudaFree(info);
}
