// Batches of block-tridiagonal systems: one source, included by test_batched_bdsv.cpp (host threads) and
// test_batched_bdsv.cu (a GPU).

#include "batched/batch_lane.hpp"
#include "support/error.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#if defined(__CUDACC__)
#  include <shoal/batched/bdsv.cuh>
#else
#  include <shoal/batched/bdsv.hpp>
#endif

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::block_vectors;
using batched::strips;

/// Strips of `systems` random chains, row by row; what has no influence is poison.
template <class T>
struct chains {
    int n, knots, blocks;
    std::vector<T> a, b;

    chains(int n_, int knots_, int blocks_, int systems, std::uint64_t seed)
        : n(n_), knots(knots_), blocks(blocks_) {
        random_stream r(seed);
        for (int s = 0; s < systems; ++s) {
            for (int k = 0; k < knots; ++k) {
                for (int i = 0; i < n; ++i) {
                    for (int j = 0; j < blocks * n; ++j) {
                        T value = static_cast<T>(r.uniform(-1, 1));
                        if (j == n + i) value += T(4 * n);
                        if ((k == 0 && j < n) || j > n + i) value = poison<T>();
                        a.push_back(value);
                    }
                    b.push_back(static_cast<T>(r.uniform(-1, 1)));
                }
            }
        }
    }
    int order() const { return n * knots; }
    std::size_t size() const { return static_cast<std::size_t>(order() * n * blocks); }
    std::size_t at(int s, int row, int column) const {
        return static_cast<std::size_t>(s) * size() + static_cast<std::size_t>(row * n * blocks + column);
    }
    /// System s of `from`, strips like a: the lower triangle of the whole matrix, or all of it.
    dense<T> matrix(const std::vector<T>& from, int s, bool symmetric) const {
        return dense<T>::from(order(), order(), [&](int i, int j) {
            if (j > i) {
                if (!symmetric) return T(0);
                std::swap(i, j);
            }
            const int slot = j / n - i / n + 1;
            return slot >= 0 ? from[at(s, i, slot * n + j % n)] : T(0);
        });
    }
    dense<T> vector(const std::vector<T>& from, int s) const {
        return dense<T>::from(order(), 1,
                              [&](int i, int) { return from[static_cast<std::size_t>(s * order() + i)]; });
    }
};

template <class T, int n, int Blocks>
strips<T, n, dynamic, Blocks> as_strips(T* data, int knots) {
    return strips<T, n, dynamic, Blocks>(strip<T, n, dynamic, Blocks>(data, knots));
}
template <class T, int n>
block_vectors<T, n> as_vectors(T* data, int knots) {
    return block_vectors<T, n>(block_vector<T, n>(data, knots));
}

template <class T, int n, int Blocks, bdsv_policy... Policy>
void check_batch(int knots, int systems) {
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots << ", systems " << systems);
    const chains<T> c(n, knots, Blocks, systems, static_cast<std::uint64_t>(1000 * n + knots));
    batch_memory<T> a(c.a), split(c.a), x(c.b), y(c.b);
    batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
    ASSERT_TRUE(accepted(batched::bdsv<Policy...>(where(), as_strips<T, n, Blocks>(a.data(), knots),
                                                  as_vectors<T, n>(x.data(), knots), systems, info.data())));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    ASSERT_TRUE(accepted(batched::bdsv_factor<Policy...>(
        where(), as_strips<T, n, Blocks>(split.data(), knots), systems, info.data())));
    const auto factor = as_strips<T, n, Blocks>(split.data(), knots);
    ASSERT_TRUE(accepted(batched::bdsv_solve<Policy...>(
        where(), strips<const T, n, dynamic, Blocks>(factor(0), static_cast<int>(c.size())),
        as_vectors<T, n>(y.data(), knots), systems)));
    const auto factors = a.read();
    const auto solutions = x.read();
    EXPECT_EQ(first_difference(split.read(), factors, c.size()), -1);
    EXPECT_EQ(first_difference(y.read(), solutions, static_cast<std::size_t>(c.order())), -1);
    for (std::size_t e = 0; e < c.a.size(); ++e) {
        ASSERT_TRUE(!same_bits(c.a[e], poison<T>()) || same_bits(factors[e], poison<T>())) << e;
    }
    for (int s = 0; s<systems; s += systems> 40 ? 37 : 1) {
        const auto full = c.matrix(c.a, s, true);
        ASSERT_LE(solve_error(full, c.vector(solutions, s), c.vector(c.b, s)), 2.0) << s;
        ASSERT_LE(cholesky_error(full, c.matrix(factors, s, false)), 2.0) << s;
    }
