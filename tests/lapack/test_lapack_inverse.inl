// inv, inv_unpivoted and shifts: one source, included by test_lapack_inverse.cpp (emulated groups) and
// test_lapack_inverse.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

#include <shoal/lapack/inv.hpp>
#include <shoal/lapack/shift.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct lapack_inverse : testing::Test {};
TYPED_TEST_SUITE(lapack_inverse, scalars);

template <class T>
using limits = std::numeric_limits<T>;

template <class T>
dense<T> matrix_of(int n, std::initializer_list<double> by_rows) {
    return dense<T>::from(n, n, [&](int i, int j) { return by_rows.begin()[i * n + j]; });
}

enum class pivoting { none, partial };

template <class A = look::strided, class End = ends::synced>
struct inv_case {
    piece a, pivots, seen, info;
    pivoting how;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto m = A::matrix(a, buffer);
        const int k = how == pivoting::partial
                          ? shoal::inv(End::group(g), m, integers<decltype(m)::static_rows>(pivots, buffer))
                          : shoal::inv_unpivoted(End::group(g), m);
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe(g, buffer, a, seen);
    }
};

/// Inverts on every group; `check(inverse, info)`.
template <class Case = inv_case<>, class T>
void invert(const dense<T>& A, pivoting how, place where,
            const std::function<void(const dense<T>&, int)>& check) {
    const int n = A.rows();
    arena<T> a;
    Case c;
    c.a = a.inout(A, where);
    c.pivots = a.output(n, 1);
    c.seen = a.output(n, n);
    c.info = a.per_member();
    c.how = how;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.a)));
        check(out(c.a), out.info(c.info));
    });
}

/// The documented order.
template <class T>
dense<T> inverse_chain(dense<T> a, pivoting how) {
    const int n = a.rows();
    std::vector<int> pivots;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n && how == pivoting::partial; ++i)
            if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
        pivots.push_back(p);
        for (int j = 0; j < n; ++j) std::swap(a(k, j), a(p, j));
        const T r = T(1) / a(k, k);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (i != k && j != k) a(i, j) = std::fma(-a(i, k), a(k, j) * r, a(i, j));
        for (int i = 0; i < n; ++i) {
            if (i == k) continue;
            a(i, k) = -(a(i, k) * r);
            a(k, i) = a(k, i) * r;
        }
        a(k, k) = r;
    }
    for (int k = n - 1; k >= 0; --k)
        for (int i = 0; i < n; ++i) std::swap(a(i, k), a(i, pivots[static_cast<std::size_t>(k)]));
    return a;
}

TYPED_TEST(lapack_inverse, A05_B06_C07_inv_has_the_documented_order_in_place_from_no_row_up) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : {0, 1, 2, 3, 5, 8, 16, 17, 33, 50}) {
        for (const auto how : {pivoting::partial, pivoting::none}) {
            SCOPED_TRACE(n);
            auto A = random_matrix<T>(n, n, r);
            for (int i = 0; i < n && how == pivoting::none; ++i) A(i, i) += static_cast<T>(n);
            invert<inv_case<>, T>(A, how, some_place(at++), [&](const dense<T>& x, int info) {
                EXPECT_EQ(info, 0);
                EXPECT_TRUE(bits_equal(x, inverse_chain(A, how)));
            });
        }
    }
}

TYPED_TEST(lapack_inverse, E05_inv_has_a_small_residual_below_and_above_a_warp) {
    using T = TypeParam;
    random_stream r(2);
    for (const int n : {4, 12, 31, 32, 33, 48, 64}) {
        const double condition = 100;
        const auto A = random_general<T>(n, condition, r);
        const auto unit = n * condition * static_cast<double>(limits<T>::epsilon());
        invert<inv_case<>, T>(A, pivoting::partial, {}, [&](const dense<T>& x, int info) {
            EXPECT_EQ(info, 0);
            const auto product =
                naive::gemm<wide>(1, A.template as<wide>(), x.template as<wide>(), 0, A.template as<wide>());
            EXPECT_TRUE(within(relative_error(product, dense<wide>::identity(n)), unit));
        });
        const auto S = random_spd<T>(n, condition, r);
        invert<inv_case<>, T>(S, pivoting::none, {}, [&](const dense<T>& x, int info) {
            EXPECT_EQ(info, 0);
            const auto product =
                naive::gemm<wide>(1, S.template as<wide>(), x.template as<wide>(), 0, S.template as<wide>());
            EXPECT_TRUE(within(relative_error(product, dense<wide>::identity(n)), unit));
        });
    }
}

