// Bodies for warps and blocks of whole warps against the generic ones: one source, included by test_fast_dense.cpp
// (emulated groups) and test_fast_dense.cu (the groups of a GPU).

#include "cases/ops.hpp"

#include <limits>

#include <shoal/lapack/inv.hpp>
#include <shoal/lapack/posv.hpp>
#include <shoal/lapack/syev.hpp>

namespace {

using namespace shoal::support;
using shoal::uplo;

template <class T>
using limits = std::numeric_limits<T>;

// The kernels of the GPU lane are built for blocks of 1024 threads, 64 registers each: larger orders would spill, and take
// minutes to compile.
#if defined(__CUDACC__)
constexpr int large = 12;
#else
constexpr int large = 24;
#endif

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

// ---- inv --------------------------------------------------------------------------------------------------------------

template <int N>
struct inv_pair {
    piece rows, shared, plain, plain_shared, seen, rows_pivots, shared_pivots, info[4];
    template <class G>
    static constexpr bool supports = shoal::fast::suits_inv_rows<G, shoal::matrix<double, N, N>>() ||
                                     shoal::fast::suits_inv_panels<G, shoal::matrix<double, N, N>>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::inv_policy generic{.algorithm = shoal::inv_algorithm::shared};
        info[0].mine(g, buffer) = T(shoal::inv(g, rows.view<N, N>(buffer), integers<N>(rows_pivots, buffer)));
        observe(g, buffer, rows, seen);
        info[1].mine(g, buffer) =
            T(shoal::inv<generic>(g, shared.view<N, N>(buffer), integers<N>(shared_pivots, buffer)));
        info[2].mine(g, buffer) = T(shoal::inv_unpivoted(g, plain.view<N, N>(buffer)));
        info[3].mine(g, buffer) = T(shoal::inv_unpivoted<generic>(g, plain_shared.view<N, N>(buffer)));
    }
};

template <int N, class T>
void expect_equal_inverses(const dense<T>& A, place where, int info, int info_unpivoted) {
    arena<T> a;
    inv_pair<N> c{a.inout(A, where), a.inout(A, where), a.inout(A, where), a.inout(A, where),
                  a.output(N, N),    a.output(N, 1),    a.output(N, 1),    {}};
    for (piece& p : c.info) p = a.per_member();
    on_all_groups(c, a, [&](const outcome<T>& out) {
        for (int k = 0; k < 4; ++k) EXPECT_EQ(out.info(c.info[k]), k < 2 ? info : info_unpivoted);
        EXPECT_TRUE(results_equal(out(c.rows), out(c.shared))) << "N = " << N;
        EXPECT_TRUE(results_equal(out(c.plain), out(c.plain_shared))) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.rows_pivots), out(c.shared_pivots))) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.rows))) << "before the exit barrier, N = " << N;
    });
}

template <int N, class T>
void inv_has_the_bits_of_the_generic_body() {
    random_stream r(N);
    auto A = random_matrix<T>(N, N, r);
    expect_equal_inverses<N>(A, {.padding = 3, .shift = 1}, 0, 0);
    // Equal candidates: the first is taken.
    for (int i = 0; i < N; ++i) A(i, N / 2) = i % 2 == 0 ? T(1) : T(-1);
    expect_equal_inverses<N>(A, {}, 0, 0);
    // Pivots whose reciprocal overflows.
    auto tiny = A;
    for (int i = 0; i < N; ++i) tiny(i, 0) = (i == 0 ? T(2) : T(1)) * (limits<T>::min() / 2);
    expect_equal_inverses<N>(tiny, {}, 0, 0);
    // Failures leave the same unfinished elimination.
    for (const T bad : {limits<T>::quiet_NaN(), limits<T>::infinity()}) {
        auto B = A;
        B(N - 1, 0) = bad;
        expect_equal_inverses<N>(B, {}, 1, N);
    }
    auto singular = A;
    for (int i = 0; i < N; ++i) singular(i, N - 1) = T(0);
    expect_equal_inverses<N>(singular, {}, N, N);
    // A bad pivot in the middle of a panel, when other rows have changed places.
    if (N > 32) {
        for (int i = 0; i < N; ++i) A(i, N - 5) = T(0);
        expect_equal_inverses<N>(A, {}, N - 4, N - 4);
    }
}

