// syr2k, symm, trmm and dimm: one source, included by test_blas_structured.cpp (emulated groups) and
// test_blas_structured.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

#include <shoal/blas/dimm.hpp>
#include <shoal/blas/symm.hpp>
#include <shoal/blas/syr2k.hpp>
#include <shoal/blas/trmm.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct blas_structured : testing::Test {};
TYPED_TEST_SUITE(blas_structured, scalars);

template <class T>
using limits = std::numeric_limits<T>;

struct factors {
    double alpha, beta;
};
constexpr factors all_factors[] = {{1, 0}, {-0.7, 1.3}, {0, 0}, {0, 2}};

/// What is read where its factor is not zero, and may not be read where it is.
template <class T>
dense<T> read_if(double factor, const dense<T>& a) {
    return factor != 0.0 ? a : dense<T>(a.rows(), a.cols(), poison<T>());
}
/// An operand that is updated, or only written where its factor is zero.
template <class T>
piece updated(arena<T>& a, double beta, const dense<T>& c, place where) {
    return beta != 0.0 ? a.inout(c, where) : a.output(c.rows(), c.cols(), where);
}

template <class T>
void forbid_other_triangle(arena<T>& a, const piece& p, shoal::uplo triangle) {
    if (triangle == shoal::uplo::lower) {
        a.forbid_above_diagonal(p);
    } else {
        a.forbid_below_diagonal(p);
    }
}

template <class T>
testing::AssertionResult triangle_equal(const dense<T>& got, const dense<T>& expected, shoal::uplo triangle) {
    return triangle == shoal::uplo::lower ? bits_equal(lower_part(got), lower_part(expected))
                                          : bits_equal(upper_part(got), upper_part(expected));
}

/// fma(beta, c, alpha * sum), as every product ends.
template <class T>
T blend(T alpha, T sum, T beta, T c) {
    return beta == T(0) ? alpha * sum : std::fma(beta, c, alpha * sum);
}

// ---- syr2k --------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class C = look::strided, class End = ends::synced>
struct syr2k_case {
    piece a, b, c, seen;
    double alpha, beta;
    shoal::uplo triangle;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto update = [&](auto into) {
            shoal::syr2k(End::group(g), static_cast<T>(alpha), A::matrix(a, buffer), A::matrix(b, buffer),
                         static_cast<T>(beta), into);
        };
        if (triangle == shoal::uplo::lower) {
            update(symmetric_lower(C::matrix(c, buffer)));
        } else {
            update(symmetric_upper(C::matrix(c, buffer)));
        }
        End::finish(g);
        observe_triangle(g, buffer, c, seen, triangle);
    }
};

template <class T>
dense<T> syr2k_chain(T alpha, const dense<T>& A, const dense<T>& B, T beta, const dense<T>& C) {
    return dense<T>::from(C.rows(), C.rows(), [&](int i, int j) {
        T sum = 0;
        // Both triangles take the products of the lower one.
        const int row = std::max(i, j);
        const int col = std::min(i, j);
        for (int l = 0; l < A.cols() && alpha != T(0); ++l) {
            sum = std::fma(A(row, l), B(col, l), sum);
            sum = std::fma(B(row, l), A(col, l), sum);
        }
        return blend(alpha, sum, beta, C(i, j));
    });
}

