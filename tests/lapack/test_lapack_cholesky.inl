// potrf, potrs and posv: one source, included by test_lapack_cholesky.cpp (emulated groups) and test_lapack_cholesky.cu
// (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

namespace {

using namespace shoal::support;
using shoal::uplo;

template <class T>
struct lapack_cholesky : testing::Test {};
TYPED_TEST_SUITE(lapack_cholesky, scalars);

template <class T>
using limits = std::numeric_limits<T>;

constexpr uplo triangles[] = {uplo::lower, uplo::upper};
constexpr int sizes[] = {1, 2, 3, 4, 7, 8, 16, 17, 33};

template <class T>
void forbid_other_triangle(arena<T>& a, const piece& p, uplo triangle) {
    if (triangle == uplo::lower) a.forbid_above_diagonal(p);
    if (triangle == uplo::upper) a.forbid_below_diagonal(p);
}

/// The factor as a lower triangle with zeros above, whichever triangle holds it.
template <class T>
dense<T> factor_of(const dense<T>& a, uplo triangle) {
    return lower_part(triangle == uplo::lower ? a : transpose(a));
}

/// The chain's factor of A; its info must be 0.
template <class T>
dense<T> chain_factor(dense<T> a) {
    EXPECT_EQ(chain::potrf(a), 0);
    return lower_part(a);
}

template <class T>
dense<T> chain_solution(const dense<T>& factor, const dense<T>& b) {
    return chain::solve(transpose(factor), false, false, chain::solve(factor, true, false, b));
}

// ---- potrf ------------------------------------------------------------------------------------------------------------

TYPED_TEST(lapack_cholesky, potrf_has_the_documented_order_in_every_storage) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : sizes) {
        for (const auto triangle : triangles) {
            for (int repeat = 0; repeat < 4; ++repeat) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", upper " << (triangle == uplo::upper));
                const auto A = random_spd<T>(n, 100, r);
                arena<T> a;
                const potrf_case<> c{a.inout(A, some_place(at++)), a.output(n, n), a.per_member(), triangle};
                forbid_other_triangle(a, c.a, triangle);
                on_all_groups(c, a, [&](const outcome<T>& out) {
                    const auto l = factor_of(out(c.a), triangle);
                    EXPECT_EQ(out.info(c.info), 0);
                    EXPECT_TRUE(within(cholesky_error(A, l), 1));
                    EXPECT_TRUE(bits_equal(factor_of(out(c.seen), triangle), l));
                    if (host_lane) {
                        EXPECT_TRUE(bits_equal(l, chain_factor(A)));
                    }
                });
            }
        }
    }
}

TYPED_TEST(lapack_cholesky, potrf_matches_lapack) {
    using T = TypeParam;
    random_stream r(2);
    for (const int n : {5, 24, 40}) {
        const auto A = random_spd<T>(n, 10, r);
        auto reference = A.template as<double>();
        EXPECT_EQ(lapack::potrf('L', reference), 0);
        arena<T> a;
        const potrf_case<> c{a.inout(A), a.output(n, n), a.per_member(), uplo::lower};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(within(relative_error(lower_part(out(c.a)), lower_part(reference)),
                               20 * n * static_cast<double>(limits<T>::epsilon())));
        });
    }
}

TYPED_TEST(lapack_cholesky, whole_factors_are_found_exactly) {
    using T = TypeParam;
    random_stream r(3);
    for (const int n : {1, 4, 9, 20}) {
        // Powers of two on the diagonal: no square root or reciprocal rounds.
        const auto l = dense<T>::from(n, n, [&](int i, int j) {
            return i < j ? 0 : i == j ? 1 << 2 * r.integer(0, 1) : r.integer(-2, 2);
        });
        const auto A = naive::gemm(T(1), l, transpose(l), T(0), l);
        for (const auto triangle : triangles) {
            arena<T> a;
            const potrf_case<> c{a.inout(A), a.output(n, n), a.per_member(), triangle};
            forbid_other_triangle(a, c.a, triangle);
            on_all_groups(c, a, [&](const outcome<T>& out) {
                EXPECT_EQ(out.info(c.info), 0);
                EXPECT_TRUE(bits_equal(factor_of(out(c.a), triangle), l));
            });
        }
    }
}

