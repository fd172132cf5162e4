// congruence, bilinear, riccati_gain and the contractions of tensors: one source, included by test_control.cpp (emulated
// groups) and test_control.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <array>
#include <limits>

#include <shoal/control/bilinear.hpp>
#include <shoal/control/congruence.hpp>
#include <shoal/control/riccati_gain.hpp>
#include <shoal/control/tensor_vector.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct control : testing::Test {};
TYPED_TEST_SUITE(control, scalars);

template <class T>
using limits = std::numeric_limits<T>;

template <class T>
dense<T> random_symmetric(int n, random_stream& r) {
    return symmetric_from_lower(random_matrix<T>(n, n, r));
}

// ---- congruence and bilinear --------------------------------------------------------------------------------------------

/// Q := alpha X' M X + beta Q, then R := alpha X' M Y + beta R.
template <class X = look::strided, class M = look::strided, class Q = look::strided, class Y = look::strided,
          class R = look::strided, class End = ends::synced>
struct forms_case {
    piece x, m, y, q, r, scratch_q, scratch_r, seen_q, seen_r;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto a = static_cast<T>(alpha);
        const auto b = static_cast<T>(beta);
        const auto vx = X::matrix(x, buffer);
        const auto vm = M::matrix(m, buffer);
        shoal::congruence(End::group(g), a, vx, vm, b, Q::matrix(q, buffer), X::matrix(scratch_q, buffer));
        End::finish(g);
        observe(g, buffer, q, seen_q);
        shoal::bilinear(End::group(g), a, vx, vm, Y::matrix(y, buffer), b, R::matrix(r, buffer),
                        Y::matrix(scratch_r, buffer));
        End::finish(g);
        observe(g, buffer, r, seen_r);
    }
};

template <class Case, class T>
void forms(int k, int n, int p, double beta, place where, random_stream& r) {
    const auto X = random_matrix<T>(k, n, r);
    const auto M = random_symmetric<T>(k, r);
    const auto Y = random_matrix<T>(k, p, r);
    const auto Q = random_matrix<T>(n, n, r);
    const auto R = random_matrix<T>(n, p, r);
    const T alpha = T(-0.7);
    const auto b = static_cast<T>(beta);
    arena<T> a;
    Case c;
    c.x = a.input(X, where);
    c.m = a.input(M, where);
    c.y = a.input(Y, where);
    c.q = beta == 0.0 ? a.output(n, n, where) : a.inout(Q, where);
    c.r = beta == 0.0 ? a.output(n, p, where) : a.inout(R, where);
    c.scratch_q = a.output(k, n, where);
    c.scratch_r = a.output(k, p, where);
    c.seen_q = a.output(n, n);
    c.seen_r = a.output(n, p);
    c.alpha = static_cast<double>(alpha);
    c.beta = beta;
    const auto mx = chain::gemm(T(1), M, X, T(0), dense<T>(k, n));
    const auto my = chain::gemm(T(1), M, Y, T(0), dense<T>(k, p));
    const auto q = symmetric_from_lower(chain::gemm(alpha, transpose(X), mx, b, Q));
    const auto full = chain::gemm(alpha, transpose(X), my, b, R);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.q), q));
        EXPECT_TRUE(bits_equal(out(c.seen_q), q));
        EXPECT_TRUE(bits_equal(out(c.r), full));
        EXPECT_TRUE(bits_equal(out(c.seen_r), full));
        EXPECT_TRUE(bits_equal(out(c.scratch_q), mx));
        EXPECT_TRUE(bits_equal(out(c.scratch_r), my));
    });
}

TYPED_TEST(control, B06_forms_have_the_documented_order_from_no_row_up) {
    random_stream r(1);
    int at = 0;
    for (const auto& [k, n, p] :
         {std::array{0, 0, 0}, {0, 2, 3}, {3, 0, 2}, {1, 1, 1}, {2, 3, 1}, {6, 4, 5}, {14, 7, 9}, {5, 17, 2}})
        for (const double beta : {0.0, 1.3}) {
            SCOPED_TRACE(testing::Message() << k << ' ' << n << ' ' << p);
            forms<forms_case<>, TypeParam>(k, n, p, beta, some_place(at++), r);
        }
}

