// ldlt, ldlt_unpivoted, ldlt_solve and inertia: one source, included by test_lapack_symmetric.cpp (emulated groups) and
// test_lapack_symmetric.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <array>
#include <limits>

#include <shoal/lapack/ldlt.hpp>
#include <shoal/lapack/ldlt_solve.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct lapack_symmetric : testing::Test {};
TYPED_TEST_SUITE(lapack_symmetric, scalars);

template <class T>
using limits = std::numeric_limits<T>;

enum class pivoting { none, bunch_kaufman };

template <class T>
dense<T> matrix_of(int rows, std::initializer_list<double> by_rows) {
    const int cols = static_cast<int>(by_rows.size()) / rows;
    return dense<T>::from(rows, cols, [&](int i, int j) { return by_rows.begin()[i * cols + j]; });
}

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct ldlt_case {
    piece a, pivots, b, seen_a, seen_pivots, seen_b, info, positive, negative, zero;
    pivoting how;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto s = symmetric_lower(A::matrix(a, buffer));
        const auto p = integers<decltype(s.matrix)::static_rows>(pivots, buffer);
        const int k = how == pivoting::none ? shoal::ldlt_unpivoted(End::group(g), s)
                                            : shoal::ldlt(End::group(g), s, p);
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe_triangle(g, buffer, a, seen_a, shoal::uplo::lower);
        if (how == pivoting::bunch_kaufman) observe(g, buffer, pivots, seen_pivots);
        const auto signs = how == pivoting::none ? shoal::inertia(s) : shoal::inertia(s, p);
        positive.mine(g, buffer) = static_cast<T>(signs.positive);
        negative.mine(g, buffer) = static_cast<T>(signs.negative);
        zero.mine(g, buffer) = static_cast<T>(signs.zero);
        if (how == pivoting::none) {
            shoal::ldlt_solve(End::group(g), s, B::matrix(b, buffer));
        } else {
            shoal::ldlt_solve(End::group(g), s, p, B::matrix(b, buffer));
        }
        End::finish(g);
        observe(g, buffer, b, seen_b);
    }
};

template <class T>
struct result {
    dense<T> factor;
    std::vector<int> pivots;
    dense<T> x;
    int info;
    std::array<int, 3> inertia;
};

/// Factors the lower triangle of A and solves for B on every group; the triangle above may not be touched.
template <class Case = ldlt_case<>, class T>
void solve(const dense<T>& A, const dense<T>& B, pivoting how, place where,
           const std::function<void(const result<T>&)>& check) {
    const int n = A.rows();
    arena<T> a;
    Case c;
    c.a = a.inout(A, where);
    a.forbid_above_diagonal(c.a);
    c.pivots = a.output(n, 1);
    c.b = a.inout(B, where);
    c.seen_a = a.output(n, n);
    c.seen_pivots = a.output(n, 1);
    c.seen_b = a.output(n, B.cols());
    c.info = a.per_member();
    c.positive = a.per_member();
    c.negative = a.per_member();
    c.zero = a.per_member();
    c.how = how;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(lower_part(out(c.seen_a)), lower_part(out(c.a))));
        EXPECT_TRUE(bits_equal(out(c.seen_b), out(c.b)));
        result<T> got{lower_part(out(c.a)),
                      {},
                      out(c.b),
                      out.info(c.info),
                      {out.info(c.positive), out.info(c.negative), out.info(c.zero)}};
        if (how == pivoting::bunch_kaufman) {
            EXPECT_TRUE(bits_equal(out(c.seen_pivots), out(c.pivots)));
            for (int i = 0; i < n; ++i) got.pivots.push_back(static_cast<int>(out(c.pivots)(i)));
        }
        check(got);
    });
}

