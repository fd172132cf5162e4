// gemm and syrk with split sums, gemm_indexed, trmv: one source, included by test_blas_forms.cpp (emulated groups) and
// test_blas_forms.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <array>
#include <limits>

#include <shoal/blas/gemm_indexed.hpp>
#include <shoal/blas/trmv.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct blas_forms : testing::Test {};
TYPED_TEST_SUITE(blas_forms, scalars);

struct factors {
    double alpha, beta;
};
constexpr factors all_factors[] = {{1, 0}, {-0.7, 1.3}, {0, 0}, {0, 2}};

template <class T>
dense<T> read_if(double factor, const dense<T>& a) {
    return factor != 0.0 ? a : dense<T>(a.rows(), a.cols(), poison<T>());
}
template <class T>
piece updated(arena<T>& a, double beta, const dense<T>& c, place where = {}) {
    return beta != 0.0 ? a.inout(c, where) : a.output(c.rows(), c.cols(), where);
}

// ---- split sums ---------------------------------------------------------------------------------------------------------

template <class A = look::strided, class B = look::strided, class C = look::strided, class S = look::strided,
          class End = ends::synced>
struct split_case {
    static constexpr shoal::gemm_policy product{.algorithm = shoal::product_algorithm::split};
    static constexpr shoal::syrk_policy square{.algorithm = shoal::product_algorithm::split};
    piece a, b, c, seen_c, low, seen_low, high, seen_high;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto f = static_cast<T>(alpha);
        const auto h = static_cast<T>(beta);
        const auto va = A::matrix(a, buffer);
        shoal::gemm<product>(End::group(g), f, va, B::matrix(b, buffer), h, C::matrix(c, buffer));
        End::finish(g);
        observe(g, buffer, c, seen_c);
        shoal::syrk<square>(End::group(g), f, va, h, symmetric_lower(S::matrix(low, buffer)));
        End::finish(g);
        observe_triangle(g, buffer, low, seen_low, shoal::uplo::lower);
        shoal::syrk<square>(End::group(g), f, va, h, symmetric_upper(S::matrix(high, buffer)));
        End::finish(g);
        observe_triangle(g, buffer, high, seen_high, shoal::uplo::upper);
    }
};

/// The sums of dot().
template <class T>
dense<T> split_chain(T alpha, const dense<T>& A, const dense<T>& B, T beta, const dense<T>& C) {
    return dense<T>::from(A.rows(), B.cols(), [&](int i, int j) {
        const auto row = dense<T>::from(A.cols(), 1, [&](int k, int) { return A(i, k); });
        const auto col = dense<T>::from(A.cols(), 1, [&](int k, int) { return B(k, j); });
        const T sum = alpha == T(0) ? T(0) : chain::dot(row, col);
        return beta == T(0) ? alpha * sum : std::fma(beta, C(i, j), alpha * sum);
    });
}

template <class Case, class T>
void split(int m, int n, int k, factors f, place where, random_stream& r) {
    const auto A = random_matrix<T>(m, k, r);
    const auto B = random_matrix<T>(k, n, r);
    const auto C = random_matrix<T>(m, n, r);
    const auto S = random_matrix<T>(m, m, r);
    const auto alpha = static_cast<T>(f.alpha);
    const auto beta = static_cast<T>(f.beta);
    arena<T> a;
    Case c;
    c.a = a.input(read_if(f.alpha, A), where);
    c.b = a.input(read_if(f.alpha, B), where);
    c.c = updated(a, f.beta, C, where);
    c.seen_c = a.output(m, n);
    c.low = updated(a, f.beta, S, where);
    c.seen_low = a.output(m, m);
    c.high = updated(a, f.beta, S, where);
    c.seen_high = a.output(m, m);
    a.forbid_above_diagonal(c.low);
    a.forbid_below_diagonal(c.high);
    c.alpha = f.alpha;
    c.beta = f.beta;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto product = split_chain(alpha, A, B, beta, C);
        EXPECT_TRUE(bits_equal(out(c.c), product));
        EXPECT_TRUE(bits_equal(out(c.seen_c), product));
        const auto square = split_chain(alpha, A, transpose(A), beta, S);
        EXPECT_TRUE(bits_equal(lower_part(out(c.low)), lower_part(square)));
        EXPECT_TRUE(bits_equal(lower_part(out(c.seen_low)), lower_part(square)));
        EXPECT_TRUE(bits_equal(upper_part(out(c.high)), upper_part(square)));
        EXPECT_TRUE(bits_equal(upper_part(out(c.seen_high)), upper_part(square)));
        EXPECT_TRUE(within(product_error(alpha, A, B, beta, C, out(c.c)), 1));
    });
}

