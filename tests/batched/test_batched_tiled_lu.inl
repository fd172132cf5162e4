// Batches of tiled_lu: one source, included by test_batched_tiled_lu.cpp (host threads) and test_batched_tiled_lu.cu (a
// GPU).

#include "batched/batch_lane.hpp"
#include "support/random.hpp"

#include <algorithm>

#if defined(__CUDACC__)
#  include <shoal/batched/tiled_lu.cuh>
#else
#  include <shoal/batched/tiled_lu.hpp>
#endif

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::matrices;
using batched::vectors;

template <auto Config = shoal::tiled_lu::automatic, class... Arguments>
status tiled_lu_batch(Arguments... arguments) {
    return batched::tiled_lu<Config>(where(), arguments...);
}

/// One singular matrix among random ones, and right-hand sides.
template <class T>
struct batch {
    std::vector<T> A, b;
    batch(int n, std::int64_t systems) {
        random_stream r(static_cast<std::uint64_t>(n));
        for (std::int64_t s = 0; s < systems; ++s) {
            auto m = random_matrix<T>(n, n, r);
            for (int i = 0; i < n && s == systems / 2; ++i) m(i, n - 1) = 0;
            const auto right = random_matrix<T>(n, 1, r);
            A.insert(A.end(), m.data(), m.data() + n * n);
            b.insert(b.end(), right.data(), right.data() + n);
        }
    }
};

/// What one thread makes of every system, from a row-major copy.
template <auto Config, class T, int N>
std::vector<T> by_one_thread(const batch<T>& p, std::vector<int>& info) {
    std::vector<T> x = p.b;
    info.clear();
    for (std::size_t s = 0; s < p.b.size() / N; ++s) {
        T copy[N * N];
        T right[N];
        int pivots[N];
        for (std::size_t i = 0; i < N; ++i) {
            for (std::size_t j = 0; j < N; ++j) copy[i * N + j] = p.A[s * N * N + i + j * N];
            right[i] = p.b[s * N + i];
        }
        info.push_back(shoal::tiled_lu::solve_inplace<Config>(
            shoal::tiled_lu::of_order<N>(shoal::tiled_lu::local(copy)), shoal::tiled_lu::local(pivots),
            shoal::tiled_lu::local(right)));
        if (info.back() == 0) std::copy_n(right, N, x.begin() + static_cast<std::ptrdiff_t>(s * N));
    }
    return x;
}

template <auto Config, class T, int N>
void expect_the_bits_of_one_thread(std::int64_t systems) {
    SCOPED_TRACE(testing::Message() << "N = " << N << ", systems " << systems);
    const batch<T> p(N, systems);
    std::vector<int> want_info;
    const auto want = by_one_thread<Config, T, N>(p, want_info);
    batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
    batch_memory<T> a(p.A), x(p.b);
    ASSERT_TRUE(accepted(tiled_lu_batch<Config>(matrices<const T, N, N>(a.data()), vectors<T, N>(x.data()),
                                                systems, info.data())));
    EXPECT_EQ(x.read(), want);
    EXPECT_EQ(info.read(), want_info);
    EXPECT_EQ(want_info[static_cast<std::size_t>(systems / 2)], N);
    std::vector<T> mixed(p.A.size()), mixed_b(p.b.size());
    for (std::int64_t s = 0; s < systems; ++s) {
        for (int e = 0; e < N * N; ++e) {
            mixed[static_cast<std::size_t>(s + e * systems)] = p.A[static_cast<std::size_t>(s * N * N + e)];
        }
        for (int e = 0; e < N; ++e) {
            mixed_b[static_cast<std::size_t>(s + e * systems)] = p.b[static_cast<std::size_t>(s * N + e)];
        }
    }
    batch_memory<T> soa(mixed), soa_x(mixed_b);
    ASSERT_TRUE(
        accepted(tiled_lu_batch<Config>(batched::interleaved_matrices<T, N, N>(soa.data(), systems),
                                        batched::interleaved_vectors<T, N>(soa_x.data(), systems), systems)));
    const auto solutions = soa_x.read();
    for (std::int64_t s = 0; s < systems; ++s) {
        for (int e = 0; e < N; ++e) {
            ASSERT_EQ(solutions[static_cast<std::size_t>(s + e * systems)],
                      want[static_cast<std::size_t>(s * N + e)])
                << s;
        }
    }
}

constexpr shoal::tiled_lu::config<double> small_tiles{.tile_size = 2,
                                                      .schedule = shoal::tiled_lu::looking::left};

TEST(batched_tiled_lu, has_the_bits_of_one_thread) {
    expect_the_bits_of_one_thread<shoal::tiled_lu::automatic, double, 4>(100);
    expect_the_bits_of_one_thread<shoal::tiled_lu::automatic, double, 7>(2100);
    expect_the_bits_of_one_thread<shoal::tiled_lu::automatic, float, 6>(2100);
#if !defined(__CUDACC__)
    // The device compiler takes its time.
    expect_the_bits_of_one_thread<shoal::tiled_lu::automatic, double, 13>(2100);
#endif
    expect_the_bits_of_one_thread<small_tiles, double, 5>(300);
}

TEST(batched_tiled_lu, refuses_what_cannot_be_right) {
    double* const none = nullptr;
    batch_memory<double> some(std::vector<double>(32, 1.0));
    const matrices<double, 4, 4> A(some.data()), null(none);
    const vectors<double, 4> x(some.data());
    EXPECT_TRUE(refused(tiled_lu_batch(null, x, std::int64_t{2}), "A is null"));
    EXPECT_TRUE(refused(tiled_lu_batch<small_tiles>(null, x, std::int64_t{2}), "A is null"));
    EXPECT_TRUE(refused(tiled_lu_batch<small_tiles>(A, x, std::int64_t{-2}), "systems is negative"));
    EXPECT_TRUE(refused(tiled_lu_batch<small_tiles>(A, vectors<double, 4>(some.data(), 0), std::int64_t{2}),
                        "B has stride 0"));
    EXPECT_TRUE(accepted(tiled_lu_batch<small_tiles>(null, vectors<double, 4>(none), std::int64_t{0})));
    EXPECT_EQ(some.read(), std::vector<double>(32, 1.0));
}

}  // namespace
