// Batches of getrf and gesv: one source, included by test_batched_gesv.cpp (host threads) and test_batched_gesv.cu (a GPU).

#include "batched/batch_lane.hpp"
#include "support/error.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <limits>

#include <shoal/batched/blocked.hpp>

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::matrices;
using batched::vectors;

/// `systems` general matrices, and vectors beside them.
template <class T>
struct problem {
    int n;
    std::vector<T> A, b;
};
template <class T>
problem<T> make_problem(int n, std::int64_t systems, int seed) {
    random_stream r(static_cast<std::uint64_t>(seed));
    problem<T> p{n, {}, {}};
    for (std::int64_t s = 0; s < systems; ++s) {
        const auto A = random_matrix<T>(n, n, r);
        const auto b = random_matrix<T>(n, 1, r);
        p.A.insert(p.A.end(), A.data(), A.data() + n * n);
        p.b.insert(p.b.end(), b.data(), b.data() + n);
    }
    return p;
}

template <class T>
std::vector<T> cut(const std::vector<T>& all, std::int64_t system, int size) {
    return {all.begin() + system * size, all.begin() + (system + 1) * size};
}

/// The generic gesv on one host thread, in a copy: the bits that every variant must have.
template <class T>
struct reference {
    std::vector<T> lu, x;
    std::vector<int> pivots;
    int info;
    reference(const problem<T>& p, std::int64_t s)
        : lu(cut(p.A, s, p.n * p.n)), x(cut(p.b, s, p.n)), pivots(static_cast<std::size_t>(p.n)) {
        info = shoal::gesv(this_thread(), matrix<T>(lu.data(), p.n, p.n),
                           shoal::vector<int>(pivots.data(), p.n), shoal::vector<T>(x.data(), p.n));
    }
};

template <class T>
testing::AssertionResult same_numbers(const std::vector<T>& got, const std::vector<T>& want) {
    for (std::size_t e = 0; e < want.size(); ++e) {
        if (!same_result(got[e], want[e])) {
            return testing::AssertionFailure()
                   << "element " << e << ": " << show_bits(got[e]) << " is not " << show_bits(want[e]);
        }
    }
    return testing::AssertionSuccess();
}

/// `size` elements of each system, spread so that element e of system s comes to place(s, e).
template <class T, class Place>
std::vector<T> spread(const std::vector<T>& from, int size, std::size_t room, Place place) {
    std::vector<T> to(room, poison<T>());
    for (std::size_t e = 0; e < from.size(); ++e) {
        const auto in = static_cast<std::int64_t>(e);
        to[static_cast<std::size_t>(place(in / size, in % size))] = from[e];
    }
    return to;
}

// ---- every layout has the bits of the generic op ----------------------------------------------------------------------

