// laswp, getrf, pivot_permutation, getrs and gesv: one source, included by test_lapack_lu.cpp (emulated groups) and
// test_lapack_lu.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>
#include <numeric>

namespace {

using namespace shoal::support;

template <class T>
struct lapack_lu : testing::Test {};
TYPED_TEST_SUITE(lapack_lu, scalars);

template <class T>
using limits = std::numeric_limits<T>;

template <class T>
dense<T> matrix_of(int n, std::initializer_list<double> by_rows) {
    return dense<T>::from(n, static_cast<int>(by_rows.size()) / n, [&](int i, int j) {
        return by_rows.begin()[static_cast<std::size_t>(i) * (by_rows.size() / static_cast<std::size_t>(n)) +
                               static_cast<std::size_t>(j)];
    });
}

template <class T>
std::vector<int> whole(const dense<T>& x) {
    std::vector<int> k;
    for (int i = 0; i < x.rows(); ++i) k.push_back(static_cast<int>(x(i)));
    return k;
}
template <class T>
dense<T> numbers(const std::vector<int>& k) {
    return dense<T>::from(static_cast<int>(k.size()), 1,
                          [&](int i, int) { return k[static_cast<std::size_t>(i)]; });
}

/// getrf on every group; `check(LU, pivots, permutation, info)`.
template <class T>
void factor(const dense<T>& A, place where,
            const std::function<void(const dense<T>&, const std::vector<int>&, const std::vector<int>&, int)>&
                check) {
    const int n = A.rows();
    arena<T> a;
    const getrf_case<> c{a.inout(A, where), a.output(n, 1), a.output(n, 1),
                         a.output(n, n),    a.per_member(), a.output(n, 1)};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.a)));
        EXPECT_TRUE(bits_equal(out(c.permutation_seen), out(c.permutation)));
        check(out(c.a), whole(out(c.pivots)), whole(out(c.permutation)), out.info(c.info));
    });
}

/// A[permutation] = the rows of A in the order of L U.
template <class T>
dense<T> permuted(const dense<T>& A, const std::vector<int>& permutation) {
    return dense<T>::from(A.rows(), A.cols(),
                          [&](int i, int j) { return A(permutation[static_cast<std::size_t>(i)], j); });
}

TYPED_TEST(lapack_lu, getrf_has_the_documented_order_in_every_storage) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : {1, 2, 3, 5, 8, 16, 17, 33, 34}) {
        for (int repeat = 0; repeat < 8; ++repeat) {
            SCOPED_TRACE(n);
            const auto A = random_matrix<T>(n, n, r);
            auto expected = A;
            std::vector<int> expected_pivots;
            EXPECT_EQ(chain::getrf(expected, expected_pivots), 0);
            factor<T>(A, some_place(at++),
                      [&](const auto& lu, const auto& pivots, const auto& permutation, int info) {
                          EXPECT_EQ(info, 0);
                          EXPECT_EQ(pivots, expected_pivots);
                          EXPECT_TRUE(bits_equal(lu, expected));
                          EXPECT_TRUE(within(lu_error(A, lu, pivots.data()), 4));
                          const auto l = with_unit_diagonal(lower_part(lu)).template as<wide>();
                          const auto u = upper_part(lu).template as<wide>();
                          EXPECT_TRUE(within(
                              relative_error(naive::gemm<wide>(1, l, u, 0, l), permuted(A, permutation)),
                              4 * n * static_cast<double>(limits<T>::epsilon())));
                      });
        }
    }
}

TYPED_TEST(lapack_lu, getrf_matches_lapack) {
    using T = TypeParam;
    random_stream r(2);
    for (const int n : {6, 25, 40}) {
        const auto A = random_matrix<T>(n, n, r);
        auto reference = A.template as<double>();
        std::vector<int> reference_pivots;
        EXPECT_EQ(lapack::getrf(reference, reference_pivots), 0);
        factor<T>(A, {}, [&](const auto& lu, const auto& pivots, const auto&, int info) {
            EXPECT_EQ(info, 0);
            for (int i = 0; i < n; ++i)
                EXPECT_EQ(pivots[static_cast<std::size_t>(i)] + 1,
                          reference_pivots[static_cast<std::size_t>(i)]);
            // Differences grow with the condition: loose, the backward error above is tight.
            EXPECT_TRUE(
                within(relative_error(lu, reference), 1e4 * static_cast<double>(limits<T>::epsilon())));
        });
    }
}

