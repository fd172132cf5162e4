// scal, axpby, copy, swap, set, rot, asum, sum, scans, transpose, symmetrize, ger: one source, included by
// test_blas_level1.cpp (emulated groups) and test_blas_level1.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

#include <shoal/blas/asum.hpp>
#include <shoal/blas/axpby.hpp>
#include <shoal/blas/copy.hpp>
#include <shoal/blas/ger.hpp>
#include <shoal/blas/rot.hpp>
#include <shoal/blas/scal.hpp>
#include <shoal/blas/scan.hpp>
#include <shoal/blas/set.hpp>
#include <shoal/blas/sum.hpp>
#include <shoal/blas/swap.hpp>
#include <shoal/blas/symmetrize.hpp>
#include <shoal/blas/transpose.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct blas_level1 : testing::Test {};
TYPED_TEST_SUITE(blas_level1, scalars);

template <class T>
using limits = std::numeric_limits<T>;

constexpr int sizes[] = {0, 1, 2, 3, 5, 31, 32, 33, 65, 100};

/// An operand that an op changes, and what other members see of it after the op.
struct result {
    piece at, seen;
};

// ---- element by element -----------------------------------------------------------------------------------------------

/// Every op on vectors, one after another, each on operands of its own.
template <class V = look::strided, class End = ends::synced>
struct elementwise_case {
    piece x;
    result scaled, sum, overwritten, copied, set, first, second, turned, turned_too;
    double alpha, beta, c, s;

    template <class G, class T, class Op>
    SHOAL_FN static void run(const G& g, T* buffer, result r, Op op) {
        op(End::group(g), V::vector(r.at, buffer));
        End::finish(g);
        observe(g, buffer, r.at, r.seen);
    }

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto a = static_cast<T>(alpha);
        const auto b = static_cast<T>(beta);
        const auto vx = V::vector(x, buffer);
        run(g, buffer, scaled, [&](const auto& h, auto v) { shoal::scal(h, a, v); });
        run(g, buffer, sum, [&](const auto& h, auto v) { shoal::axpby(h, a, vx, b, v); });
        run(g, buffer, overwritten, [&](const auto& h, auto v) { shoal::axpby(h, a, vx, T(0), v); });
        run(g, buffer, copied, [&](const auto& h, auto v) { shoal::copy(h, vx, v); });
        run(g, buffer, set, [&](const auto& h, auto v) { shoal::set(h, b, v); });
        run(g, buffer, first,
            [&](const auto& h, auto v) { shoal::swap(h, v, V::vector(second.at, buffer)); });
        observe(g, buffer, second.at, second.seen);
        run(g, buffer, turned, [&](const auto& h, auto v) {
            shoal::rot(h, v, V::vector(turned_too.at, buffer), static_cast<T>(c), static_cast<T>(s));
        });
        observe(g, buffer, turned_too.at, turned_too.seen);
    }
};

/// Runs it on random vectors of n elements, stored as `where` says, and compares with the formulas.
template <class Case, class T>
void elementwise(int n, place where, random_stream& r) {
    const auto x = random_matrix<T>(n, 1, r);
    const auto y = random_matrix<T>(n, 1, r);
    const T alpha = T(-0.7);
    const T beta = T(1.3);
    const T c = T(0.6);
    const T s = T(0.8);
    arena<T> a;
    const auto inout = [&](const dense<T>& v) { return result{a.inout(v, where), a.output(n, 1)}; };
    const auto output = [&] { return result{a.output(n, 1, where), a.output(n, 1)}; };
    Case k;
    k.x = a.input(x, where);
    k.scaled = inout(x);
    k.sum = inout(y);
    k.overwritten = output();
    k.copied = output();
    k.set = output();
    k.first = inout(x);
    k.second = inout(y);
    k.turned = inout(x);
    k.turned_too = inout(y);
    k.alpha = static_cast<double>(alpha);
    k.beta = static_cast<double>(beta);
    k.c = static_cast<double>(c);
    k.s = static_cast<double>(s);
    on_all_groups(k, a, [&](const outcome<T>& out) {
        const auto expect = [&](const result& what, auto f) {
            const auto expected = dense<T>::from(n, 1, [&](int i, int) { return f(x(i), y(i)); });
            EXPECT_TRUE(bits_equal(out(what.at), expected));
            EXPECT_TRUE(bits_equal(out(what.seen), expected));
        };
        expect(k.scaled, [&](T u, T) { return alpha * u; });
        expect(k.sum, [&](T u, T v) { return std::fma(beta, v, alpha * u); });
        expect(k.overwritten, [&](T u, T) { return alpha * u; });
        expect(k.copied, [&](T u, T) { return u; });
        expect(k.set, [&](T, T) { return beta; });
        expect(k.first, [&](T, T v) { return v; });
        expect(k.second, [&](T u, T) { return u; });
        expect(k.turned, [&](T u, T v) { return std::fma(s, v, c * u); });
        expect(k.turned_too, [&](T u, T v) { return std::fma(-s, u, c * v); });
    });
}

