// Panels of LU, rows of L D L' and products of static extents against the generic bodies: one source, included by test_fast_panels.cpp
// (emulated groups) and test_fast_panels.cu (the groups of a GPU, whose tensor cores make the products of doubles).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

#include <shoal/blas/gemm.hpp>
#include <shoal/blas/syrk.hpp>
#include <shoal/lapack/getrf.hpp>
#include <shoal/lapack/ldlt.hpp>

namespace {

using namespace shoal::support;

template <class T>
using limits = std::numeric_limits<T>;

/// Equal to the bit, but for what kind of NaN a NaN is.
template <class T>
testing::AssertionResult results_equal(const dense<T>& got, const dense<T>& want) {
    for (int j = 0; j < want.cols(); ++j)
        for (int i = 0; i < want.rows(); ++i)
            if (!same_result(got(i, j), want(i, j)))
                return testing::AssertionFailure()
                       << "element (" << i << ", " << j << "): " << show_bits(got(i, j)) << " is not "
                       << show_bits(want(i, j));
    return testing::AssertionSuccess();
}

// ---- getrf ------------------------------------------------------------------------------------------------------------

template <int N>
struct getrf_by_panels {
    piece panels, columns, seen, panel_pivots, column_pivots, panel_info, column_info;
    template <class G>
    static constexpr bool supports = shoal::fast::has_warps<G>;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::getrf_policy by_panels{.algorithm = shoal::getrf_algorithm::panels};
        constexpr shoal::getrf_policy by_columns{.algorithm = shoal::getrf_algorithm::columns};
        panel_info.mine(g, buffer) =
            T(shoal::getrf<by_panels>(g, panels.view<N, N>(buffer), integers<N>(panel_pivots, buffer)));
        observe(g, buffer, panels, seen);
        column_info.mine(g, buffer) =
            T(shoal::getrf<by_columns>(g, columns.view<N, N>(buffer), integers<N>(column_pivots, buffer)));
    }
};

template <int N, class T>
void expect_equal_factors(const dense<T>& A, place where, int info) {
    const int n = A.rows();
    arena<T> a;
    const getrf_by_panels<N> c{a.inout(A, where), a.inout(A, where), a.output(n, n), a.output(n, 1),
                               a.output(n, 1),    a.per_member(),    a.per_member()};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.panel_info), info);
        EXPECT_EQ(out.info(c.column_info), info);
        EXPECT_TRUE(results_equal(out(c.panels), out(c.columns))) << "n = " << n;
        EXPECT_TRUE(bits_equal(out(c.panel_pivots), out(c.column_pivots))) << "n = " << n;
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.panels))) << "before the exit barrier, n = " << n;
    });
}

template <int N, class T>
void panels_have_the_bits_of_the_columns(int n) {
    random_stream r(static_cast<std::uint64_t>(n));
    auto A = random_matrix<T>(n, n, r);
    expect_equal_factors<N>(A, {.padding = 3, .shift = 1}, 0);
    // Equal candidates: the first is taken.
    for (int i = 0; i < n; ++i) A(i, n / 2) = i % 2 == 0 ? T(1) : T(-1);
    expect_equal_factors<N>(A, {}, 0);
    // Pivots whose reciprocal overflows.
    auto tiny = A;
    for (int i = 0; i < n; ++i) tiny(i, 0) = (i == 0 ? T(2) : T(1)) * (limits<T>::min() / 2);
    expect_equal_factors<N>(tiny, {}, 0);
    // Failures: the factorisation goes on.
    auto singular = A;
    for (int i = 0; i < n; ++i) singular(i, n - 1) = T(0);
    expect_equal_factors<N>(singular, {}, n);
    for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()}) {
        auto B = A;
        B(n - 1, 0) = bad;
        expect_equal_factors<N>(B, {}, 1);
    }
}

TEST(fast_panels, getrf_double) {
    // The kernels of the GPU lane have 64 registers a thread.
    panels_have_the_bits_of_the_columns<28, double>(28);
#if !defined(__CUDACC__)
    for (const int n : {1, 5, 16, 17, 33, 64, 70})
        panels_have_the_bits_of_the_columns<shoal::dynamic, double>(n);
#endif
}
TEST(fast_panels, getrf_float) {
    panels_have_the_bits_of_the_columns<20, float>(20);
}

// ---- ldlt -------------------------------------------------------------------------------------------------------------