template <int N, class Look, class T>
void getrf_static(place where, const dense<T>& A) {
    auto expected = A;
    std::vector<int> pivots;
    EXPECT_EQ(chain::getrf(expected, pivots), 0);
    arena<T> a;
    const few<getrf_case<Look, ends::deferred>> c{
        {a.inout(A, where), a.output(N, 1), a.output(N, 1), a.output(N, N), a.per_member()}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(bits_equal(out(c.a), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
        EXPECT_EQ(whole(out(c.pivots)), pivots);
        auto moved = A;
        for (int k = 0; k < N; ++k)
            for (int j = 0; j < N; ++j) std::swap(moved(k, j), moved(pivots[static_cast<std::size_t>(k)], j));
        EXPECT_TRUE(bits_equal(permuted(A, whole(out(c.permutation))), moved));
    });
}

TYPED_TEST(lapack_lu, getrf_static_and_deferred) {
    using T = TypeParam;
    random_stream r(3);
    getrf_static<4, look::fixed<4, 4>, T>({}, random_matrix<T>(4, 4, r));
    getrf_static<4, look::fixed<4, 4, shoal::row_ld<6>>, T>({.order = storage::row, .padding = 2},
                                                            random_matrix<T>(4, 4, r));
    getrf_static<17, look::fixed<17, 17>, T>({}, random_matrix<T>(17, 17, r));
}

// A warp that read L and U in place of A would report a singular matrix: theirs are as one exactly singular here.
TYPED_TEST(lapack_lu, getrf_every_warp_reads_the_matrix_before_it_changes) {
    using T = TypeParam;
    getrf_static<4, look::fixed<4, 4>, T>({},
                                          matrix_of<T>(4, {1, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 0, 1, 2}));
}

TYPED_TEST(lapack_lu, C09_pivots_are_interchanges_from_zero_and_a_routine_makes_the_permutation) {
    using T = TypeParam;
    factor<T>(
        matrix_of<T>(3, {2, 4, -2, 4, 9, -3, -8, -3, 7}), {},
        [&](const auto& lu, const auto& pivots, const auto& permutation, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_EQ(pivots, (std::vector<int>{2, 1, 2}));
            EXPECT_EQ(permutation, (std::vector<int>{2, 1, 0}));
            const auto expected = matrix_of<T>(3, {-8, -3, 7, -0.5, 7.5, 0.5, -0.25, 13.0 / 30, -7.0 / 15});
            EXPECT_TRUE(within(relative_error(lu, expected), static_cast<double>(limits<T>::epsilon())));
            for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}})
                EXPECT_EQ(lu(i, j), expected(i, j));
        });
}

TYPED_TEST(lapack_lu, A13_a_zero_first_diagonal_is_no_failure) {
    using T = TypeParam;
    const auto A = matrix_of<T>(3, {0, 1, 2, 1, 0, 3, 4, -3, 8});
    arena<T> a;
    const gesv_case<> c{a.inout(A), a.output(3, 1), a.inout(matrix_of<T>(3, {8, 10, 22})), a.output(3, 1),
                        a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(bits_equal(out(c.b), matrix_of<T>(3, {1, 2, 3})));
        EXPECT_TRUE(bits_equal(out(c.seen), matrix_of<T>(3, {1, 2, 3})));
        EXPECT_EQ(whole(out(c.pivots)), (std::vector<int>{2, 2, 2}));
        EXPECT_TRUE(bits_equal(out(c.a), matrix_of<T>(3, {4, -3, 8, 0, 1, 2, 0.25, 0.75, -0.5})));
    });
}

