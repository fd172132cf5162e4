// syev and eig_clamp: one source, included by test_lapack_eigen.cpp (emulated groups) and test_lapack_eigen.cu (the groups
// of a GPU).

#include "cases/ops.hpp"

#include <limits>

#include <shoal/lapack/eig_clamp.hpp>
#include <shoal/lapack/syev.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct lapack_eigen : testing::Test {};
TYPED_TEST_SUITE(lapack_eigen, scalars);

template <class T>
using limits = std::numeric_limits<T>;

template <int Sweeps = 24, class A = look::strided,
          shoal::syev_algorithm Algorithm = shoal::syev_algorithm::automatic>
struct syev_case {
    static constexpr shoal::syev_policy policy{.algorithm = Algorithm, .max_sweeps = Sweeps};
    piece a, w, v, scratch, seen_w, seen_v, info;
    shoal::uplo triangle;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto solve = [&](auto s) {
            return shoal::syev<policy>(g, s, look::strided::vector(w, buffer), A::matrix(v, buffer),
                                       scratch.data(buffer));
        };
        const int k = triangle == shoal::uplo::lower ? solve(symmetric_lower(A::matrix(a, buffer)))
                                                     : solve(symmetric_upper(A::matrix(a, buffer)));
        info.mine(g, buffer) = static_cast<T>(k);
        observe(g, buffer, w, seen_w);
        observe(g, buffer, v, seen_v);
        trample(g, buffer, scratch);
    }
};

/// Runs syev on every group; `check(W, V, info)`. The other triangle of A is forbidden.
template <class Case, class T>
void eigen(const dense<T>& A, shoal::uplo triangle, place where,
           const std::function<void(const dense<T>&, const dense<T>&, int)>& check) {
    const int n = A.rows();
    arena<T> a;
    Case c;
    c.a = a.input(A, where);
    if (triangle == shoal::uplo::lower) {
        a.forbid_above_diagonal(c.a);
    } else {
        a.forbid_below_diagonal(c.a);
    }
    c.w = a.output(n, 1, {.stride = 1 + n % 2});
    c.v = a.output(n, n, where);
    c.scratch = a.scratch(shoal::syev_scratch(n));
    c.seen_w = a.output(n, 1);
    c.seen_v = a.output(n, n);
    c.info = a.per_member();
    c.triangle = triangle;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen_w), out(c.w)));
        EXPECT_TRUE(bits_equal(out(c.seen_v), out(c.v)));
        check(out(c.w), out(c.v), out.info(c.info));
    });
}

/// Orthogonality and residual in units of n eps, and the order of the values.
template <class T>
void expect_decomposition(const dense<T>& A, const dense<T>& W, const dense<T>& V, double units = 10) {
    const int n = A.rows();
    const double unit = units * n * static_cast<double>(limits<T>::epsilon());
    const auto v = V.template as<wide>();
    const auto gram = naive::gemm<wide>(1, transpose(v), v, 0, v);
    worst off;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) off.add(std::abs(gram(i, j) - (i == j ? 1 : 0)));
    EXPECT_TRUE(within(static_cast<double>(off.value()), unit));
    const auto av = naive::gemm<wide>(1, A.template as<wide>(), v, 0, v);
    const auto residual =
        dense<wide>::from(n, n, [&](int i, int j) { return av(i, j) - v(i, j) * static_cast<wide>(W(j)); });
    EXPECT_TRUE(within(static_cast<double>(norm(residual)), unit * static_cast<double>(norm(A))));
    for (int i = 0; i + 1 < n; ++i) EXPECT_LE(W(i), W(i + 1));
}

template <class T>
dense<T> random_symmetric(int n, random_stream& r) {
    return symmetric_from_lower(random_matrix<T>(n, n, r));
}

