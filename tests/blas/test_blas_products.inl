// gemm and syrk: one source, included by test_blas_products.cpp (emulated groups) and test_blas_products.cu (the groups
// of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

namespace {

using namespace shoal::support;

template <class T>
struct blas_products : testing::Test {};
TYPED_TEST_SUITE(blas_products, scalars);

template <class T>
using limits = std::numeric_limits<T>;

struct shape_of_product {
    int m, n, k;
};
struct factors {
    double alpha, beta;
};

// ---- gemm -------------------------------------------------------------------------------------------------------------

TYPED_TEST(blas_products, gemm_has_the_documented_order_in_every_storage) {
    using T = TypeParam;
    random_stream r(1);
    int k = 0;
    constexpr shape_of_product shapes[] = {{1, 1, 1}, {2, 3, 4},   {5, 1, 7},    {1, 6, 2},   {8, 8, 8},
                                           {7, 9, 5}, {17, 4, 33}, {16, 16, 16}, {33, 10, 3}, {5, 40, 12}};
    for (const auto& s : shapes) {
        for (const auto& f : {factors{1, 0}, {-0.7, 1.3}, {2, 1}}) {
            SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " x " << s.k);
            const auto A = random_matrix<T>(s.m, s.k, r);
            const auto B = random_matrix<T>(s.k, s.n, r);
            const auto C = random_matrix<T>(s.m, s.n, r);
            const auto alpha = static_cast<T>(f.alpha);
            const auto beta = static_cast<T>(f.beta);
            arena<T> a;
            const auto in_a = a.input(A, some_place(k));
            const auto in_b = a.input(B, some_place(k / 3 + 1));
            const auto where = some_place(++k);
            const gemm_case<> c{in_a,
                                in_b,
                                f.beta == 0.0 ? a.output(s.m, s.n, where) : a.inout(C, where),
                                a.output(s.m, s.n),
                                f.alpha,
                                f.beta};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                const auto expected = chain::gemm(alpha, A, B, beta, C);
                EXPECT_TRUE(bits_equal(out(c.c), expected));
                EXPECT_TRUE(bits_equal(out(c.seen), expected));
                EXPECT_TRUE(within(product_error(alpha, A, B, beta, C, out(c.c)), 1));
            });
        }
    }
}

TYPED_TEST(blas_products, gemm_matches_lapack) {
    using T = TypeParam;
    random_stream r(2);
    const auto A = random_matrix<T>(20, 30, r);
    const auto B = random_matrix<T>(30, 25, r);
    const auto C = random_matrix<T>(20, 25, r);
    auto reference = C.template as<double>();
    lapack::gemm('N', 'N', 0.5, A.template as<double>(), B.template as<double>(), -2.0, reference);
    arena<T> a;
    const gemm_case<> c{a.input(A), a.input(B), a.inout(C), a.output(20, 25), 0.5, -2.0};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(
            within(relative_error(out(c.c), reference), 30 * static_cast<double>(limits<T>::epsilon())));
    });
}

TYPED_TEST(blas_products, gemm_of_whole_numbers_is_exact) {
    using T = TypeParam;
    random_stream r(3);
    const auto A = random_integers<T>(9, 31, r);
    const auto B = random_integers<T>(31, 6, r);
    const auto C = random_integers<T>(9, 6, r);
    arena<T> a;
    const gemm_case<> c{a.input(A), a.input(B), a.inout(C), a.output(9, 6), 2.0, -1.0};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.c), naive::gemm(T(2), A, B, T(-1), C)));
    });
}