TYPED_TEST(lapack_lu, D02_reversed_identity_is_factored_by_interchanges_alone) {
    using T = TypeParam;
    for (const int n : {6, 16, 33}) {
        const auto A = dense<T>::from(n, n, [&](int i, int j) { return i + j == n - 1 ? 1 : 0; });
        factor<T>(A, {}, [&](const auto& lu, const auto& pivots, const auto& permutation, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_TRUE(bits_equal(lu, dense<T>::identity(n)));
            for (int k = 0; k < n; ++k) {
                EXPECT_EQ(pivots[static_cast<std::size_t>(k)], k < n / 2 ? n - 1 - k : k);
                EXPECT_EQ(permutation[static_cast<std::size_t>(k)], n - 1 - k);
            }
        });
    }
}

TYPED_TEST(lapack_lu, E15_growth_matrix_is_solved_exactly) {
    using T = TypeParam;
    constexpr int n = 20;
    const auto A = dense<T>::from(n, n, [](int i, int j) {
        return j == n - 1 || i == j ? 1 : i > j ? -1 : 0;
    });
    const auto b = dense<T>::from(n, 1, [](int i, int) { return i == n - 1 ? -18 : 2 - i; });
    for (const bool reversed : {false, true}) {
        const auto order = [&](int i) { return reversed ? n - 1 - i : i; };
        arena<T> a;
        const gesv_case<> c{a.inout(dense<T>::from(n, n, [&](int i, int j) { return A(order(i), j); })),
                            a.output(n, 1),
                            a.inout(dense<T>::from(n, 1, [&](int i, int) { return b(order(i)); })),
                            a.output(n, 1), a.per_member()};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 0);
            EXPECT_TRUE(bits_equal(out(c.b), dense<T>(n, 1, T(1))));
            if (!reversed) {
                EXPECT_EQ(out(c.a)(n - 1, n - 1), T(524288));
                std::vector<int> identity(n);
                std::iota(identity.begin(), identity.end(), 0);
                EXPECT_EQ(whole(out(c.pivots)), identity);
            }
        });
    }
}

TYPED_TEST(lapack_lu, a_tiny_pivot_is_divided_by) {
    using T = TypeParam;
    // 1 / pivot would overflow.
    const T tiny = limits<T>::denorm_min() * 4;
    auto A = dense<T>(2, 2, T(0));
    A(0, 0) = -tiny / 2;
    A(1, 0) = tiny;
    A(0, 1) = 1;
    A(1, 1) = 1;
    factor<T>(A, {}, [&](const auto& lu, const auto& pivots, const auto&, int info) {
        EXPECT_EQ(info, 0);
        EXPECT_EQ(pivots, (std::vector<int>{1, 1}));
        EXPECT_EQ(lu(1, 0), T(-0.5));
        EXPECT_EQ(lu(1, 1), T(1.5));
    });
}

// ---- singular, NaN, infinite, empty -----------------------------------------------------------------------------------

TYPED_TEST(lapack_lu, A02_the_first_zero_pivot_is_named_and_the_rest_is_factored) {
    using T = TypeParam;
    const auto ones = dense<T>(3, 3, T(1));
    factor<T>(ones, {}, [&](const auto& lu, const auto& pivots, const auto&, int info) {
        EXPECT_EQ(info, 2);
        EXPECT_EQ(pivots, (std::vector<int>{0, 1, 2}));
        EXPECT_TRUE(bits_equal(lu, matrix_of<T>(3, {1, 1, 1, 1, 0, 0, 1, 0, 0})));
    });
    const auto b = matrix_of<T>(3, {1, 2, 3});
    arena<T> a;
    const gesv_case<> c{a.inout(ones), a.output(3, 1), a.inout(b), a.output(3, 1), a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 2);
        EXPECT_TRUE(bits_equal(out(c.b), b));
    });
}