TYPED_TEST(lapack_cholesky, second_difference_matrix_has_the_known_factor) {
    using T = TypeParam;
    constexpr int n = 30;
    const auto A = dense<T>::from(n, n, [](int i, int j) {
        return i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0;
    });
    arena<T> a;
    const potrf_case<> c{a.inout(A), a.output(n, n), a.per_member(), uplo::lower};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto exact = dense<wide>::from(n, n, [](int i, int j) {
            const wide k = j + 1;
            return i == j ? std::sqrt((k + 1) / k) : i == j + 1 ? -std::sqrt(k / (k + 1)) : wide(0);
        });
        EXPECT_TRUE(within(relative_error(lower_part(out(c.a)), exact),
                           4 * static_cast<double>(limits<T>::epsilon())));
    });
}

/// A static case against the one that takes everything at run time: same bits.
template <int N, class Look, class T>
void potrf_static(place where, uplo triangle, random_stream& r) {
    const auto A = random_spd<T>(N, 30, r);
    arena<T> plain;
    const potrf_case<> p{plain.inout(A), plain.output(N, N), plain.per_member(), uplo::lower};
    dense<T> expected;
    on_all_groups(p, plain, [&](const outcome<T>& out) { expected = factor_of(out(p.a), uplo::lower); });
    arena<T> a;
    const few<potrf_case<Look, ends::deferred>> c{
        {a.inout(A, where), a.output(N, N), a.per_member(), triangle}};
    forbid_other_triangle(a, c.a, triangle);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(bits_equal(factor_of(out(c.a), triangle), expected));
        EXPECT_TRUE(bits_equal(factor_of(out(c.seen), triangle), expected));
    });
}

TYPED_TEST(lapack_cholesky, potrf_static_and_deferred) {
    using T = TypeParam;
    random_stream r(4);
    for (const auto triangle : triangles) {
        potrf_static<6, look::fixed<6, 6>, T>({}, triangle, r);
        potrf_static<6, look::fixed<6, 6, shoal::row_ld<shoal::dynamic>>, T>(
            {.order = storage::row, .padding = 2}, triangle, r);
        potrf_static<17, look::fixed<17, 17>, T>({}, triangle, r);
    }
}

TYPED_TEST(lapack_cholesky, order_zero_is_a_success) {
    using T = TypeParam;
    arena<T> a;
    const potrf_case<> c{a.inout(dense<T>(0, 0)), a.output(0, 0), a.per_member(), uplo::lower};
    on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_EQ(out.info(c.info), 0); });
    arena<T> b;
    const posv_case<> p{b.inout(dense<T>(0, 0)),
                        b.inout(dense<T>(0, 3)),
                        b.output(0, 0),
                        b.output(0, 3),
                        b.per_member(),
                        uplo::upper,
                        sides::many};
    on_all_groups(p, b, [&](const outcome<T>& out) { EXPECT_EQ(out.info(p.info), 0); });
}

// ---- failures ---------------------------------------------------------------------------------------------------------

/// Runs potrf on both triangles; `check(info, stored, factor or what is left of it)`.
template <class T>
void expect_failure(const dense<T>& A, int info) {
    auto kept = A;
    EXPECT_EQ(chain::potrf(kept), info);
    for (const auto triangle : triangles) {
        arena<T> a;
        const potrf_case<> c{a.inout(A, {.padding = 1}), a.output(A.rows(), A.rows()), a.per_member(),
                             triangle};
        forbid_other_triangle(a, c.a, triangle);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), info);
            // Columns before the bad pivot are final, those from it on as they were.
            const auto left = factor_of(out(c.a), triangle);
            const auto was = factor_of(A, uplo::lower);
            for (int j = 0; j < A.rows(); ++j)
                for (int i = j; i < A.rows(); ++i) {
                    if (j >= info - 1) {
                        EXPECT_TRUE(same_bits(left(i, j), was(i, j))) << i << ", " << j;
                    } else if (host_lane) {
                        EXPECT_TRUE(same_bits(left(i, j), kept(i, j))) << i << ", " << j;
                    }
                }
        });
    }
}

TYPED_TEST(lapack_cholesky, indefinite_nan_and_infinite_pivots_are_named) {
    using T = TypeParam;
    random_stream r(5);
    for (const int n : {1, 2, 5, 17, 33}) {
        const auto A = random_spd<T>(n, 10, r);
        for (const int k : {0, n / 2, n - 1}) {
            for (const T bad :
                 {T(-1), T(0), limits<T>::quiet_NaN(), limits<T>::infinity(), -limits<T>::infinity()}) {
                SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k << ", " << bad);
                auto B = A;
                B(k, k) = bad;
                expect_failure(B, k + 1);
            }
        }
    }
}

