#include <cstdio>

#include <cuda_runtime.h>

#include <shoal/group/device.cuh>
#include <shoal/lapack/posv.hpp>

__global__ void solve(double* a, double* b, int* info) {
    const auto g = shoal::this_warp();
    const int k = shoal::posv(g, lower(shoal::matrix<double, 12, 12>{a}), shoal::vector<double, 12>{b});
    if (g.rank() == 0) *info = k;
}

int main() {
    solve<<<1, 32>>>(nullptr, nullptr, nullptr);
    std::puts(cudaGetErrorString(cudaGetLastError()));
}