TYPED_TEST(lapack_eigen, B06_C02_syev_decomposes_from_its_triangle_alone_in_every_storage) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const int n : {0, 1, 2, 3, 4, 5, 8, 15, 16, 33})
        for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
            SCOPED_TRACE(n);
            const auto A = random_symmetric<T>(n, r);
            eigen<syev_case<>, T>(A, triangle, some_place(at++),
                                  [&](const dense<T>& W, const dense<T>& V, int info) {
                                      EXPECT_EQ(info, 0);
                                      expect_decomposition(A, W, V);
                                  });
        }
}

TYPED_TEST(lapack_eigen, E05_syev_matches_lapack_below_and_above_a_warp) {
    using T = TypeParam;
    random_stream r(2);
    for (const int n : {7, 20, 31, 32, 33, 48, 64, 70}) {
        const auto A = random_symmetric<T>(n, r);
        auto reference = A.template as<double>();
        dense<double> w;
        EXPECT_EQ(lapack::syev('N', 'L', reference, w), 0);
        eigen<syev_case<>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>&, int) {
            EXPECT_TRUE(within(relative_error(W, w), 4 * n * static_cast<double>(limits<T>::epsilon())));
        });
    }
}

TYPED_TEST(lapack_eigen, syev_static_extents_give_the_same_bits) {
    using T = TypeParam;
    random_stream r(3);
    const auto A = random_symmetric<T>(6, r);
    dense<T> w;
    dense<T> v;
    eigen<few<syev_case<>>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int) {
        w = W;
        v = V;
    });
    eigen<few<syev_case<24, look::fixed<6, 6>>>, T>(A, shoal::uplo::lower, {},
                                                    [&](const dense<T>& W, const dense<T>& V, int info) {
                                                        EXPECT_EQ(info, 0);
                                                        EXPECT_TRUE(bits_equal(W, w));
                                                        EXPECT_TRUE(bits_equal(V, v));
                                                    });
}

/// Every group by way of a tridiagonal matrix.
template <int Sweeps = 24>
using reflected = few<syev_case<Sweeps, look::strided, shoal::syev_algorithm::tridiagonal>>;

TYPED_TEST(lapack_eigen, syev_by_reflections_decomposes_what_is_split_repeated_graded_or_tiny) {
    using T = TypeParam;
    random_stream r(11);
    const auto check = [&](const dense<T>& A) {
        SCOPED_TRACE(A.rows());
        for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
            eigen<reflected<>, T>(A, triangle, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
                EXPECT_EQ(info, 0);
                expect_decomposition(A, W, V);
            });
        }
    };
    for (const int n : {0, 1, 2, 3, 4, 7, 16, 35}) check(random_symmetric<T>(n, r));
    const auto from = [](int n, auto f) { return dense<T>::from(n, n, f); };
    // Nothing to reflect; one reflection whose column is nearly zero; a matrix in two parts.
    check(dense<T>(5, 5));
    check(from(5, [](int i, int j) { return i == j ? i % 2 : 0; }));
    check(from(6, [](int i, int j) { return i == j ? 1 : i + j == 5 ? 1e-30 : 0; }));
    check(from(8, [](int i, int j) { return i / 4 != j / 4 ? 0 : i == j ? 4 : 1; }));
    // Eigenvalues in pairs that agree to all digits, many equal ones, and sizes from one to 1e-12 both ways.
    check(from(21, [](int i, int j) { return i == j ? std::abs(i - 10) : std::abs(i - j) == 1 ? 1 : 0; }));
    check(from(12, [](int i, int j) { return i == j ? 3 : 1; }));
    check(from(9, [](int i, int j) { return std::pow(10.0, -1.5 * std::max(i, j)) * (i == j ? 2 : 1); }));
    check(
        from(9, [](int i, int j) { return std::pow(10.0, -1.5 * (8 - std::min(i, j))) * (i == j ? 2 : 1); }));
    // Elements whose squares vanish, and the shift of a matrix without a diagonal.
    const T least = limits<T>::min();
    check(from(6,
               [&](int i, int j) { return i == 0 && j == 0 ? T(1) : std::sqrt(least) * T(1 + i + j) / 16; }));
    check(from(7, [](int i, int j) { return std::abs(i - j) == 1 ? 1 : 0; }));
    // Given up: still rotations.
    const auto A = random_symmetric<T>(12, r);
    eigen<reflected<0>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
        EXPECT_EQ(info, 11);
        const auto v = V.template as<wide>();
        EXPECT_TRUE(
            within(relative_error(naive::gemm<wide>(1, transpose(v), v, 0, v), dense<wide>::identity(12)),
                   120 * static_cast<double>(limits<T>::epsilon())));
        for (int i = 0; i + 1 < 12; ++i) EXPECT_LE(W(i), W(i + 1));
    });
}