TYPED_TEST(lapack_inverse, inv_static_and_deferred) {
    using T = TypeParam;
    random_stream r(3);
    const auto check = [&]<class Look>(int n, place where, Look) {
        for (const auto how : {pivoting::partial, pivoting::none}) {
            const auto S = random_spd<T>(n, 10, r);
            // Rows that change places, so that a lane writes where another has read.
            const auto A = dense<T>::from(
                n, n, [&](int i, int j) { return S(how == pivoting::partial ? n - 1 - i : i, j); });
            invert<few<inv_case<Look, ends::deferred>>, T>(A, how, where, [&](const dense<T>& x, int info) {
                EXPECT_EQ(info, 0);
                EXPECT_TRUE(bits_equal(x, inverse_chain(A, how)));
            });
        }
    };
    check(4, {}, look::fixed<4, 4>{});
    check(6, {.order = storage::row, .padding = 1}, look::fixed<6, 6, shoal::row_ld<7>>{});
}

TYPED_TEST(lapack_inverse, C07_inverse_of_whole_numbers_is_exact) {
    using T = TypeParam;
    for (const auto how : {pivoting::partial, pivoting::none})
        invert<inv_case<>, T>(matrix_of<T>(2, {2, 1, 1, 1}), how, {}, [](const dense<T>& x, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_TRUE(bits_equal(x, matrix_of<T>(2, {1, -1, -1, 2})));
        });
    invert<inv_case<>, T>(
        matrix_of<T>(3, {0, 2, 0, 0, 0, 4, 1, 0, 0}), pivoting::partial, {}, [](const dense<T>& x, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_EQ(relative_error(x, matrix_of<T>(3, {0, 0, 1, 0.5, 0, 0, 0, 0.25, 0})), 0);
        });
}

TYPED_TEST(lapack_inverse, A01_singular_in_batch) {
    using T = TypeParam;
    for (const auto how : {pivoting::partial, pivoting::none})
        invert<inv_case<>, T>(matrix_of<T>(2, {2, 4, 1, 2}), how, {},
                              [](const dense<T>&, int info) { EXPECT_EQ(info, 2); });
    // A batch of three, one thread each: neighbours keep their bits.
    std::vector<dense<T>> batch{matrix_of<T>(2, {2, 1, 1, 1}), matrix_of<T>(2, {2, 4, 1, 2}),
                                matrix_of<T>(2, {2, 1, 1, 1})};
    for (std::size_t k = 0; k < batch.size(); ++k) {
        int pivots[2];
        const int info = shoal::inv(shoal::this_thread(), shoal::matrix<T, 2, 2>{batch[k].data()},
                                    shoal::vector<int, 2>{pivots});
        EXPECT_EQ(info, k == 1 ? 2 : 0);
        EXPECT_TRUE(k == 1 || bits_equal(batch[k], matrix_of<T>(2, {1, -1, -1, 2})));
    }
}

TYPED_TEST(lapack_inverse, A11_nan_and_infinity_end_with_info) {
    using T = TypeParam;
    for (const int n : {6, 33})
        for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()})
            for (const auto& [i, j] : {std::pair{0, 0}, {n - 1, n - 1}, {n / 2, n / 2}}) {
                auto A = dense<T>::identity(n);
                A(i, j) = bad;
                for (const auto how : {pivoting::partial, pivoting::none})
                    invert<inv_case<>, T>(
                        A, how, {}, [&, at = i](const dense<T>&, int info) { EXPECT_EQ(info, at + 1); });
            }
}