/// The formula of the docs read backwards: undo the steps from the last to the first.
template <class T>
dense<wide> rebuilt(const result<T>& f) {
    const int n = f.factor.rows();
    const auto at = [&](int k) { return f.pivots.empty() ? k : f.pivots[static_cast<std::size_t>(k)]; };
    dense<wide> s(n, n);
    std::vector<int> starts;
    for (int k = 0; k < n; k += at(k) < 0 ? 2 : 1) starts.push_back(k);
    for (auto it = starts.rbegin(); it != starts.rend(); ++it) {
        const int k = *it;
        const int width = at(k) < 0 ? 2 : 1;
        dense<wide> l(n, width);
        dense<wide> d(width, width);
        for (int c = 0; c < width; ++c) {
            for (int i = k + width; i < n; ++i) l(i, c) = f.factor(i, k + c);
            l(k + c, c) = 1;
            d(c, c) = f.factor(k + c, k + c);
        }
        if (width == 2) d(1, 0) = d(0, 1) = f.factor(k + 1, k);
        const auto ld = naive::gemm<wide>(1, l, d, 0, l);
        s = naive::gemm<wide>(1, ld, transpose(l), 1, s);
        const int row = k + width - 1;
        const int p = width == 2 ? -at(k) - 1 : at(k);
        for (int j = 0; j < n; ++j) std::swap(s(row, j), s(p, j));
        for (int i = 0; i < n; ++i) std::swap(s(i, row), s(i, p));
    }
    return s;
}

template <class T>
dense<T> random_symmetric(int n, random_stream& r) {
    return symmetric_from_lower(random_matrix<T>(n, n, r));
}

TYPED_TEST(lapack_symmetric, B06_C02_pivoted_factor_rebuilds_the_matrix_and_solves_in_every_storage) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : {0, 1, 2, 3, 4, 5, 8, 13, 16, 33})
        for (int repeat = 0; repeat < 4; ++repeat) {
            SCOPED_TRACE(n);
            const auto A = random_symmetric<T>(n, r);
            const auto B = random_matrix<T>(n, repeat, r);
            solve<ldlt_case<>, T>(A, B, pivoting::bunch_kaufman, some_place(at++), [&](const result<T>& got) {
                EXPECT_EQ(got.info, 0);
                EXPECT_EQ(got.inertia[0] + got.inertia[1], n);
                const double unit = 8 * n * static_cast<double>(limits<T>::epsilon());
                EXPECT_TRUE(within(relative_error(rebuilt(got), A), unit));
                EXPECT_TRUE(within(solve_error(A, got.x, B), 20));
            });
        }
}

TYPED_TEST(lapack_symmetric, unpivoted_factor_has_the_documented_order) {
    using T = TypeParam;
    random_stream r(2);
    int at = 0;
    for (const int n : {0, 1, 2, 3, 5, 8, 16, 33}) {
        SCOPED_TRACE(n);
        // Quasi-definite: positive in front, negative behind.
        auto A = random_symmetric<T>(n, r);
        for (int i = 0; i < n; ++i) A(i, i) += static_cast<T>(i < n / 2 + 1 ? n : -n);
        const auto B = random_matrix<T>(n, 3, r);
        auto expected = A;
        for (int k = 0; k < n; ++k) {
            const T rcp = T(1) / expected(k, k);
            for (int i = k + 1; i < n; ++i)
                for (int j = k + 1; j <= i; ++j)
                    expected(i, j) = std::fma(-(expected(i, k) * rcp), expected(j, k), expected(i, j));
            for (int i = k + 1; i < n; ++i) expected(i, k) *= rcp;
        }
        auto x = chain::solve(expected, true, true, B);
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < n; ++i) x(i, j) *= T(1) / expected(i, i);
        x = chain::solve(transpose(expected), false, true, x);
        solve<ldlt_case<>, T>(A, B, pivoting::none, some_place(at++), [&](const result<T>& got) {
            EXPECT_EQ(got.info, 0);
            EXPECT_TRUE(bits_equal(got.factor, lower_part(expected)));
            EXPECT_TRUE(bits_equal(got.x, x));
            EXPECT_EQ(got.inertia, (std::array{n == 0 ? 0 : n / 2 + 1, n == 0 ? 0 : n - n / 2 - 1, 0}));
            EXPECT_TRUE(
                within(relative_error(rebuilt(got), A), 8 * n * static_cast<double>(limits<T>::epsilon())));
        });
    }
}

