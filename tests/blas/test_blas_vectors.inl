// dot, nrm2, iamax, axpy and gemv: one source, included by test_blas_vectors.cpp (emulated groups) and
// test_blas_vectors.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

namespace {

using namespace shoal::support;

template <class T>
struct blas_vectors : testing::Test {};
TYPED_TEST_SUITE(blas_vectors, scalars);

template <class T>
using limits = std::numeric_limits<T>;

constexpr int sizes[] = {0, 1, 2, 3, 5, 8, 31, 32, 33, 64, 65, 100};

template <class T>
dense<T> column_of(std::initializer_list<double> values) {
    return dense<T>::from(static_cast<int>(values.size()), 1, [&](int i, int) { return values.begin()[i]; });
}

// ---- dot, nrm2, iamax -------------------------------------------------------------------------------------------------

/// Runs all three; `check(dot, nrm2, iamax)`.
template <class X = look::strided, class Y = look::strided, class T, class Check>
void reduce_all(const dense<T>& x, const dense<T>& y, place px, place py, const Check& check) {
    arena<T> a;
    const reductions_case<X, Y> c{a.input(x, px), a.input(y, py), a.scratch(32),
                                  a.per_member(), a.per_member(), a.per_member()};
    on_all_groups(
        c, a, [&](const outcome<T>& out) { check(out.value(c.dot), out.value(c.nrm2), out.info(c.iamax)); });
}

TYPED_TEST(blas_vectors, reductions_have_the_documented_order) {
    using T = TypeParam;
    random_stream r(11);
    for (const int n : sizes) {
        SCOPED_TRACE(n);
        const auto x = random_matrix<T>(n, 1, r);
        const auto y = random_matrix<T>(n, 1, r);
        reduce_all(x, y, {.stride = 1 + n % 3}, {.stride = 2, .shift = 1}, [&](T dot, T nrm2, int iamax) {
            EXPECT_TRUE(same_bits(dot, chain::dot(x, y)));
            EXPECT_TRUE(same_bits(nrm2, chain::nrm2(x)));
            EXPECT_EQ(iamax, chain::iamax(x));

            wide exact = 0;
            wide scale = 0;
            for (int i = 0; i < n; ++i) {
                exact += static_cast<wide>(x(i)) * static_cast<wide>(y(i));
                scale += std::abs(static_cast<wide>(x(i)) * static_cast<wide>(y(i)));
            }
            const wide unit = (n / 32 + 7) * static_cast<wide>(limits<T>::epsilon());
            EXPECT_TRUE(within(static_cast<double>(std::abs(static_cast<wide>(dot) - exact)),
                               static_cast<double>(unit * scale)));
            EXPECT_TRUE(within(static_cast<double>(std::abs(static_cast<wide>(nrm2) - norm(x))),
                               static_cast<double>(unit * norm(x))));
        });
    }
}

TYPED_TEST(blas_vectors, static_sizes_give_the_bits_of_dynamic_ones) {
    using T = TypeParam;
    random_stream r(12);
    const auto check = [&]<int N>(std::integral_constant<int, N>) {
        const auto x = random_matrix<T>(N, 1, r);
        const auto y = random_matrix<T>(N, 1, r);
        arena<T> a;
        const few<reductions_case<look::fixed<N>, look::fixed<N>>> c{
            {a.input(x), a.input(y), a.scratch(32), a.per_member(), a.per_member(), a.per_member()}};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(same_bits(out.value(c.dot), chain::dot(x, y)));
            EXPECT_TRUE(same_bits(out.value(c.nrm2), chain::nrm2(x)));
            EXPECT_EQ(out.info(c.iamax), chain::iamax(x));
        });
    };
    check(std::integral_constant<int, 5>{});
    check(std::integral_constant<int, 33>{});
}

TYPED_TEST(blas_vectors, dot_of_whole_numbers_is_exact) {
    using T = TypeParam;
    random_stream r(13);
    const auto x = random_integers<T>(97, 1, r);
    const auto y = random_integers<T>(97, 1, r);
    T expected = 0;
    for (int i = 0; i < 97; ++i) expected += x(i) * y(i);
    reduce_all(x, y, {}, {}, [&](T dot, T, int) { EXPECT_EQ(dot, expected); });
}