TYPED_TEST(lapack_lu, zero_columns_anywhere_are_named) {
    using T = TypeParam;
    random_stream r(4);
    for (const int n : {1, 2, 5, 17, 33}) {
        for (const int k : {0, n / 2, n - 1}) {
            auto A = random_matrix<T>(n, n, r);
            for (int i = 0; i < n; ++i) A(i, k) = 0;
            auto expected = A;
            std::vector<int> expected_pivots;
            EXPECT_EQ(chain::getrf(expected, expected_pivots), k + 1);
            factor<T>(A, {.padding = 1}, [&](const auto& lu, const auto& pivots, const auto&, int info) {
                EXPECT_EQ(info, k + 1);
                EXPECT_EQ(pivots, expected_pivots);
                EXPECT_TRUE(bits_equal(lu, expected));
            });
        }
    }
}

TYPED_TEST(lapack_lu, A10_nan_everywhere_gives_pivots_inside_the_matrix) {
    using T = TypeParam;
    for (const int n : {8, 10, 33}) {
        factor<T>(dense<T>(n, n, limits<T>::quiet_NaN()), {.padding = 1},
                  [&](const auto&, const auto& pivots, const auto& permutation, int info) {
                      EXPECT_EQ(info, 1);
                      for (int k = 0; k < n; ++k) {
                          EXPECT_GE(pivots[static_cast<std::size_t>(k)], k);
                          EXPECT_LT(pivots[static_cast<std::size_t>(k)], n);
                      }
                      auto sorted = permutation;
                      std::sort(sorted.begin(), sorted.end());
                      for (int k = 0; k < n; ++k) EXPECT_EQ(sorted[static_cast<std::size_t>(k)], k);
                  });
    }
}

TYPED_TEST(lapack_lu, nan_and_infinity_are_failures_of_their_column) {
    using T = TypeParam;
    random_stream r(5);
    const auto A = random_matrix<T>(9, 9, r);
    for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity(), -limits<T>::infinity()}) {
        for (const int j : {0, 4, 8}) {
            auto B = A;
            B(8, j) = bad;
            factor<T>(B, {},
                      [&](const auto&, const auto&, const auto&, int info) { EXPECT_EQ(info, j + 1); });
        }
    }
}

TYPED_TEST(lapack_lu, A12_nan_in_the_right_hand_side_is_no_failure_of_the_matrix) {
    using T = TypeParam;
    const auto A = matrix_of<T>(2, {1, 0, 0, 2});
    const auto b = matrix_of<T>(2, {1, static_cast<double>(limits<T>::quiet_NaN()), 1, 2, 2, 2});
    arena<T> a;
    const gesv_case<> c{a.inout(A), a.output(2, 1), a.inout(b), a.output(2, 3), a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        const auto x = out(c.b);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j) {
                if (i == 0 && j == 1) {
                    EXPECT_TRUE(std::isnan(x(i, j)));
                } else if (j != 1) {
                    EXPECT_EQ(x(i, j), i == 0 ? b(i, j) : b(i, j) / 2);
                }
            }
    });
}

TYPED_TEST(lapack_lu, A14_singular_up_to_rounding_is_reported_only_for_an_exact_zero) {
    using T = TypeParam;
    factor<T>(matrix_of<T>(3, {1, 2, 3, 4, 5, 6, 7, 8, 9}), {},
              [&](const auto& lu, const auto&, const auto&, int info) {
                  EXPECT_EQ(info, lu(2, 2) == T(0) ? 3 : 0);
                  EXPECT_LE(std::abs(lu(2, 2)), 8 * limits<T>::epsilon());
              });
}