TYPED_TEST(lapack_inverse, a_zero_pivot_is_no_failure_with_interchanges_and_one_without) {
    using T = TypeParam;
    const auto A = matrix_of<T>(2, {0, 1, 1, 0});
    invert<inv_case<>, T>(A, pivoting::partial, {}, [&](const dense<T>& x, int info) {
        EXPECT_EQ(info, 0);
        EXPECT_EQ(relative_error(x, A), 0);
    });
    invert<inv_case<>, T>(A, pivoting::none, {}, [](const dense<T>&, int info) { EXPECT_EQ(info, 1); });
}

TYPED_TEST(lapack_inverse, a_subnormal_pivot_is_divided_by_without_overflow) {
    using T = TypeParam;
    const T tiny = limits<T>::min() / 8;
    auto A = dense<T>::identity(2);
    A(0, 0) = tiny;
    A(0, 1) = tiny;
    invert<inv_case<>, T>(A, pivoting::none, {}, [&](const dense<T>& x, int info) {
        EXPECT_EQ(info, 0);
        EXPECT_EQ(x(0, 1), T(-1));
        EXPECT_EQ(x(1, 1), T(1));
    });
}

TEST(lapack_inverse, E08_hilbert) {
    const auto A = dense<double>::from(4, 4, [](int i, int j) { return 1.0 / (i + j + 1); });
    const auto exact = matrix_of<double>(
        4, {16, -120, 240, -140, -120, 1200, -2700, 1680, 240, -2700, 6480, -4200, -140, 1680, -4200, 2800});
    for (const auto how : {pivoting::partial, pivoting::none})
        invert<inv_case<>, double>(A, how, {}, [&](const dense<double>& x, int info) {
            EXPECT_EQ(info, 0);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    EXPECT_TRUE(within(std::abs(x(i, j) - exact(i, j)), 1e-11 * std::abs(exact(i, j))));
        });
}

// ---- shifts -------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class End = ends::synced>
struct shift_case {
    piece plain, seen_plain, relative, seen_relative;
    double rho;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::shift(End::group(g), static_cast<T>(rho), A::matrix(plain, buffer));
        End::finish(g);
        observe(g, buffer, plain, seen_plain);
        shoal::shift_relative(End::group(g), static_cast<T>(rho), A::matrix(relative, buffer));
        End::finish(g);
        observe(g, buffer, relative, seen_relative);
    }
};

template <class Case, class T>
void shifts(int n, place where, random_stream& r) {
    const auto A = random_matrix<T>(n, n, r);
    const T rho = T(0.3);
    arena<T> a;
    Case c;
    c.plain = a.inout(A, where);
    c.seen_plain = a.output(n, n);
    c.relative = a.inout(A, where);
    c.seen_relative = a.output(n, n);
    c.rho = static_cast<double>(rho);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto plain =
            dense<T>::from(n, n, [&](int i, int j) { return i == j ? A(i, i) + rho : A(i, j); });
        const auto relative = dense<T>::from(
            n, n, [&](int i, int j) { return i == j ? std::fma(rho, A(i, i), A(i, i)) : A(i, j); });
        EXPECT_TRUE(bits_equal(out(c.plain), plain));
        EXPECT_TRUE(bits_equal(out(c.seen_plain), plain));
        EXPECT_TRUE(bits_equal(out(c.relative), relative));
        EXPECT_TRUE(bits_equal(out(c.seen_relative), relative));
    });
}

TYPED_TEST(lapack_inverse, B06_shifts_change_the_diagonal_alone) {
    random_stream r(4);
    int at = 0;
    for (const int n : {0, 1, 2, 5, 8, 33}) shifts<shift_case<>, TypeParam>(n, some_place(at++), r);
    shifts<few<shift_case<look::fixed<5, 5>, ends::deferred>>, TypeParam>(5, {}, r);
}

}  // namespace