/// A static case against the chain; `a` and `b` are what the looks make of the stored operands.
template <class LA, class LB, class LC, class T>
void gemm_static(const dense<T>& stored_a, place pa, const dense<T>& a, const dense<T>& stored_b, place pb,
                 const dense<T>& b, place pc, random_stream& r) {
    const auto C = random_matrix<T>(a.rows(), b.cols(), r);
    arena<T> room;
    const few<gemm_case<LA, LB, LC, ends::deferred>> c{{room.input(stored_a, pa), room.input(stored_b, pb),
                                                        room.inout(C, pc), room.output(C.rows(), C.cols()),
                                                        1.25, -0.5}};
    on_all_groups(c, room, [&](const outcome<T>& out) {
        const auto expected = chain::gemm(T(1.25), a, b, T(-0.5), C);
        EXPECT_TRUE(bits_equal(out(c.c), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

TYPED_TEST(blas_products, gemm_static_and_deferred) {
    using T = TypeParam;
    random_stream r(4);
    constexpr place by_row{.order = storage::row};
    const auto A = random_matrix<T>(5, 4, r);
    const auto B = random_matrix<T>(4, 3, r);
    gemm_static<look::fixed<5, 4>, look::fixed<4, 3>, look::fixed<5, 3>>(A, {}, A, B, {}, B, {}, r);
    gemm_static<look::fixed<5, 4, shoal::row>, look::fixed<4, 3, shoal::column_ld<6>>,
                look::fixed<5, 3, shoal::row_ld<shoal::dynamic>>>(A, by_row, A, B, {.padding = 2}, B,
                                                                  {.order = storage::row, .padding = 1}, r);
    gemm_static<look::flipped<look::fixed<4, 5>>, look::flipped<look::fixed<3, 4, shoal::row>>,
                look::fixed<5, 3>>(transpose(A), {}, A, transpose(B), by_row, B, {}, r);
}

TYPED_TEST(blas_products, gemm_of_interleaved_and_of_row_major_views) {
    using T = TypeParam;
    random_stream r(5);
    const auto A = random_matrix<T>(7, 6, r);
    const auto B = random_matrix<T>(6, 9, r);
    gemm_static<look::stored<shoal::strided_column<>>, look::stored<shoal::row>,
                look::stored<shoal::strided_row<4>>>(A, {.stride = 3}, A, B, {.order = storage::row}, B,
                                                     {.order = storage::row, .stride = 4}, r);
}

TYPED_TEST(blas_products, gemm_with_alpha_zero_reads_neither_a_nor_b) {
    using T = TypeParam;
    for (const double beta : {0.0, -3.0}) {
        arena<T> a;
        const auto C = dense<T>(9, 6, T(2));
        const gemm_case<> c{a.input(dense<T>(9, 4, poison<T>())),
                            a.input(dense<T>(4, 6, poison<T>())),
                            beta == 0.0 ? a.output(9, 6) : a.inout(C),
                            a.output(9, 6),
                            0.0,
                            beta};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.c), dense<T>(9, 6, static_cast<T>(2 * beta) + T(0))));
        });
    }
}

TYPED_TEST(blas_products, gemm_of_depth_zero_scales_and_of_no_elements_writes_nothing) {
    using T = TypeParam;
    for (const auto& s : {shape_of_product{4, 3, 0}, {0, 3, 5}, {4, 0, 5}, {0, 0, 0}}) {
        arena<T> a;
        const gemm_case<> c{a.input(dense<T>(s.m, s.k, T(1))),
                            a.input(dense<T>(s.k, s.n, T(1))),
                            a.inout(dense<T>(s.m, s.n, T(2))),
                            a.output(s.m, s.n),
                            1.0,
                            1.5};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.c), dense<T>(s.m, s.n, T(3))));
        });
    }
}

TYPED_TEST(blas_products, gemm_spreads_nan_along_its_row_and_column_only) {
    using T = TypeParam;
    auto A = dense<T>(5, 4, T(1));
    auto B = dense<T>(4, 6, T(1));
    A(2, 3) = limits<T>::quiet_NaN();
    B(0, 5) = limits<T>::infinity();
    arena<T> a;
    const gemm_case<> c{a.input(A), a.input(B), a.output(5, 6), a.output(5, 6), 1.0, 0.0};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto C = out(c.c);
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 6; ++j) {
                EXPECT_EQ(std::isnan(C(i, j)), i == 2);
                EXPECT_TRUE(i == 2 || C(i, j) == (j == 5 ? limits<T>::infinity() : T(4)));
            }
    });
}

TEST(blas_products, E06_gemm_in_float_keeps_all_bits_of_float) {
    for (const int n : {16, 64}) {
        const auto A = dense<float>::from(n, n, [](int i, int j) { return i == j ? 1 + 0x1p-12 : 0; });
        arena<float> a;
        const gemm_case<> c{
            a.input(A), a.input(dense<float>::identity(n)), a.output(n, n), a.output(n, n), 1.0, 0.0};
        on_all_groups(c, a, [&](const outcome<float>& out) { EXPECT_TRUE(bits_equal(out(c.c), A)); });
        EXPECT_EQ(A(0, 0), 1.000244140625f);
    }
}

// ---- syrk -------------------------------------------------------------------------------------------------------------

template <class T>
void forbid_other_triangle(arena<T>& a, const piece& p, shoal::uplo triangle) {
    if (triangle == shoal::uplo::lower) {
        a.forbid_above_diagonal(p);
    } else {
        a.forbid_below_diagonal(p);
    }
}

/// Same bits in the named triangle.
template <class T>
testing::AssertionResult triangle_equal(const dense<T>& got, const dense<T>& expected, shoal::uplo triangle) {
    return triangle == shoal::uplo::lower ? bits_equal(lower_part(got), lower_part(expected))
                                          : bits_equal(upper_part(got), upper_part(expected));
}