TYPED_TEST(control, forms_static_and_deferred) {
    random_stream r(2);
    forms<few<forms_case<look::fixed<4, 3>, look::fixed<4, 4>, look::fixed<3, 3>, look::fixed<4, 2>,
                         look::fixed<3, 2>, ends::deferred>>,
          TypeParam>(4, 3, 2, 1.3, {}, r);
}

template <class T>
struct other_orientation_case {
    piece x, m, q, scratch;
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;
    template <class G>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::congruence(g, T(1), transposed(x.view(buffer)), m.view(buffer), T(0), q.view(buffer),
                          scratch.view(buffer));
    }
};

TYPED_TEST(control, congruence_of_the_transposed_is_the_other_orientation) {
    using T = TypeParam;
    random_stream r(3);
    const auto X = random_integers<T>(4, 6, r);
    const auto M = symmetric_from_lower(random_integers<T>(6, 6, r));
    arena<T> a;
    const other_orientation_case<T> c{a.input(X), a.input(M), a.output(4, 4), a.output(6, 4)};
    const auto xm = naive::gemm<T>(1, X, M, 0, X);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.q), naive::gemm<T>(1, xm, transpose(X), 0, M)));
    });
}

// ---- riccati_gain -------------------------------------------------------------------------------------------------------

template <class XX = look::strided, class XU = look::strided, class UU = look::strided,
          class UX = look::strided, class End = ends::synced>
struct gain_case {
    piece p, a, b, r, k, s, t, seen, info;
    double rho;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int i =
            shoal::riccati_gain(End::group(g), XX::matrix(p, buffer), XX::matrix(a, buffer),
                                XU::matrix(b, buffer), UU::matrix(r, buffer), static_cast<T>(rho),
                                UX::matrix(k, buffer), UU::matrix(s, buffer), UX::matrix(t, buffer));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(i);
        observe(g, buffer, k, seen);
    }
};

template <class Case, class T>
void gain(const dense<T>& P, const dense<T>& A, const dense<T>& B, const dense<T>& R, double rho, place where,
          const std::function<void(const dense<T>&, int)>& check) {
    const int nx = A.rows();
    const int nu = B.cols();
    arena<T> a;
    Case c;
    c.p = a.input(P, where);
    c.a = a.input(A, where);
    c.b = a.input(B, where);
    c.r = a.input(R, where);
    c.k = a.output(nu, nx, where);
    c.s = a.output(nu, nu, where);
    c.t = a.output(nu, nx, where);
    c.seen = a.output(nu, nx);
    c.info = a.per_member();
    c.rho = rho;
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.k)));
        check(out(c.k), out.info(c.info));
    });
}

TYPED_TEST(control, A05_B06_riccati_gain_solves_its_equation_for_any_shape) {
    using T = TypeParam;
    random_stream r(4);
    int at = 0;
    for (const auto& [nx, nu] : {std::pair{0, 0}, {0, 2}, {3, 0}, {1, 1}, {2, 5}, {12, 4}, {14, 7}, {6, 9}})
        for (const double rho : {0.0, 0.5}) {
            SCOPED_TRACE(testing::Message() << nx << ", " << nu);
            const auto P = random_spd<T>(nx, 10, r);
            const auto A = random_matrix<T>(nx, nx, r);
            const auto B = random_matrix<T>(nx, nu, r);
            const auto R = random_spd<T>(nu, 10, r);
            gain<gain_case<>, T>(
                P, A, B, R, rho, some_place(at++), [&, nx = nx, nu = nu](const dense<T>& K, int info) {
                    EXPECT_EQ(info, 0);
                    const auto b = B.template as<wide>();
                    const auto bp =
                        naive::gemm<wide>(1, transpose(b), P.template as<wide>(), 0, transpose(b));
                    auto s = naive::gemm<wide>(1, bp, b, 1, R.template as<wide>());
                    for (int i = 0; i < nu; ++i) s(i, i) += rho;
                    const auto g = naive::gemm<wide>(1, bp, A.template as<wide>(), 0, bp);
                    const auto back = naive::gemm<wide>(1, s, K.template as<wide>(), 0, g);
                    EXPECT_TRUE(within(relative_error(back, g),
                                       40 * (nx + nu) * static_cast<double>(limits<T>::epsilon())));
                });
        }
}