#if !defined(__CUDACC__)
    // The vector kernels have the bits of the body in memory.
    auto one = std::vector<T>(c.a.begin(), c.a.begin() + static_cast<std::ptrdiff_t>(c.size()));
    auto z = std::vector<T>(c.b.begin(), c.b.begin() + c.order());
    EXPECT_TRUE(bdsv(this_thread(), strip<T, n, dynamic, Blocks>(one.data(), knots),
                     block_vector<T, n>(z.data(), knots))
                    .good());
    for (std::size_t e = 0; e < one.size(); ++e) ASSERT_TRUE(same_bits(one[e], factors[e])) << e;
    for (std::size_t e = 0; e < z.size(); ++e) ASSERT_TRUE(same_bits(z[e], solutions[e])) << e;
#endif
}

/// Blocks of 16, whose parts have the same bits on a GPU where they are asked for: without a policy it takes products.
template <int Blocks>
void check_largest(int knots, int systems) {
#if defined(__CUDACC__)
    check_batch<double, 16, Blocks, bdsv_policy{.algorithm = bdsv_algorithm::rows}>(knots, systems);
#else
    check_batch<double, 16, Blocks>(knots, systems);
#endif
}

TEST(batched_bdsv, sizes) {
    check_batch<double, 1, 3>(1, 3);
    check_batch<double, 1, 2>(40, 130);
    check_batch<double, 2, 3>(5, 33);
    check_batch<double, 6, 2>(9, 67);
    check_batch<float, 7, 3>(4, 5);
    check_batch<double, 12, 3>(6, 5);
    check_batch<float, 14, 2>(5, 3);
    check_largest<2>(4, 5);
    check_batch<double, 20, 3>(3, 3);
}

#if defined(__CUDACC__)
/// By products: other bits, the same factor to rounding, which either solve takes.
template <int n, int Blocks>
void check_products(int knots, int systems) {
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots << ", systems " << systems);
    constexpr bdsv_policy policy{.algorithm = bdsv_algorithm::products};
    const chains<double> c(n, knots, Blocks, systems, static_cast<std::uint64_t>(2000 * n + knots));
    batch_memory<double> a(c.a), split(c.a), x(c.b), y(c.b), z(c.b);
    batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
    const auto vectors = [&](batch_memory<double>& v) { return as_vectors<double, n>(v.data(), knots); };
    ASSERT_TRUE(accepted(batched::bdsv<policy>(where(), as_strips<double, n, Blocks>(a.data(), knots),
                                               vectors(x), systems, info.data())));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    const auto factor = as_strips<double, n, Blocks>(split.data(), knots);
    ASSERT_TRUE(accepted(batched::bdsv_factor<policy>(where(), factor, systems)));
    ASSERT_TRUE(accepted(batched::bdsv_solve<policy>(where(), factor, vectors(y), systems)));
    ASSERT_TRUE(accepted(batched::bdsv_solve(where(), factor, vectors(z), systems)));
    const auto factors = a.read();
    EXPECT_EQ(first_difference(split.read(), factors, factors.size()), -1);
    for (std::size_t e = 0; e < c.a.size(); ++e) {
        ASSERT_TRUE(!same_bits(c.a[e], poison<double>()) || same_bits(factors[e], poison<double>())) << e;
    }
    for (int s = 0; s<systems; s += systems> 40 ? 37 : 1) {
        const auto full = c.matrix(c.a, s, true);
        for (auto* v : {&x, &y, &z})
            ASSERT_LE(solve_error(full, c.vector(v->read(), s), c.vector(c.b, s)), 2.0) << s;
        ASSERT_LE(cholesky_error(full, c.matrix(factors, s, false)), 2.0) << s;
    }
    auto bad = c.a;
    bad[c.at(systems - 1, 0, n)] = -1;
    a.assign(bad);
    x.assign(c.b);
    ASSERT_TRUE(accepted(batched::bdsv<policy>(where(), as_strips<double, n, Blocks>(a.data(), knots),
                                               vectors(x), systems, info.data())));
    EXPECT_EQ(info.read().back(), 1);
    const auto kept = x.read();
    for (std::size_t e = kept.size() - static_cast<std::size_t>(c.order()); e < kept.size(); ++e)
        ASSERT_TRUE(same_bits(kept[e], c.b[e])) << e;
}