TYPED_TEST(blas_forms, B06_split_products_have_the_order_of_dot_on_every_group) {
    random_stream r(1);
    int at = 0;
    for (const auto& [m, n, k] :
         {std::array{0, 0, 0}, {0, 2, 3}, {2, 3, 0}, {1, 1, 1}, {3, 2, 5}, {4, 5, 40}, {2, 1, 100}})
        for (const auto& f : all_factors) {
            SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
            split<split_case<>, TypeParam>(m, n, k, f, some_place(at++), r);
        }
}

TYPED_TEST(blas_forms, split_products_static_and_deferred) {
    random_stream r(2);
    split<few<split_case<look::fixed<3, 35>, look::fixed<35, 2>, look::fixed<3, 2>, look::fixed<3, 3>,
                         ends::deferred>>,
          TypeParam>(3, 2, 35, {-0.7, 1.3}, {}, r);
}

// ---- gemm_indexed -------------------------------------------------------------------------------------------------------

template <int N, class End = ends::synced>
struct indexed_case {
    piece a, b, c, seen, left, right, into;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto l = integers(left, buffer);
        const auto r = integers(right, buffer);
        const auto t = integers(into, buffer);
        const T* const from_a = a.data(buffer);
        const T* const from_b = b.data(buffer);
        T* const to = c.data(buffer);
        using in = shoal::matrix<const T, N, N>;
        shoal::gemm_indexed(
            End::group(g), left.rows, static_cast<T>(alpha), [=](int p) { return in{from_a + N * N * l(p)}; },
            [=](int p) { return transposed(in{from_b + N * N * r(p)}); }, static_cast<T>(beta),
            [=](int p) { return shoal::matrix<T, N, N>{to + N * N * t(p)}; });
        End::finish(g);
        observe(g, buffer, c, seen);
    }
};

template <class Case, int N, class T>
void indexed(std::vector<int> left, std::vector<int> right, std::vector<int> into, factors f,
             random_stream& r) {
    constexpr int count = 5;
    const auto A = random_matrix<T>(N * N, count, r);
    const auto B = random_matrix<T>(N * N, count, r);
    const auto C = random_matrix<T>(N * N, count, r);
    const auto pairs = static_cast<int>(left.size());
    const auto numbers = [&](const std::vector<int>& k) {
        return dense<T>::from(pairs, 1, [&](int i, int) { return k[static_cast<std::size_t>(i)]; });
    };
    const auto member = [&](const dense<T>& all, int p) {
        return dense<T>::from(N, N, [&](int i, int j) { return all(i + j * N, p); });
    };
    arena<T> a;
    Case c;
    c.a = a.input(read_if(f.alpha, A));
    c.b = a.input(read_if(f.alpha, B));
    c.c = a.inout(C);
    c.seen = a.output(N * N, count);
    c.left = a.input(numbers(left));
    c.right = a.input(numbers(right));
    c.into = a.input(numbers(into));
    c.alpha = f.alpha;
    c.beta = f.beta;
    auto expected = C;
    for (std::size_t p = 0; p < left.size(); ++p) {
        const auto product =
            chain::gemm(static_cast<T>(f.alpha), member(A, left[p]), transpose(member(B, right[p])),
                        static_cast<T>(f.beta), member(C, into[p]));
        for (int e = 0; e < N * N; ++e) expected(e, into[p]) = product(e % N, e / N);
    }
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.c), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

