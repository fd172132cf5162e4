#include "batched/batch_lane.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/launch.cuh>
#include <shoal/lapack/posv.hpp>

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::lower;
using batched::matrices;
using batched::vectors;

/// Each member counts itself in, so that every group of every system must be there once and complete.
struct count_members {
    int* members;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
#if defined(SHOAL_DEVICE_CODE)
        atomicAdd(members + system, 1 + 1000 * g.rank());
#endif
        return static_cast<int>(system % 5);
    }
};

template <class G>
void expect_complete_groups() {
    constexpr int size = group_size<G>;
    for (const std::int64_t systems : {1, 31, 32, 33, 127, 129, 4095, 65537}) {
        batch_memory<int> members(std::vector<int>(static_cast<std::size_t>(systems), 0));
        batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
        ASSERT_TRUE(
            accepted(batched::launch<G>(stream(), systems, count_members{members.data()}, info.data())));
        EXPECT_EQ(first_difference(members.read(), {size + 1000 * (size * (size - 1) / 2)}, 1), -1)
            << systems;
        EXPECT_EQ(first_difference(info.read(), {0, 1, 2, 3, 4}, 1), -1) << systems;
        ASSERT_TRUE(accepted(batched::launch<G>(stream(), systems, count_members{members.data()})));
    }
}

TEST(batched_launch, every_group_is_there_once) {
    expect_complete_groups<thread_group>();
    expect_complete_groups<tile_group<4>>();
    expect_complete_groups<lockstep_tile<16>>();
    expect_complete_groups<tile_group<32>>();
    expect_complete_groups<sized_block_group<64>>();
}

TEST(batched_launch, B06_no_systems_launch_nothing) {
    EXPECT_TRUE(accepted(batched::launch<tile_group<8>>(stream(), 0, count_members{nullptr}, nullptr)));
    EXPECT_TRUE(
        refused(batched::launch<tile_group<8>>(stream(), -3, count_members{nullptr}), "systems is negative"));
}

/// A body that holds views, of static and of dynamic extents, with a number behind them.
struct holds_views {
    shoal::matrix<double, 8, 8> a;
    shoal::vector<double, 8> x;
    shoal::matrix<double, dynamic, 8> b;
    shoal::vector<double> y;
    int number;
    SHOAL_FN int operator()(const thread_group&, std::int64_t system) const {
        const int s = static_cast<int>(system);
        a(s, 7) = x(s) + 1;
        b(s, 7) = y(s) + b.rows();
        return number;
    }
};

TEST(batched_launch, views_arrive_as_they_were_passed) {
    batch_memory<double> a(std::vector<double>(64, 1)), b(std::vector<double>(64, 1)),
        x(std::vector<double>(8, 2));
    batch_memory<int> info(std::vector<int>(8, 99));
    const holds_views body{shoal::matrix<double, 8, 8>(a.data()), shoal::vector<double, 8>(x.data()),
                           shoal::matrix<double, dynamic, 8>(b.data(), 8, 8),
                           shoal::vector<double>(x.data(), 8), 77};
    ASSERT_TRUE(accepted(batched::launch<thread_group>(stream(), 8, body, info.data())));
    const auto static_result = a.read(), dynamic_result = b.read();
    for (std::size_t e = 0; e < 64; ++e) {
        EXPECT_EQ(static_result[e], e < 56 ? 1.0 : 3.0);
        EXPECT_EQ(dynamic_result[e], e < 56 ? 1.0 : 10.0);
    }
    EXPECT_EQ(info.read(), std::vector<int>(8, 77));
}

// ---- distances beyond 2^31 elements -----------------------------------------------------------------------------------

TEST(batched_launch, B04_system_stride_beyond_32_bits) {
    const std::int64_t stride = (std::int64_t{1} << 31) + 32;
    float* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, static_cast<std::size_t>(stride + 16) * sizeof(float)), cudaSuccess);
    for (int s = 0; s < 2; ++s) {
        std::vector<float> A(16, 0.0F);
        for (std::size_t i = 0; i < 4; ++i) A[5 * i] = s == 0 ? 2.0F : 4.0F;
        expect_cuda(cudaMemcpy(memory + s * stride, A.data(), 64, cudaMemcpyHostToDevice));
    }
    expect_cuda(cudaDeviceSynchronize());
    batch_memory<float> x(std::vector<float>(8, 1.0F));
    batch_memory<int> info(std::vector<int>(2, 99));
    ASSERT_TRUE(accepted(batched::posv(stream(), lower(matrices<const float, 4, 4>(memory, stride)),
                                       vectors<float, 4>(x.data()), 2, info.data())));
    const auto solution = x.read();
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(solution[i], i < 4 ? 0.5F : 0.25F, 1e-7F);
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0}));
    ASSERT_TRUE(
        accepted(batched::potrf(stream(), lower(matrices<float, 4, 4>(memory, stride)), 2, info.data())));
    float corner = 0;
    expect_cuda(cudaStreamSynchronize(stream()));
    expect_cuda(cudaMemcpy(&corner, memory + stride + 15, sizeof(float), cudaMemcpyDeviceToHost));
    EXPECT_EQ(corner, 2.0F);
    expect_cuda(cudaFree(memory));
}