TYPED_TEST(lapack_lu, B08_order_one_and_order_zero) {
    using T = TypeParam;
    factor<T>(dense<T>(0, 0), {},
              [&](const auto&, const auto&, const auto&, int info) { EXPECT_EQ(info, 0); });
    factor<T>(dense<T>(1, 1, T(4)), {},
              [&](const auto& lu, const auto& pivots, const auto& permutation, int info) {
                  EXPECT_EQ(info, 0);
                  EXPECT_EQ(lu(0, 0), T(4));
                  EXPECT_EQ(pivots, std::vector<int>{0});
                  EXPECT_EQ(permutation, std::vector<int>{0});
              });
    factor<T>(dense<T>(1, 1, T(0)), {}, [&](const auto& lu, const auto&, const auto&, int info) {
        EXPECT_EQ(info, 1);
        EXPECT_EQ(lu(0, 0), T(0));
    });
    arena<T> a;
    const gesv_case<> c{a.inout(dense<T>(1, 1, T(4))), a.output(1, 1), a.inout(dense<T>(1, 1, T(8))),
                        a.output(1, 1), a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_EQ(out(c.b)(0, 0), T(2));
    });
}

TYPED_TEST(lapack_lu, B06_no_right_hand_sides_still_report_the_matrix) {
    using T = TypeParam;
    for (const int info : {0, 2}) {
        const auto A = info == 0 ? dense<T>::identity(3) : dense<T>(3, 3, T(1));
        arena<T> a;
        const gesv_case<> c{a.inout(A), a.output(3, 1), a.inout(dense<T>(3, 0)), a.output(3, 0),
                            a.per_member()};
        on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_EQ(out.info(c.info), info); });
    }
}

// ---- solves -----------------------------------------------------------------------------------------------------------

TYPED_TEST(lapack_lu, getrs_has_the_documented_order) {
    using T = TypeParam;
    random_stream r(6);
    int at = 0;
    for (const auto& [n, m] : {std::pair{1, 1}, {2, 3}, {5, 1}, {8, 8}, {17, 2}, {33, 40}}) {
        for (const auto turn : {turned::no, turned::yes}) {
            SCOPED_TRACE(testing::Message()
                         << n << " x " << m << (turn == turned::yes ? ", transposed" : ""));
            const auto A = random_general<T>(n, 30, r);
            auto lu = A;
            std::vector<int> pivots;
            EXPECT_EQ(chain::getrf(lu, pivots), 0);
            const auto b = random_matrix<T>(n, m, r);
            arena<T> a;
            const auto in = a.input(lu, some_place(at++));
            const getrs_case<> c{in, a.input(numbers<T>(pivots)), a.inout(b, some_place(at / 2)),
                                 a.output(n, m), turn};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                EXPECT_TRUE(bits_equal(out(c.b), chain::getrs(lu, pivots, turn == turned::yes, b)));
                EXPECT_TRUE(bits_equal(out(c.seen), out(c.b)));
                EXPECT_TRUE(within(solve_error(turn == turned::yes ? transpose(A) : A, out(c.b), b), 5));
            });
        }
    }
}

TYPED_TEST(lapack_lu, gesv_matches_lapack) {
    using T = TypeParam;
    random_stream r(7);
    int at = 0;
    for (const auto& [n, m] : {std::pair{3, 1}, {10, 4}, {35, 2}}) {
        const auto A = random_general<T>(n, 10, r);
        const auto b = random_matrix<T>(n, m, r);
        auto reference_a = A.template as<double>();
        auto reference = b.template as<double>();
        std::vector<int> pivots;
        EXPECT_EQ(lapack::gesv(reference_a, pivots, reference), 0);
        arena<T> a;
        const auto in = a.inout(A, some_place(at++));
        const gesv_case<> c{in, a.output(n, 1), a.inout(b, some_place(at)), a.output(n, m), a.per_member()};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 0);
            EXPECT_TRUE(within(solve_error(A, out(c.b), b), 5));
            EXPECT_TRUE(
                within(relative_error(out(c.b), reference), 200 * static_cast<double>(limits<T>::epsilon())));
            EXPECT_TRUE(bits_equal(out(c.seen), out(c.b)));
        });
    }
}

