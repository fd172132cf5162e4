// Batches of conjugate gradients: one source, included by test_batched_pcg.cpp (host threads) and test_batched_pcg.cu (a
// GPU).

#include "batched/batch_lane.hpp"
#include "support/random.hpp"

#include <cstring>
#include <limits>
#include <string>

#if defined(__CUDACC__)
#  include <shoal/batched/pcg.cuh>
#else
#  include <shoal/batched/pcg.hpp>
#endif

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::block_vectors;
using batched::strips;

/// A chain whose solution is ones, rows of [L | D | R], and its block-Jacobi preconditioner.
template <class T, int n>
struct chain {
    int knots;
    std::vector<T> a, m, b;
    explicit chain(int count) : knots(count) {
        random_stream r(static_cast<std::uint64_t>(100 * n + count));
        a.assign(static_cast<std::size_t>(3 * n * n * count), T(0));
        m = a;
        const strip<T, n> A(a.data(), count);
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    const T d = static_cast<T>(r.uniform(-1, 1)), l = static_cast<T>(r.uniform(-1, 1));
                    if (j <= i) A.main(k)(i, j) = A.main(k)(j, i) = d + (i == j ? T(3 * n) : T(0));
                    if (k > 0) A.left(k)(i, j) = A.right(k - 1)(j, i) = l;
                }
            }
        }
        EXPECT_TRUE(block_jacobi(this_thread(), A, strip<T, n>(m.data(), count)).good());
        const std::vector<T> ones(static_cast<std::size_t>(n * count), T(1));
        b.resize(ones.size());
        bdmv(this_thread(), A, block_vector<const T, n>(ones.data(), count),
             block_vector<T, n>(b.data(), count));
    }
};

template <class T, int n>
auto matrices_of(const T* data, int knots, std::int64_t stride) {
    return strips<const T, n>(strip<const T, n>(data, knots), stride);
}
template <class T, int n>
block_vectors<T, n> vectors_of(T* data, int knots) {
    return block_vectors<T, n>(block_vector<T, n>(data, knots));
}

/// A batch where it runs, with scratch for three threads where that is needed.
template <class T, int n, class M>
status run(const strips<const T, n>& a, M m, const T* b, T* x, int knots, std::int64_t systems,
           pcg_options<T> options, pcg_result<T>* results) {
#if defined(__CUDACC__)
    return batched::pcg(where(), a, m, vectors_of<const T, n>(b, knots), vectors_of<T, n>(x, knots), systems,
                        options, results);
#else
    std::vector<T> scratch(static_cast<std::size_t>(3 * pcg_scratch(n, knots)));
    return batched::pcg(where(), a, m, vectors_of<const T, n>(b, knots), vectors_of<T, n>(x, knots), systems,
                        options, scratch.data(), results);
#endif
}

/// Results as they come back; batch_memory is for numbers.
template <class T>
class result_memory {
    static constexpr std::size_t words = sizeof(pcg_result<T>) / sizeof(int);

  public:
    explicit result_memory(std::int64_t systems)
        : memory_(std::vector<int>(static_cast<std::size_t>(systems) * words, 99)) {}
    pcg_result<T>* data() { return reinterpret_cast<pcg_result<T>*>(memory_.data()); }
    std::vector<pcg_result<T>> read() {
        const auto all = memory_.read();
        std::vector<pcg_result<T>> results(all.size() / words);
        std::memcpy(results.data(), all.data(), all.size() * sizeof(int));
        return results;
    }

  private:
    batch_memory<int> memory_;
};

template <class T, int n, class Maker>
void check_batch(int knots, std::int64_t systems, Maker maker) {
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots);
    const chain<T, n> c(knots);
    batch_memory<T> a(c.a), m(c.m), b(repeated(c.b, systems)),
        x(std::vector<T>(static_cast<std::size_t>(systems * n * knots), T(0)));
    result_memory<T> results(systems);
    ASSERT_TRUE(accepted(run<T, n>(matrices_of<T, n>(a.data(), knots, 0),
                                   maker(matrices_of<T, n>(m.data(), knots, 0)), b.data(), x.data(), knots,
                                   systems, {}, results.data())));
    const auto got = x.read();
    for (const T v : got) ASSERT_NEAR(v, T(1), sizeof(T) == 8 ? 1e-8 : 1e-3);
    const std::vector<T> first(got.begin(), got.begin() + n * knots);
    EXPECT_EQ(first_difference(got, first, static_cast<std::size_t>(n * knots)), -1);
    for (const auto& r : results.read()) {
        ASSERT_EQ(r.reason, pcg_reason::converged);
        ASSERT_GT(r.iterations, 0);
    }
}

