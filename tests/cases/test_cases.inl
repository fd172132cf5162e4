// Cases that users of such libraries have reported, as far as the dense ops are concerned; the first letters of a test's
// name are those of the case. G04 (headers that stand alone) and G05 (what instances cost to compile) are
// tools/check-headers and tools/compile-time. One source, included by test_cases.cpp (emulated groups) and test_cases.cu
// (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

namespace {

using namespace shoal::support;
using shoal::uplo;

template <class T>
struct cases : testing::Test {};
TYPED_TEST_SUITE(cases, scalars);

template <class T>
using limits = std::numeric_limits<T>;

template <class T>
dense<T> matrix_of(int rows, int cols, std::initializer_list<double> by_rows) {
    return dense<T>::from(rows, cols, [&](int i, int j) { return by_rows.begin()[i * cols + j]; });
}

// ---- batches: one system after another, side by side in memory --------------------------------------------------------

enum class batch_op { potrf, potrs, gesv };

struct batch_case {
    piece a, b, pivots, infos;
    int count;
    batch_op op;
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int n = a.rows;
        const int m = b.cols / count;
        const auto all_a = look::strided::matrix(a, buffer);
        const auto all_b = look::strided::matrix(b, buffer);
        for (int s = 0; s < count; ++s) {
            const auto A = all_a.block(0, s * n, n, n);
            const auto B = all_b.block(0, s * m, n, m);
            const integers_in<T> P{pivots.data(buffer) + s * n, n};
            int info = 0;
            if (op == batch_op::potrf) info = shoal::potrf(g, lower(A));
            if (op == batch_op::potrs) shoal::potrs(g, lower(A), B);
            if (op == batch_op::gesv) info = shoal::gesv(g, A, P, B);
            if (g.rank() == 0) buffer[infos.at(s)] = static_cast<T>(info);
        }
    }
};

/// The systems of a batch side by side.
template <class T>
dense<T> side_by_side(const std::vector<dense<T>>& systems) {
    const int m = systems[0].cols();
    return dense<T>::from(systems[0].rows(), m * static_cast<int>(systems.size()),
                          [&](int i, int j) { return systems[static_cast<std::size_t>(j / m)](i, j % m); });
}
template <class T>
dense<T> part(const dense<T>& a, int s, int cols) {
    return dense<T>::from(a.rows(), cols, [&](int i, int j) { return a(i, s * cols + j); });
}

template <class T>
struct batch_result {
    dense<T> a, b, pivots, infos;
};
template <class T>
batch_result<T> run_batch(batch_op op, const std::vector<dense<T>>& A, const std::vector<dense<T>>& B) {
    const int count = static_cast<int>(A.size());
    arena<T> room;
    const batch_case c{room.inout(side_by_side(A), {.padding = 3}),
                       room.inout(side_by_side(B), {.padding = 1}),
                       room.output(A[0].rows() * count, 1),
                       room.output(count, 1),
                       count,
                       op};
    batch_result<T> result;
    on_all_groups(c, room, [&](const outcome<T>& out) {
        result = {out(c.a), out(c.b), out(c.pivots), out(c.infos)};
    });
    return result;
}

TYPED_TEST(cases, A06_singular_neighbour_of_a_good_matrix) {
    using T = TypeParam;
    const auto r =
        run_batch<T>(batch_op::potrf, {matrix_of<T>(2, 2, {4, 6, 6, 9}), matrix_of<T>(2, 2, {4, 2, 2, 5})},
                     {dense<T>(2, 0), dense<T>(2, 0)});
    EXPECT_TRUE(bits_equal(r.infos, matrix_of<T>(2, 1, {2, 0})));
    // The bad pivot and what follows stay as they were.
    EXPECT_TRUE(bits_equal(lower_part(part(r.a, 0, 2)), matrix_of<T>(2, 2, {2, 0, 3, 9})));
    EXPECT_TRUE(bits_equal(lower_part(part(r.a, 1, 2)), matrix_of<T>(2, 2, {2, 0, 1, 2})));
}