TYPED_TEST(lapack_eigen, E01_scaled_laplacian) {
    using T = TypeParam;
    for (const double scale : {1.0, 1e-8, 1e8}) {
        const auto A = dense<T>::from(3, 3, [&](int i, int j) {
            return scale * (i == j ? 2 : i + j == 2 ? 0 : -1);
        });
        eigen<syev_case<>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
            EXPECT_EQ(info, 0);
            const double exact[] = {2 - std::sqrt(2.0), 2, 2 + std::sqrt(2.0)};
            for (int i = 0; i < 3; ++i)
                EXPECT_TRUE(within(std::abs(static_cast<double>(W(i)) - scale * exact[i]),
                                   scale * 16 * static_cast<double>(limits<T>::epsilon())));
            expect_decomposition(A, W, V);
        });
    }
}

TYPED_TEST(lapack_eigen, E02_repeated_eigenvalues) {
    using T = TypeParam;
    const auto A = dense<T>::from(3, 3, [](int i, int j) { return i == j ? 3 : 1; });
    const double unit = sizeof(T) == 8 ? 1e-14 : 5e-6;
    eigen<syev_case<>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
        EXPECT_EQ(info, 0);
        const double exact[] = {2, 2, 5};
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(within(std::abs(static_cast<double>(W(i)) - exact[i]), unit));
        expect_decomposition(A, W, V);
    });
    for (const T d : {T(1), T(0)}) {
        const auto D = dense<T>::from(4, 4, [&](int i, int j) { return i == j ? d : T(0); });
        eigen<syev_case<>, T>(D, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_TRUE(bits_equal(W, dense<T>(4, 1, d)));
            EXPECT_TRUE(bits_equal(V, dense<T>::identity(4)));
        });
    }
}

TYPED_TEST(lapack_eigen, E04_near_equal_eigenvalues_and_the_limit_of_sweeps) {
    using T = TypeParam;
    for (const int n : {32, 33, 40, 64}) {
        const auto A =
            dense<T>::from(n, n, [](int i, int j) { return 1.0 / (i + j + 1) + (i == j ? i + 1 : 0); });
        eigen<few<syev_case<>>, T>(A, shoal::uplo::lower, {},
                                   [&](const dense<T>& W, const dense<T>& V, int info) {
                                       EXPECT_EQ(info, 0);
                                       expect_decomposition(A, W, V);
                                   });
    }
    random_stream r(4);
    const auto A = random_symmetric<T>(12, r);
    eigen<few<syev_case<1>>, T>(
        A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
            EXPECT_GT(info, 0);
            EXPECT_LE(info, 12 * 11 / 2);
            // Unconverged, but still rotations: orthogonal to rounding.
            const auto v = V.template as<wide>();
            EXPECT_TRUE(
                within(relative_error(naive::gemm<wide>(1, transpose(v), v, 0, v), dense<wide>::identity(12)),
                       120 * static_cast<double>(limits<T>::epsilon())));
            for (int i = 0; i + 1 < 12; ++i) EXPECT_LE(W(i), W(i + 1));
        });
}

TYPED_TEST(lapack_eigen, A11_nan_and_infinity_end_with_info) {
    using T = TypeParam;
    for (const int n : {1, 6, 33})
        for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()}) {
            auto A = dense<T>::identity(n);
            A(n - 1, n / 2) = bad;
            eigen<few<syev_case<>>, T>(A, shoal::uplo::lower, {},
                                       [&](const dense<T>& W, const dense<T>&, int info) {
                                           EXPECT_EQ(info, n + 1);
                                           for (int i = 0; i < n; ++i)
                                               EXPECT_TRUE(same_bits(W(i), poison<T>()));
                                       });
        }
}

