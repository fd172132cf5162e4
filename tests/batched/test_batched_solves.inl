// Batches of potrf, trsm and posv: one source, included by test_batched_solves.cpp (host threads) and
// test_batched_solves.cu (a GPU).

#include "batched/batch_lane.hpp"
#include "support/error.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace shoal;
using namespace shoal::support;
using batched::lower;
using batched::matrices;
using batched::upper;
using batched::vectors;

template <class T>
std::vector<T> elements(const dense<T>& a) {
    return {a.data(), a.data() + a.rows() * a.cols()};
}

/// `systems` matrices that differ, each symmetric positive definite; vectors beside them.
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
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) p.A.push_back(i == j ? T(2 * n) : A(i > j ? i : j, i > j ? j : i));
        }
        const auto b = random_matrix<T>(n, 1, r);
        p.b.insert(p.b.end(), b.data(), b.data() + n);
    }
    return p;
}

template <class T>
dense<T> cut(const std::vector<T>& all, std::int64_t system, int rows, int cols) {
    const T* from = all.data() + system * rows * cols;
    return dense<T>::from(rows, cols, [&](int i, int j) { return from[i + j * rows]; });
}

// ---- any number of systems --------------------------------------------------------------------------------------------

TEST(batched_solves, B01_any_batch_size) {
    // Seven systems go round: system k is (k mod 7 + 1) times the same one, and every solution is ones.
    std::vector<double> A, b;
    for (int k = 1; k <= 7; ++k) {
        for (const double v : {2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0}) A.push_back(k * v);
        for (const double v : {3.0, 5.0, 3.0}) b.push_back(k * v);
    }
    for (const std::int64_t systems : {65535, 65536, 65537, 131071, 1048579}) {
        SCOPED_TRACE(systems);
        auto all_a = repeated(A, systems / 7 + 1);
        auto all_b = repeated(b, systems / 7 + 1);
        all_a.resize(static_cast<std::size_t>(9 * systems));
        all_b.resize(static_cast<std::size_t>(3 * systems));
        batch_memory<double> a(all_a), x(all_b), l(all_a), y(all_b);
        batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
        ASSERT_TRUE(accepted(posv_batch(lower(matrices<const double, 3, 3>(a.data())),
                                        vectors<double, 3>(x.data()), systems, info.data())));
        ASSERT_TRUE(accepted(potrf_batch(lower(matrices<double, 3, 3>(l.data())), systems, info.data())));
        ASSERT_TRUE(accepted(trsm_batch(lower(matrices<const double, 3, 3>(l.data())),
                                        matrices<double, 3, 1>(y.data()), systems)));
        const auto solutions = x.read();
        for (std::size_t e = 0; e < 21; ++e) EXPECT_NEAR(solutions[e], 1.0, 1e-14);
        const auto first = [](const std::vector<double>& v, std::ptrdiff_t count) {
            return std::vector<double>(v.begin(), v.begin() + count);
        };
        EXPECT_EQ(first_difference(solutions, first(solutions, 21), 3), -1);
        const auto factors = l.read();
        EXPECT_NEAR(factors[0] * factors[0], 2.0, 1e-14);
        EXPECT_NEAR(factors[1] * factors[0], 1.0, 1e-14);
        EXPECT_EQ(first_difference(factors, first(factors, 63), 9), -1);
        const auto halfway = y.read();
        EXPECT_NEAR(halfway[0] * factors[0], 3.0, 1e-14);
        EXPECT_EQ(first_difference(halfway, first(halfway, 21), 3), -1);
        EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    }
}

TEST(batched_solves, B02_any_number_of_right_hand_sides) {
    const std::vector<double> L{2, 1, -9, 4};
    batch_memory<double> l(L);
    for (const int columns : {1, 7, 1025, 70000, 524281, 1048576}) {
        batch_memory<double> b(repeated<double>({2, 5}, 2LL * columns));
        const matrix<double, 2, dynamic> first(b.data(), 2, columns);
        ASSERT_TRUE(accepted(trsm_batch(lower(matrices<const double, 2, 2>(l.data(), 0)),
                                        matrices<double, 2>(first, 2LL * columns), std::int64_t{2})));
        EXPECT_EQ(first_difference(b.read(), {1.0}, 2), -1) << columns;
    }
}