TEST(batched_pcg, sizes) {
    const auto jacobi = [](auto s) { return batched::jacobi_preconditioners{s}; };
    const auto none = [](auto) { return batched::identity_preconditioners{}; };
    check_batch<double, 1>(1, 3, jacobi);
    check_batch<double, 3>(7, 65, jacobi);
    check_batch<float, 4>(9, 40, none);
    // On a GPU: in a block, in clusters of 2, 4 and 8 blocks, and A alone and not even that in those.
    check_batch<float, 14>(32, 3, jacobi);
    check_batch<double, 14>(32, 2, jacobi);
    check_batch<double, 16>(64, 2, none);
    check_batch<double, 14>(100, 3, jacobi);
    check_batch<double, 14>(190, 2, jacobi);
    check_batch<double, 7>(1500, 1, none);
}

TEST(batched_pcg, F03_F05_each_system_has_its_reason) {
    constexpr int n = 2, knots = 5, systems = 64, size = 3 * n * n * knots, length = n * knots;
    const chain<double, n> c(knots);
    auto a = repeated(c.a, systems);
    auto b = repeated(c.b, systems);
    std::vector<double> start(static_cast<std::size_t>(systems * length), 0.0);
    const auto at = [](int system, int each, int e) { return static_cast<std::size_t>(system * each + e); };
    for (int i = 0; i < length; ++i) {
        b[at(10, length, i)] = 0;      // nothing to do
        start[at(20, length, i)] = 1;  // exact start: the residual is zero to the bit, or nearly
    }
    for (int e = 0; e < size; ++e) a[at(30, size, e)] = -a[at(30, size, e)];
    a[at(40, size, n)] = std::numeric_limits<double>::quiet_NaN();
    batch_memory<double> ma(a), mm(c.m), mb(b), mx(start);
    result_memory<double> results(systems);
    pcg_options<double> options;
    options.absolute = 1e-26;
    const auto solve = [&](pcg_options<double> how) {
        return run<double, n>(matrices_of<double, n>(ma.data(), knots, size),
                              batched::jacobi_preconditioners{matrices_of<double, n>(mm.data(), knots, 0)},
                              mb.data(), mx.data(), knots, systems, how, results.data());
    };
    ASSERT_TRUE(accepted(solve(options)));
    auto said = results.read();
    const auto x = mx.read();
    for (int s = 0; s < systems; ++s) {
        const auto& r = said[static_cast<std::size_t>(s)];
        if (s == 30) {
            EXPECT_EQ(r.reason, pcg_reason::breakdown);
        } else if (s == 40) {
            EXPECT_EQ(r.reason, pcg_reason::not_finite);
        } else {
            EXPECT_EQ(r.reason, pcg_reason::converged) << s;
            EXPECT_EQ(r.iterations == 0, s == 10 || s == 20) << s;
            for (int i = 0; i < length; ++i) EXPECT_NEAR(x[at(s, length, i)], s == 10 ? 0.0 : 1.0, 1e-9) << s;
        }
    }
    mx.assign(start);
    options.max_iterations = 1;
    ASSERT_TRUE(accepted(solve(options)));
    said = results.read();
    EXPECT_EQ(said[0].reason, pcg_reason::limit);
    EXPECT_EQ(said[0].iterations, 1);
    EXPECT_GT(said[0].residual, 0);
}