TYPED_TEST(cases, A10_all_nan_is_harmless_to_its_neighbours) {
    using T = TypeParam;
    random_stream r(1);
    for (const int n : {8, 10, 33}) {
        std::vector<dense<T>> A, B;
        for (int s = 0; s < 9; ++s) {
            A.push_back(s == 5 ? dense<T>(n, n, limits<T>::quiet_NaN()) : random_matrix<T>(n, n, r));
            B.push_back(random_matrix<T>(n, 1, r));
        }
        const auto all = run_batch<T>(batch_op::gesv, A, B);
        for (int s = 0; s < 9; ++s) {
            EXPECT_EQ(all.infos(s), s == 5 ? T(1) : T(0));
            auto lu = A[static_cast<std::size_t>(s)];
            std::vector<int> pivots;
            for (int k = 0; k < n; ++k) {
                EXPECT_GE(all.pivots(s * n + k), T(k));
                EXPECT_LT(all.pivots(s * n + k), T(n));
            }
            if (s == 5) {
                EXPECT_TRUE(bits_equal(part(all.b, s, 1), B[5]));
            } else {
                chain::getrf(lu, pivots);
                EXPECT_TRUE(bits_equal(part(all.a, s, n), lu));
                EXPECT_TRUE(bits_equal(part(all.b, s, 1),
                                       chain::getrs(lu, pivots, false, B[static_cast<std::size_t>(s)])));
            }
        }
    }
}

TYPED_TEST(cases, A12_nan_in_one_right_hand_side_of_a_batch) {
    using T = TypeParam;
    const std::vector<dense<T>> A(4, matrix_of<T>(2, 2, {1, 0, 0, 2}));
    std::vector<dense<T>> B(4, matrix_of<T>(2, 1, {1, 2}));
    B[2](1) = limits<T>::quiet_NaN();
    const auto all = run_batch<T>(batch_op::gesv, A, B);
    EXPECT_TRUE(bits_equal(all.infos, dense<T>(4, 1)));
    for (int s = 0; s < 4; ++s) {
        if (s == 2) {
            EXPECT_TRUE(std::isnan(all.b(1, s)));
        } else {
            EXPECT_TRUE(bits_equal(part(all.b, s, 1), dense<T>(2, 1, T(1))));
        }
    }
}

TYPED_TEST(cases, B10_potrs_of_a_batch_with_any_number_of_right_hand_sides) {
    using T = TypeParam;
    for (const int m : {1, 2, 3, 17}) {
        const double sums[2][2] = {{8, 6}, {12, 7}};
        const std::vector<dense<T>> A(5, matrix_of<T>(2, 2, {2, 0, 1, 2}));
        const std::vector<dense<T>> B(5, dense<T>::from(2, m, [&](int i, int j) { return sums[i][j % 2]; }));
        const auto all = run_batch<T>(batch_op::potrs, A, B);
        const auto x = dense<T>::from(2, m, [](int i, int j) { return j % 2 == 1 ? 1 : i + 1; });
        for (int s = 0; s < 5; ++s) EXPECT_TRUE(bits_equal(part(all.b, s, m), x));
    }
}

// ---- every op at once: placement must not matter ----------------------------------------------------------------------

/// Every op on the leading n x n, n x m or n parts of its operands.
struct every_op_case {
    piece spd, general, pivots, permutation, b_potrs, b_trsm, b_getrs, b_transposed, product, gram, x, y,
        scratch, dot, nrm2, iamax, info;
    int n, m;
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto part = [&](piece p, int rows, int cols) {
            return look::strided::matrix(p, buffer).block(0, 0, rows, cols);
        };
        const auto A = part(spd, n, n);
        const auto L = part(general, n, n);
        const auto P = integers(pivots, buffer);
        const auto B = part(b_trsm, n, m);
        const auto vx = look::strided::vector(x, buffer).segment(0, n);
        const auto vy = look::strided::vector(y, buffer).segment(0, n);
        T* const room = scratch.data(buffer);
        int bad = shoal::potrf(g, lower(A));
        shoal::potrs(g, lower(A), part(b_potrs, n, m));
        shoal::trsm(g, lower(A), B);
        shoal::gemm(g, T(1), transposed(B), B, T(0), part(product, m, m));
        shoal::syrk(g, T(1), B, T(0), symmetric_upper(part(gram, n, n)));
        bad += shoal::getrf(g, L, P);
        shoal::pivot_permutation(g, P, integers(permutation, buffer));
        shoal::getrs(g, L, P, part(b_getrs, n, m));
        shoal::getrs_transposed(g, L, P, part(b_transposed, n, m));
        shoal::gemv(g, T(1), L, part(b_getrs, n, m).column(0), T(0), vy);
        shoal::trsv(g, unit_lower(L), vx);
        shoal::axpy(g, T(0.5), vx, vy);
        dot.mine(g, buffer) = shoal::dot(g, vx, vy, room);
        nrm2.mine(g, buffer) = shoal::nrm2(g, vx, room);
        iamax.mine(g, buffer) = static_cast<T>(shoal::iamax(g, vy, room));
        info.mine(g, buffer) = static_cast<T>(bad);
        trample(g, buffer, scratch);
    }
};

/// How the operands of every_op_case lie: place, and what surrounds them in larger arrays.
struct setting {
    place where = {};
    int more_rows = 0;
    double surround = 0;
    double outputs = std::numeric_limits<double>::quiet_NaN();  ///< what outputs and scratch hold at first
};