TYPED_TEST(lapack_symmetric, static_extents_and_deferred_barriers_give_the_same_bits) {
    using T = TypeParam;
    random_stream r(3);
    for (const auto how : {pivoting::none, pivoting::bunch_kaufman}) {
        auto A = random_symmetric<T>(5, r);
        for (int i = 0; i < 5 && how == pivoting::none; ++i) A(i, i) += T(5);
        const auto B = random_matrix<T>(5, 2, r);
        dense<T> x;
        solve<few<ldlt_case<>>, T>(A, B, how, {}, [&](const result<T>& got) { x = got.x; });
        solve<few<ldlt_case<look::fixed<5, 5>, look::fixed<5, 2>, ends::deferred>>, T>(
            A, B, how, {}, [&](const result<T>& got) {
                EXPECT_EQ(got.info, 0);
                EXPECT_TRUE(bits_equal(got.x, x));
            });
    }
}

// A warp that read the factor in place of the matrix would report a zero pivot: L and D are ones here.
TYPED_TEST(lapack_symmetric, every_warp_reads_the_matrix_before_it_changes) {
    using T = TypeParam;
    const auto A = matrix_of<T>(2, {1, 1, 1, 2});
    const auto B = matrix_of<T>(2, {3, 5});
    for (const auto how : {pivoting::none, pivoting::bunch_kaufman})
        solve<few<ldlt_case<look::fixed<2, 2>, look::fixed<2, 1>>>, T>(
            A, B, how, {}, [&](const result<T>& got) {
                EXPECT_EQ(got.info, 0);
                EXPECT_TRUE(bits_equal(got.factor, matrix_of<T>(2, {1, 0, 1, 1})));
                EXPECT_TRUE(bits_equal(got.x, matrix_of<T>(2, {1, 2})));
            });
}

TYPED_TEST(lapack_symmetric, E05_inertia_is_that_of_the_eigenvalues_below_and_above_a_warp) {
    using T = TypeParam;
    random_stream r(4);
    for (const auto& [n, negative] : {std::pair{13, 0},
                                      {13, 1},
                                      {13, 5},
                                      {13, 12},
                                      {13, 13},
                                      {31, 9},
                                      {32, 9},
                                      {33, 9},
                                      {48, 9},
                                      {64, 9}}) {
        const auto w = dense<double>::from(
            n, 1, [below = negative](int i, int) { return i < below ? -1.0 - i : 1.0 + i; });
        const auto A = symmetric_with_eigenvalues<T>(w, r);
        const auto B = random_matrix<T>(n, 2, r);
        const std::array expected{n - negative, negative, 0};
        solve<ldlt_case<>, T>(A, B, pivoting::bunch_kaufman, {}, [&](const result<T>& got) {
            EXPECT_EQ(got.inertia, expected);
            EXPECT_TRUE(within(solve_error(A, got.x, B), 20));
        });
    }
}

TYPED_TEST(lapack_symmetric, A05_B08_orders_zero_and_one) {
    using T = TypeParam;
    for (const auto how : {pivoting::none, pivoting::bunch_kaufman}) {
        solve<ldlt_case<>, T>(dense<T>(1, 1, T(-2)), dense<T>(1, 1, T(6)), how, {}, [](const result<T>& got) {
            EXPECT_EQ(got.info, 0);
            EXPECT_EQ(got.factor(0, 0), T(-2));
            EXPECT_EQ(got.x(0), T(-3));
            EXPECT_EQ(got.inertia, (std::array{0, 1, 0}));
        });
        solve<ldlt_case<>, T>(dense<T>(0, 0), dense<T>(0, 3), how, {}, [](const result<T>& got) {
            EXPECT_EQ(got.info, 0);
            EXPECT_EQ(got.inertia, (std::array{0, 0, 0}));
        });
    }
}