/// A solve that only reads A, and one that keeps the factor, in each layout.
template <class T, int N>
void expect_the_bits_of_the_generic_op(std::int64_t systems) {
    SCOPED_TRACE(testing::Message() << "N = " << N << ", systems " << systems);
    auto p = make_problem<T>(N, systems, N);
    // Failures among them: the first column is zero, or not-a-number is met later.
    for (int i = 0; i < N && systems > 2; ++i) p.A[static_cast<std::size_t>(N * N + i)] = 0;
    p.A[static_cast<std::size_t>((systems - 1) * N * N + N * N - 1)] = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> want = p.b;
    std::vector<int> want_info;
    for (std::int64_t s = 0; s < systems; ++s) {
        const reference<T> one(p, s);
        std::copy(one.x.begin(), one.x.end(), want.begin() + s * N);
        want_info.push_back(one.info);
    }
    batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
    {
        batch_memory<T> a(p.A), x(p.b);
        ASSERT_TRUE(accepted(
            gesv_batch(matrices<const T, N, N>(a.data()), vectors<T, N>(x.data()), systems, info.data())));
        EXPECT_TRUE(same_numbers(x.read(), want));
        EXPECT_EQ(info.read(), want_info);
        EXPECT_TRUE(same_numbers(a.read(), p.A));
    }
    {
        // Interleaved, with a gap behind the systems.
        const std::int64_t stride = systems + 3;
        const auto place = [&](std::int64_t s, std::int64_t e) { return e * stride + s; };
        batch_memory<T> a(spread(p.A, N * N, static_cast<std::size_t>(N * N * stride), place));
        batch_memory<T> x(spread(p.b, N, static_cast<std::size_t>(N * stride), place));
        ASSERT_TRUE(
            accepted(gesv_batch(batched::interleaved_matrices<T, N, N>(a.data(), stride),
                                batched::interleaved_vectors<T, N>(x.data(), stride), systems, info.data())));
        EXPECT_TRUE(same_numbers(x.read(), spread(want, N, static_cast<std::size_t>(N * stride), place)));
        EXPECT_EQ(info.read(), want_info);
    }
    {
        constexpr int W = 32;
        const std::int64_t blocks = (systems + W - 1) / W;
        const auto place_in = [&](int size) {
            return [=](std::int64_t s, std::int64_t e) { return (s / W * size + e) * W + s % W; };
        };
        const auto room = [&](int size) { return static_cast<std::size_t>(blocks * W * size); };
        batch_memory<T> a(spread(p.A, N * N, room(N * N), place_in(N * N)));
        batch_memory<T> x(spread(p.b, N, room(N), place_in(N)));
        ASSERT_TRUE(accepted(gesv_batch(batched::blocked_matrices<const T, W, N, N>(a.data()),
                                        batched::blocked_vectors<T, W, N>(x.data()), systems)));
        EXPECT_TRUE(same_numbers(x.read(), spread(want, N, room(N), place_in(N))));
    }
    {
        // With gaps, unaligned, and behind pointers in reverse: the factors are kept.
        const auto place = [&](std::int64_t s, std::int64_t e) { return 1 + s * (N * N + 2) + e; };
        batch_memory<T> a(spread(p.A, N * N, static_cast<std::size_t>(systems * (N * N + 2) + 1), place)),
            x(p.b);
        batch_memory<int> pivots(std::vector<int>(static_cast<std::size_t>(systems * N), 99));
        std::vector<T*> table;
        for (std::int64_t s = 0; s < systems; ++s) table.push_back(x.data() + (systems - 1 - s) * N);
        batch_memory<T*> right(table);
        std::vector<T> reversed;
        for (std::int64_t s = systems - 1; s >= 0; --s) {
            const auto b = cut(p.b, s, N);
            reversed.insert(reversed.end(), b.begin(), b.end());
        }
        x.assign(reversed);
        ASSERT_TRUE(
            accepted(gesv_batch(matrices<T, N, N>(a.data() + 1, N * N + 2), vectors<int, N>(pivots.data()),
                                batched::pointer_matrices<T, N, 1>(right.data()), systems, info.data())));
        EXPECT_EQ(info.read(), want_info);
        const auto solutions = x.read(), factors = a.read();
        const auto interchanges = pivots.read();
        for (std::int64_t s = 0; s < systems; ++s) {
            const reference<T> one(p, s);
            EXPECT_TRUE(same_numbers(cut(solutions, systems - 1 - s, N), one.x)) << s;
            EXPECT_EQ(cut(interchanges, s, N), one.pivots) << s;
            const auto first = factors.begin() + 1 + s * (N * N + 2);
            EXPECT_TRUE(same_numbers(std::vector<T>(first, first + N * N), one.lu)) << s;
        }
    }
}

TEST(batched_gesv, B05_every_layout_double) {
    for (const std::int64_t systems : {1, 31, 33, 129}) {
        expect_the_bits_of_the_generic_op<double, 3>(systems);
        expect_the_bits_of_the_generic_op<double, 12>(systems);
    }
    expect_the_bits_of_the_generic_op<double, 18>(35);
    // Enough to fill a card: other variants.
    expect_the_bits_of_the_generic_op<double, 3>(4095);
    expect_the_bits_of_the_generic_op<double, 8>(2050);
    expect_the_bits_of_the_generic_op<double, 12>(2050);
    expect_the_bits_of_the_generic_op<double, 18>(2049);
}
TEST(batched_gesv, B05_every_layout_float) {
    for (const std::int64_t systems : {1, 32, 127}) {
        expect_the_bits_of_the_generic_op<float, 1>(systems);
        expect_the_bits_of_the_generic_op<float, 9>(systems);
    }
    expect_the_bits_of_the_generic_op<float, 1>(4095);
    expect_the_bits_of_the_generic_op<float, 9>(2050);
}