template <class T>
std::vector<dense<T>> run_every_op(int n, int m, setting s) {
    random_stream r(static_cast<std::uint64_t>(100 * n + m));
    const auto surrounded = [&](const dense<T>& a) {
        return dense<T>::from(a.rows() + s.more_rows, a.cols(), [&](int i, int j) {
            return i < a.rows() ? a(i, j) : static_cast<T>(s.surround);
        });
    };
    arena<T> a;
    const auto in = [&](const dense<T>& x) { return a.inout(surrounded(x), s.where); };
    const auto out_of = [&](int rows, int cols) {
        return in(dense<T>(rows, cols, static_cast<T>(s.outputs)));
    };
    const auto A = random_spd<T>(n, 10, r);
    const auto L = random_general<T>(n, 10, r);
    const auto B = random_matrix<T>(n, m, r);
    const auto x = random_matrix<T>(n, 1, r);
    every_op_case c{};
    c.spd = in(A);
    c.general = in(L);
    c.pivots = a.inout(dense<T>(n, 1, static_cast<T>(s.outputs)));
    c.permutation = a.inout(dense<T>(n, 1, static_cast<T>(s.outputs)));
    c.b_potrs = in(B);
    c.b_trsm = in(B);
    c.b_getrs = in(B);
    c.b_transposed = in(B);
    c.product = out_of(m, m);
    c.gram = out_of(n, n);
    c.x = in(x);
    c.y = out_of(n, 1);
    c.scratch = a.inout(dense<T>(32, 1, static_cast<T>(s.outputs)));
    c.dot = a.per_member();
    c.nrm2 = a.per_member();
    c.iamax = a.per_member();
    c.info = a.per_member();
    c.n = n;
    c.m = m;
    std::vector<dense<T>> results;
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        const auto keep = [&](const piece& p, int rows) {
            const auto whole = out(p);
            results.push_back(dense<T>::from(rows, p.cols, [&](int i, int j) { return whole(i, j); }));
            for (int j = 0; j < p.cols; ++j)
                for (int i = rows; i < p.rows; ++i)
                    EXPECT_TRUE(same_bits(whole(i, j), static_cast<T>(s.surround))) << "surrounding " << i;
        };
        for (const auto& p : {c.b_potrs, c.b_trsm, c.b_getrs, c.b_transposed, c.general, c.x, c.y})
            keep(p, n);
        keep(c.product, m);
        keep(c.pivots, n);
        keep(c.permutation, n);
        keep(c.spd, n);
        keep(c.gram, n);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < j; ++i) {
                EXPECT_TRUE(same_bits(out(c.spd)(i, j), A(i, j)));
                EXPECT_TRUE(same_bits(out(c.gram)(j, i), static_cast<T>(s.outputs)));
            }
        results[results.size() - 2] = lower_part(results[results.size() - 2]);
        results.back() = upper_part(results.back());
        results.push_back(dense<T>::from(3, 1, [&](int i, int) {
            return out.value(i == 0 ? c.dot : i == 1 ? c.nrm2 : c.iamax);
        }));

        // Not only the same everywhere: right.
        EXPECT_TRUE(within(solve_error(A, results[0], B), 3));
        EXPECT_TRUE(within(solve_error(L, results[2], B), 5));
        EXPECT_TRUE(within(solve_error(transpose(L), results[3], B), 5));
    });
    return results;
}

template <class T>
void expect_like_packed(int n, int m, setting s) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const auto packed = run_every_op<T>(n, m, {});
    const auto other = run_every_op<T>(n, m, s);
    ASSERT_EQ(packed.size(), other.size());
    for (std::size_t k = 0; k < packed.size(); ++k) EXPECT_TRUE(bits_equal(packed[k], other[k])) << k;
}

TYPED_TEST(cases, B05_red_zones_stay_red_at_every_size) {
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 47})
        expect_like_packed<TypeParam>(n, 1 + n % 4, {some_place(n)});
}

TYPED_TEST(cases, C01_leading_part_of_a_larger_array_whatever_surrounds_it) {
    for (const int n : {4, 5}) {
        expect_like_packed<TypeParam>(n, 3, {{}, 3, 1e30});
        expect_like_packed<TypeParam>(n, 3, {{.order = storage::row, .padding = 1}, 3, std::nan("")});
    }
}

TYPED_TEST(cases, C08_odd_sizes_odd_leading_dimensions_and_shifted_bases) {
    for (const int n : {3, 5, 7}) expect_like_packed<TypeParam>(n, 3, {{.padding = 2, .shift = 1}});
}

