// The FP64 tensor cores against chains of fused multiply-adds, to the bit, on numbers of every kind.

#include <cmath>
#include <cstdint>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/fast/tensor_core.hpp>

namespace {

constexpr int kinds = 10;

__device__ std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

__device__ double number(std::uint64_t seed, int kind) {
    const std::uint64_t r = mix(seed), s = mix(r);
    const double x = static_cast<double>(static_cast<std::int64_t>(r) >> 11) * 0x1p-52;
    const int exponent = static_cast<int>(s % 120);
    switch (kind) {
        case 0:
            return x;
        case 1:
            return ldexp(x, exponent - 60);
        case 2:
            return ldexp(x, exponent - 600);  // products that are subnormal, or vanish
        case 3:
            return ldexp(x, exponent % 8 - 1026);  // subnormal factors
        case 4:
            return ldexp(x, exponent % 40 + 495);  // products that overflow
        case 5:
            return static_cast<double>(exponent % 7 - 3);  // sums that cancel
        case 6:
            return (exponent % 2 == 0 ? 1 : -1) * (1 + ldexp(static_cast<double>(r % 4096), -52));
        case 7:
            return exponent % 3 == 0 ? x : exponent % 3 == 1 ? 0.0 : -0.0;
        case 8:
            return exponent % 9 == 0 ? INFINITY : exponent % 11 == 0 ? NAN : x;
        default:
            return __longlong_as_double(static_cast<long long>(r));
    }
}

__device__ bool equal(double x, double y) {
    return (isnan(x) && isnan(y)) || __double_as_longlong(x) == __double_as_longlong(y);
}

/// Each warp: products of 8 and of 16 rows whose elements are kept twice, by the tensor cores and by chains.
__global__ void compare(int trials, int* wrong) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
    const std::uint64_t warp = blockIdx.x * 8 + threadIdx.x / 32;
    for (int t = 0; t < trials; ++t) {
        const std::uint64_t seed = mix(warp * 65537 + static_cast<std::uint64_t>(t)) & ~0xfffULL;
        const int kind = static_cast<int>(seed >> 40) % kinds;
        const int other = (seed >> 20) % 3 == 0 ? static_cast<int>(seed >> 50) % kinds : kind;
        const auto a = [&](int i, int k) { return number(seed + static_cast<unsigned>(16 * i + k), kind); };
        const auto b = [&](int k, int j) {
            return number(seed + static_cast<unsigned>(512 + 16 * j + k), other);
        };
        const auto c = [&](int i, int j) {
            return number(seed + static_cast<unsigned>(1024 + 8 * i + j), kind);
        };
        double small[2] = {c(g, 2 * q), c(g, 2 * q + 1)};
        double large[4] = {small[0], small[1], c(g + 8, 2 * q), c(g + 8, 2 * q + 1)};
        shoal::fast::tensor_8x8x4(small[0], small[1], a(g, q), b(q, g));
        shoal::fast::tensor_16x8x4(large[0], large[1], large[2], large[3], a(g, q), a(g + 8, q), b(q, g));
        for (int e = 0; e < 4; ++e) {
            const int i = g + e / 2 * 8, j = 2 * q + e % 2;
            double x = c(i, j);
            for (int k = 0; k < 4; ++k) x = fma(a(i, k), b(k, j), x);
            if (!equal(large[e], x) || (e < 2 && !equal(small[e], x))) atomicAdd(wrong + kind, 1);
        }
        double eight[4], sixteen[4];
        for (int e = 0; e < 4; ++e) eight[e] = sixteen[e] = c(g + e / 2 * 8, 2 * q + e % 2);
        shoal::fast::tensor_16x8x8(eight[0], eight[1], eight[2], eight[3], a(g, q), a(g + 8, q), a(g, q + 4),
                                   a(g + 8, q + 4), b(q, g), b(q + 4, g));
        shoal::fast::tensor_16x8x16(sixteen[0], sixteen[1], sixteen[2], sixteen[3], a(g, q), a(g + 8, q),
                                    a(g, q + 4), a(g + 8, q + 4), a(g, q + 8), a(g + 8, q + 8), a(g, q + 12),
                                    a(g + 8, q + 12), b(q, g), b(q + 4, g), b(q + 8, g), b(q + 12, g));
        for (int e = 0; e < 4; ++e) {
            const int i = g + e / 2 * 8, j = 2 * q + e % 2;
            double x = c(i, j);
            for (int k = 0; k < 8; ++k) x = fma(a(i, k), b(k, j), x);
            if (!equal(eight[e], x)) atomicAdd(wrong + kind, 1);
            for (int k = 8; k < 16; ++k) x = fma(a(i, k), b(k, j), x);
            if (!equal(sixteen[e], x)) atomicAdd(wrong + kind, 1);
        }
        // Terms beyond the end: products that are minus zero change nothing.
        double kept[2] = {c(g, 2 * q), c(g, 2 * q + 1)};
        shoal::fast::tensor_8x8x4(kept[0], kept[1], -0.0, 0.0);
        if (!equal(kept[0], c(g, 2 * q)) || !equal(kept[1], c(g, 2 * q + 1))) atomicAdd(wrong + kind, 1);
    }
}

TEST(tensor_core, an_element_is_a_chain_in_ascending_order) {
    int* counts = nullptr;
    int wrong[kinds];
    ASSERT_EQ(cudaMalloc(&counts, sizeof wrong), cudaSuccess);
    ASSERT_EQ(cudaMemset(counts, 0, sizeof wrong), cudaSuccess);
    compare<<<264, 256>>>(50, counts);
    ASSERT_EQ(cudaMemcpy(wrong, counts, sizeof wrong, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int k = 0; k < kinds; ++k) EXPECT_EQ(wrong[k], 0) << "kind " << k;
    cudaFree(counts);
}

}  // namespace