TYPED_TEST(control, riccati_gain_static_and_deferred) {
    using T = TypeParam;
    random_stream r(5);
    const auto P = random_spd<T>(4, 10, r);
    const auto A = random_matrix<T>(4, 4, r);
    const auto B = random_matrix<T>(4, 2, r);
    const auto R = random_spd<T>(2, 10, r);
    dense<T> dynamic;
    gain<few<gain_case<>>, T>(P, A, B, R, 0.1, {}, [&](const dense<T>& K, int) { dynamic = K; });
    gain<few<gain_case<look::fixed<4, 4>, look::fixed<4, 2>, look::fixed<2, 2>, look::fixed<2, 4>,
                       ends::deferred>>,
         T>(P, A, B, R, 0.1, {}, [&](const dense<T>& K, int info) {
        EXPECT_EQ(info, 0);
        EXPECT_TRUE(bits_equal(K, dynamic));
    });
}

TYPED_TEST(control, riccati_gain_names_the_bad_pivot_and_a_shift_mends_it) {
    using T = TypeParam;
    const auto P = dense<T>::identity(2);
    const auto A = dense<T>::identity(2);
    const auto B = dense<T>::identity(2);
    const auto R = dense<T>::from(2, 2, [](int i, int j) { return i != j ? 0 : i == 0 ? 1 : -3; });
    gain<few<gain_case<>>, T>(P, A, B, R, 0, {}, [&](const dense<T>& K, int info) {
        EXPECT_EQ(info, 2);
        EXPECT_TRUE(bits_equal(K, A));
    });
    // S = diag(1 + 1 + 4, -3 + 1 + 4)
    gain<few<gain_case<>>, T>(P, A, B, R, 4, {}, [&](const dense<T>& K, int info) {
        EXPECT_EQ(info, 0);
        EXPECT_TRUE(within(
            relative_error(
                K, dense<T>::from(2, 2, [](int i, int j) { return i != j   ? 0
                                                                  : i == 0 ? 1.0 / 6
                                                                           : 0.5; })),
            4 * static_cast<double>(limits<T>::epsilon())));
    });
}

// ---- tensors ------------------------------------------------------------------------------------------------------------

template <class Layout, int K, int A, int B>
struct tensor_case {
    piece t, over_slabs, over_rows, over_columns, slab, row, column, triple, seen_slab, seen_row, seen_column,
        seen_triple;
    int slabs, rows, cols;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const shoal::tensor<const T, K, A, B, Layout> view{t.data(buffer), slabs, rows, cols};
        const auto a = static_cast<T>(alpha);
        const auto b = static_cast<T>(beta);
        const auto vk = look::strided::vector(over_slabs, buffer);
        const auto va = look::strided::vector(over_rows, buffer);
        const auto vb = look::strided::vector(over_columns, buffer);
        shoal::tensor_vector<shoal::tensor_axis::slab>(g, a, view, vk, b, slab.view(buffer));
        observe(g, buffer, slab, seen_slab);
        shoal::tensor_vector<shoal::tensor_axis::slab_row>(g, a, view, va, b, row.view(buffer));
        observe(g, buffer, row, seen_row);
        shoal::tensor_vector<shoal::tensor_axis::slab_column>(g, a, view, vb, b, column.view(buffer));
        observe(g, buffer, column, seen_column);
        shoal::vector_tensor_vector(g, a, view, va, vb, b, triple.vector(buffer));
        observe(g, buffer, triple, seen_triple);
    }
};