TYPED_TEST(blas_vectors, dot_of_nothing_and_of_zeros_is_plus_zero) {
    using T = TypeParam;
    reduce_all(dense<T>(0, 1), dense<T>(0, 1), {}, {}, [&](T dot, T nrm2, int iamax) {
        EXPECT_TRUE(same_bits(dot, T(0)));
        EXPECT_TRUE(same_bits(nrm2, T(0)));
        EXPECT_EQ(iamax, -1);
    });
    reduce_all(dense<T>(40, 1, T(-0.0)), dense<T>(40, 1, T(1)), {}, {}, [&](T dot, T nrm2, int iamax) {
        EXPECT_TRUE(same_bits(dot, T(0)));
        EXPECT_TRUE(same_bits(nrm2, T(0)));
        EXPECT_EQ(iamax, 0);
    });
}

TYPED_TEST(blas_vectors, nrm2_of_powers_of_two_is_exact) {
    using T = TypeParam;
    const T big = std::ldexp(T(1), limits<T>::max_exponent - 2);
    const T small = limits<T>::denorm_min();
    const auto expect = [](const dense<T>& x, T value) {
        reduce_all(x, x, {}, {}, [&](T, T nrm2, int) { EXPECT_EQ(nrm2, value); });
    };
    expect(column_of<T>({3, 4}), T(5));
    expect(dense<T>(4, 1, big), 2 * big);
    expect(dense<T>(64, 1, small), 8 * small);
    expect(dense<T>::from(2, 1, [&](int i, int) { return i == 0 ? 3 * small : -4 * small; }), 5 * small);
    expect(dense<T>(1, 1, limits<T>::max()), limits<T>::max());
    expect(dense<T>(4, 1, limits<T>::max()), limits<T>::infinity());
    expect(dense<T>(1, 1, small), small);
}

TYPED_TEST(blas_vectors, nan_wins_over_infinity_in_every_reduction) {
    using T = TypeParam;
    for (const int n : {1, 2, 33, 70}) {
        for (const int where : {0, n / 2, n - 1}) {
            auto x = dense<T>(n, 1, T(1));
            x(where) = limits<T>::infinity();
            reduce_all(x, x, {}, {}, [&](T dot, T nrm2, int iamax) {
                EXPECT_EQ(dot, limits<T>::infinity());
                EXPECT_EQ(nrm2, limits<T>::infinity());
                EXPECT_EQ(iamax, where);
            });
            x(where) = -limits<T>::infinity();
            reduce_all(x, dense<T>(n, 1, T(1)), {}, {}, [&](T dot, T nrm2, int iamax) {
                EXPECT_EQ(dot, -limits<T>::infinity());
                EXPECT_EQ(nrm2, limits<T>::infinity());
                EXPECT_EQ(iamax, where);
            });
            x(n - 1) = limits<T>::infinity();
            x(where) = limits<T>::quiet_NaN();
            reduce_all(x, x, {}, {}, [&](T dot, T nrm2, int iamax) {
                EXPECT_TRUE(std::isnan(dot));
                EXPECT_TRUE(std::isnan(nrm2));
                EXPECT_EQ(iamax, where);
            });
        }
    }
}

TYPED_TEST(blas_vectors, A10_iamax_of_nan_alone_is_an_index_of_the_vector) {
    using T = TypeParam;
    for (const int n : {1, 8, 10, 33, 64}) {
        reduce_all(dense<T>(n, 1, limits<T>::quiet_NaN()), dense<T>(n, 1, T(1)), {}, {},
                   [&](T, T, int iamax) { EXPECT_EQ(iamax, 0); });
    }
}

struct iamax_case {
    piece x, scratch, index;
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const shoal::vector<T, 32> room(scratch.data(buffer));
        index.mine(g, buffer) = static_cast<T>(shoal::iamax(g, x.vector(buffer), room));
    }
};

TYPED_TEST(blas_vectors, A10_iamax_of_different_nans_is_an_index_of_the_vector) {
    using T = TypeParam;
    for (const int n : {2, 8, 10, 33, 64}) {
        auto x = dense<T>(n, 1, limits<T>::quiet_NaN());
        x(n - 1) = -poison<T>();
        arena<T> a;
        const iamax_case c{a.input(x), a.scratch(32), a.per_member()};
        on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_EQ(out.info(c.index), n - 1); });
    }
}