/// In levels, by a cluster: solutions, a factor that serves again, and the first bad pivot of the first level with one.
template <class T, int n>
void check_levels(int knots, int systems) {
    SCOPED_TRACE(testing::Message() << "n = " << n << ", knots " << knots << ", systems " << systems);
    constexpr bdsv_policy policy{.algorithm = bdsv_algorithm::levels};
    const chains<T> c(n, knots, 3, systems, static_cast<std::uint64_t>(3000 * n + knots));
    batch_memory<T> a(c.a), split(c.a), x(c.b), y(c.b);
    batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
    const auto both = as_strips<T, n, 3>(a.data(), knots), factor = as_strips<T, n, 3>(split.data(), knots);
    const auto vectors = [&](batch_memory<T>& v) { return as_vectors<T, n>(v.data(), knots); };
    ASSERT_TRUE(accepted(batched::bdsv<policy>(where(), both, vectors(x), systems, info.data())));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    info.assign(std::vector<int>(static_cast<std::size_t>(systems), 99));
    ASSERT_TRUE(accepted(batched::bdsv_factor<policy>(where(), factor, systems, info.data())));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    ASSERT_TRUE(accepted(batched::bdsv_solve<policy>(where(), factor, vectors(y), systems)));
    for (int s = 0; s < systems; ++s) {
        const auto full = c.matrix(c.a, s, true);
        for (auto* v : {&x, &y})
            ASSERT_LE(solve_error(full, c.vector(v->read(), s), c.vector(c.b, s)), 2.0) << s;
    }
    // Knot 1 is of the second level; the last odd knot is of the first, which is named.
    const int first = (knots - 1) / 2 * 2;
    auto bad = c.a;
    bad[c.at(systems - 1, n, n)] = bad[c.at(systems - 1, first * n, n)] = -1;
    a.assign(bad);
    x.assign(c.b);
    ASSERT_TRUE(accepted(batched::bdsv<policy>(where(), both, vectors(x), systems, info.data())));
    EXPECT_EQ(info.read().back(), first * n + 1);
    const auto kept = x.read();
    for (std::size_t e = kept.size() - static_cast<std::size_t>(c.order()); e < kept.size(); ++e)
        ASSERT_TRUE(same_bits(kept[e], c.b[e])) << e;
}

TEST(batched_bdsv, in_levels) {
    check_levels<double, 1>(2, 1);
    check_levels<double, 6>(67, 3);
    check_levels<float, 7>(20, 2);
    check_levels<double, 16>(37, 2);
}

TEST(batched_bdsv, by_products) {
    check_products<3, 3>(1, 3);
    check_products<6, 2>(9, 67);
    check_products<14, 3>(5, 6);
    check_products<16, 2>(4, 5);
}
#endif

/// Normwise backward error in units of the rounding error, from the strips [L | D]: no dense matrix of a thousand rows.
template <class T>
double chain_error(const chains<T>& c, const std::vector<T>& x) {
    double worst = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    const auto element = [&](int i, int j) {
        const int row = std::max(i, j), other = std::min(i, j);
        return static_cast<double>(c.a[c.at(0, row, (other / c.n - row / c.n + 1) * c.n + other % c.n)]);
    };
    for (int i = 0; i < c.order(); ++i) {
        const int first = std::max(0, (i / c.n - 1) * c.n), last = std::min(c.order(), (i / c.n + 2) * c.n);
        long double r = c.b[static_cast<std::size_t>(i)];
        double row = 0;
        for (int j = first; j < last; ++j) {
            r -= static_cast<long double>(element(i, j)) * x[static_cast<std::size_t>(j)];
            row += std::abs(element(i, j));
        }
        if (!(r - r == 0)) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, std::abs(static_cast<double>(r)));
        norm_a = std::max(norm_a, row);
        norm_x = std::max(norm_x, std::abs(static_cast<double>(x[static_cast<std::size_t>(i)])));
        norm_b = std::max(norm_b, std::abs(static_cast<double>(c.b[static_cast<std::size_t>(i)])));
    }
    return worst / (norm_a * norm_x + norm_b) / static_cast<double>(core::epsilon<T>);
}