template <class Case, class T>
void syr2k(int n, int k, factors f, shoal::uplo triangle, place where, random_stream& r) {
    const auto A = random_matrix<T>(n, k, r);
    const auto B = random_matrix<T>(n, k, r);
    const auto C = random_matrix<T>(n, n, r);
    arena<T> a;
    Case c;
    c.a = a.input(read_if(f.alpha, A), where);
    c.b = a.input(read_if(f.alpha, B), where);
    c.c = updated(a, f.beta, C, where);
    c.seen = a.output(n, n);
    c.alpha = f.alpha;
    c.beta = f.beta;
    c.triangle = triangle;
    forbid_other_triangle(a, c.c, triangle);
    const auto alpha = static_cast<T>(f.alpha);
    const auto beta = static_cast<T>(f.beta);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = syr2k_chain(alpha, A, B, beta, C);
        EXPECT_TRUE(triangle_equal(out(c.c), expected, triangle));
        EXPECT_TRUE(triangle_equal(out(c.seen), expected, triangle));
    });
    if (f.alpha == 0.0) return;
    const auto product = [&](const dense<wide>& x, const dense<wide>& y) {
        return naive::gemm<wide>(1, x, transpose(y), 0, C.template as<wide>());
    };
    const auto ab = product(A.template as<wide>(), B.template as<wide>());
    const auto ba = product(B.template as<wide>(), A.template as<wide>());
    const auto exact = dense<wide>::from(n, n, [&](int i, int j) {
        return static_cast<wide>(alpha) * (ab(i, j) + ba(i, j)) +
               (f.beta == 0.0 ? 0 : static_cast<wide>(beta) * static_cast<wide>(C(i, j)));
    });
    EXPECT_TRUE(within(relative_error(syr2k_chain(alpha, A, B, beta, C), exact),
                       (2 * k + 2) * static_cast<double>(limits<T>::epsilon())));
}

TYPED_TEST(blas_structured, B06_syr2k_has_the_documented_order_and_keeps_to_its_triangle) {
    random_stream r(1);
    int at = 0;
    for (const auto& [n, k] :
         {std::pair{0, 0}, {0, 3}, {1, 1}, {3, 0}, {2, 3}, {5, 4}, {8, 8}, {17, 6}, {33, 5}})
        for (const auto& f : all_factors)
            for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
                SCOPED_TRACE(testing::Message() << n << " x " << k);
                syr2k<syr2k_case<>, TypeParam>(n, k, f, triangle, some_place(at++), r);
            }
}

TYPED_TEST(blas_structured, syr2k_static_and_deferred) {
    random_stream r(2);
    for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper})
        syr2k<few<syr2k_case<look::fixed<5, 3>, look::fixed<5, 5>, ends::deferred>>, TypeParam>(
            5, 3, {-0.7, 1.3}, triangle, {}, r);
}

// ---- symm ---------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct symm_case {
    piece a, b, c, seen;
    double alpha, beta;
    shoal::uplo triangle;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto multiply = [&](auto s) {
            shoal::symm(End::group(g), static_cast<T>(alpha), s, B::matrix(b, buffer), static_cast<T>(beta),
                        B::matrix(c, buffer));
        };
        if (triangle == shoal::uplo::lower) {
            multiply(symmetric_lower(A::matrix(a, buffer)));
        } else {
            multiply(symmetric_upper(A::matrix(a, buffer)));
        }
        End::finish(g);
        observe(g, buffer, c, seen);
    }
};

template <class Case, class T>
void symm(int m, int n, factors f, shoal::uplo triangle, place where, random_stream& r) {
    const auto S = symmetric_from_lower(random_matrix<T>(m, m, r));
    const auto B = random_matrix<T>(m, n, r);
    const auto C = random_matrix<T>(m, n, r);
    arena<T> a;
    Case c;
    c.a = a.input(read_if(f.alpha, S), where);
    c.b = a.input(read_if(f.alpha, B), where);
    c.c = updated(a, f.beta, C, where);
    c.seen = a.output(m, n);
    c.alpha = f.alpha;
    c.beta = f.beta;
    c.triangle = triangle;
    forbid_other_triangle(a, c.a, triangle);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = chain::gemm(static_cast<T>(f.alpha), S, B, static_cast<T>(f.beta), C);
        EXPECT_TRUE(bits_equal(out(c.c), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
    });
}