TYPED_TEST(blas_vectors, iamax_takes_the_first_of_equals) {
    using T = TypeParam;
    for (const int n : {2, 3, 31, 33, 100}) {
        for (const int first : {0, 1, n / 2, n - 2}) {
            const auto x = dense<T>::from(n, 1, [&](int i, int) {
                return i < first ? -2.0 : i % 2 == 0 ? -3.0 : 3.0;
            });
            reduce_all(x, x, {}, {}, [&](T, T, int iamax) { EXPECT_EQ(iamax, first); });
        }
    }
}

TYPED_TEST(blas_vectors, C14_reductions_do_not_depend_on_what_the_scratch_holds) {
    using T = TypeParam;
    random_stream r(14);
    const auto x = random_matrix<T>(50, 1, r);
    for (const double fill : {0.0, 1e30}) {
        arena<T> a;
        const auto room = a.inout(dense<T>(32, 1, static_cast<T>(fill)));
        const reductions_case<> c{a.input(x),     a.input(x),     a.scratch(32),
                                  a.per_member(), a.per_member(), a.per_member()};
        auto on_filled = c;
        on_filled.scratch = room;
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(same_bits(out.value(c.dot), chain::dot(x, x)));
            EXPECT_TRUE(same_bits(out.value(c.nrm2), chain::nrm2(x)));
        });
        on_all_groups(on_filled, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(same_bits(out.value(c.dot), chain::dot(x, x)));
            EXPECT_TRUE(same_bits(out.value(c.nrm2), chain::nrm2(x)));
            EXPECT_EQ(out.info(c.iamax), chain::iamax(x));
        });
    }
}

// ---- axpy -------------------------------------------------------------------------------------------------------------

template <class T>
dense<T> axpy(T alpha, const dense<T>& x, const dense<T>& y) {
    return dense<T>::from(x.rows(), 1, [&](int i, int) { return std::fma(alpha, x(i), y(i)); });
}

TYPED_TEST(blas_vectors, axpy_is_one_fma_an_element) {
    using T = TypeParam;
    random_stream r(21);
    for (const int n : sizes) {
        SCOPED_TRACE(n);
        const auto x = random_matrix<T>(n, 1, r);
        const auto y = random_matrix<T>(n, 1, r);
        for (const double alpha : {-0.37, 1.0, 2.0}) {
            arena<T> a;
            const axpy_case<> c{a.input(x, {.stride = 1 + n % 2}), a.inout(y, {.stride = 3, .shift = 1}),
                                a.output(n, 1), alpha};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                const auto expected = axpy(static_cast<T>(alpha), x, y);
                EXPECT_TRUE(bits_equal(out(c.y), expected));
                EXPECT_TRUE(bits_equal(out(c.seen), expected));
            });
        }
    }
}

TYPED_TEST(blas_vectors, axpy_static_and_deferred) {
    using T = TypeParam;
    random_stream r(22);
    constexpr int n = 7;
    const auto x = random_matrix<T>(n, 1, r);
    const auto y = random_matrix<T>(n, 1, r);
    const auto expected = axpy(T(1.5), x, y);
    arena<T> a;
    const few<axpy_case<look::fixed<n>, look::fixed<n>, ends::deferred>> c{
        {a.input(x), a.inout(y), a.output(n, 1), 1.5}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.y), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

TYPED_TEST(blas_vectors, axpy_with_alpha_zero_does_not_read_x) {
    using T = TypeParam;
    random_stream r(23);
    const auto y = random_matrix<T>(40, 1, r);
    arena<T> a;
    const axpy_case<> c{a.input(dense<T>(40, 1, poison<T>())), a.inout(y), a.output(40, 1), 0.0};
    on_all_groups(c, a, [&](const outcome<T>& out) { EXPECT_TRUE(bits_equal(out(c.y), y)); });
}

TYPED_TEST(blas_vectors, axpy_keeps_nan_where_it_is) {
    using T = TypeParam;
    auto x = dense<T>(35, 1, T(1));
    x(33) = limits<T>::quiet_NaN();
    arena<T> a;
    const axpy_case<> c{a.input(x), a.inout(dense<T>(35, 1, T(2))), a.output(35, 1), 2.0};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto y = out(c.y);
        for (int i = 0; i < 35; ++i) EXPECT_EQ(std::isnan(y(i)), i == 33);
        EXPECT_EQ(y(34), T(4));
    });
}

// ---- gemv -------------------------------------------------------------------------------------------------------------

