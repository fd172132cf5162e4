// The register-resident bodies against the generic ones, to the bit: one source, included by test_fast_rows.cpp
// (emulated groups) and test_fast_rows.cu (the groups of a GPU).

#include "support/lane.hpp"

#include <limits>

#include <shoal/lapack/posv.hpp>

namespace {

using namespace shoal::support;
using shoal::uplo;

// The kernels of the GPU lane are built for blocks of 1024 threads, 64 registers each. What does not fit them is left to
// the emulated groups: it would spill, and take minutes to compile.
#if defined(__CUDACC__)
constexpr int words = 48;
constexpr int large = 24;
#else
constexpr int words = 255;
constexpr int large = 32;
#endif

/// Whether group G holds a triangle of order N here.
template <class G, int N>
constexpr bool holds() {
    if constexpr (shoal::fast::suits_rows<G, shoal::matrix<double, N, N>>) {
        return shoal::fast::detail::triangle_words<double, N, G::static_size> <= words;
    } else {
        return false;
    }
}

/// potrf in registers and column by column, on two copies of the same matrix.
template <int N, uplo Uplo>
struct potrf_pair {
    piece rows, columns, seen, rows_info, columns_info;
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto a = rows.view<N, N>(buffer);
        const auto b = columns.view<N, N>(buffer);
        if constexpr (Uplo == uplo::lower) {
            rows_info.mine(g, buffer) = T(shoal::fast::potrf_rows(g, a));
        } else {
            rows_info.mine(g, buffer) = T(shoal::fast::potrf_rows(g, transposed(a)));
        }
        observe(g, buffer, rows, seen);
        constexpr shoal::potrf_policy plain{.algorithm = shoal::potrf_algorithm::columns};
        columns_info.mine(g, buffer) = T(shoal::potrf<plain>(g, shoal::triangular<decltype(b), Uplo>{b}));
    }
};

template <class T, int N, uplo Uplo>
void expect_equal_factors(const dense<T>& A, place where, int info) {
    arena<T> a;
    potrf_pair<N, Uplo> c{a.inout(A, where), a.inout(A, where), a.output(N, N), a.per_member(),
                          a.per_member()};
    const piece matrices[] = {c.rows, c.columns};
    for (const piece& p : matrices) {
        if (Uplo == uplo::lower) a.forbid_above_diagonal(p);
        if (Uplo == uplo::upper) a.forbid_below_diagonal(p);
    }
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.rows_info), info);
        EXPECT_EQ(out.info(c.columns_info), info);
        const auto got = out(c.rows);
        const auto want = out(c.columns);
        EXPECT_TRUE(bits_equal(got, want)) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.seen), got)) << "before the exit barrier, N = " << N;
    });
}

template <class T, int N>
void upper_potrf_has_the_bits_of_the_generic_body() {
    random_stream r(N);
    expect_equal_factors<T, N, uplo::upper>(random_spd<T>(N, 1000, r), {}, 0);
}

template <class T, int N>
void potrf_has_the_bits_of_the_generic_body() {
    random_stream r(N);
    const auto A = random_spd<T>(N, 1000, r);
    expect_equal_factors<T, N, uplo::lower>(A, {.padding = 3, .shift = 1}, 0);
    // Failures, also those that only not-a-number and infinity show: the columns before are final, the rest untouched.
    for (const T bad :
         {T(-1), T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        auto B = A;
        B(N / 2, N / 2) = bad;
        expect_equal_factors<T, N, uplo::lower>(B, {}, N / 2 + 1);
    }
}

TEST(fast_rows, potrf_double) {
    potrf_has_the_bits_of_the_generic_body<double, 1>();
    potrf_has_the_bits_of_the_generic_body<double, 5>();
    potrf_has_the_bits_of_the_generic_body<double, 8>();
    potrf_has_the_bits_of_the_generic_body<double, large>();
    upper_potrf_has_the_bits_of_the_generic_body<double, 5>();
}
TEST(fast_rows, potrf_float) {
    potrf_has_the_bits_of_the_generic_body<float, 2>();
    potrf_has_the_bits_of_the_generic_body<float, 12>();
    potrf_has_the_bits_of_the_generic_body<float, 17>();
    upper_potrf_has_the_bits_of_the_generic_body<float, 12>();
}

/// trsm in registers and in place.
template <int N, int Columns, uplo Uplo, shoal::diagonal Diagonal>
struct trsm_pair {
    piece triangle, rows, shared, seen;
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto a = triangle.view<N, N>(buffer);
        const shoal::triangular<decltype(a), Uplo, Diagonal> t{a};
        shoal::fast::trsm_rows(g, t, rows.view<N, Columns>(buffer));
        observe(g, buffer, rows, seen);
        constexpr shoal::trsm_policy plain{.algorithm = shoal::trsm_algorithm::shared};
        shoal::trsm<plain>(g, t, shared.view<N, Columns>(buffer));
    }
};

