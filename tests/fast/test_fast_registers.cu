// What the register-resident bodies promise about registers, as the driver sees the compiled kernels.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/batched/tuning.hpp>
#include <shoal/fast/potrf_rows.hpp>
#include <shoal/fast/syev_columns.hpp>
#include <shoal/fast/trsm_rows.hpp>
#include <shoal/group/lockstep.cuh>

namespace {

template <class G, class T, int N, int MinBlocks>
__global__ void __launch_bounds__(128, MinBlocks) factor(T* a, int* info) {
    const G g;
    const std::int64_t s = shoal::first_system(g);
    const int k = shoal::fast::potrf_rows(g, shoal::matrix<T, N, N>{a + s * N * N});
    if (g.rank() == 0) info[s] = k;
}

template <class G, class T, int N>
__global__ void __launch_bounds__(128) solve(const T* a, T* x) {
    const G g;
    const std::int64_t s = shoal::first_system(g);
    shoal::fast::trsv_rows(g, shoal::lower(shoal::matrix<const T, N, N>{a + s * N * N}),
                           shoal::vector<T, N>{x + s * N});
}

template <int Lanes, class T, int N, int MinBlocks>
__global__ void __launch_bounds__(128, MinBlocks) decompose(const T* a, T* w, T* v) {
    const shoal::tile_group<Lanes> g;
    const std::int64_t s = shoal::first_system(g);
    shoal::fast::syev_columns(g, symmetric_lower(shoal::matrix<const T, N, N>{a + s * N * N}),
                              shoal::vector<T, N>{w + s * N}, shoal::matrix<T, N, N>{v + s * N * N}, 24);
}

/// Bytes of memory that each thread of a kernel spills to.
template <class Kernel>
std::size_t spilled(Kernel* kernel) {
    cudaFuncAttributes attributes{};
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
    return attributes.localSizeBytes;
}

template <class T, int N>
void expect_tuned_factor_in_registers() {
    constexpr auto choice = shoal::batched::potrf_tile(N, sizeof(T));
    EXPECT_EQ(spilled(factor<shoal::lockstep_tile<choice.width>, T, N, choice.min_blocks>), 0U)
        << "N = " << N;
    constexpr int widest = shoal::batched::latency_tile(N).width;
    EXPECT_EQ(spilled(factor<shoal::lockstep_tile<widest>, T, N, 1>), 0U) << "N = " << N;
}

TEST(fast_registers, a_thread_holds_12_floats_or_8_doubles) {
    EXPECT_EQ(spilled(factor<shoal::thread_group, float, 12, 1>), 0U);
    EXPECT_EQ(spilled(factor<shoal::thread_group, double, 8, 1>), 0U);
    EXPECT_EQ(spilled(solve<shoal::thread_group, float, 12>), 0U);
    EXPECT_EQ(spilled(solve<shoal::thread_group, double, 8>), 0U);
}

TEST(fast_registers, tuned_tiles_spill_nothing) {
    expect_tuned_factor_in_registers<double, 4>();
    expect_tuned_factor_in_registers<double, 8>();
    expect_tuned_factor_in_registers<double, 12>();
    expect_tuned_factor_in_registers<double, 16>();
    expect_tuned_factor_in_registers<double, 24>();
    expect_tuned_factor_in_registers<double, 32>();
    expect_tuned_factor_in_registers<float, 4>();
    expect_tuned_factor_in_registers<float, 8>();
    expect_tuned_factor_in_registers<float, 12>();
    expect_tuned_factor_in_registers<float, 16>();
    expect_tuned_factor_in_registers<float, 32>();
}

TEST(fast_registers, eigenvectors_stay_in_registers_with_two_columns_a_lane) {
    EXPECT_EQ(spilled(decompose<4, double, 8, 5>), 0U);
    EXPECT_EQ(spilled(decompose<8, double, 16, 3>), 0U);
    EXPECT_EQ(spilled(decompose<8, float, 16, 6>), 0U);
    EXPECT_EQ(spilled(decompose<16, float, 32, 3>), 0U);
}

}  // namespace
