// The groups of a kernel as such: ranks in blocks of any shape, which system a group owns, adapted cooperative groups, the
// tiers, and a divergent warp.

#include "support/dense.hpp"
#include "support/error.hpp"
#include "support/random.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/group/cooperative.cuh>
#include <shoal/shoal.cuh>

namespace {

using namespace shoal::support;

void check(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

/// Device memory that begins as a copy of a host vector.
template <class T>
class device_array {
  public:
    explicit device_array(const std::vector<T>& x) : size_(x.size()) {
        check(cudaMalloc(&data_, size_ * sizeof(T)));
        check(cudaMemcpy(data_, x.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    T* data() { return data_; }
    std::vector<T> host() const {
        std::vector<T> x(size_);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(x.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return x;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

// ---- ranks and systems ------------------------------------------------------------------------------------------------

struct place_in_grid {
    int rank, size;
    long long system, count;
};

/// What each thread of the grid, in the order of its threads, says of its group.
template <class G>
__global__ void where_am_i(place_in_grid* out) {
    const G g;
    const auto me =
        shoal::detail::flat_block() * shoal::detail::flat_block_size() + shoal::detail::flat_thread();
    out[me] = {g.rank(), g.size(), shoal::first_system(g), shoal::group_count(g)};
}

/// Expects groups of `members` neighbouring threads to count themselves through the grid.
template <class G>
void expect_places(dim3 blocks, dim3 threads, int members) {
    const auto volume = [](dim3 d) { return static_cast<int>(d.x * d.y * d.z); };
    const int total = volume(blocks) * volume(threads);
    device_array<place_in_grid> out(std::vector<place_in_grid>(static_cast<std::size_t>(total)));
    where_am_i<G><<<blocks, threads>>>(out.data());
    const auto places = out.host();
    for (int t = 0; t < total; ++t) {
        const auto& p = places[static_cast<std::size_t>(t)];
        ASSERT_EQ(p.rank, t % members) << t;
        ASSERT_EQ(p.size, members) << t;
        ASSERT_EQ(p.system, t / members) << t;
        ASSERT_EQ(p.count, total / members) << t;
    }
}

TEST(device_groups, count_themselves_through_grids_of_any_shape) {
    for (const dim3 blocks : {dim3(1), dim3(5), dim3(2, 3), dim3(2, 2, 3)}) {
        for (const dim3 threads : {dim3(64), dim3(8, 4, 2), dim3(16, 4), dim3(2, 2, 16)}) {
            expect_places<shoal::thread_group>(blocks, threads, 1);
            expect_places<shoal::tile_group<2>>(blocks, threads, 2);
            expect_places<shoal::tile_group<8>>(blocks, threads, 8);
            expect_places<shoal::tile_group<32>>(blocks, threads, 32);
            expect_places<shoal::block_group>(blocks, threads, 64);
            expect_places<shoal::sized_block_group<64>>(blocks, threads, 64);
        }
        expect_places<shoal::block_group>(blocks, dim3(5, 3, 2), 30);
        expect_places<shoal::block_group>(blocks, dim3(1), 1);
        expect_places<shoal::block_group>(blocks, dim3(1024), 1024);
    }
}

// ---- one solve by every kind of group -----------------------------------------------------------------------------------

constexpr int n = 12;

struct by_thread {
    static __device__ auto group() { return shoal::this_thread(); }
};
template <int W>
struct by_tile {
    static __device__ auto group() { return shoal::tile<W>(); }
};
struct by_block {
    static __device__ auto group() { return shoal::this_block(); }
};
struct by_sized_block {
    static __device__ auto group() { return shoal::this_block<64>(); }
};
struct by_part_of_block {
    static __device__ auto group() { return shoal::this_block().split<16>(); }
};

template <class By, class T>
__global__ void solve_all(T* a, T* b, int* info, long long systems) {
    const auto g = By::group();
    for (long long s = shoal::first_system(g); s < systems; s += shoal::group_count(g)) {
        const shoal::matrix<T, n, n> A{a + n * n * s};
        const shoal::vector<T, n> x{b + n * s};
        const int k = shoal::posv(g, lower(A), x);
        if (g.rank() == 0) info[s] = k;
    }
}

/// A batch with one indefinite system in it.
template <class T>
struct batch {
    static constexpr int systems = 333;
    static constexpr int bad = 70;
    std::vector<dense<T>> a, b;
    std::vector<T> flat_a, flat_b;

    batch() {
        random_stream r(1);
        for (int s = 0; s < systems; ++s) {
            a.push_back(random_spd<T>(n, 20, r));
            b.push_back(random_matrix<T>(n, 1, r));
            if (s == bad) a.back()(4, 4) = -1;
            flat_a.insert(flat_a.end(), a.back().data(), a.back().data() + n * n);
            flat_b.insert(flat_b.end(), b.back().data(), b.back().data() + n);
        }
    }

    /// What `launch(a, b, info)` makes of it: the solutions, checked.
    template <class Launch>
    std::vector<T> solve(Launch launch) const {
        device_array<T> device_a(flat_a), device_b(flat_b);
        device_array<int> device_info(std::vector<int>(systems, 99));
        launch(device_a.data(), device_b.data(), device_info.data());
        const auto x = device_b.host();
        const auto info = device_info.host();
        for (int s = 0; s < systems; ++s) {
            const auto solution =
                dense<T>::from(n, 1, [&](int i, int) { return x[static_cast<std::size_t>(n * s + i)]; });
            EXPECT_EQ(info[static_cast<std::size_t>(s)], s == bad ? 5 : 0) << s;
            if (s == bad) {
                EXPECT_TRUE(bits_equal(solution, b[bad]));
            } else {
                EXPECT_TRUE(within(
                    solve_error(a[static_cast<std::size_t>(s)], solution, b[static_cast<std::size_t>(s)]), 3))
                    << s;
            }
        }
        return x;
    }
};

template <class T>
struct device_batches : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(device_batches, scalars);

TYPED_TEST(device_batches, every_kind_of_group_gives_the_same_bits) {
    using T = TypeParam;
    const batch<T> work;
    const auto by = [&](auto which, unsigned blocks, dim3 threads) {
        return work.solve([&](T* a, T* b, int* info) {
            solve_all<decltype(which)><<<blocks, threads>>>(a, b, info, batch<T>::systems);
        });
    };
    const auto x = by(by_thread{}, 3, 96);
    EXPECT_EQ(by(by_tile<2>{}, 4, 64), x);
    EXPECT_EQ(by(by_tile<4>{}, 2, dim3(8, 16)), x);
    EXPECT_EQ(by(by_tile<8>{}, 1, 128), x);
    EXPECT_EQ(by(by_tile<16>{}, 7, 32), x);
    EXPECT_EQ(by(by_tile<32>{}, 5, dim3(4, 4, 4)), x);
    EXPECT_EQ(by(by_part_of_block{}, 5, 64), x);
    EXPECT_EQ(by(by_sized_block{}, 20, 64), x);
    for (const unsigned threads : {1u, 31u, 33u, 64u, 256u})
        EXPECT_EQ(by(by_block{}, 20, threads), x) << threads;
}

// ---- cooperative groups -----------------------------------------------------------------------------------------------

template <class T>
__global__ void solve_by_cooperative_block(T* a, T* b, int* info, long long systems) {
    const auto g = shoal::adapt_group(cooperative_groups::this_thread_block());
    for (long long s = blockIdx.x; s < systems; s += gridDim.x) {
        const int k =
            shoal::posv(g, lower(shoal::matrix<T, n, n>{a + n * n * s}), shoal::vector<T, n>{b + n * s});
        if (g.rank() == 0) info[s] = k;
    }
}
template <class T>
__global__ void solve_by_cooperative_tile(T* a, T* b, int* info, long long systems) {
    const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    const auto g = shoal::adapt_group(tile);
    const long long first = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
    for (long long s = first; s < systems; s += gridDim.x * (blockDim.x / 8)) {
        const int k =
            shoal::posv(g, lower(shoal::matrix<T, n, n>{a + n * n * s}), shoal::vector<T, n>{b + n * s});
        if (g.rank() == 0) info[s] = k;
    }
}

TYPED_TEST(device_batches, cooperative_groups_give_the_same_bits) {
    using T = TypeParam;
    const batch<T> work;
    const auto x = work.solve(
        [](T* a, T* b, int* info) { solve_all<by_thread><<<3, 96>>>(a, b, info, batch<T>::systems); });
    const auto y = work.solve([](T* a, T* b, int* info) {
        solve_by_cooperative_block<<<20, 64>>>(a, b, info, static_cast<long long>(batch<T>::systems));
    });
    const auto z = work.solve([](T* a, T* b, int* info) {
        solve_by_cooperative_tile<<<20, 64>>>(a, b, info, static_cast<long long>(batch<T>::systems));
    });
    EXPECT_EQ(x, y);
    EXPECT_EQ(x, z);
}

// ---- the tiers, in one kernel -------------------------------------------------------------------------------------------

__global__ void use_tiers(double* out) {
    __shared__ double a[4 * 9], b[4 * 3], scratch[32];
    const auto warp = shoal::this_warp();
    const int w = static_cast<int>(threadIdx.x) / 32;
    double* const mine = a + 9 * w;
    if (warp.rank() < 9) mine[warp.rank()] = warp.rank() % 4 == 0 ? 4 : 0;
    if (warp.rank() < 3) b[3 * w + warp.rank()] = 4 * (w + 1);
    // The system, before the members read what others wrote.
    warp.sync();
    const shoal::vector<double, 3> x{b + 3 * w};
    const int info = shoal::warp::posv(lower(shoal::matrix<double, 3, 3>{mine}), x);
    const double sum = shoal::warp::dot(x, x);
    shoal::this_block().sync();
    const shoal::vector<double, 12> all{b};
    const double total = shoal::block::dot(all, all, shoal::vector<double, 32>{scratch});
    const int largest = shoal::block::iamax(all, scratch);
    const double length = shoal::thread::nrm2(all);
    double* const to = out + 5 * threadIdx.x;
    to[0] = info;
    to[1] = sum;
    to[2] = total;
    to[3] = largest;
    to[4] = length;
}

TEST(device_groups, tiers_name_their_group) {
    device_array<double> out(std::vector<double>(5 * 128, -1));
    use_tiers<<<1, 128>>>(out.data());
    const auto got = out.host();
    for (std::size_t t = 0; t < 128; ++t) {
        const double w = static_cast<double>(t / 32 + 1);
        EXPECT_EQ(got[5 * t], 0);
        EXPECT_NEAR(got[5 * t + 1], 3 * w * w, 1e-14);
        EXPECT_NEAR(got[5 * t + 2], 90, 1e-12);
        EXPECT_EQ(got[5 * t + 3], 9);
        EXPECT_NEAR(got[5 * t + 4] * got[5 * t + 4], 90, 1e-12);
    }
}

// ---- one half of a warp elsewhere -------------------------------------------------------------------------------------

/// Tiles of even number factor with one call, odd ones with another: neither waits for the other.
template <class T>
__global__ void diverge(T* a, int* info) {
    const auto g = shoal::tile<16>();
    const long long s = shoal::first_system(g);
    const shoal::matrix<T, n, n> A{a + n * n * s};
    int k = 0;
    if (s % 2 == 0) {
        k = shoal::potrf(g, lower(A));
    } else {
        k = shoal::potrf<shoal::potrf_policy{.algorithm = shoal::potrf_algorithm::columns}>(g, lower(A));
        k += shoal::potrf(g, lower(A));
    }
    if (g.rank() == 0) info[s] = k;
}

TYPED_TEST(device_batches, D03_the_other_half_of_a_warp_may_be_in_another_branch) {
    using T = TypeParam;
    constexpr int systems = 8;
    std::vector<T> a;
    for (int s = 0; s < systems; ++s) {
        for (int e = 0; e < n * n; ++e) a.push_back(e % (n + 1) == 0 ? T(16) : T(0));
    }
    device_array<T> device_a(a);
    device_array<int> device_info(std::vector<int>(systems, 99));
    diverge<<<2, 64>>>(device_a.data(), device_info.data());
    const auto l = device_a.host();
    EXPECT_EQ(device_info.host(), std::vector<int>(systems));
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < n; ++i)
            EXPECT_EQ(l[static_cast<std::size_t>(n * n * s + (n + 1) * i)], s % 2 == 0 ? T(4) : T(2));
}

}  // namespace