TEST(batched_gesv, orders_above_the_registers) {
    const auto p = make_problem<double>(50, 3, 1);
    batch_memory<double> a(p.A), x(p.b), lu(p.A), y(p.b);
    batch_memory<int> pivots(std::vector<int>(150, 99)), info(std::vector<int>(3, 99));
    ASSERT_TRUE(accepted(gesv_batch(matrices<const double, 50, 50>(a.data()), vectors<double, 50>(x.data()),
                                    std::int64_t{3}, info.data())));
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0}));
    const matrices<double> A(matrix<double>(lu.data(), 50, 50), 2500);
    const vectors<int> P(shoal::vector<int>(pivots.data(), 50), 50);
    ASSERT_TRUE(accepted(getrf_batch(A, P, std::int64_t{3}, info.data())));
    const auto solutions = x.read(), factors = lu.read();
    for (std::int64_t s = 0; s < 3; ++s) {
        const reference<double> one(p, s);
        EXPECT_TRUE(same_numbers(cut(solutions, s, 50), one.x));
        EXPECT_TRUE(same_numbers(cut(factors, s, 2500), one.lu));
    }
}

// ---- cases of others ----------------------------------------------------------------------------------------------------

TEST(batched_gesv, A02_which_system_is_singular) {
    const std::int64_t systems = 1000;
    std::vector<double> A, b;
    for (std::int64_t s = 0; s < systems; ++s) {
        for (int e = 0; e < 9; ++e)
            A.push_back(s == 417 ? 1.0 : e == 0 ? 1.0 : e == 4 ? 2.0 : e == 8 ? 4.0 : 0.0);
        for (const double v : {1.0, 2.0, 4.0}) b.push_back(s == 417 && v == 4.0 ? 3.0 : v);
    }
    batch_memory<double> a(A), x(b);
    batch_memory<int> info(std::vector<int>(systems, 99));
    ASSERT_TRUE(accepted(gesv_batch(matrices<const double, 3, 3>(a.data()), vectors<double, 3>(x.data()),
                                    systems, info.data())));
    const auto k = info.read();
    const auto solutions = x.read();
    for (std::int64_t s = 0; s < systems; ++s) {
        EXPECT_EQ(k[static_cast<std::size_t>(s)], s == 417 ? 2 : 0) << s;
        EXPECT_EQ(cut(solutions, s, 3),
                  s == 417 ? (std::vector<double>{1, 2, 3}) : std::vector<double>(3, 1.0))
            << s;
    }
}

template <int N>
void expect_pivots_inside() {
    auto p = make_problem<double>(N, 9, N);
    std::fill_n(p.A.begin() + 5 * N * N, N * N, std::numeric_limits<double>::quiet_NaN());
    batch_memory<double> a(p.A), r(p.A), x(p.b);
    batch_memory<int> pivots(std::vector<int>(9 * N, 99)), info(std::vector<int>(9, 99));
    ASSERT_TRUE(accepted(getrf_batch(matrices<double, N, N>(a.data()), vectors<int, N>(pivots.data()),
                                     std::int64_t{9}, info.data())));
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0, 0, 0, 1, 0, 0, 0}));
    const auto k = pivots.read();
    const auto factors = a.read();
    for (int s = 0; s < 9; ++s) {
        for (int i = 0; i < N; ++i) {
            EXPECT_GE(k[static_cast<std::size_t>(s * N + i)], i);
            EXPECT_LT(k[static_cast<std::size_t>(s * N + i)], N);
        }
        if (s != 5) {
            EXPECT_TRUE(same_numbers(cut(factors, s, N * N), reference<double>(p, s).lu)) << s;
        }
    }
    ASSERT_TRUE(accepted(gesv_batch(matrices<const double, N, N>(r.data()), vectors<double, N>(x.data()),
                                    std::int64_t{9}, info.data())));
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0, 0, 0, 1, 0, 0, 0}));
}
TEST(batched_gesv, A10_not_a_number_everywhere) {
    expect_pivots_inside<8>();
    expect_pivots_inside<33>();
}