// ---- memory that nobody may touch -------------------------------------------------------------------------------------

/// Batches of order N, static or dynamic: the solutions are right, the red zones and the upper triangles untouched.
template <class T, int N>
void expect_red_zones_unchanged(int n) {
    for (const std::int64_t systems : {1, 31, 32, 33, 127, 129, 4095}) {
        if (n > 9 && systems > 200) continue;
        SCOPED_TRACE(testing::Message() << "n = " << n << ", systems " << systems);
        auto p = make_problem<T>(n, systems, n);
        for (std::int64_t s = 0; s < systems; ++s) {
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < j; ++i) p.A[static_cast<std::size_t>((s * n + j) * n + i)] = poison<T>();
            }
        }
        batch_memory<T> a(p.A), kept(p.A), x(p.b), y(p.b), z(p.b);
        batch_memory<int> info(std::vector<int>(static_cast<std::size_t>(systems), 99));
        const matrices<T, N, N> A(matrix<T, N, N>(a.data(), n, n), n * n);
        const matrices<T, N, N> K(matrix<T, N, N>(kept.data(), n, n), n * n);
        const vectors<T, N> X(shoal::vector<T, N>(x.data(), n, 1), n);
        const matrices<T, N, 1> Y(matrix<T, N, 1>(y.data(), n, 1), n);
        ASSERT_TRUE(accepted(posv_batch(lower(A), X, systems, info.data())));
        ASSERT_TRUE(accepted(potrf_batch(lower(K), systems, info.data())));
        ASSERT_TRUE(accepted(trsm_batch(lower(K), Y, systems)));
        const auto factors = a.read();
        EXPECT_EQ(first_difference(kept.read(), factors, 1), -1);
        EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
        const auto solutions = x.read();
        const auto halfway = y.read();
        for (std::int64_t s = 0; s < systems; ++s) {
            const auto L = lower_part(cut(factors, s, n, n));
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < j; ++i) {
                    ASSERT_TRUE(
                        same_bits(factors[static_cast<std::size_t>((s * n + j) * n + i)], poison<T>()));
                }
            }
            const auto S = symmetric_from_lower(cut(p.A, s, n, n));
            const auto b = cut(p.b, s, n, 1);
            ASSERT_LE(solve_error(S, cut(solutions, s, n, 1), b), 10.0) << s;
            ASSERT_LE(solve_error(L, cut(halfway, s, n, 1), b), 10.0) << s;
        }
    }
}

TEST(batched_solves, B05_red_zones_double) {
    expect_red_zones_unchanged<double, 1>(1);
    expect_red_zones_unchanged<double, 3>(3);
    expect_red_zones_unchanged<double, 5>(5);
    expect_red_zones_unchanged<double, 7>(7);
    expect_red_zones_unchanged<double, 9>(9);
    expect_red_zones_unchanged<double, dynamic>(47);
}
TEST(batched_solves, B05_red_zones_float) {
    expect_red_zones_unchanged<float, 2>(2);
    expect_red_zones_unchanged<float, 4>(4);
    expect_red_zones_unchanged<float, 6>(6);
    expect_red_zones_unchanged<float, 8>(8);
    expect_red_zones_unchanged<float, 47>(47);
}

// ---- nothing to do ----------------------------------------------------------------------------------------------------