TYPED_TEST(lapack_cholesky, nan_off_the_diagonal_is_found_at_its_row) {
    using T = TypeParam;
    random_stream r(6);
    auto A = random_spd<T>(9, 10, r);
    A(6, 2) = A(2, 6) = limits<T>::quiet_NaN();
    expect_failure(A, 7);
}

TYPED_TEST(lapack_cholesky, A07_negative_definite_fails_at_once_and_leaves_the_same_everywhere) {
    using T = TypeParam;
    auto A = dense<T>(2, 2);
    A(0, 0) = -4;
    A(1, 0) = A(0, 1) = -2;
    A(1, 1) = -5;
    expect_failure(A, 1);
}

TYPED_TEST(lapack_cholesky, A09_nan_is_never_a_success) {
    using T = TypeParam;
    auto A = dense<T>::identity(2);
    A(0, 0) = limits<T>::quiet_NaN();
    expect_failure(A, 1);
    auto B = dense<T>::identity(3);
    B(2, 2) = limits<T>::quiet_NaN();
    expect_failure(B, 3);
}

TYPED_TEST(lapack_cholesky, E07_a_matrix_that_rounds_to_singular_fails_and_jitter_must_be_relative) {
    using T = TypeParam;
    const auto A = dense<T>::from(2, 2, [](int i, int j) { return i == j ? 1.0 : 1.0 - 1e-9; });
    if constexpr (std::is_same_v<T, float>) {
        expect_failure(A, 2);
    } else {
        arena<T> a;
        const potrf_case<> c{a.inout(A), a.output(2, 2), a.per_member(), uplo::lower};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 0);
            EXPECT_NEAR(out(c.a)(1, 1), 4.47214e-5, 1e-9);
        });
    }
    // 4 I - ones: singular; a jitter below the rounding of its entries changes nothing that matters.
    const auto J =
        dense<T>::from(4, 4, [](int i, int j) { return (i == j ? 3.0 : -1.0) + (i == j ? 1e-8 : 0.0); });
    arena<T> a;
    const potrf_case<> c{a.inout(J), a.output(4, 4), a.per_member(), uplo::lower};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const int info = out.info(c.info);
        EXPECT_TRUE(info == 0 || info == 4);
        if (info == 0) {
            EXPECT_FALSE(has_nan(lower_part(out(c.a))));
            EXPECT_LT(out(c.a)(3, 3), 1e-3);
        }
    });
}

TYPED_TEST(lapack_cholesky, E13_an_indefinite_matrix_is_not_made_definite) {
    using T = TypeParam;
    expect_failure(dense<T>::from(2, 2, [](int i, int j) { return i == j ? 1 : 2; }), 2);
}

// ---- potrs and posv ---------------------------------------------------------------------------------------------------

TYPED_TEST(lapack_cholesky, potrs_has_the_documented_order) {
    using T = TypeParam;
    random_stream r(7);
    int at = 0;
    for (const int n : {1, 2, 5, 17, 33}) {
        for (const int m : {1, 3, 40}) {
            for (const auto triangle : triangles) {
                const auto l = random_lower<T>(n, r);
                const auto b = random_matrix<T>(n, m, r);
                const auto expected = chain_solution(l, b);
                arena<T> a;
                const auto factor = a.input(triangle == uplo::lower ? l : transpose(l), some_place(at++));
                const potrs_case<> c{factor, a.inout(b, some_place(at / 2)), a.output(n, m), triangle,
                                     m == 1 ? sides::one : sides::many};
                forbid_other_triangle(a, c.a, triangle);
                on_all_groups(c, a, [&](const outcome<T>& out) {
                    EXPECT_TRUE(bits_equal(out(c.b), expected));
                    EXPECT_TRUE(bits_equal(out(c.seen), expected));
                });
            }
        }
    }
}

TYPED_TEST(lapack_cholesky, B10_potrs_takes_any_number_of_right_hand_sides) {
    using T = TypeParam;
    // The factor of [[4, 2], [2, 5]].
    auto l = dense<T>(2, 2, T(2));
    l(1, 0) = 1;
    const double sums[2][2] = {{8, 6}, {12, 7}};
    for (const int m : {1, 2, 3, 17}) {
        const auto b = dense<T>::from(2, m, [&](int i, int j) { return sums[i][j % 2]; });
        const auto x = dense<T>::from(2, m, [&](int i, int j) { return j % 2 == 1 ? 1 : i + 1; });
        arena<T> a;
        const potrs_case<> c{a.input(l), a.inout(b), a.output(2, m), uplo::lower, sides::many};
        a.forbid_above_diagonal(c.a);
        on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_TRUE(bits_equal(out(c.b), x)); });
    }
}