TEST(fast_dense, inv_double) {
    inv_has_the_bits_of_the_generic_body<large, double>();
}
TEST(fast_dense, inv_panels) {
    inv_has_the_bits_of_the_generic_body<33, double>();
#if !defined(__CUDACC__)
    inv_has_the_bits_of_the_generic_body<48, float>();
    inv_has_the_bits_of_the_generic_body<77, double>();
#endif
}
TEST(fast_dense, inv_float) {
    inv_has_the_bits_of_the_generic_body<4, float>();
    inv_has_the_bits_of_the_generic_body<large + 8, float>();
}

// ---- potrf and posv ---------------------------------------------------------------------------------------------------

/// By panels and by columns: static orders, and dynamic ones up to the limit of the group.
template <int N>
struct posv_pair {
    piece panels, columns, x, y, seen, panels_info, columns_info;
    template <class G>
    static constexpr bool supports = G::scope == shoal::scope::warp || G::scope == shoal::scope::block;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::potrf_policy plain{.algorithm = shoal::potrf_algorithm::columns};
        constexpr shoal::trsm_policy steps{.algorithm = shoal::trsm_algorithm::shared};
        panels_info.mine(g, buffer) =
            T(shoal::posv(g, lower(panels.view<N, N>(buffer)), x.vector<N>(buffer)));
        observe(g, buffer, x, seen);
        const auto a = lower(columns.view<N, N>(buffer));
        const int k = shoal::potrf<plain>(g, a);
        columns_info.mine(g, buffer) = T(k);
        if (k != 0) return;
        shoal::trsv<steps>(g, a, y.vector<N>(buffer));
        shoal::trsv<steps>(g, transposed(a), y.vector<N>(buffer));
    }
};

template <int N, class T>
void expect_equal_solutions(const dense<T>& A, const dense<T>& b, place where, int info) {
    arena<T> a;
    posv_pair<N> c{a.inout(A, where), a.inout(A, where),     a.inout(b, {.stride = 2}),
                   a.inout(b),        a.output(b.rows(), 1), a.per_member(),
                   a.per_member()};
    a.forbid_above_diagonal(c.panels);
    a.forbid_above_diagonal(c.columns);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.panels_info), info);
        EXPECT_EQ(out.info(c.columns_info), info);
        EXPECT_TRUE(bits_equal(out(c.panels), out(c.columns))) << "n = " << A.rows();
        EXPECT_TRUE(bits_equal(out(c.x), out(c.y))) << "n = " << A.rows();
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.x))) << "n = " << A.rows();
    });
}

template <int N, class T>
void panels_have_the_bits_of_the_generic_body(int n) {
    random_stream r(static_cast<std::uint64_t>(n));
    const auto A = random_spd<T>(n, 1000, r);
    const auto b = random_matrix<T>(n, 1, r);
    expect_equal_solutions<N>(A, b, {.padding = 3, .shift = 1}, 0);
    // Failures: the columns before are final, the rest is as it was, in the middle of a panel and at its ends.
    for (const int at : {0, n / 2, n - 1}) {
        auto B = A;
        B(at, at) = at % 2 == 0 ? T(-1) : limits<T>::quiet_NaN();
        expect_equal_solutions<N>(B, b, {}, at + 1);
    }
}

TEST(fast_dense, posv_by_panels_double) {
    panels_have_the_bits_of_the_generic_body<40, double>(40);
    panels_have_the_bits_of_the_generic_body<shoal::dynamic, double>(33);
    panels_have_the_bits_of_the_generic_body<shoal::dynamic, double>(64);
    panels_have_the_bits_of_the_generic_body<shoal::dynamic, double>(65);
}
TEST(fast_dense, posv_by_panels_float) {
    panels_have_the_bits_of_the_generic_body<20, float>(20);
    panels_have_the_bits_of_the_generic_body<shoal::dynamic, float>(16);
    panels_have_the_bits_of_the_generic_body<shoal::dynamic, float>(130);
}