TEST(batched_solves, B06_empty) {
    double* const none = nullptr;
    const matrices<double> no_rows(matrix<double>(none, 0, 0), 0);
    const vectors<double> no_elements(shoal::vector<double>(none, 0), 0);
    batch_memory<int> info(std::vector<int>(3, 99));
    ASSERT_TRUE(accepted(potrf_batch(lower(no_rows), std::int64_t{3}, info.data())));
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0}));
    info.assign({99, 99, 99});
    ASSERT_TRUE(accepted(posv_batch(lower(no_rows), no_elements, std::int64_t{3}, info.data())));
    EXPECT_EQ(info.read(), (std::vector<int>{0, 0, 0}));
    ASSERT_TRUE(accepted(trsm_batch(lower(no_rows), no_rows, std::int64_t{3})));

    const matrices<double, 4, 4> no_systems(none);
    ASSERT_TRUE(accepted(potrf_batch(lower(no_systems), std::int64_t{0})));
    ASSERT_TRUE(accepted(posv_batch(lower(no_systems), vectors<double, 4>(none), std::int64_t{0})));
    ASSERT_TRUE(accepted(trsm_batch(lower(no_systems), no_systems, std::int64_t{0})));

    // No right-hand sides: the triangle is not looked at either.
    const matrices<double, 4> no_columns(matrix<double, 4, dynamic>(none, 4, 0), 0);
    ASSERT_TRUE(accepted(trsm_batch(lower(no_systems), no_columns, std::int64_t{5})));
}

TEST(batched_solves, refuses_what_cannot_be_right) {
    double* const none = nullptr;
    batch_memory<double> some(std::vector<double>(64, 1.0));
    const matrices<double, 4, 4> A(some.data()), null(none);
    const vectors<double, 4> x(some.data()), null_x(none);
    EXPECT_TRUE(refused(potrf_batch(lower(null), std::int64_t{2}), "A is null"));
    EXPECT_TRUE(refused(potrf_batch(lower(A), std::int64_t{-1}), "systems is negative"));
    EXPECT_TRUE(refused(posv_batch(lower(null), x, std::int64_t{2}), "A is null"));
    EXPECT_TRUE(refused(posv_batch(lower(A), null_x, std::int64_t{2}), "B is null"));
    EXPECT_TRUE(refused(trsm_batch(lower(null), A, std::int64_t{2}), "the triangle is null"));
    EXPECT_TRUE(refused(trsm_batch(lower(A), null, std::int64_t{2}), "B is null"));
    EXPECT_TRUE(refused(trsm_batch(lower(A), A, std::int64_t{-7}), "systems is negative"));
    EXPECT_EQ(some.read(), std::vector<double>(64, 1.0));
}

TEST(batched_solves, C05_one_matrix_for_all) {
    const std::int64_t systems = 10000;
    batch_memory<double> a({4, 2, -9, 5});
    batch_memory<double> x(repeated<double>({8, 9}, systems)), y(repeated<double>({8, 9}, systems));
    batch_memory<int> info(std::vector<int>(systems, 99));
    ASSERT_TRUE(accepted(posv_batch(lower(matrices<const double, 2, 2>(a.data(), 0)),
                                    vectors<double, 2>(x.data()), systems, info.data())));
    EXPECT_EQ(first_difference(x.read(), {1.375, 1.25}, 2), -1);
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    EXPECT_EQ(a.read(), (std::vector<double>{4, 2, -9, 5}));
    // In place each system would overwrite what the next one reads.
    const matrices<double, 2, 2> shared(a.data(), 0);
    EXPECT_TRUE(refused(potrf_batch(lower(shared), systems), "A has stride 0"));
    EXPECT_TRUE(refused(posv_batch(lower(shared), vectors<double, 2>(y.data()), systems), "A has stride 0"));
    EXPECT_TRUE(refused(posv_batch(lower(matrices<const double, 2, 2>(a.data(), 0)),
                                   vectors<double, 2>(y.data(), 0), systems),
                        "B has stride 0"));
    EXPECT_TRUE(
        refused(trsm_batch(lower(shared), matrices<double, 2, 1>(y.data(), 0), systems), "B has stride 0"));
    EXPECT_EQ(a.read(), (std::vector<double>{4, 2, -9, 5}));
    // One system is nobody else's.
    EXPECT_TRUE(accepted(potrf_batch(lower(shared), std::int64_t{1})));
    EXPECT_EQ(a.read(), (std::vector<double>{2, 1, -9, 2}));
}

// ---- info, neighbours, places -----------------------------------------------------------------------------------------