TYPED_TEST(lapack_lu, gesv_static_and_deferred) {
    using T = TypeParam;
    random_stream r(8);
    const auto A = random_general<T>(5, 10, r);
    const auto b = random_matrix<T>(5, 2, r);
    auto lu = A;
    std::vector<int> pivots;
    EXPECT_EQ(chain::getrf(lu, pivots), 0);
    const auto expected = chain::getrs(lu, pivots, false, b);
    arena<T> a;
    const few<gesv_case<look::fixed<5, 5>, look::fixed<5, 2, shoal::row>, ends::deferred>> c{
        {a.inout(A), a.output(5, 1), a.inout(b, {.order = storage::row}), a.output(5, 2), a.per_member()}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(bits_equal(out(c.b), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

template <class A, class X, class End, class T>
void vector_solves(const dense<T>& A_, place where, int stride, random_stream& r) {
    const int n = A_.rows();
    auto lu = A_;
    std::vector<int> pivots;
    EXPECT_EQ(chain::getrf(lu, pivots), 0);
    const auto b = random_matrix<T>(n, 1, r);
    arena<T> a;
    const few<lu_vector_case<A, X, End>> c{{a.inout(A_, where), a.output(n, 1),
                                            a.inout(b, {.stride = stride}), a.inout(b, {.stride = stride}),
                                            a.inout(b, {.stride = stride}), a.output(n, 1), a.per_member()}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(bits_equal(out(c.b), chain::getrs(lu, pivots, false, b)));
        EXPECT_TRUE(bits_equal(out(c.c), out(c.b)));
        EXPECT_TRUE(bits_equal(out(c.d), chain::getrs(lu, pivots, true, b)));
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.d)));
    });
}

TYPED_TEST(lapack_lu, vectors_are_solved_with_the_bits_of_one_column) {
    using T = TypeParam;
    random_stream r(10);
    for (const int n : {1, 2, 7, 33})
        vector_solves<look::strided, look::strided, ends::synced>(random_general<T>(n, 10, r), some_place(n),
                                                                  3, r);
    vector_solves<look::fixed<5, 5>, look::fixed<5>, ends::deferred>(random_general<T>(5, 10, r), {}, 1, r);
}

// ---- interchanges -----------------------------------------------------------------------------------------------------

TYPED_TEST(lapack_lu, laswp_interchanges_and_its_reverse_undoes) {
    using T = TypeParam;
    random_stream r(9);
    int at = 0;
    for (const auto& [n, m] : {std::pair{0, 3}, {1, 1}, {4, 0}, {5, 3}, {17, 40}, {33, 2}}) {
        std::vector<int> pivots(static_cast<std::size_t>(n));
        for (int k = 0; k < n; ++k) pivots[static_cast<std::size_t>(k)] = r.integer(k, n - 1);
        const auto b = random_matrix<T>(n, m, r);
        auto moved = b;
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < m; ++j) std::swap(moved(k, j), moved(pivots[static_cast<std::size_t>(k)], j));
        for (const auto order : {interchange::forward, interchange::reversed}) {
            const auto& from = order == interchange::forward ? b : moved;
            const auto& to = order == interchange::forward ? moved : b;
            arena<T> a;
            const laswp_case<> c{a.inout(from, some_place(at++)), a.input(numbers<T>(pivots)), a.output(n, m),
                                 order};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                EXPECT_TRUE(bits_equal(out(c.b), to));
                EXPECT_TRUE(bits_equal(out(c.seen), to));
            });
        }
    }
}

TYPED_TEST(lapack_lu, laswp_moves_every_bit_pattern_unchanged) {
    using T = TypeParam;
    auto b = dense<T>(3, 2, poison<T>());
    b(0, 0) = T(-0.0);
    b(1, 1) = limits<T>::denorm_min();
    auto moved = b;
    std::swap(moved(0, 0), moved(2, 0));
    std::swap(moved(0, 1), moved(2, 1));
    for (const auto order : {interchange::forward, interchange::reversed}) {
        arena<T> a;
        const few<laswp_case<look::fixed<3, 2>, ends::deferred, 1>> c{
            {a.inout(b), a.input(matrix_of<T>(1, {2})), a.output(3, 2), order}};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.b), moved));
            EXPECT_TRUE(bits_equal(out(c.seen), moved));
        });
    }
}

}  // namespace