template <int N>
struct ldlt_pair {
    piece rows, columns, seen, row_info, column_info;
    template <class G>
    static constexpr bool supports = shoal::fast::suits_ldlt_rows<G, shoal::matrix<double, N, N>>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::ldlt_policy by_columns{.algorithm = shoal::ldlt_algorithm::columns};
        row_info.mine(g, buffer) = T(shoal::ldlt_unpivoted(g, symmetric_lower(rows.view<N, N>(buffer))));
        observe(g, buffer, rows, seen);
        column_info.mine(g, buffer) =
            T(shoal::ldlt_unpivoted<by_columns>(g, symmetric_lower(columns.view<N, N>(buffer))));
    }
};

template <int N, class T>
void expect_equal_ldlt(const dense<T>& A, place where, int info) {
    arena<T> a;
    const ldlt_pair<N> c{a.inout(A, where), a.inout(A, where), a.output(N, N), a.per_member(),
                         a.per_member()};
    a.forbid_above_diagonal(c.rows);
    a.forbid_above_diagonal(c.columns);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.row_info), info);
        EXPECT_EQ(out.info(c.column_info), info);
        EXPECT_TRUE(results_equal(out(c.rows), out(c.columns))) << "N = " << N;
        EXPECT_TRUE(results_equal(out(c.seen), out(c.rows))) << "before the exit barrier, N = " << N;
    });
}

template <int N, class T>
void ldlt_rows_have_the_bits_of_the_columns() {
    random_stream r(N);
    auto A = random_matrix<T>(N, N, r);
    expect_equal_ldlt<N>(A, {.padding = 3, .shift = 1}, 0);
    // A pivot whose reciprocal overflows, and beside it what is no smaller.
    A(0, 0) = limits<T>::min() / 2;
    for (int i = 1; i < N; ++i) A(i, 0) *= limits<T>::min();
    expect_equal_ldlt<N>(A, {}, 0);
    for (int i = 0; i < N; ++i) A(i, 0) = T(0);
    expect_equal_ldlt<N>(A, {}, 1);
    A(N - 1, N - 1) = limits<T>::quiet_NaN();
    A(0, 0) = T(2);
    expect_equal_ldlt<N>(A, {}, N);
}

TEST(fast_panels, ldlt_unpivoted) {
    ldlt_rows_have_the_bits_of_the_columns<7, double>();
#if !defined(__CUDACC__)
    ldlt_rows_have_the_bits_of_the_columns<16, float>();
#endif
}

template <int N>
struct pivoted_ldlt_pair {
    piece rows, columns, seen, row_pivots, column_pivots, seen_pivots, row_info, column_info;
    template <class G>
    static constexpr bool supports = shoal::fast::suits_ldlt_rows<G, shoal::matrix<double, N, N>>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::ldlt_policy by_columns{.algorithm = shoal::ldlt_algorithm::columns};
        row_info.mine(g, buffer) =
            T(shoal::ldlt(g, symmetric_lower(rows.view<N, N>(buffer)), integers<N>(row_pivots, buffer)));
        observe(g, buffer, rows, seen);
        observe(g, buffer, row_pivots, seen_pivots);
        column_info.mine(g, buffer) = T(shoal::ldlt<by_columns>(
            g, symmetric_lower(columns.view<N, N>(buffer)), integers<N>(column_pivots, buffer)));
    }
};

template <int N, class T>
void expect_equal_pivoted_ldlt(const dense<T>& A, place where) {
    arena<T> a;
    const pivoted_ldlt_pair<N> c{a.inout(A, where), a.inout(A, where), a.output(N, N), a.output(N, 1),
                                 a.output(N, 1),    a.output(N, 1),    a.per_member(), a.per_member()};
    a.forbid_above_diagonal(c.rows);
    a.forbid_above_diagonal(c.columns);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.row_info), out.info(c.column_info)) << "n = " << N;
        EXPECT_TRUE(results_equal(lower_part(out(c.rows)), lower_part(out(c.columns)))) << "n = " << N;
        EXPECT_TRUE(bits_equal(out(c.row_pivots), out(c.column_pivots))) << "n = " << N;
        EXPECT_TRUE(bits_equal(lower_part(out(c.seen)), lower_part(out(c.rows))))
            << "before the exit barrier";
        EXPECT_TRUE(bits_equal(out(c.seen_pivots), out(c.row_pivots))) << "before the exit barrier";
    });
}

