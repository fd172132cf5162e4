// One call, four scopes: a thread, a tile of eight lanes, a warp and a block solve the same system and agree to the bit.
#include <cstdio>

#include <shoal/shoal.cuh>

namespace {

constexpr int n = 12;
constexpr int solvers = 4;

template <class G>
__device__ void solve(const G& g, double* a, double* b, int* info) {
    auto A = shoal::matrix<double, n, n>{a};
    auto x = shoal::vector<double, n>{b};
    const int k = shoal::posv(g, lower(A), x);
    if (g.rank() == 0) *info = k;
}

__global__ void solve_four_times(double* a, double* b, int* info) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    if (threadIdx.x == 0) solve(shoal::this_thread(), a, b, info);
    if (warp == 1 && threadIdx.x % 32 < 8) solve(shoal::tile<8>(), a + n * n, b + n, info + 1);
    if (warp == 2) solve(shoal::this_warp(), a + 2 * n * n, b + 2 * n, info + 2);
    __syncthreads();
    solve(shoal::this_block(), a + 3 * n * n, b + 3 * n, info + 3);
}

}  // namespace

int main() {
    double* a = nullptr;
    double* b = nullptr;
    int* info = nullptr;
    double host_a[solvers][n * n];
    double host_b[solvers][n];
    int host_info[solvers];
    for (auto& matrix : host_a) {
        for (int e = 0; e < n * n; ++e) matrix[e] = e % (n + 1) == 0 ? n : 1.0 / (1 + e % n + e / n);
    }
    for (auto& vector : host_b) {
        for (int i = 0; i < n; ++i) vector[i] = i + 1;
    }
    bool right = cudaMalloc(&a, sizeof host_a) == cudaSuccess &&
                 cudaMalloc(&b, sizeof host_b) == cudaSuccess &&
                 cudaMalloc(&info, sizeof host_info) == cudaSuccess;
    right = right && cudaMemcpy(a, host_a, sizeof host_a, cudaMemcpyHostToDevice) == cudaSuccess;
    right = right && cudaMemcpy(b, host_b, sizeof host_b, cudaMemcpyHostToDevice) == cudaSuccess;
    if (right) solve_four_times<<<1, 128>>>(a, b, info);
    right = right && cudaMemcpy(host_b, b, sizeof host_b, cudaMemcpyDeviceToHost) == cudaSuccess;
    right = right && cudaMemcpy(host_info, info, sizeof host_info, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int s = 0; s < solvers; ++s) {
        right = right && host_info[s] == 0;
        for (int i = 0; i < n; ++i) right = right && host_b[s][i] == host_b[0][i];
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(info);
    std::printf("%s\n", right ? "thread, tile, warp and block agree to the bit" : "they differ");
    return right ? 0 : 1;
}