TEST(batched_solves, A06_a_bad_system_leaves_its_neighbours_alone) {
    const std::int64_t systems = 300;
    auto p = make_problem<float>(6, systems, 4);
    batch_memory<float> alone(p.A), alone_x(p.b);
    ASSERT_TRUE(accepted(
        posv_batch(lower(matrices<float, 6, 6>(alone.data())), vectors<float, 6>(alone_x.data()), systems)));
    const auto at = [](std::int64_t s, int i, int j) {
        return static_cast<std::size_t>((s * 6 + j) * 6 + i);
    };
    p.A[at(0, 0, 0)] = 0;
    p.A[at(33, 3, 3)] = -1;
    p.A[at(158, 5, 0)] = std::numeric_limits<float>::quiet_NaN();
    p.A[at(299, 2, 2)] = std::numeric_limits<float>::infinity();
    batch_memory<float> a(p.A), x(p.b);
    batch_memory<int> info(std::vector<int>(systems, 99));
    ASSERT_TRUE(accepted(posv_batch(lower(matrices<float, 6, 6>(a.data())), vectors<float, 6>(x.data()),
                                    systems, info.data())));
    const auto k = info.read();
    const auto factors = a.read(), good_factors = alone.read(), solutions = x.read(),
               good_solutions = alone_x.read();
    for (std::int64_t s = 0; s < systems; ++s) {
        const int want = s == 0 ? 1 : s == 33 ? 4 : s == 158 ? 6 : s == 299 ? 3 : 0;
        EXPECT_EQ(k[static_cast<std::size_t>(s)], want) << s;
        if (want == 0) {
            EXPECT_TRUE(bits_equal(cut(factors, s, 6, 6), cut(good_factors, s, 6, 6))) << s;
            EXPECT_TRUE(bits_equal(cut(solutions, s, 6, 1), cut(good_solutions, s, 6, 1))) << s;
        } else {
            EXPECT_TRUE(bits_equal(cut(solutions, s, 6, 1), cut(p.b, s, 6, 1))) << s;
        }
    }
}