template <class T, int n, bdsv_policy... Policy>
void check_every_horizon() {
    for (int knots = 1; knots <= 70; ++knots) {
        const chains<T> c(n, knots, 2, 1, static_cast<std::uint64_t>(100 * n + knots));
        batch_memory<T> a(c.a), x(c.b);
        batch_memory<int> info(std::vector<int>{99});
        ASSERT_TRUE(accepted(batched::bdsv<Policy...>(where(), as_strips<T, n, 2>(a.data(), knots),
                                                      as_vectors<T, n>(x.data(), knots), 1, info.data())));
        ASSERT_EQ(info.read()[0], 0) << n << " " << knots;
        ASSERT_LE(chain_error(c, x.read()), 8.0) << n << " " << knots;
    }
}

TEST(batched_bdsv, F15_every_number_of_knots) {
    check_every_horizon<double, 1>();
    check_every_horizon<double, 2>();
    check_every_horizon<float, 7>();
    check_every_horizon<double, 12>();
    check_every_horizon<float, 14>();
    check_every_horizon<double, 14>();
    check_every_horizon<double, 16>();
#if defined(__CUDACC__)
    constexpr bdsv_policy products{.algorithm = bdsv_algorithm::products};
    check_every_horizon<double, 1, products>();
    check_every_horizon<double, 7, products>();
    check_every_horizon<double, 14, products>();
    check_every_horizon<double, 16, products>();
#endif
}

TEST(batched_bdsv, ill_conditioned_chains_have_the_backward_error_of_lapack) {
    constexpr int n = 6, knots = 12, order = n * knots;
    for (const double condition : {1e2, 1e5, 1e8, 1e11, 1e14}) {
        SCOPED_TRACE(condition);
        random_stream r(static_cast<std::uint64_t>(condition));
        // F F' with a factor whose diagonal falls from 1 to the root of 1 / condition.
        auto factor = dense<double>(order, order);
        for (int i = 0; i < order; ++i) {
            for (int j = (i / n - (i / n > 0 ? 1 : 0)) * n; j <= i; ++j) {
                const double scale = std::pow(condition, -0.5 * j / (order - 1));
                factor(i, j) = scale * (i == j ? 1.0 : r.uniform(-0.3, 0.3));
            }
        }
        auto A = dense<double>(order, order);
        lapack::gemm('N', 'T', 1.0, factor, factor, 0.0, A);
        chains<double> c(n, knots, 2, 1, 3);
        for (int i = 0; i < order; ++i) {
            for (int column = 0; column <= n + i % n; ++column) {
                const int j = (i / n - 1) * n + column;
                if (j >= 0) c.a[c.at(0, i, column)] = A(i, j);
            }
        }
        const auto b = c.vector(c.b, 0);
        auto L = A, theirs = b;
        ASSERT_EQ(lapack::posv('L', L, theirs), 0);
        batch_memory<double> a(c.a), x(c.b);
        batch_memory<int> info(std::vector<int>{99});
        ASSERT_TRUE(accepted(batched::bdsv(where(), as_strips<double, n, 2>(a.data(), knots),
                                           as_vectors<double, n>(x.data(), knots), 1, info.data())));
        ASSERT_EQ(info.read()[0], 0);
        EXPECT_LE(solve_error(A, c.vector(x.read(), 0), b), 3 * solve_error(A, theirs, b) + 0.1);
    }
}

TEST(batched_bdsv, tiles_of_large_batches) {
    check_batch<double, 6, 2>(3, 4095);
    check_batch<float, 3, 3>(2, 4097);
    check_largest<3>(2, 2100);
}