TEST(batched_pcg, what_cannot_be_right_is_refused) {
    constexpr int n = 2, knots = 3;
    const chain<double, n> c(knots);
    double x[8] = {};
    const auto a = matrices_of<double, n>(c.a.data(), knots, 0);
    const batched::jacobi_preconditioners none{matrices_of<double, n>(nullptr, knots, 0)};
    const batched::jacobi_preconditioners other{matrices_of<double, n>(c.m.data(), knots + 1, 0)};
    const batched::identity_preconditioners bare;
    const pcg_options<double> o;
    const auto call = [&](auto matrix, auto m, const double* b, double* to, std::int64_t systems) {
        return run<double, n>(matrix, m, b, to, knots, systems, o, nullptr);
    };
    EXPECT_TRUE(
        refused(call(matrices_of<double, n>(nullptr, knots, 0), bare, c.b.data(), x, 1), "A is null"));
    EXPECT_TRUE(refused(call(a, none, c.b.data(), x, 1), "the preconditioner is null"));
    EXPECT_TRUE(refused(call(a, other, c.b.data(), x, 1), "knots and A has"));
    EXPECT_TRUE(
        refused(call(matrices_of<double, n>(c.a.data(), 4, 0), bare, c.b.data(), x, 1), "knots and A has"));
    EXPECT_TRUE(refused(call(a, bare, nullptr, x, 1), "b is null"));
    EXPECT_TRUE(refused(call(a, bare, c.b.data(), nullptr, 1), "x is null"));
    EXPECT_TRUE(refused(call(a, bare, c.b.data(), x, -1), "systems is negative"));
    EXPECT_TRUE(accepted(call(a, bare, nullptr, nullptr, 0)));
}

TEST(batched_pcg, what_fits_is_told_with_its_bytes) {
    using batched::fits_pcg;
    using batched::pcg_residence;
    static_assert(fits_pcg<double>(14, 40, 2, 2, 90).residence() == pcg_residence::matrix);
    static_assert(fits_pcg<float>(14, 32, 3, 3, 90).residence() == pcg_residence::preconditioner);
    static_assert(fits_pcg<double>(14, 64, 3, 2, 90).residence() == pcg_residence::vectors);
    static_assert(!fits_pcg<double>(16, 1024, 3, 0, 90).ok());
    EXPECT_EQ(fits_pcg<float>(14, 32, 3, 3, 90).message(), "");
    const auto fit = fits_pcg<double>(14, 40, 2, 2, 90);
    EXPECT_EQ(fit.bytes(), fit.vectors + fit.matrix);
    EXPECT_NE(fit.message().find(std::to_string(fit.bytes() + fit.preconditioner)), std::string::npos);
    EXPECT_NE(fits_pcg<double>(16, 1024, 3, 0, 90).message().find("fewer knots"), std::string::npos);
    EXPECT_NE(fits_pcg<double>(14, 64, 3, 2, 90).message().find("the matrices stay"), std::string::npos);
    using batched::best_pcg_fit;
    static_assert(best_pcg_fit<double>(14, 32, 3, 0, 90).cluster == 1);
    static_assert(best_pcg_fit<double>(14, 32, 3, 3, 90).cluster == 2);
    static_assert(best_pcg_fit<double>(14, 100, 3, 3, 90).cluster == 8);
    static_assert(best_pcg_fit<double>(14, 100, 3, 3, 90).residence() == pcg_residence::preconditioner);
    static_assert(best_pcg_fit<double>(14, 190, 3, 3, 90).residence() == pcg_residence::matrix);
    static_assert(best_pcg_fit<double>(7, 1500, 3, 0, 90).residence() == pcg_residence::vectors);
    static_assert(!best_pcg_fit<double>(2, 32768, 3, 0, 90).ok());
    static_assert(best_pcg_fit<double>(14, 100, 3, 3, 80).cluster == 1);
    EXPECT_NE(best_pcg_fit<double>(14, 190, 3, 3, 90).message().find("8 blocks"), std::string::npos);
#if defined(__CUDACC__)
    constexpr int many = 32768;
    batch_memory<double> a(std::vector<double>(12 * many)), b(std::vector<double>(2 * many)),
        x(std::vector<double>(2 * many));
    const auto s =
        run<double, 2>(matrices_of<double, 2>(a.data(), many, 0), batched::identity_preconditioners{},
                       b.data(), x.data(), many, 1, {}, nullptr);
    EXPECT_EQ(s.code(), status_code::unsupported);
#endif
}

}  // namespace