TYPED_TEST(blas_level1, B06_elementwise_ops_follow_their_formulas_from_no_element_up) {
    random_stream r(1);
    for (const int n : sizes) {
        SCOPED_TRACE(n);
        elementwise<elementwise_case<>, TypeParam>(n, {.stride = 1 + n % 3, .shift = n % 2}, r);
    }
}

TYPED_TEST(blas_level1, elementwise_ops_static_and_deferred) {
    random_stream r(2);
    elementwise<few<elementwise_case<look::fixed<7>, ends::deferred>>, TypeParam>(7, {}, r);
    elementwise<few<elementwise_case<look::fixed<33>, ends::deferred>>, TypeParam>(33, {}, r);
}

template <class T>
struct axpby_zeros_case {
    piece x, y, z;
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;
    template <class G>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::axpby(g, T(0), x.vector(buffer), T(2), y.vector(buffer));
        shoal::axpby(g, T(0), x.vector(buffer), T(0), z.vector(buffer));
    }
};

TYPED_TEST(blas_level1, axpby_with_a_factor_zero_does_not_read_its_vector) {
    using T = TypeParam;
    arena<T> a;
    const axpby_zeros_case<T> c{a.input(dense<T>(9, 1, poison<T>())), a.inout(dense<T>(9, 1, T(3))),
                                a.output(9, 1)};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.y), dense<T>(9, 1, T(6))));
        EXPECT_TRUE(bits_equal(out(c.z), dense<T>(9, 1, T(0))));
    });
}

TYPED_TEST(blas_level1, rotg_makes_the_second_component_zero_without_overflow) {
    using T = TypeParam;
    const T big = limits<T>::max() / 2;
    const T small = limits<T>::min();
    const auto eps = static_cast<double>(limits<T>::epsilon());
    for (const auto& [x, y] : {std::pair<T, T>{3, 4},
                               {4, 3},
                               {-3, 4},
                               {3, -4},
                               {-3, -4},
                               {big, big},
                               {small, -small},
                               {big, small},
                               {small, big},
                               {T(1), limits<T>::epsilon()}}) {
        const auto q = shoal::rotg(x, y);
        EXPECT_TRUE(within(std::abs(static_cast<double>(q.c * q.c + q.s * q.s - T(1))), 4 * eps));
        EXPECT_GE(q.c, T(0));
        const wide scale = std::hypot(static_cast<wide>(x), static_cast<wide>(y));
        const auto error = [&](wide value) { return static_cast<double>(std::abs(value) / scale); };
        EXPECT_TRUE(within(error(static_cast<wide>(q.c) * static_cast<wide>(x) +
                                 static_cast<wide>(q.s) * static_cast<wide>(y) - static_cast<wide>(q.r)),
                           6 * eps));
        EXPECT_TRUE(within(error(static_cast<wide>(q.c) * static_cast<wide>(y) -
                                 static_cast<wide>(q.s) * static_cast<wide>(x)),
                           6 * eps));
    }
    const auto expect = [](T x, T y, T c, T s, T r) {
        const auto q = shoal::rotg(x, y);
        EXPECT_EQ(q.c, c);
        EXPECT_EQ(q.s, s);
        EXPECT_EQ(q.r, r);
    };
    expect(-2, 0, 1, 0, -2);
    expect(0, -2, 0, -1, 2);
    expect(0, 0, 1, 0, 0);
    EXPECT_TRUE(std::isnan(shoal::rotg(limits<T>::quiet_NaN(), T(1)).r));
    EXPECT_TRUE(std::isnan(shoal::rotg(T(1), limits<T>::quiet_NaN()).r));
}

// ---- sums ---------------------------------------------------------------------------------------------------------------

template <class V = look::strided>
struct sums_case {
    piece x, scratch, asum, sum;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto v = V::vector(x, buffer);
        const shoal::vector<T, 32> room(scratch.data(buffer));
        asum.mine(g, buffer) = shoal::asum(g, v, room);
        sum.mine(g, buffer) = shoal::sum(g, v, room);
        trample(g, buffer, scratch);
    }
};