template <class T, int N, int Columns, uplo Uplo, shoal::diagonal Diagonal>
void expect_equal_solutions(const dense<T>& triangle, const dense<T>& B, place where) {
    arena<T> a;
    const auto L = Uplo == uplo::lower ? triangle : transpose(triangle);
    trsm_pair<N, Columns, Uplo, Diagonal> c{a.input(L, {.padding = 1}), a.inout(B, where), a.inout(B, where),
                                            a.output(N, B.cols())};
    if (Uplo == uplo::lower) a.forbid_above_diagonal(c.triangle);
    if (Uplo == uplo::upper) a.forbid_below_diagonal(c.triangle);
    if (Diagonal == shoal::diagonal::unit) a.forbid_diagonal(c.triangle);
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.rows), out(c.shared))) << "N = " << N << ", columns " << B.cols();
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.rows))) << "before the exit barrier, N = " << N;
    });
}

template <class T, int N>
void trsm_has_the_bits_of_the_generic_body() {
    using shoal::dynamic;
    using enum shoal::diagonal;
    random_stream r(N);
    const auto L = random_lower<T>(N, r);
    const auto many = random_matrix<T>(N, 15, r);
    const auto one = random_matrix<T>(N, 1, r);
    expect_equal_solutions<T, N, dynamic, uplo::lower, stored>(L, many, {.padding = 2});
    if constexpr (N <= 8) {
        expect_equal_solutions<T, N, 15, uplo::upper, stored>(L, many, {});
        expect_equal_solutions<T, N, dynamic, uplo::upper, unit>(L, one, {.shift = 1});
        expect_equal_solutions<T, N, 1, uplo::lower, unit>(L, one, {});
    } else {
        expect_equal_solutions<T, N, 1, uplo::upper, stored>(L, one, {.shift = 1});
    }
}

TEST(fast_rows, trsm_double) {
    trsm_has_the_bits_of_the_generic_body<double, 1>();
    trsm_has_the_bits_of_the_generic_body<double, 7>();
    trsm_has_the_bits_of_the_generic_body<double, large>();
}
TEST(fast_rows, trsm_float) {
    trsm_has_the_bits_of_the_generic_body<float, 4>();
    trsm_has_the_bits_of_the_generic_body<float, 17>();
}

// A zero on the diagonal: infinities and not-a-number reach the rows behind it and no others.
TEST(fast_rows, A15_singular_triangle) {
    const auto U = dense<double>::from(2, 2, [](int i, int j) {
        return i == 0 && j == 0 ? 2 : i == 0 ? 1 : 0;
    });
    for (const double b : {1.0, 0.0}) {
        const auto B = dense<double>(2, 3, b);
        expect_equal_solutions<double, 2, 3, uplo::lower, shoal::diagonal::stored>(transpose(U), B, {});
        expect_equal_solutions<double, 2, 3, uplo::upper, shoal::diagonal::stored>(transpose(U), B, {});
    }
}