/// (system mod 7 + 1) I, and a right-hand side of ones.
struct fill_interleaved {
    batched::interleaved_matrices<float, 64, 64> A;
    batched::interleaved_vectors<float, 64> b;
    SHOAL_FN void operator()(const thread_group&, std::int64_t system) const {
        const auto a = A(system);
        const auto x = b(system);
        for (int j = 0; j < 64; ++j) {
            for (int i = 0; i < 64; ++i) a(i, j) = i == j ? static_cast<float>(system % 7 + 1) : 0.0F;
            x(j) = 1.0F;
        }
    }
};
struct solve_interleaved {
    batched::interleaved_matrices<float, 64, 64> A;
    batched::interleaved_vectors<float, 64> b;
    SHOAL_FN int operator()(const thread_group& g, std::int64_t system) const {
        return posv(g, shoal::lower(A(system)), b(system));
    }
};
/// 0 if the solution is 1 / (system mod 7 + 1), otherwise the first wrong element, counted from 1.
struct check_interleaved {
    batched::interleaved_vectors<float, 64> b;
    SHOAL_FN int operator()(const thread_group&, std::int64_t system) const {
        const auto x = b(system);
        const float want = 1.0F / static_cast<float>(system % 7 + 1);
        for (int i = 0; i < 64; ++i) {
            if (!(core::abs(x(i) - want) <= 1e-6F)) return i + 1;
        }
        return 0;
    }
};

TEST(batched_launch, B04_interleaved_elements_beyond_32_bits) {
    const std::int64_t systems = 600000;
    float* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, static_cast<std::size_t>(systems) * (4096 + 64) * sizeof(float)),
              cudaSuccess);
    const batched::interleaved_matrices<float, 64, 64> A(memory, systems);
    const batched::interleaved_vectors<float, 64> b(memory + 4096 * systems, systems);
    batch_memory<int> info(std::vector<int>(systems, 99)), wrong(std::vector<int>(systems, 99));
    ASSERT_TRUE(accepted(batched::launch<thread_group>(stream(), systems, fill_interleaved{A, b})));
    ASSERT_TRUE(
        accepted(batched::launch<thread_group>(stream(), systems, solve_interleaved{A, b}, info.data())));
    ASSERT_TRUE(
        accepted(batched::launch<thread_group>(stream(), systems, check_interleaved{b}, wrong.data())));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    EXPECT_EQ(first_difference(wrong.read(), {0}, 1), -1);
    expect_cuda(cudaFree(memory));
}

// ---- graphs -----------------------------------------------------------------------------------------------------------

TEST(batched_launch, D07_captured_in_a_graph) {
    const std::int64_t systems = 100;
    const auto scaled = [&](double scale) {
        std::vector<double> A = repeated<double>({4, 2, 0, 5}, systems);
        for (double& v : A) v *= scale;
        return A;
    };
    batch_memory<double> a(scaled(1)), l(scaled(1)), x(std::vector<double>(2 * systems)),
        y(std::vector<double>(2 * systems));
    batch_memory<int> info(std::vector<int>(systems, 99));
    const auto all = [&] {
        EXPECT_TRUE(accepted(batched::posv(stream(), lower(matrices<const double, 2, 2>(a.data())),
                                           vectors<double, 2>(x.data()), systems, info.data())));
        EXPECT_TRUE(accepted(
            batched::potrf(stream(), lower(matrices<double, 2, 2>(l.data())), systems, info.data())));
        EXPECT_TRUE(accepted(batched::trsm(stream(), lower(matrices<const double, 2, 2>(l.data())),
                                           matrices<double, 2, 1>(y.data()), systems)));
    };
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
    all();
    ASSERT_EQ(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
    const auto expect_results = [&](double scale) {
        const auto solution = x.read(), half = y.read();
        EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
        for (std::int64_t s = 0; s < systems; ++s) {
            const auto e = static_cast<std::size_t>(2 * s);
            EXPECT_NEAR(solution[e], 1.375 / scale, 1e-14);
            EXPECT_NEAR(solution[e + 1], 1.25 / scale, 1e-14);
            EXPECT_NEAR(half[e], 4 / std::sqrt(scale), 1e-14);
            EXPECT_NEAR(half[e + 1], 2.5 / std::sqrt(scale), 1e-14);
        }
    };
    for (const double scale : {1.0, 2.0, 16.0}) {
        a.assign(scaled(scale));
        l.assign(scaled(scale));
        x.assign(repeated<double>({8, 9}, systems));
        y.assign(repeated<double>({8, 9}, systems));
        ASSERT_EQ(cudaGraphLaunch(run, stream()), cudaSuccess);
        expect_results(scale);
    }
    expect_cuda(cudaGraphExecDestroy(run));
    expect_cuda(cudaGraphDestroy(graph));
    a.assign(scaled(4));
    l.assign(scaled(4));
    x.assign(repeated<double>({8, 9}, systems));
    y.assign(repeated<double>({8, 9}, systems));
    all();
    expect_results(4);
}

}  // namespace