TEST(batched_gesv, B01_any_batch_size) {
    std::vector<double> A, b;
    for (int k = 1; k <= 7; ++k) {
        for (const double v : {2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0}) A.push_back(k * v);
        for (const double v : {3.0, 5.0, 3.0}) b.push_back(k * v);
    }
    for (const std::int64_t systems : {65535, 65537, 1048579}) {
        SCOPED_TRACE(systems);
        auto all_a = repeated(A, systems / 7 + 1);
        auto all_b = repeated(b, systems / 7 + 1);
        all_a.resize(static_cast<std::size_t>(9 * systems));
        all_b.resize(static_cast<std::size_t>(3 * systems));
        batch_memory<double> a(all_a), x(all_b);
        batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
        ASSERT_TRUE(accepted(gesv_batch(matrices<const double, 3, 3>(a.data()), vectors<double, 3>(x.data()),
                                        systems, info.data())));
        const auto solutions = x.read();
        for (std::size_t e = 0; e < 21; ++e) EXPECT_NEAR(solutions[e], 1.0, 1e-14);
        EXPECT_EQ(first_difference(solutions, cut(solutions, 0, 21), 3), -1);
        EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    }
}

TEST(batched_gesv, B02_any_number_of_right_hand_sides) {
    for (const int columns : {1, 1025, 70000, 524281}) {
        batch_memory<double> a({2, 1, 0, 4}), b(repeated<double>({2, 5}, columns));
        batch_memory<int> pivots(std::vector<int>(2, 99));
        ASSERT_TRUE(accepted(
            gesv_batch(matrices<double, 2, 2>(a.data()), vectors<int, 2>(pivots.data()),
                       matrices<double, 2>(matrix<double, 2, dynamic>(b.data(), 2, columns), 2LL * columns),
                       std::int64_t{1})));
        EXPECT_EQ(first_difference(b.read(), {1.0}, 2), -1) << columns;
    }
}

#if defined(__CUDACC__)
TEST(batched_gesv, B04_system_stride_beyond_32_bits) {
    const std::int64_t stride = (std::int64_t{1} << 31) + 32;
    float* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, static_cast<std::size_t>(stride + 16) * sizeof(float)), cudaSuccess);
    for (int s = 0; s < 2; ++s) {
        std::vector<float> A(16, 0.0F);
        for (std::size_t i = 0; i < 4; ++i) A[5 * i] = s == 0 ? 2.0F : 4.0F;
        expect_cuda(cudaMemcpy(memory + s * stride, A.data(), 64, cudaMemcpyHostToDevice));
    }
    batch_memory<float> x(std::vector<float>(8, 1.0F));
    ASSERT_TRUE(accepted(gesv_batch(matrices<const float, 4, 4>(memory, stride), vectors<float, 4>(x.data()),
                                    std::int64_t{2})));
    EXPECT_EQ(x.read(), (std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F, 0.25F, 0.25F, 0.25F, 0.25F}));
    expect_cuda(cudaFree(memory));
}
#endif