TYPED_TEST(blas_structured, B06_symm_has_the_bits_of_gemm_and_does_not_read_the_other_triangle) {
    random_stream r(3);
    int at = 0;
    for (const auto& [m, n] :
         {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {2, 3}, {5, 4}, {8, 8}, {17, 6}, {33, 3}})
        for (const auto& f : all_factors)
            for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper}) {
                SCOPED_TRACE(testing::Message() << m << " x " << n);
                symm<symm_case<>, TypeParam>(m, n, f, triangle, some_place(at++), r);
            }
}

TYPED_TEST(blas_structured, symm_static_and_deferred) {
    random_stream r(4);
    for (const auto triangle : {shoal::uplo::lower, shoal::uplo::upper})
        symm<few<symm_case<look::fixed<4, 4>, look::fixed<4, 3>, ends::deferred>>, TypeParam>(
            4, 3, {-0.7, 1.3}, triangle, {}, r);
}

// ---- trmm ---------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct trmm_case {
    piece t, b, c, seen;
    double alpha;
    shape triangle;
    turned transposed_;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        with_triangle(triangle, transposed_, A::matrix(t, buffer), [&](auto view) {
            shoal::trmm(End::group(g), static_cast<T>(alpha), view, B::matrix(b, buffer),
                        B::matrix(c, buffer));
        });
        End::finish(g);
        observe(g, buffer, c, seen);
    }
};

/// The chain over the stored part of a row.
template <class T>
dense<T> trmm_chain(T alpha, const dense<T>& t, bool is_lower, bool unit, const dense<T>& b) {
    return dense<T>::from(b.rows(), b.cols(), [&](int i, int j) {
        T sum = 0;
        for (int k = 0; k < b.rows() && alpha != T(0); ++k) {
            if (is_lower ? k > i : k < i) continue;
            sum = std::fma(unit && k == i ? T(1) : t(i, k), b(k, j), sum);
        }
        return alpha * sum;
    });
}

template <class Case, class T>
void trmm(int m, int n, double alpha, shape s, turned t, place where, random_stream& r) {
    const auto M = random_matrix<T>(m, m, r);
    const auto B = random_matrix<T>(m, n, r);
    arena<T> a;
    Case c;
    c.t = a.input(read_if(alpha, M), where);
    c.b = a.input(read_if(alpha, B), where);
    c.c = a.output(m, n, where);
    c.seen = a.output(m, n);
    c.alpha = alpha;
    c.triangle = s;
    c.transposed_ = t;
    forbid_other_triangle(a, c.t, is_lower(s) ? shoal::uplo::lower : shoal::uplo::upper);
    if (is_unit(s)) a.forbid_diagonal(c.t);
    const auto meant = t == turned::yes ? transpose(M) : M;
    const bool low = is_lower(s) == (t == turned::no);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expected = trmm_chain(static_cast<T>(alpha), meant, low, is_unit(s), B);
        EXPECT_TRUE(bits_equal(out(c.c), expected));
        EXPECT_TRUE(bits_equal(out(c.seen), expected));
        if (m == 0 || alpha == 0.0) return;
        auto reference = B;
        lapack::trmm('L', is_lower(s) ? 'L' : 'U', t == turned::yes ? 'T' : 'N', is_unit(s) ? 'U' : 'N',
                     static_cast<T>(alpha), M, reference);
        EXPECT_TRUE(
            within(relative_error(out(c.c), reference), 2 * m * static_cast<double>(limits<T>::epsilon())));
    });
}

constexpr shape all_shapes[] = {shape::lower, shape::upper, shape::unit_lower, shape::unit_upper};

TYPED_TEST(blas_structured, B06_trmm_has_the_documented_order_in_every_triangle) {
    random_stream r(5);
    int at = 0;
    for (const auto& [m, n] : {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {2, 3}, {5, 4}, {17, 6}, {33, 2}})
        for (const auto s : all_shapes)
            for (const auto t : {turned::no, turned::yes}) {
                SCOPED_TRACE(testing::Message() << name(s) << ' ' << m << " x " << n);
                trmm<trmm_case<>, TypeParam>(m, n, at % 5 == 4 ? 0.0 : -0.7, s, t, some_place(at), r);
                ++at;
            }
}