TYPED_TEST(lapack_symmetric, E09_tiny_leading_pivot) {
    using T = TypeParam;
    const auto A = matrix_of<T>(2, {sizeof(T) == 8 ? 1e-18 : 1e-9, 1, 1, 0});
    solve<ldlt_case<>, T>(A, matrix_of<T>(2, {1, 2}), pivoting::bunch_kaufman, {}, [](const result<T>& got) {
        EXPECT_EQ(got.info, 0);
        EXPECT_TRUE(bits_equal(got.x, matrix_of<T>(2, {2, 1})));
        EXPECT_EQ(got.inertia, (std::array{1, 1, 0}));
    });
}

TYPED_TEST(lapack_symmetric, E10_zero_diagonal) {
    using T = TypeParam;
    solve<ldlt_case<>, T>(matrix_of<T>(2, {0, 2, 2, 0}), matrix_of<T>(2, {6, 10}), pivoting::bunch_kaufman,
                          {}, [](const result<T>& got) {
                              EXPECT_EQ(got.info, 0);
                              EXPECT_TRUE(bits_equal(got.x, matrix_of<T>(2, {5, 3})));
                              EXPECT_EQ(got.inertia, (std::array{1, 1, 0}));
                              EXPECT_EQ(got.pivots, (std::vector<int>{-2, -2}));
                          });
    solve<ldlt_case<>, T>(matrix_of<T>(3, {0, 0, 1, 0, 2, 1, 1, 1, 0}), matrix_of<T>(3, {1, 3, 2}),
                          pivoting::bunch_kaufman, {}, [](const result<T>& got) {
                              EXPECT_EQ(got.info, 0);
                              EXPECT_TRUE(bits_equal(got.x, matrix_of<T>(3, {1, 1, 1})));
                              EXPECT_EQ(got.inertia, (std::array{2, 1, 0}));
                          });
    // Neither is a zero taken for a pivot where products of a graded matrix vanish.
    const T small = sizeof(T) == 8 ? T(1e-200) : T(1e-23);
    solve<ldlt_case<>, T>(matrix_of<T>(3, {0, small, 0, small, 0, 1, 0, 1, 1}),
                          matrix_of<T>(3, {small, T(1) + small, 2}), pivoting::bunch_kaufman, {},
                          [](const result<T>& got) {
                              EXPECT_EQ(got.info, 0);
                              EXPECT_EQ(got.inertia, (std::array{2, 1, 0}));
                              for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isfinite(got.x(i)));
                          });
    solve<ldlt_case<>, T>(matrix_of<T>(3, {0, small, 0, small, 0, 1, 0, 1, 0}), matrix_of<T>(3, {0, 1, 0}),
                          pivoting::bunch_kaufman, {}, [](const result<T>& got) { EXPECT_EQ(got.info, 3); });
    // Without pivoting a zero pivot is named.
    solve<ldlt_case<>, T>(matrix_of<T>(2, {0, 2, 2, 0}), matrix_of<T>(2, {6, 10}), pivoting::none, {},
                          [](const result<T>& got) { EXPECT_EQ(got.info, 1); });
}

TYPED_TEST(lapack_symmetric, E11_inertia) {
    using T = TypeParam;
    for (const auto how : {pivoting::none, pivoting::bunch_kaufman}) {
        solve<ldlt_case<>, T>(
            matrix_of<T>(3, {2, 0, 1, 0, 3, 1, 1, 1, 0}), matrix_of<T>(3, {3, 4, 2}), how, {},
            [&](const result<T>& got) {
                EXPECT_EQ(got.info, 0);
                EXPECT_EQ(got.inertia, (std::array{2, 1, 0}));
                EXPECT_TRUE(within(relative_error(got.x, dense<T>(3, 1, T(1))),
                                   4 * static_cast<double>(limits<T>::epsilon())));
                if (how == pivoting::bunch_kaufman) return;
                EXPECT_EQ(got.factor(0, 0), T(2));
                EXPECT_EQ(got.factor(1, 1), T(3));
                EXPECT_TRUE(within(std::abs(static_cast<double>(got.factor(2, 2)) + 5.0 / 6),
                                   static_cast<double>(limits<T>::epsilon())));
            });
        solve<ldlt_case<>, T>(matrix_of<T>(2, {-1 + 1e-6, 0, 0, 2}), dense<T>(2, 1), how, {},
                              [](const result<T>& got) {
                                  EXPECT_EQ(got.inertia, (std::array{1, 1, 0}));
                              });
    }
}