TYPED_TEST(blas_products, syrk_has_the_bits_of_the_full_product_in_its_triangle) {
    using T = TypeParam;
    random_stream r(6);
    int at = 0;
    for (const auto& s : {std::pair{1, 1}, {2, 3}, {3, 1}, {5, 5}, {8, 17}, {16, 4}, {17, 9}, {34, 6}}) {
        for (const auto& f : {factors{1, 0}, {-0.7, 1.3}, {1, -1}}) {
            for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
                const auto [n, k] = s;
                SCOPED_TRACE(testing::Message() << n << " x " << k);
                const auto A = random_matrix<T>(n, k, r);
                const auto C = random_matrix<T>(n, n, r);
                const auto alpha = static_cast<T>(f.alpha);
                const auto beta = static_cast<T>(f.beta);
                arena<T> a;
                const auto in_a = a.input(A, some_place(at));
                const auto where = some_place(at++ / 2 + 1);
                const syrk_case<> c{in_a,           f.beta == 0.0 ? a.output(n, n, where) : a.inout(C, where),
                                    a.output(n, n), f.alpha,
                                    f.beta,         triangle};
                forbid_other_triangle(a, c.c, triangle);
                on_all_groups(c, a, [&](const outcome<T>& out) {
                    const auto expected = chain::gemm(alpha, A, transpose(A), beta, C);
                    EXPECT_TRUE(triangle_equal(out(c.c), expected, triangle));
                    EXPECT_TRUE(triangle_equal(out(c.seen), expected, triangle));
                    const auto whole = triangle == shoal::uplo::lower ? out(c.c) : transpose(out(c.c));
                    const auto start = triangle == shoal::uplo::lower ? C : transpose(C);
                    EXPECT_TRUE(
                        within(product_error(alpha, A, transpose(A), beta, symmetric_from_lower(start),
                                             symmetric_from_lower(whole)),
                               1));
                });
            }
        }
    }
}

TYPED_TEST(blas_products, syrk_matches_lapack) {
    using T = TypeParam;
    random_stream r(7);
    const auto A = random_matrix<T>(20, 30, r);
    const auto C = symmetric_from_lower(random_matrix<T>(20, 20, r));
    auto reference = C.template as<double>();
    lapack::syrk('L', 'N', 0.5, A.template as<double>(), -2.0, reference);
    arena<T> a;
    const syrk_case<> c{a.input(A), a.inout(C), a.output(20, 20), 0.5, -2.0, shoal::uplo::lower};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(
            within(relative_error(out(c.c), reference), 30 * static_cast<double>(limits<T>::epsilon())));
    });
}

template <class LA, class LC, class T>
void syrk_static(const dense<T>& stored, place where, const dense<T>& meant, shoal::uplo triangle,
                 random_stream& r) {
    const int n = meant.rows();
    const auto C = random_matrix<T>(n, n, r);
    arena<T> a;
    const few<syrk_case<LA, LC, ends::deferred>> c{
        {a.input(stored, where), a.inout(C), a.output(n, n), -1.0, 0.5, triangle}};
    forbid_other_triangle(a, c.c, triangle);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = chain::gemm(T(-1), meant, transpose(meant), T(0.5), C);
        EXPECT_TRUE(triangle_equal(out(c.c), expected, triangle));
        EXPECT_TRUE(triangle_equal(out(c.seen), expected, triangle));
    });
}

TYPED_TEST(blas_products, syrk_static_and_deferred) {
    using T = TypeParam;
    random_stream r(8);
    for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
        const auto A = random_matrix<T>(5, 7, r);
        syrk_static<look::fixed<5, 7>, look::fixed<5, 5>>(A, {}, A, triangle, r);
        syrk_static<look::flipped<look::fixed<5, 7>>, look::fixed<7, 7>>(A, {}, transpose(A), triangle, r);
    }
}

TYPED_TEST(blas_products, syrk_with_alpha_zero_does_not_read_a) {
    using T = TypeParam;
    for (const double beta : {0.0, -3.0}) {
        arena<T> a;
        const syrk_case<> c{a.input(dense<T>(6, 4, poison<T>())),
                            beta == 0.0 ? a.output(6, 6) : a.inout(dense<T>(6, 6, T(2))),
                            a.output(6, 6),
                            0.0,
                            beta,
                            shoal::uplo::lower};
        a.forbid_above_diagonal(c.c);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            const auto expected = dense<T>(6, 6, static_cast<T>(2 * beta) + T(0));
            EXPECT_TRUE(triangle_equal(out(c.c), expected, shoal::uplo::lower));
        });
    }
}

TYPED_TEST(blas_products, syrk_of_depth_zero_scales_and_of_order_zero_writes_nothing) {
    using T = TypeParam;
    for (const auto& s : {std::pair{4, 0}, {0, 3}, {0, 0}}) {
        arena<T> a;
        const syrk_case<> c{a.input(dense<T>(s.first, s.second, T(1))),
                            a.inout(dense<T>(s.first, s.first, T(2))),
                            a.output(s.first, s.first),
                            1.0,
                            1.5,
                            shoal::uplo::upper};
        a.forbid_below_diagonal(c.c);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(triangle_equal(out(c.c), dense<T>(s.first, s.first, T(3)), shoal::uplo::upper));
        });
    }
}

}  // namespace