TYPED_TEST(blas_structured, trmm_static_and_deferred) {
    random_stream r(6);
    for (const auto s : all_shapes)
        trmm<few<trmm_case<look::fixed<5, 5>, look::fixed<5, 3>, ends::deferred>>, TypeParam>(
            5, 3, 1.5, s, turned::yes, {}, r);
}

// ---- dimm ---------------------------------------------------------------------------------------------------------------

template <class B = look::strided, class End = ends::synced>
struct dimm_case {
    piece left, right, b, rows, seen_rows, cols, seen_cols, itself, seen_itself;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto a = static_cast<T>(alpha);
        const auto f = static_cast<T>(beta);
        const auto l = look::strided::vector(left, buffer);
        const auto m = B::matrix(b, buffer);
        shoal::dimm(End::group(g), a, l, m, f, B::matrix(rows, buffer));
        End::finish(g);
        observe(g, buffer, rows, seen_rows);
        shoal::dimm(End::group(g), a, look::strided::vector(right, buffer), transposed(m), f,
                    transposed(B::matrix(cols, buffer)));
        End::finish(g);
        observe(g, buffer, cols, seen_cols);
        shoal::dimm(End::group(g), a, l, B::matrix(itself, buffer), f, B::matrix(itself, buffer));
        End::finish(g);
        observe(g, buffer, itself, seen_itself);
    }
};

template <class Case, class T>
void dimm(int m, int n, factors f, place where, random_stream& r) {
    const auto d = random_matrix<T>(m, 1, r);
    const auto e = random_matrix<T>(n, 1, r);
    const auto B = random_matrix<T>(m, n, r);
    const auto C = random_matrix<T>(m, n, r);
    const auto alpha = static_cast<T>(f.alpha);
    const auto beta = static_cast<T>(f.beta);
    arena<T> a;
    Case c;
    c.left = a.input(read_if(f.alpha, d), {.stride = 2});
    c.right = a.input(read_if(f.alpha, e));
    c.b = a.input(read_if(f.alpha, B), where);
    c.rows = updated(a, f.beta, C, where);
    c.seen_rows = a.output(m, n);
    c.cols = updated(a, f.beta, C, where);
    c.seen_cols = a.output(m, n);
    c.itself = a.inout(B, where);
    c.seen_itself = a.output(m, n);
    c.alpha = f.alpha;
    c.beta = f.beta;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        const auto expect = [&](const piece& at, const piece& seen, const dense<T>& start, auto factor) {
            const auto expected = dense<T>::from(m, n, [&](int i, int j) {
                const T product = f.alpha == 0.0 ? T(0) : alpha * (factor(i, j) * B(i, j));
                return f.beta == 0.0 ? product : std::fma(beta, start(i, j), product);
            });
            EXPECT_TRUE(bits_equal(out(at), expected));
            EXPECT_TRUE(bits_equal(out(seen), expected));
        };
        expect(c.rows, c.seen_rows, C, [&](int i, int) { return d(i); });
        expect(c.cols, c.seen_cols, C, [&](int, int j) { return e(j); });
        expect(c.itself, c.seen_itself, B, [&](int i, int) { return d(i); });
    });
}

TYPED_TEST(blas_structured, B06_C07_dimm_scales_rows_and_columns_and_may_work_in_place) {
    random_stream r(7);
    int at = 0;
    for (const auto& [m, n] : {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {2, 3}, {5, 4}, {17, 33}})
        for (const auto& f : all_factors) {
            SCOPED_TRACE(testing::Message() << m << " x " << n);
            dimm<dimm_case<>, TypeParam>(m, n, f, some_place(at++), r);
        }
    dimm<few<dimm_case<look::fixed<4, 3>, ends::deferred>>, TypeParam>(4, 3, {-0.7, 1.3}, {}, r);
}

}  // namespace