TYPED_TEST(lapack_symmetric, E12_permutation_convention) {
    using T = TypeParam;
    const auto A = matrix_of<T>(3, {1, 4, 2, 4, 1, -3, 2, -3, 6});
    solve<ldlt_case<>, T>(
        A, matrix_of<T>(3, {7, 2, 5}), pivoting::bunch_kaufman, {}, [&](const result<T>& got) {
            EXPECT_EQ(got.info, 0);
            EXPECT_EQ(got.inertia, (std::array{2, 1, 0}));
            const auto eps = static_cast<double>(limits<T>::epsilon());
            EXPECT_TRUE(within(relative_error(rebuilt(got), A), 4 * eps));
            EXPECT_TRUE(within(relative_error(got.x, dense<T>(3, 1, T(1))), 8 * eps));
            wide determinant = 1;
            for (int k = 0; k < 3; ++k) {
                const wide d = got.factor(k, k);
                if (got.pivots[static_cast<std::size_t>(k)] >= 0) {
                    determinant *= d;
                    continue;
                }
                const wide off = got.factor(k + 1, k);
                determinant *= d * static_cast<wide>(got.factor(k + 1, k + 1)) - off * off;
                ++k;
            }
            EXPECT_TRUE(within(std::abs(static_cast<double>(determinant) + 151), 151 * 16 * eps));
        });
}

TYPED_TEST(lapack_symmetric, E07_a_singular_semidefinite_matrix_is_named_or_has_a_tiny_last_pivot) {
    using T = TypeParam;
    const auto A = dense<T>::from(4, 4, [](int i, int j) { return i == j ? 3 : -1; });
    for (const auto how : {pivoting::none, pivoting::bunch_kaufman})
        solve<ldlt_case<>, T>(A, dense<T>(4, 1), how, {}, [](const result<T>& got) {
            EXPECT_EQ(got.factor(0, 0), T(3));
            EXPECT_TRUE(within(std::abs(static_cast<double>(got.factor(3, 3))),
                               4 * static_cast<double>(limits<T>::epsilon())));
            EXPECT_TRUE(got.info == 4 || (got.info == 0 && got.factor(3, 3) != T(0)));
        });
}

TYPED_TEST(lapack_symmetric, A11_nan_infinity_and_zeros_end_with_info) {
    using T = TypeParam;
    for (const int n : {6, 33})
        for (const auto how : {pivoting::none, pivoting::bunch_kaufman}) {
            for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()})
                for (const int i : {0, n / 2, n - 1}) {
                    auto A = dense<T>::identity(n);
                    A(i, i) = bad;
                    solve<ldlt_case<>, T>(A, dense<T>(n, 1), how, {},
                                          [&](const result<T>& got) { EXPECT_EQ(got.info, i + 1); });
                }
            solve<ldlt_case<>, T>(dense<T>(n, n), dense<T>(n, 1), how, {}, [&](const result<T>& got) {
                EXPECT_EQ(got.info, 1);
                EXPECT_EQ(got.inertia, (std::array{0, 0, n}));
            });
        }
    auto A = dense<T>::identity(6);
    A(4, 1) = A(1, 4) = limits<T>::quiet_NaN();
    solve<ldlt_case<>, T>(A, dense<T>(6, 1), pivoting::bunch_kaufman, {},
                          [](const result<T>& got) { EXPECT_EQ(got.info, 2); });
}

}  // namespace