template <class Case, class T>
void sums(const dense<T>& x, place where) {
    arena<T> a;
    Case c;
    c.x = a.input(x, where);
    c.scratch = a.scratch(32);
    c.asum = a.per_member();
    c.sum = a.per_member();
    const auto ones = dense<T>(x.rows(), 1, T(1));
    const auto sizes_of = dense<T>::from(x.rows(), 1, [&](int i, int) { return std::abs(x(i)); });
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(same_result(out.value(c.asum), chain::dot(sizes_of, ones)));
        EXPECT_TRUE(same_result(out.value(c.sum), chain::dot(x, ones)));
    });
}

TYPED_TEST(blas_level1, B06_sums_have_the_order_of_dot_from_no_element_up) {
    using T = TypeParam;
    random_stream r(3);
    for (const int n : sizes) {
        SCOPED_TRACE(n);
        sums<sums_case<>>(random_matrix<T>(n, 1, r), {.stride = 1 + n % 2});
    }
    sums<few<sums_case<look::fixed<33>>>>(random_matrix<T>(33, 1, r), {});
    sums<sums_case<>>(dense<T>(40, 1, T(-0.0)), {});
}

TYPED_TEST(blas_level1, sums_spread_nan_and_infinity) {
    using T = TypeParam;
    for (const int where : {0, 32, 39}) {
        auto x = dense<T>(40, 1, T(1));
        x(where) = -limits<T>::infinity();
        sums<sums_case<>>(x, {});
        x(where) = limits<T>::quiet_NaN();
        sums<sums_case<>>(x, {});
    }
}

template <class V = look::strided, class End = ends::synced>
struct scan_case {
    result inclusive, exclusive;
    piece scratch;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const shoal::vector<T> room(scratch.data(buffer), scratch.rows);
        shoal::inclusive_scan(End::group(g), V::vector(inclusive.at, buffer), room);
        End::finish(g);
        observe(g, buffer, inclusive.at, inclusive.seen);
        // The observation, before the scratch is used again.
        g.sync();
        shoal::exclusive_scan(End::group(g), V::vector(exclusive.at, buffer), room);
        End::finish(g);
        observe(g, buffer, exclusive.at, exclusive.seen);
        trample(g, buffer, scratch);
    }
};

template <class Case, class T>
void scan(const dense<T>& x, place where) {
    const int n = x.rows();
    arena<T> a;
    Case c;
    c.inclusive = {a.inout(x, where), a.output(n, 1)};
    c.exclusive = {a.inout(x, where), a.output(n, 1)};
    c.scratch = a.scratch(n);
    auto expected = x;
    for (int d = 1; d < n; d *= 2) {
        const auto before = expected;
        for (int i = d; i < n; ++i) expected(i) = before(i - d) + before(i);
    }
    const auto shifted = dense<T>::from(n, 1, [&](int i, int) { return i == 0 ? T(0) : expected(i - 1); });
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.inclusive.at), expected));
        EXPECT_TRUE(bits_equal(out(c.inclusive.seen), expected));
        EXPECT_TRUE(bits_equal(out(c.exclusive.at), shifted));
        EXPECT_TRUE(bits_equal(out(c.exclusive.seen), shifted));
    });
}

TYPED_TEST(blas_level1, B06_scans_have_the_documented_order_from_no_element_up) {
    using T = TypeParam;
    random_stream r(4);
    for (const int n : sizes) {
        SCOPED_TRACE(n);
        scan<scan_case<>>(random_matrix<T>(n, 1, r), {.stride = 1 + n % 2});
    }
    scan<few<scan_case<look::fixed<9>, ends::deferred>>>(random_matrix<T>(9, 1, r), {});
}

TYPED_TEST(blas_level1, scans_of_whole_numbers_are_exact) {
    using T = TypeParam;
    random_stream r(5);
    const auto x = random_integers<T>(100, 1, r);
    arena<T> a;
    const few<scan_case<>> c{
        {{a.inout(x), a.output(100, 1)}, {a.inout(x), a.output(100, 1)}, a.scratch(100)}};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        T total = 0;
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(out(c.exclusive.at)(i), total);
            total += x(i);
            EXPECT_EQ(out(c.inclusive.at)(i), total);
        }
    });
}

// ---- matrices -----------------------------------------------------------------------------------------------------------

template <class M = look::strided, class Square = look::strided, class End = ends::synced>
struct matrices_case {
    piece a, x, y;
    result copied, transposed_, set, turned, from_lower, from_upper, rank_one;
    double alpha;