/// Members that are done with a matrix that is not finite make it finite, while others may not have looked yet.
struct mended_case {
    piece a, w, v, scratch, info;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto A = look::strided::matrix(a, buffer);
        const int k = shoal::syev(g, symmetric_lower(A), look::strided::vector(w, buffer),
                                  look::strided::matrix(v, buffer), scratch.data(buffer));
        info.mine(g, buffer) = static_cast<T>(k);
        shoal::strided(shoal::core::rolled{}, g, A.rows() * A.cols(),
                       [&](int e) SHOAL_INLINE_LAMBDA { A(e % A.rows(), e / A.rows()) = T(0); });
    }
};

TYPED_TEST(lapack_eigen, A11_a_matrix_may_be_written_when_it_was_found_not_finite) {
    using T = TypeParam;
    const int n = 6;
    auto A = dense<T>::identity(n);
    A(n - 1, 0) = limits<T>::quiet_NaN();
    arena<T> a;
    const mended_case c{a.inout(A), a.output(n, 1), a.output(n, n), a.scratch(shoal::syev_scratch(n)),
                        a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), n + 1);
        EXPECT_TRUE(bits_equal(out(c.a), dense<T>(n, n)));
    });
}

TYPED_TEST(lapack_eigen, entries_near_the_ends_of_the_range_converge) {
    using T = TypeParam;
    random_stream r(5);
    const auto scaled = [](const dense<T>& A, int exponent) {
        return dense<T>::from(A.rows(), A.cols(),
                              [&](int i, int j) { return std::ldexp(A(i, j), exponent); });
    };
    const auto check = [&](const dense<T>& A, int exponent) {
        const auto given = scaled(A, exponent);
        eigen<few<syev_case<>>, T>(
            given, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int info) {
                EXPECT_EQ(info, 0);
                expect_decomposition(scaled(given, -exponent), scaled(W, -exponent), V);
            });
    };
    const auto A = random_symmetric<T>(6, r);
    for (const int exponent : {limits<T>::max_exponent - 4, limits<T>::min_exponent + 2 * limits<T>::digits,
                               limits<T>::min_exponent - 1}) {
        check(A, exponent);
    }
    // Differences and doubled entries overflow, the eigenvalues -0.75 and 0.75 do not.
    const auto traceless = [](T first, T across) {
        return dense<T>::from(2, 2, [&](int i, int j) { return i != j ? across : i == 0 ? first : -first; });
    };
    check(traceless(T(-0.6), T(0.45)), limits<T>::max_exponent);
    check(traceless(T(0), T(1)), limits<T>::min_exponent - limits<T>::digits);
}

TYPED_TEST(lapack_eigen, A05_B08_orders_zero_and_one) {
    using T = TypeParam;
    eigen<few<syev_case<>>, T>(dense<T>(1, 1, T(-5)), shoal::uplo::upper, {},
                               [](const dense<T>& W, const dense<T>& V, int info) {
                                   EXPECT_EQ(info, 0);
                                   EXPECT_EQ(W(0), T(-5));
                                   EXPECT_EQ(std::abs(V(0)), T(1));
                               });
    eigen<few<syev_case<>>, T>(dense<T>(0, 0), shoal::uplo::lower, {},
                               [](const dense<T>&, const dense<T>&, int info) { EXPECT_EQ(info, 0); });
}