TYPED_TEST(blas_forms, B06_gemm_indexed_gathers_its_operands_and_leaves_the_other_results) {
    random_stream r(3);
    for (const auto& f : all_factors) {
        indexed<indexed_case<4>, 4, TypeParam>({0, 3, 3}, {1, 1, 4}, {2, 0, 4}, f, r);
        indexed<few<indexed_case<3, ends::deferred>>, 3, TypeParam>({4, 0, 1, 2, 3}, {0, 0, 0, 0, 0},
                                                                    {0, 1, 2, 3, 4}, f, r);
        indexed<few<indexed_case<3, ends::deferred>>, 3, TypeParam>({}, {}, {}, f, r);
    }
}

// ---- trmv ---------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class X = look::strided, class End = ends::synced>
struct trmv_case {
    piece t, x, y, seen_y, itself, seen_itself, scratch;
    double alpha;
    shape triangle;
    turned transposed_;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        with_triangle(triangle, transposed_, A::matrix(t, buffer), [&](auto view) {
            shoal::trmv(End::group(g), static_cast<T>(alpha), view, X::vector(x, buffer),
                        X::vector(y, buffer));
        });
        End::finish(g);
        observe(g, buffer, y, seen_y);
        with_triangle(triangle, transposed_, A::matrix(t, buffer), [&](auto view) {
            shoal::trmv_in_place(End::group(g), view, X::vector(itself, buffer), scratch.data(buffer));
        });
        End::finish(g);
        observe(g, buffer, itself, seen_itself);
        trample(g, buffer, scratch);
    }
};

template <class Case, class T>
void trmv(int n, double alpha, shape s, turned t, place where, random_stream& r) {
    const auto M = random_matrix<T>(n, n, r);
    const auto x = random_matrix<T>(n, 1, r);
    arena<T> a;
    Case c;
    c.t = a.input(M, where);
    c.x = a.input(read_if(alpha, x), {.stride = where.stride});
    c.y = a.output(n, 1, {.stride = where.stride});
    c.seen_y = a.output(n, 1);
    c.itself = a.inout(x, {.stride = where.stride});
    c.seen_itself = a.output(n, 1);
    c.scratch = a.scratch(n);
    c.alpha = alpha;
    c.triangle = s;
    c.transposed_ = t;
    if (is_lower(s)) {
        a.forbid_above_diagonal(c.t);
    } else {
        a.forbid_below_diagonal(c.t);
    }
    if (is_unit(s)) a.forbid_diagonal(c.t);
    const auto meant = t == turned::yes ? transpose(M) : M;
    const bool low = is_lower(s) == (t == turned::no);
    const auto product = dense<T>::from(n, 1, [&](int i, int) {
        T sum = 0;
        for (int k = low ? 0 : i; k < (low ? i + 1 : n); ++k)
            sum = std::fma(is_unit(s) && k == i ? T(1) : meant(i, k), x(k), sum);
        return sum;
    });
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto scaled = dense<T>::from(
            n, 1, [&](int i, int) { return alpha == 0.0 ? T(0) : static_cast<T>(alpha) * product(i); });
        EXPECT_TRUE(bits_equal(out(c.y), scaled));
        EXPECT_TRUE(bits_equal(out(c.seen_y), scaled));
        EXPECT_TRUE(bits_equal(out(c.itself), product));
        EXPECT_TRUE(bits_equal(out(c.seen_itself), product));
    });
}

TYPED_TEST(blas_forms, B06_trmv_has_the_documented_order_in_every_triangle) {
    random_stream r(4);
    int at = 0;
    for (const int n : {0, 1, 2, 5, 17, 33})
        for (const auto s : {shape::lower, shape::upper, shape::unit_lower, shape::unit_upper})
            for (const auto t : {turned::no, turned::yes}) {
                SCOPED_TRACE(testing::Message() << name(s) << ' ' << n);
                trmv<trmv_case<>, TypeParam>(n, at % 5 == 4 ? 0.0 : -0.7, s, t, some_place(at), r);
                ++at;
            }
    trmv<few<trmv_case<look::fixed<5, 5>, look::fixed<5>, ends::deferred>>, TypeParam>(5, 1.5, shape::lower,
                                                                                       turned::yes, {}, r);
}

}  // namespace