TEST(batched_solves, D10_a_system_has_the_same_bits_wherever_it_stands) {
    const int n = 12;
    const auto one = make_problem<double>(n, 1, 8);
    batch_memory<double> a(one.A), x(one.b);
    ASSERT_TRUE(accepted(posv_batch(lower(matrices<double, 12, 12>(a.data())), vectors<double, 12>(x.data()),
                                    std::int64_t{1})));
    const auto factor = a.read(), solution = x.read();
    // Small and large batches take tiles of different widths.
    for (const std::int64_t systems : {2, 1000, 5000}) {
        SCOPED_TRACE(systems);
        auto p = make_problem<double>(n, systems, 9);
        for (const std::int64_t s : {std::int64_t{0}, systems - 1}) {
            std::copy(one.A.begin(), one.A.end(), p.A.begin() + s * n * n);
            std::copy(one.b.begin(), one.b.end(), p.b.begin() + s * n);
        }
        batch_memory<double> all(p.A), all_x(p.b);
        // The same systems interleaved, and behind pointers in reverse.
        std::vector<double> mixed(p.A.size()), mixed_b(p.b.size());
        std::vector<double*> pointers(static_cast<std::size_t>(systems)), pointers_x(pointers.size());
        batch_memory<double> behind(p.A), behind_x(p.b);
        for (std::int64_t s = 0; s < systems; ++s) {
            const auto to = static_cast<std::size_t>(s);
            for (int e = 0; e < n * n; ++e)
                mixed[static_cast<std::size_t>(s + e * systems)] =
                    p.A[static_cast<std::size_t>(s * n * n + e)];
            for (int e = 0; e < n; ++e)
                mixed_b[static_cast<std::size_t>(s + e * systems)] = p.b[static_cast<std::size_t>(s * n + e)];
            pointers[to] = behind.data() + (systems - 1 - s) * n * n;
            pointers_x[to] = behind_x.data() + (systems - 1 - s) * n;
        }
        batch_memory<double> soa(mixed), soa_x(mixed_b), soa_l(mixed);
        batch_memory<double*> table(pointers), table_x(pointers_x);
        ASSERT_TRUE(accepted(posv_batch(lower(matrices<double, 12, 12>(all.data())),
                                        vectors<double, 12>(all_x.data()), systems)));
        ASSERT_TRUE(
            accepted(posv_batch(lower(batched::interleaved_matrices<double, 12, 12>(soa.data(), systems)),
                                batched::interleaved_vectors<double, 12>(soa_x.data(), systems), systems)));
        ASSERT_TRUE(accepted(potrf_batch(
            lower(batched::interleaved_matrices<double, 12, 12>(soa_l.data(), systems)), systems)));
        ASSERT_TRUE(
            accepted(potrf_batch(lower(batched::pointer_matrices<double, 12, 12>(table.data())), systems)));
        ASSERT_TRUE(accepted(trsm_batch(lower(batched::pointer_matrices<double, 12, 12>(table.data())),
                                        batched::pointer_matrices<double, 12, 1>(table_x.data()), systems)));
        const auto factors = all.read(), solutions = all_x.read(), soa_factors = soa.read(),
                   soa_solutions = soa_x.read(), soa_alone = soa_l.read();
        const auto pointed = behind.read();
        for (const std::int64_t s : {std::int64_t{0}, systems - 1}) {
            EXPECT_TRUE(bits_equal(cut(factors, s, n, n), cut(factor, 0, n, n))) << s;
            EXPECT_TRUE(bits_equal(cut(solutions, s, n, 1), cut(solution, 0, n, 1))) << s;
            EXPECT_TRUE(bits_equal(cut(pointed, s, n, n), cut(factor, 0, n, n))) << s;
            const auto of = [&](const std::vector<double>& v, int rows, int cols) {
                return dense<double>::from(rows, cols, [&](int i, int j) {
                    return v[static_cast<std::size_t>(s + (i + j * rows) * systems)];
                });
            };
            EXPECT_TRUE(bits_equal(of(soa_factors, n, n), cut(factor, 0, n, n))) << s;
            EXPECT_TRUE(bits_equal(of(soa_alone, n, n), cut(factor, 0, n, n))) << s;
            EXPECT_TRUE(bits_equal(of(soa_solutions, n, 1), cut(solution, 0, n, 1))) << s;
        }
        // Half a solve on pointers: L y = b, so that L' x = y for the x found above.
        const auto y = cut(behind_x.read(), 0, n, 1);
        EXPECT_LE(solve_error(transpose(lower_part(cut(factor, 0, n, n))), cut(solution, 0, n, 1), y), 10.0);
    }
}

TEST(batched_solves, upper_triangles_and_several_right_hand_sides) {
    const std::int64_t systems = 70;
    const auto p = make_problem<double>(8, systems, 3);
    random_stream r(5);
    std::vector<double> b;
    for (std::int64_t s = 0; s < systems; ++s) {
        const auto B = random_matrix<double>(8, 3, r);
        b.insert(b.end(), B.data(), B.data() + 24);
    }
    batch_memory<double> a(p.A), x(b), only_read(p.A), v(p.b);
    batch_memory<int> info(std::vector<int>(systems, 99));
    ASSERT_TRUE(accepted(posv_batch(upper(matrices<double, 8, 8>(a.data())), matrices<double, 8, 3>(x.data()),
                                    systems, info.data())));
    ASSERT_TRUE(accepted(posv_batch(upper(matrices<const double, 8, 8>(only_read.data())),
                                    vectors<double, 8>(v.data()), systems)));
    EXPECT_EQ(first_difference(info.read(), {0}, 1), -1);
    EXPECT_EQ(first_difference(only_read.read(), p.A, 1), -1);
    const auto solutions = x.read(), single = v.read();
    for (std::int64_t s = 0; s < systems; ++s) {
        const auto S = cut(p.A, s, 8, 8);
        EXPECT_LE(solve_error(S, cut(solutions, s, 8, 3), cut(b, s, 8, 3)), 10.0) << s;
        EXPECT_LE(solve_error(S, cut(single, s, 8, 1), cut(p.b, s, 8, 1)), 10.0) << s;
    }
}

}  // namespace