/// posv in registers, with the factor and without it, and made of the generic bodies.
template <int N>
struct posv_trio {
    piece rows, x_rows, only_read, x_only_read, columns, x_columns, seen, infos[3];
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        infos[0].mine(g, buffer) =
            T(shoal::fast::posv_rows(g, rows.view<N, N>(buffer), x_rows.vector<N, 1>(buffer)));
        observe(g, buffer, x_rows, seen);
        infos[1].mine(g, buffer) = T(shoal::fast::posv_rows(
            g, only_read.view<N, N>(static_cast<const T*>(buffer)), x_only_read.vector<N, 1>(buffer)));
        const auto b = columns.view<N, N>(buffer);
        const auto x = x_columns.vector<N, 1>(buffer);
        constexpr shoal::potrf_policy plain{.algorithm = shoal::potrf_algorithm::columns};
        const int info = shoal::potrf<plain>(g, lower(b));
        infos[2].mine(g, buffer) = T(info);
        constexpr shoal::trsm_policy plain_solve{.algorithm = shoal::trsm_algorithm::shared};
        if (info == 0) {
            shoal::trsv<plain_solve>(g, lower(b), x);
            shoal::trsv<plain_solve>(g, transposed(lower(b)), x);
        }
    }
};

template <class T, int N>
void posv_has_the_bits_of_the_generic_body() {
    random_stream r(N);
    for (const int info : {0, N / 2 + 1}) {
        auto A = random_spd<T>(N, 100, r);
        if (info > 0) A(info - 1, info - 1) = -1;
        const auto b = random_matrix<T>(N, 1, r);
        arena<T> a;
        posv_trio<N> c{a.inout(A),
                       a.inout(b),
                       a.input(A, {.padding = 2}),
                       a.inout(b),
                       a.inout(A),
                       a.inout(b),
                       a.output(N, 1),
                       {a.per_member(), a.per_member(), a.per_member()}};
        const piece matrices[] = {c.rows, c.only_read, c.columns};
        for (const piece& p : matrices) a.forbid_above_diagonal(p);
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            for (const piece& p : c.infos) EXPECT_EQ(out.info(p), info);
            EXPECT_TRUE(bits_equal(out(c.x_rows), out(c.x_columns))) << "N = " << N;
            EXPECT_TRUE(bits_equal(out(c.x_only_read), out(c.x_columns))) << "N = " << N;
            EXPECT_TRUE(bits_equal(out(c.rows), out(c.columns))) << "N = " << N;
            EXPECT_TRUE(bits_equal(out(c.seen), out(c.x_rows))) << "before the exit barrier, N = " << N;
            if (info > 0) {
                EXPECT_TRUE(bits_equal(out(c.x_rows), b)) << "after a failure, N = " << N;
            }
        });
    }
}

TEST(fast_rows, posv_double) {
    posv_has_the_bits_of_the_generic_body<double, 1>();
    posv_has_the_bits_of_the_generic_body<double, 6>();
    posv_has_the_bits_of_the_generic_body<double, large>();
}
TEST(fast_rows, posv_float) {
    posv_has_the_bits_of_the_generic_body<float, 3>();
    posv_has_the_bits_of_the_generic_body<float, 24>();
}

// What fits the registers, so that nobody takes the path by chance.
TEST(fast_rows, which_groups_hold_which_orders) {
    using shoal::fast::detail::triangle_fits;
    using shoal::fast::detail::triangle_words;
    EXPECT_TRUE((triangle_fits<shoal::thread_group, float, 12>()));
    EXPECT_TRUE((triangle_fits<shoal::thread_group, double, 8>()));
    EXPECT_FALSE((triangle_fits<shoal::thread_group, double, 32>()));
    EXPECT_EQ((triangle_words<double, 32, 8>), 160);
    EXPECT_EQ((triangle_words<float, 8, 4>), 12);
    EXPECT_EQ((triangle_words<double, 6, 1>), 42);
}

}  // namespace