// ---- trsm -------------------------------------------------------------------------------------------------------------

/// By warps or panels, and a column a member.
template <int N>
struct trsm_pair {
    piece t, b, c, seen;
    template <class G>
    static constexpr bool supports = shoal::fast::has_warps<G>;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        constexpr shoal::trsm_policy shared{.algorithm = shoal::trsm_algorithm::shared};
        const auto a = lower(t.view<N, N>(buffer));
        shoal::trsm(g, a, b.view<N>(buffer));
        observe(g, buffer, b, seen);
        shoal::trsm<shared>(g, a, c.view<N>(buffer));
    }
};

template <int N, class T>
void trsm_has_the_bits_of_the_generic_body(int n) {
    random_stream r(static_cast<std::uint64_t>(n));
    const auto B = random_matrix<T>(n, 23, r);
    arena<T> a;
    const trsm_pair<N> c{a.input(random_lower<T>(n, r), {.padding = 1}), a.inout(B, {.padding = 2}),
                         a.inout(B), a.output(n, 23)};
    a.forbid_above_diagonal(c.t);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.b), out(c.c))) << "n = " << n;
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.b))) << "before the exit barrier, n = " << n;
    });
}

TEST(fast_dense, trsm_by_warps_and_panels) {
    trsm_has_the_bits_of_the_generic_body<12, double>(12);
    trsm_has_the_bits_of_the_generic_body<shoal::dynamic, double>(41);
    trsm_has_the_bits_of_the_generic_body<shoal::dynamic, double>(9);
}

// ---- syev -------------------------------------------------------------------------------------------------------------

template <int N, int Sweeps = 24>
struct syev_columns_case {
    static constexpr shoal::syev_policy policy{.algorithm = shoal::syev_algorithm::columns,
                                               .max_sweeps = Sweeps};
    piece a, w, v, seen_w, seen_v, scratch, info;
    uplo triangle;
    // A block that is not made of whole warps takes the generic body, whose bits are others.
    template <class G>
    static constexpr bool supports =
        shoal::fast::suits_syev_columns<G, shoal::matrix<double, N, N>>() && G::scope != shoal::scope::block;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto solve = [&](auto s) {
            return shoal::syev<policy>(g, s, w.vector<N>(buffer), v.view<N, N>(buffer), scratch.data(buffer));
        };
        info.mine(g, buffer) = T(triangle == uplo::lower ? solve(symmetric_lower(a.view<N, N>(buffer)))
                                                         : solve(symmetric_upper(a.view<N, N>(buffer))));
        observe(g, buffer, w, seen_w);
        observe(g, buffer, v, seen_v);
    }
};

template <class Case, class T>
void eigen(const dense<T>& A, uplo triangle,
           const std::function<void(const dense<T>&, const dense<T>&, int)>& check) {
    const int n = A.rows();
    arena<T> a;
    Case c;
    c.a = a.input(A, {.padding = 1});
    if (triangle == uplo::lower) {
        a.forbid_above_diagonal(c.a);
    } else {
        a.forbid_below_diagonal(c.a);
    }
    c.w = a.output(n, 1, {.stride = 2});
    c.v = a.output(n, n, {.padding = 2});
    c.seen_w = a.output(n, 1);
    c.seen_v = a.output(n, n);
    c.scratch = a.scratch(shoal::syev_scratch(n));
    c.info = a.per_member();
    c.triangle = triangle;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen_w), out(c.w)));
        EXPECT_TRUE(bits_equal(out(c.seen_v), out(c.v)));
        check(out(c.w), out(c.v), out.info(c.info));
    });
}