    template <class G, class T, class Op>
    SHOAL_FN static void run(const G& g, T* buffer, result r, Op op) {
        op(End::group(g));
        End::finish(g);
        observe(g, buffer, r.at, r.seen);
    }

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto m = M::matrix(a, buffer);
        run(g, buffer, copied, [&](const auto& h) { shoal::copy(h, m, M::matrix(copied.at, buffer)); });
        run(g, buffer, transposed_, [&](const auto& h) {
            shoal::copy(h, transposed(m), look::strided::matrix(transposed_.at, buffer));
        });
        run(g, buffer, set, [&](const auto& h) { shoal::set(h, T(2), T(3), M::matrix(set.at, buffer)); });
        run(g, buffer, turned,
            [&](const auto& h) { shoal::transpose(h, Square::matrix(turned.at, buffer)); });
        run(g, buffer, from_lower, [&](const auto& h) {
            shoal::symmetrize(h, symmetric_lower(Square::matrix(from_lower.at, buffer)));
        });
        run(g, buffer, from_upper, [&](const auto& h) {
            shoal::symmetrize(h, symmetric_upper(Square::matrix(from_upper.at, buffer)));
        });
        run(g, buffer, rank_one, [&](const auto& h) {
            shoal::ger(h, static_cast<T>(alpha), look::strided::vector(x, buffer),
                       look::strided::vector(y, buffer), M::matrix(rank_one.at, buffer));
        });
    }
};

template <class Case, class T>
void matrices(int m, int n, place where, random_stream& r, double alpha) {
    const auto A = random_matrix<T>(m, n, r);
    const auto S = random_matrix<T>(n, n, r);
    const auto x = random_matrix<T>(m, 1, r);
    const auto y = random_matrix<T>(n, 1, r);
    arena<T> a;
    Case c;
    c.a = a.input(A, where);
    // Never read where the factor is zero.
    c.x = a.input(alpha == 0.0 ? dense<T>(m, 1, poison<T>()) : x, {.stride = 2});
    c.y = a.input(alpha == 0.0 ? dense<T>(n, 1, poison<T>()) : y, {.stride = 3});
    c.copied = {a.output(m, n, where), a.output(m, n)};
    c.transposed_ = {a.output(n, m, where), a.output(n, m)};
    c.set = {a.output(m, n, where), a.output(m, n)};
    c.turned = {a.inout(S, where), a.output(n, n)};
    c.from_lower = {a.inout(S, where), a.output(n, n)};
    c.from_upper = {a.inout(S, where), a.output(n, n)};
    c.rank_one = {a.inout(A, where), a.output(m, n)};
    c.alpha = alpha;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expect = [&](const result& what, const dense<T>& expected) {
            EXPECT_TRUE(bits_equal(out(what.at), expected));
            EXPECT_TRUE(bits_equal(out(what.seen), expected));
        };
        expect(c.copied, A);
        expect(c.transposed_, transpose(A));
        expect(c.set, dense<T>::from(m, n, [](int i, int j) { return i == j ? 3 : 2; }));
        expect(c.turned, transpose(S));
        expect(c.from_lower, symmetric_from_lower(S));
        expect(c.from_upper, symmetric_from_lower(transpose(S)));
        const auto f = static_cast<T>(alpha);
        expect(c.rank_one, dense<T>::from(m, n, [&](int i, int j) {
                   return alpha == 0.0 ? A(i, j) : std::fma(f * x(i), y(j), A(i, j));
               }));
    });
}

TYPED_TEST(blas_level1, B06_C01_matrix_ops_follow_their_formulas_in_every_storage) {
    random_stream r(6);
    int at = 0;
    for (const auto& [m, n] :
         {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {2, 5}, {4, 4}, {5, 3}, {8, 16}, {17, 9}, {12, 33}}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n);
        matrices<matrices_case<>, TypeParam>(m, n, some_place(at++), r, -0.7);
    }
    matrices<matrices_case<>, TypeParam>(6, 7, some_place(1), r, 0.0);
}

TYPED_TEST(blas_level1, matrix_ops_static_and_deferred) {
    random_stream r(7);
    matrices<few<matrices_case<look::fixed<4, 5>, look::fixed<5, 5>, ends::deferred>>, TypeParam>(4, 5, {}, r,
                                                                                                  1.5);
    matrices<few<matrices_case<look::fixed<3, 4, shoal::row_ld<shoal::dynamic>>,
                               look::fixed<4, 4, shoal::row_ld<shoal::dynamic>>, ends::deferred>>,
             TypeParam>(3, 4, {.order = storage::row, .padding = 2}, r, 1.5);
}

}  // namespace