TYPED_TEST(blas_vectors, gemv_has_the_documented_order_in_every_storage) {
    using T = TypeParam;
    random_stream r(31);
    int k = 0;
    for (const auto& [m, n] : {std::pair{1, 1}, {3, 2}, {2, 5}, {8, 8}, {17, 33}, {33, 9}, {65, 4}}) {
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.7, 1.3}, {2.0, 1.0}}) {
            SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
            const auto A = random_matrix<T>(m, n, r);
            const auto x = random_matrix<T>(n, 1, r);
            const auto y = random_matrix<T>(m, 1, r);
            arena<T> a;
            const gemv_case<> c{
                a.input(A, some_place(k++)),
                a.input(x, {.stride = 1 + k % 3}),
                beta == 0.0 ? a.output(m, 1, {.stride = 2}) : a.inout(y, {.stride = 1 + k % 2}),
                a.output(m, 1),
                alpha,
                beta};
            on_all_groups(c, a, [&](const outcome<T>& out) {
                const auto expected = chain::gemm(static_cast<T>(alpha), A, x, static_cast<T>(beta), y);
                EXPECT_TRUE(bits_equal(out(c.y), expected));
                EXPECT_TRUE(bits_equal(out(c.seen), expected));
                EXPECT_TRUE(
                    within(product_error(static_cast<T>(alpha), A, x, static_cast<T>(beta), y, out(c.y)), 1));
            });
        }
    }
}

TYPED_TEST(blas_vectors, gemv_matches_lapack) {
    using T = TypeParam;
    random_stream r(32);
    const auto A = random_matrix<T>(20, 30, r);
    const auto x = random_matrix<T>(30, 1, r);
    const auto y = random_matrix<T>(20, 1, r);
    auto reference = y.template as<double>();
    lapack::gemv('N', 0.5, A.template as<double>(), x.template as<double>(), -2.0, reference);
    arena<T> a;
    const gemv_case<> c{a.input(A), a.input(x), a.inout(y), a.output(20, 1), 0.5, -2.0};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(
            within(relative_error(out(c.y), reference), 30 * static_cast<double>(limits<T>::epsilon())));
    });
}

template <int M, int N, class A, class T>
void gemv_static(const dense<T>& stored, const dense<T>& meant, place where, random_stream& r) {
    const auto x = random_matrix<T>(N, 1, r);
    const auto y = random_matrix<T>(M, 1, r);
    arena<T> a;
    const few<gemv_case<A, look::fixed<N>, look::fixed<M>, ends::deferred>> c{
        {a.input(stored, where), a.input(x), a.inout(y), a.output(M, 1), 1.25, -0.5}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = chain::gemm(T(1.25), meant, x, T(-0.5), y);
        EXPECT_TRUE(bits_equal(out(c.y), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

TYPED_TEST(blas_vectors, gemv_static_and_deferred) {
    using T = TypeParam;
    random_stream r(33);
    const auto A = random_matrix<T>(5, 7, r);
    gemv_static<5, 7, look::fixed<5, 7>>(A, A, {}, r);
    gemv_static<5, 7, look::fixed<5, 7, shoal::row_ld<9>>>(A, A, {.order = storage::row, .padding = 2}, r);
    gemv_static<7, 5, look::flipped<look::fixed<5, 7>>>(A, transpose(A), {}, r);
}

TYPED_TEST(blas_vectors, gemv_with_alpha_zero_reads_neither_a_nor_x) {
    using T = TypeParam;
    for (const double beta : {0.0, -3.0}) {
        arena<T> a;
        const gemv_case<> c{a.input(dense<T>(9, 4, poison<T>())),
                            a.input(dense<T>(4, 1, poison<T>())),
                            beta == 0.0 ? a.output(9, 1) : a.inout(dense<T>(9, 1, T(2))),
                            a.output(9, 1),
                            0.0,
                            beta};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.y), dense<T>(9, 1, static_cast<T>(2 * beta) + T(0))));
        });
    }
}

TYPED_TEST(blas_vectors, gemv_of_no_columns_scales_y) {
    using T = TypeParam;
    arena<T> a;
    const gemv_case<> c{a.input(dense<T>(6, 0)),
                        a.input(dense<T>(0, 1)),
                        a.inout(dense<T>(6, 1, T(2))),
                        a.output(6, 1),
                        1.0,
                        1.5};
    on_all_groups(c, a,
                  [&](const outcome<T>& out) { EXPECT_TRUE(bits_equal(out(c.y), dense<T>(6, 1, T(3)))); });
}

}  // namespace