TYPED_TEST(cases, C14_what_outputs_and_scratch_hold_at_first_does_not_matter) {
    for (const int n : {2, 9, 33}) {
        expect_like_packed<TypeParam>(n, 3, {{}, 0, 0, 0});
        expect_like_packed<TypeParam>(n, 3, {{}, 0, 0, 1e30});
    }
}

TYPED_TEST(cases, E05_orders_below_and_above_a_warp) {
    for (const int n : {31, 32, 33, 48, 64}) {
        SCOPED_TRACE(n);
        run_every_op<TypeParam>(n, 2, {});
    }
}

// ---- single cases -----------------------------------------------------------------------------------------------------

TYPED_TEST(cases, B08_order_one) {
    using T = TypeParam;
    for (const auto triangle : {uplo::lower, uplo::upper}) {
        arena<T> a;
        const posv_case<> c{a.inout(dense<T>(1, 1, T(9))),
                            a.inout(dense<T>(1, 1, T(18))),
                            a.output(1, 1),
                            a.output(1, 1),
                            a.per_member(),
                            triangle,
                            sides::many};
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 0);
            EXPECT_EQ(out(c.a)(0, 0), T(3));
            if (host_lane) {
                EXPECT_NEAR(out(c.b)(0, 0), T(2), 2 * limits<T>::epsilon());
            }
        });
    }
}

TYPED_TEST(cases, C02_upper_and_lower_read_their_own_triangle) {
    using T = TypeParam;
    for (const auto triangle : {uplo::lower, uplo::upper}) {
        arena<T> a;
        const posv_case<> c{a.inout(matrix_of<T>(2, 2, {4, 2, 2, 5})),
                            a.inout(matrix_of<T>(2, 1, {8, 12})),
                            a.output(2, 2),
                            a.output(2, 1),
                            a.per_member(),
                            triangle,
                            sides::one};
        if (triangle == uplo::lower) {
            a.forbid_above_diagonal(c.a);
        } else {
            a.forbid_below_diagonal(c.a);
        }
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_EQ(out.info(c.info), 0);
            const auto f = out(c.a);
            EXPECT_TRUE(bits_equal(lower_part(triangle == uplo::lower ? f : transpose(f)),
                                   matrix_of<T>(2, 2, {2, 0, 1, 2})));
            EXPECT_TRUE(bits_equal(out(c.b), matrix_of<T>(2, 1, {1, 2})));
        });
    }
}

/// X = L^-1 A', then X' X and X X'.
struct transposed_result_case {
    piece l, a, inner, outer;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto X = transposed(a.template view<2, 2>(buffer));
        const auto I = inner.template view<2, 2>(buffer);
        const auto O = outer.template view<2, 2, shoal::row>(buffer);
        shoal::trsm(g, lower(l.template view<2, 2>(buffer)), X);
        shoal::gemm(g, T(1), transposed(X), X, T(0), I);
        shoal::gemm(g, T(1), X, transposed(X), T(0), O);
    }
};

TYPED_TEST(cases, C06_products_with_the_transposed_result_of_a_solve) {
    using T = TypeParam;
    arena<T> a;
    const transposed_result_case c{a.input(matrix_of<T>(2, 2, {2, 0, 1, 4})),
                                   a.inout(matrix_of<T>(2, 2, {2, 13, 4, 6})), a.output(2, 2),
                                   a.output(2, 2, {.order = storage::row})};
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_TRUE(bits_equal(out(c.a), matrix_of<T>(2, 2, {1, 3, 2, 1})));
        EXPECT_TRUE(bits_equal(out(c.inner), matrix_of<T>(2, 2, {10, 5, 5, 5})));
        EXPECT_TRUE(bits_equal(out(c.outer), matrix_of<T>(2, 2, {5, 5, 5, 10})));
    });
}

TEST(cases, G06_a_nan_never_passes_a_check) {
    const auto A = dense<double>::identity(3);
    const auto b = dense<double>(3, 1, 1.0);
    auto x = b;
    x(1) = limits<double>::quiet_NaN();
    EXPECT_FALSE(within(limits<double>::quiet_NaN(), 1));
    EXPECT_FALSE(within(solve_error(A, x, b), 1e300));
    EXPECT_FALSE(within(relative_error(x, b), 1e300));
    EXPECT_FALSE(within(product_error(1.0, A, b, 0.0, b, x), 1e300));
    auto factor = A;
    factor(2, 0) = limits<double>::quiet_NaN();
    EXPECT_FALSE(within(cholesky_error(A, factor), 1e300));
    const int pivots[] = {0, 1, 2};
    EXPECT_FALSE(within(lu_error(A, factor, pivots), 1e300));
    EXPECT_FALSE(bits_equal(x, b));
}

}  // namespace