template <class Case, class T>
void posv_run(const Case& c, arena<T>& a, const dense<T>& A, const dense<T>& b) {
    forbid_other_triangle(a, c.a, c.triangle);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        EXPECT_TRUE(within(solve_error(A, out(c.b), b), 3));
        const auto l = factor_of(out(c.a), c.triangle);
        EXPECT_TRUE(within(cholesky_error(A, l), 1));
        EXPECT_TRUE(bits_equal(out(c.b), chain_solution(l, b)));
        EXPECT_TRUE(bits_equal(out(c.seen_b), out(c.b)));
        EXPECT_TRUE(bits_equal(factor_of(out(c.seen_a), c.triangle), l));
        if (host_lane) {
            EXPECT_TRUE(bits_equal(l, chain_factor(A)));
        }
    });
}

TYPED_TEST(lapack_cholesky, posv_factors_and_solves) {
    using T = TypeParam;
    random_stream r(8);
    int at = 0;
    for (const int n : {1, 2, 6, 17, 33}) {
        for (const int m : {1, 5}) {
            for (const auto triangle : triangles) {
                const auto A = random_spd<T>(n, 50, r);
                const auto b = random_matrix<T>(n, m, r);
                arena<T> a;
                const auto in = a.inout(A, some_place(at++));
                const posv_case<> c{in,
                                    a.inout(b, some_place(at)),
                                    a.output(n, n),
                                    a.output(n, m),
                                    a.per_member(),
                                    triangle,
                                    m == 1 ? sides::one : sides::many};
                posv_run(c, a, A, b);
            }
        }
    }
}

TYPED_TEST(lapack_cholesky, posv_static_and_deferred) {
    using T = TypeParam;
    random_stream r(9);
    const auto A = random_spd<T>(6, 50, r);
    for (const auto triangle : triangles) {
        for (const auto how : {sides::one, sides::many}) {
            const auto b = random_matrix<T>(6, 1, r);
            arena<T> a;
            const few<posv_case<look::fixed<6, 6>, look::fixed<6, 1>, ends::deferred>> c{
                {a.inout(A), a.inout(b), a.output(6, 6), a.output(6, 1), a.per_member(), triangle, how}};
            posv_run(c, a, A, b);
        }
    }
}

TYPED_TEST(lapack_cholesky, posv_leaves_the_right_hand_side_alone_when_it_fails) {
    using T = TypeParam;
    random_stream r(10);
    auto A = random_spd<T>(6, 50, r);
    A(3, 3) = -1;
    for (const int m : {1, 4}) {
        const auto b = random_matrix<T>(6, m, r);
        arena<T> a;
        const posv_case<> c{a.inout(A),
                            a.inout(b),
                            a.output(6, 6),
                            a.output(6, m),
                            a.per_member(),
                            uplo::lower,
                            m == 1 ? sides::one : sides::many};
        a.forbid_above_diagonal(c.a);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 4);
            EXPECT_TRUE(bits_equal(out(c.b), b));
        });
        if (m == 1) {
            arena<T> s;
            const few<posv_case<look::fixed<6, 6>, look::fixed<6, 1>, ends::deferred>> f{
                {s.inout(A), s.inout(b), s.output(6, 6), s.output(6, 1), s.per_member(), uplo::lower,
                 sides::one}};
            s.forbid_above_diagonal(f.a);
            on_all_groups(f, s, [&](const outcome<T>& out) {
                EXPECT_EQ(out.info(f.info), 4);
                EXPECT_TRUE(bits_equal(out(f.b), b));
            });
        }
    }
}

TYPED_TEST(lapack_cholesky, nan_in_the_right_hand_side_is_no_failure_of_the_matrix) {
    using T = TypeParam;
    random_stream r(11);
    const auto A = random_spd<T>(5, 10, r);
    auto b = random_matrix<T>(5, 3, r);
    b(2, 1) = limits<T>::quiet_NaN();
    arena<T> a;
    const posv_case<> c{a.inout(A),     a.inout(b),  a.output(5, 5), a.output(5, 3),
                        a.per_member(), uplo::lower, sides::many};
    a.forbid_above_diagonal(c.a);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 3; ++j) EXPECT_EQ(std::isnan(out(c.b)(i, j)), j == 1);
    });
}

}  // namespace