TEST(batched_bdsv, F01_F07_one_bad_system_leaves_its_neighbours) {
    constexpr int n = 2, knots = 6, systems = 2500, size = n * n * 3 * knots, length = n * knots;
    const chains<double> c(n, knots, 3, 1, 5);
    for (const int small : {0, 1}) {
        const int count = small != 0 ? 70 : systems;
        auto a = repeated(c.a, count);
        auto b = repeated(c.b, count);
        // NaN in a coupling shows at its knot; a negative pivot at its own; NaN on the right is no failure.
        a[static_cast<std::size_t>(17 * size + (3 * n) * 3 * n)] = std::numeric_limits<double>::quiet_NaN();
        a[static_cast<std::size_t>(18 * size + (n * knots - 1) * 3 * n + n + 1)] = -1;
        b[static_cast<std::size_t>(20 * length + 3)] = std::numeric_limits<double>::quiet_NaN();
        batch_memory<double> ma(a), mb(b);
        batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(count), 99));
        ASSERT_TRUE(accepted(batched::bdsv(where(), as_strips<double, n, 3>(ma.data(), knots),
                                           as_vectors<double, n>(mb.data(), knots), count, info.data())));
        const auto said = info.read();
        const auto x = mb.read();
        const auto f = ma.read();
        for (int s = 0; s < count; ++s) {
            const int want = s == 17 ? 3 * n + 1 : s == 18 ? n * knots : 0;
            ASSERT_EQ(said[static_cast<std::size_t>(s)], want) << s;
            for (int i = 0; i < length; ++i) {
                const auto e = static_cast<std::size_t>(s * length + i);
                if (want != 0) {
                    ASSERT_TRUE(same_bits(x[e], b[e])) << s;
                } else if (s == 20) {
                    ASSERT_NE(x[e], x[e]) << i;
                } else {
                    ASSERT_TRUE(same_bits(x[e], x[static_cast<std::size_t>(i)])) << s;
                }
            }
        }
        // The columns before the bad pivot are final, the rest is as it was.
        for (int row = 0; row < length; ++row) {
            for (int column = 0; column < 3 * n; ++column) {
                const int global = (row / n - 1) * n + column;
                const auto e = static_cast<std::size_t>(18 * size + row * 3 * n + column);
                const auto good = static_cast<std::size_t>(row * 3 * n + column);
                const bool last = global == length - 1;
                ASSERT_TRUE(same_bits(f[e], last ? a[e] : f[good])) << row << " " << column;
            }
        }
    }
}

TEST(batched_bdsv, one_factor_for_many_right_hand_sides) {
    constexpr int n = 7, knots = 9, systems = 150;
    const chains<double> c(n, knots, 2, 1, 9);
    batch_memory<double> a(c.a), x(repeated(c.b, systems));
    ASSERT_TRUE(accepted(batched::bdsv_factor(where(), as_strips<double, n, 2>(a.data(), knots), 1)));
    const symmetric_strip<const double, n> factor(a.data(), knots);
    ASSERT_TRUE(accepted(batched::bdsv_solve(where(), batched::symmetric_strips<const double, n>(factor, 0),
                                             as_vectors<double, n>(x.data(), knots), systems)));
    const auto all = x.read();
    EXPECT_LE(solve_error(c.matrix(c.a, 0, true), c.vector(all, 0), c.vector(c.b, 0)), 2.0);
    const std::vector<double> first(all.begin(), all.begin() + n * knots);
    EXPECT_EQ(first_difference(all, first, static_cast<std::size_t>(n * knots)), -1);
}

TEST(batched_bdsv, what_cannot_be_right_is_refused) {
    using A = strips<double, 2>;
    using X = block_vectors<double, 2>;
    double memory[48] = {};
    const strip<double, 2> a(memory, 3), none(nullptr, 3), negative(memory, -1);
    const block_vector<double, 2> x(memory, 3), nothing(nullptr, 3), other(memory, 4);
    EXPECT_TRUE(refused(batched::bdsv(where(), A(none), X(x), 5), "A is null"));
    EXPECT_TRUE(refused(batched::bdsv(where(), A(a), X(nothing), 5), "x is null"));
    EXPECT_TRUE(refused(batched::bdsv(where(), A(a, 0), X(x), 5), "A has stride 0"));
    EXPECT_TRUE(refused(batched::bdsv(where(), A(a), X(x, 0), 5), "x has stride 0"));
    EXPECT_TRUE(refused(batched::bdsv(where(), A(a), X(other), 5), "knots and A has"));
    EXPECT_TRUE(refused(batched::bdsv(where(), A(negative), X(x), 5), "knots is negative: -"));
    EXPECT_TRUE(refused(batched::bdsv_factor(where(), A(a), -1), "systems is negative"));
    EXPECT_TRUE(refused(batched::bdsv_solve(where(), A(a), X(nothing), 1), "x is null"));
    EXPECT_TRUE(accepted(batched::bdsv(where(), A(none), X(nothing), 0)));
    EXPECT_TRUE(accepted(
        batched::bdsv(where(), A(strip<double, 2>(nullptr, 0)), X(block_vector<double, 2>(nullptr, 0)), 5)));
}

}  // namespace