template <int N>
void expect_equal_systems_to_stay_equal(std::int64_t systems) {
    std::vector<double> one(N * N, 0.0);
    for (int i = 0; i < N; ++i) one[static_cast<std::size_t>(i + (N - 1 - i) * N)] = 1;
    std::vector<int> want;
    for (int k = 0; k < N; ++k) want.push_back(std::max(k, N - 1 - k));
    std::vector<double> identity(N * N, 0.0);
    for (int i = 0; i < N; ++i) identity[static_cast<std::size_t>(i * (N + 1))] = 1;
    batch_memory<double> a(repeated(one, systems));
    batch_memory<int> pivots(std::vector<int>(static_cast<std::size_t>(N * systems), 99));
    ASSERT_TRUE(
        accepted(getrf_batch(matrices<double, N, N>(a.data()), vectors<int, N>(pivots.data()), systems)));
    EXPECT_EQ(first_difference(a.read(), identity, N * N), -1);
    EXPECT_EQ(first_difference(pivots.read(), want, N), -1);
}
TEST(batched_gesv, D02_equal_systems_stay_equal) {
    expect_equal_systems_to_stay_equal<6>(100000);
    expect_equal_systems_to_stay_equal<33>(1000);
}

TEST(batched_gesv, D10_a_system_has_the_same_bits_wherever_it_stands) {
    const auto one = make_problem<double>(12, 1, 8);
    const reference<double> want(one, 0);
    for (const std::int64_t systems : {2, 1000, 5000}) {
        SCOPED_TRACE(systems);
        auto p = make_problem<double>(12, systems, 9);
        for (const std::int64_t s : {std::int64_t{0}, systems - 1}) {
            std::copy(one.A.begin(), one.A.end(), p.A.begin() + s * 144);
            std::copy(one.b.begin(), one.b.end(), p.b.begin() + s * 12);
        }
        batch_memory<double> a(p.A), x(p.b);
        ASSERT_TRUE(accepted(
            gesv_batch(matrices<const double, 12, 12>(a.data()), vectors<double, 12>(x.data()), systems)));
        const auto solutions = x.read();
        EXPECT_TRUE(same_numbers(cut(solutions, 0, 12), want.x));
        EXPECT_TRUE(same_numbers(cut(solutions, systems - 1, 12), want.x));
    }
}

TEST(batched_gesv, refuses_what_cannot_be_right) {
    double* const none = nullptr;
    batch_memory<double> some(std::vector<double>(64, 1.0));
    batch_memory<int> numbers(std::vector<int>(64, 1));
    const matrices<double, 4, 4> A(some.data()), null(none);
    const matrices<const double, 4, 4> shared(some.data(), 0);
    const vectors<double, 4> x(some.data()), null_x(none);
    const vectors<int, 4> p(numbers.data()), null_p(static_cast<int*>(nullptr));
    EXPECT_TRUE(refused(gesv_batch(null, x, std::int64_t{2}), "A is null"));
    EXPECT_TRUE(refused(gesv_batch(A, null_x, std::int64_t{2}), "B is null"));
    EXPECT_TRUE(
        refused(gesv_batch(A, vectors<double, 4>(some.data(), 0), std::int64_t{2}), "B has stride 0"));
    EXPECT_TRUE(refused(gesv_batch(A, x, std::int64_t{-1}), "systems is negative"));
    EXPECT_TRUE(refused(gesv_batch(A, null_p, x, std::int64_t{2}), "pivots is null"));
    EXPECT_TRUE(refused(gesv_batch(A, vectors<int, 4>(numbers.data(), 0), x, std::int64_t{2}),
                        "pivots has stride 0"));
    EXPECT_TRUE(refused(getrf_batch(null, p, std::int64_t{2}), "A is null"));
    EXPECT_TRUE(
        refused(getrf_batch(matrices<double, 4, 4>(some.data(), 0), p, std::int64_t{2}), "A has stride 0"));
    EXPECT_EQ(some.read(), std::vector<double>(64, 1.0));
    // No systems: pointers may be null. One matrix for all is only read.
    EXPECT_TRUE(accepted(gesv_batch(null, null_x, std::int64_t{0})));
    EXPECT_TRUE(accepted(getrf_batch(null, null_p, std::int64_t{0})));
    batch_memory<double> identity({1, 0, 0, 1}), y({1, 2, 3, 4});
    EXPECT_TRUE(accepted(gesv_batch(matrices<const double, 2, 2>(identity.data(), 0),
                                    vectors<double, 2>(y.data()), std::int64_t{2})));
    EXPECT_EQ(y.read(), (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