template <class Case, class T>
void contractions(int nk, int na, int nb, double alpha, double beta, storage order, random_stream& r) {
    const auto t = random_matrix<T>(nk * na * nb, 1, r);
    const auto at = [&](int k, int i, int j) {
        return t(k * na * nb + (order == storage::column ? i + j * na : i * nb + j));
    };
    const auto u = random_matrix<T>(nk, 1, r);
    const auto v = random_matrix<T>(na, 1, r);
    const auto w = random_matrix<T>(nb, 1, r);
    const auto readable = [&](const dense<T>& x) {
        return alpha != 0.0 ? x : dense<T>(x.rows(), 1, poison<T>());
    };
    const auto start = [&](int m, int n) {
        return dense<T>::from(m, n, [](int i, int j) { return i - 2 * j; });
    };
    arena<T> a;
    const auto out_of = [&](int m, int n) { return beta != 0.0 ? a.inout(start(m, n)) : a.output(m, n); };
    Case c;
    c.t = a.input(readable(t));
    c.over_slabs = a.input(readable(u), {.stride = 2});
    c.over_rows = a.input(readable(v));
    c.over_columns = a.input(readable(w), {.stride = 3});
    c.slab = out_of(na, nb);
    c.row = out_of(nk, nb);
    c.column = out_of(nk, na);
    c.triple = out_of(nk, 1);
    c.seen_slab = a.output(na, nb);
    c.seen_row = a.output(nk, nb);
    c.seen_column = a.output(nk, na);
    c.seen_triple = a.output(nk, 1);
    c.slabs = nk;
    c.rows = na;
    c.cols = nb;
    c.alpha = alpha;
    c.beta = beta;
    const auto f = static_cast<T>(alpha);
    const auto h = static_cast<T>(beta);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expect = [&](const piece& p, const piece& seen, int depth, auto term) {
            const auto before = start(p.rows, p.cols);
            const auto expected = dense<T>::from(p.rows, p.cols, [&](int i, int j) {
                T sum = 0;
                for (int l = 0; l < depth && alpha != 0.0; ++l) sum = term(i, j, l, sum);
                return beta == 0.0 ? f * sum : std::fma(h, before(i, j), f * sum);
            });
            EXPECT_TRUE(bits_equal(out(p), expected));
            EXPECT_TRUE(bits_equal(out(seen), expected));
        };
        expect(c.slab, c.seen_slab, nk,
               [&](int i, int j, int l, T s) { return std::fma(u(l), at(l, i, j), s); });
        expect(c.row, c.seen_row, na,
               [&](int i, int j, int l, T s) { return std::fma(v(l), at(i, l, j), s); });
        expect(c.column, c.seen_column, nb,
               [&](int i, int j, int l, T s) { return std::fma(w(l), at(i, j, l), s); });
        expect(c.triple, c.seen_triple, nb, [&](int k, int, int j, T s) {
            T inner = 0;
            for (int i = 0; i < na; ++i) inner = std::fma(v(i), at(k, i, j), inner);
            return std::fma(w(j), inner, s);
        });
    });
}

TYPED_TEST(control, B06_contractions_have_the_documented_order_along_every_axis) {
    using T = TypeParam;
    constexpr int n = shoal::dynamic;
    random_stream r(6);
    for (const auto& [k, a, b] :
         {std::array{0, 0, 0}, {2, 0, 3}, {0, 2, 3}, {1, 1, 1}, {3, 4, 2}, {7, 7, 7}, {2, 9, 17}})
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.7, 1.3}, {0.0, 0.0}, {0.0, 2.0}}) {
            SCOPED_TRACE(testing::Message() << k << ' ' << a << ' ' << b);
            contractions<tensor_case<shoal::column, n, n, n>, T>(k, a, b, alpha, beta, storage::column, r);
        }
    contractions<few<tensor_case<shoal::row, n, n, n>>, T>(3, 4, 5, -0.7, 1.3, storage::row, r);
    contractions<few<tensor_case<shoal::column, 3, 4, 2>>, T>(3, 4, 2, -0.7, 1.3, storage::column, r);
}

}  // namespace