/// Eigenvalues within 4 n u of the norm, vectors orthogonal to 10 n u, u half an epsilon.
template <int N, class T>
void expect_eigenpairs(const dense<T>& A, uplo triangle) {
    const double u = static_cast<double>(limits<T>::epsilon()) / 2;
    auto reference = A.template as<double>();
    dense<double> exact;
    EXPECT_EQ(lapack::syev('N', 'L', reference, exact), 0);
    const double size = std::max(std::abs(exact(0)), std::abs(exact(N - 1)));
    eigen<syev_columns_case<N>, T>(A, triangle, [&](const dense<T>& W, const dense<T>& V, int info) {
        EXPECT_EQ(info, 0);
        worst value, orthogonality, residual;
        const auto v = V.template as<wide>();
        const auto gram = naive::gemm<wide>(1, transpose(v), v, 0, v);
        const auto av = naive::gemm<wide>(1, A.template as<wide>(), v, 0, v);
        for (int i = 0; i < N; ++i) {
            value.add(std::abs(static_cast<double>(W(i)) - exact(i)));
            EXPECT_LE(W(i > 0 ? i - 1 : 0), W(i));
            for (int j = 0; j < N; ++j) {
                orthogonality.add(static_cast<double>(std::abs(gram(i, j) - (i == j ? 1 : 0))));
                residual.add(static_cast<double>(std::abs(av(i, j) - v(i, j) * static_cast<wide>(W(j)))));
            }
        }
        EXPECT_TRUE(within(static_cast<double>(value.value()), 4 * N * u * size));
        EXPECT_TRUE(within(static_cast<double>(orthogonality.value()), 10 * N * u));
        EXPECT_TRUE(within(static_cast<double>(residual.value()), 10 * N * u * size));
    });
}

template <int N, class T>
void syev_by_columns() {
    random_stream r(N);
    const auto random = symmetric_from_lower(random_matrix<T>(N, N, r));
    expect_eigenpairs<N>(random, uplo::lower);
    expect_eigenpairs<N>(random, uplo::upper);
    // Equal eigenvalues, hardly different ones, and both ends of the exponents.
    expect_eigenpairs<N>(dense<T>::from(N, N, [](int i, int j) { return i == j ? 3 : 1; }), uplo::lower);
    expect_eigenpairs<N>(
        dense<T>::from(N, N, [](int i, int j) { return 1.0 / (i + j + 1) + (i == j ? i % 3 : 0); }),
        uplo::lower);
    for (const double scale : {1e-30, 1e30}) {
        expect_eigenpairs<N>(
            dense<T>::from(N, N, [&](int i, int j) { return scale * static_cast<double>(random(i, j)); }),
            uplo::lower);
    }
    eigen<syev_columns_case<N>, T>(dense<T>(N, N, T(0)), uplo::lower,
                                   [&](const dense<T>& W, const dense<T>& V, int info) {
                                       EXPECT_EQ(info, 0);
                                       EXPECT_TRUE(bits_equal(W, dense<T>(N, 1, T(0))));
                                       // Unit vectors, in some order.
                                       const auto I = dense<T>::identity(N);
                                       EXPECT_TRUE(bits_equal(naive::gemm<T>(1, transpose(V), V, 0, I), I));
                                   });
    auto bad = random;
    bad(N - 1, 0) = limits<T>::quiet_NaN();
    eigen<syev_columns_case<N>, T>(
        bad, uplo::lower, [&](const dense<T>&, const dense<T>&, int info) { EXPECT_EQ(info, N + 1); });
    eigen<syev_columns_case<N, 1>, T>(random, uplo::lower, [&](const dense<T>&, const dense<T>&, int info) {
        EXPECT_GT(info, 0);
        EXPECT_LE(info, 32);
    });
}

TEST(fast_dense, syev_by_columns_double) {
    syev_by_columns<large, double>();
}
TEST(fast_dense, syev_by_columns_float) {
    syev_by_columns<4, float>();
    syev_by_columns<large + 8, float>();
}

}  // namespace