TYPED_TEST(lapack_eigen, C14_results_do_not_depend_on_what_the_scratch_holds) {
    using T = TypeParam;
    random_stream r(9);
    const auto A = random_symmetric<T>(7, r);
    dense<T> w;
    dense<T> v;
    eigen<few<syev_case<>>, T>(A, shoal::uplo::lower, {}, [&](const dense<T>& W, const dense<T>& V, int) {
        w = W;
        v = V;
    });
    for (const double fill : {0.0, 1e30}) {
        arena<T> a;
        few<syev_case<>> c;
        c.a = a.input(A);
        c.w = a.inout(dense<T>(7, 1, static_cast<T>(fill)));
        c.v = a.inout(dense<T>(7, 7, static_cast<T>(fill)));
        c.scratch = a.inout(dense<T>(shoal::syev_scratch(7), 1, static_cast<T>(fill)));
        c.seen_w = a.output(7, 1);
        c.seen_v = a.output(7, 7);
        c.info = a.per_member();
        c.triangle = shoal::uplo::lower;
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.w), w));
            EXPECT_TRUE(bits_equal(out(c.v), v));
        });
    }
}

// ---- eig_clamp ----------------------------------------------------------------------------------------------------------

template <int Sweeps = 24, class A = look::strided, class End = ends::synced>
struct eig_clamp_case {
    static constexpr shoal::syev_policy policy{.max_sweeps = Sweeps};
    piece a, scratch, seen, info;
    double floor;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int k = shoal::eig_clamp<policy>(End::group(g), symmetric_lower(A::matrix(a, buffer)),
                                               static_cast<T>(floor), scratch.data(buffer));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe(g, buffer, a, seen);
        trample(g, buffer, scratch);
    }
};

template <class Case, class T>
void clamp(const dense<T>& A, double floor, place where,
           const std::function<void(const dense<T>&, int)>& check) {
    const int n = A.rows();
    arena<T> a;
    Case c;
    c.a = a.inout(A, where);
    c.scratch = a.scratch(shoal::eig_clamp_scratch(n));
    c.seen = a.output(n, n);
    c.info = a.per_member();
    c.floor = floor;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.a)));
        check(out(c.a), out.info(c.info));
    });
}

TYPED_TEST(lapack_eigen, B06_eig_clamp_raises_the_small_eigenvalues_and_is_symmetric_to_the_bit) {
    using T = TypeParam;
    random_stream r(6);
    int at = 0;
    for (const int n : {0, 1, 2, 5, 8, 17}) {
        const auto w = dense<double>::from(n, 1, [&](int i, int) { return i - 2.5; });
        random_stream first(7);
        random_stream again(7);
        const auto A = symmetric_with_eigenvalues<T>(w, first);
        const auto expected = symmetric_with_eigenvalues<double>(
            dense<double>::from(n, 1, [&](int i, int) { return std::max(w(i), 0.25); }), again);
        clamp<eig_clamp_case<>, T>(A, 0.25, some_place(at++), [&](const dense<T>& x, int info) {
            EXPECT_EQ(info, 0);
            EXPECT_TRUE(bits_equal(x, transpose(x)));
            EXPECT_TRUE(
                within(relative_error(x, expected), 20 * n * static_cast<double>(limits<T>::epsilon())));
        });
    }
    const auto A = random_symmetric<T>(5, r);
    dense<T> dynamic;
    clamp<few<eig_clamp_case<>>, T>(A, 0.1, {}, [&](const dense<T>& x, int) { dynamic = x; });
    clamp<few<eig_clamp_case<24, look::fixed<5, 5>, ends::deferred>>, T>(
        A, 0.1, {}, [&](const dense<T>& x, int) { EXPECT_TRUE(bits_equal(x, dynamic)); });
}

TYPED_TEST(lapack_eigen, A11_eig_clamp_leaves_the_matrix_where_it_fails) {
    using T = TypeParam;
    random_stream r(8);
    auto A = random_symmetric<T>(8, r);
    clamp<few<eig_clamp_case<1>>, T>(A, 0.1, {}, [&](const dense<T>& x, int info) {
        EXPECT_GT(info, 0);
        EXPECT_TRUE(bits_equal(x, A));
    });
    A(7, 2) = limits<T>::quiet_NaN();
    clamp<few<eig_clamp_case<>>, T>(A, 0.1, {}, [&](const dense<T>& x, int info) {
        EXPECT_EQ(info, 9);
        EXPECT_TRUE(bits_equal(x, A));
    });
}

}  // namespace