template <int N, class T>
void pivoted_ldlt_rows_have_the_bits_of_the_columns() {
    random_stream r(N);
    const auto A = symmetric_from_lower(random_matrix<T>(N, N, r));
    expect_equal_pivoted_ldlt<N>(A, {.padding = 3, .shift = 1});
    // Blocks of order two all the way, or as far as an odd order goes.
    auto hollow = A;
    for (int i = 0; i < N; ++i) hollow(i, i) = T(0);
    expect_equal_pivoted_ldlt<N>(hollow, {});
    // Interchanges in every step: the best pivot comes last. Then ties, of which the first wins.
    auto reversed = A;
    for (int i = 0; i < N; ++i) reversed(i, i) = T(N + 2 * i * N);
    expect_equal_pivoted_ldlt<N>(reversed, {});
    expect_equal_pivoted_ldlt<N>(
        dense<T>::from(N, N, [](int i, int j) { return i == j ? T(0) : T((i + j) % 2 == 0 ? 1 : -1); }), {});
    // Pivots whose reciprocal overflows, columns of zeros, and what is not finite.
    auto tiny = hollow;
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) tiny(i, j) = i == j ? limits<T>::min() / T(2 + i) : T(0);
    expect_equal_pivoted_ldlt<N>(tiny, {});
    expect_equal_pivoted_ldlt<N>(dense<T>(N, N), {});
    for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()}) {
        auto B = A;
        B(N - 1, N / 2) = B(N / 2, N - 1) = bad;
        expect_equal_pivoted_ldlt<N>(B, {});
    }
}

TEST(fast_panels, ldlt_pivoted) {
    pivoted_ldlt_rows_have_the_bits_of_the_columns<2, double>();
    pivoted_ldlt_rows_have_the_bits_of_the_columns<7, double>();
    pivoted_ldlt_rows_have_the_bits_of_the_columns<11, float>();
#if !defined(__CUDACC__)
    pivoted_ldlt_rows_have_the_bits_of_the_columns<16, double>();
    pivoted_ldlt_rows_have_the_bits_of_the_columns<29, double>();
    pivoted_ldlt_rows_have_the_bits_of_the_columns<32, float>();
#endif
}

// ---- products of static extents ---------------------------------------------------------------------------------------

/// C := alpha A B + beta C and the lower triangle of D := alpha A A' + beta D, stored by columns or by rows.
template <class Storage, int M, int N, int K>
struct static_products {
    piece a, b, c, d, seen;
    double alpha, beta;
    // Others make single elements, as the reference does.
    template <class G>
    static constexpr bool supports = shoal::fast::has_warps<G>;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto left = a.view<M, K, Storage>(buffer);
        shoal::gemm(g, T(alpha), left, b.view<K, N, Storage>(buffer), T(beta), c.view<M, N, Storage>(buffer));
        observe(g, buffer, c, seen);
        shoal::syrk(g, T(alpha), left, T(beta), symmetric_lower(d.view<M, M, Storage>(buffer)));
    }
};

/// All that a double can be, but for NaN and infinities.
template <class T>
dense<T> of_every_size(int m, int n, random_stream& r) {
    auto A = random_matrix<T>(m, n, r);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const int kind = (3 * i + 5 * j) % 11;
            if (kind == 0) A(i, j) = -T(0);
            if (kind == 1) A(i, j) = T(i % 3 - 1);
            if (kind == 2) A(i, j) *= limits<T>::min();
            if (kind == 3) A(i, j) *= std::sqrt(limits<T>::min());
            if (kind == 4) A(i, j) *= std::sqrt(limits<T>::max()) / T(4096);
        }
    return A;
}

template <class Storage, int M, int N, int K, class T>
void products_are_chains(place where) {
    random_stream r(M + 100 * N);
    for (const auto& f : {std::pair{1.0, 0.0}, {-0.7, 1.3}}) {
        const auto A = of_every_size<T>(M, K, r), B = of_every_size<T>(K, N, r);
        const auto C = random_matrix<T>(M, N, r), D = random_matrix<T>(M, M, r);
        arena<T> a;
        const static_products<Storage, M, N, K> c{a.input(A, where), a.input(B, where), a.inout(C, where),
                                                  a.inout(D, where), a.output(M, N),    f.first,
                                                  f.second};
        a.forbid_above_diagonal(c.d);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            const auto alpha = static_cast<T>(f.first), beta = static_cast<T>(f.second);
            EXPECT_TRUE(bits_equal(out(c.c), chain::gemm(alpha, A, B, beta, C)));
            EXPECT_TRUE(bits_equal(out(c.seen), out(c.c)));
            const auto At = dense<T>::from(K, M, [&](int i, int j) { return A(j, i); });
            const auto full = chain::gemm(alpha, A, At, beta, D);
            for (int j = 0; j < M; ++j)
                for (int i = j; i < M; ++i)
                    EXPECT_TRUE(same_bits(out(c.d)(i, j), full(i, j))) << i << ", " << j;
        });
    }
}

// Leading dimensions that are multiples of 16, and others; terms in fours and not.
TEST(fast_panels, products_double) {
    products_are_chains<shoal::column, 32, 16, 16, double>({});
    products_are_chains<shoal::row, 16, 32, 48, double>({.order = storage::row});
    products_are_chains<shoal::column, 13, 9, 23, double>({});
}

}  // namespace
