// What the drop-in header of TDLS does, in single and double precision.

#include "compat/tdls_memory.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <shoal/compat/tdls.hpp>

namespace {

using namespace shoal::support;
using tdls::MatrixLayout;
using tdls::PivotSearch;
using tdls::RowInterchange;
using tdls::Schedule;
using tdls::TiledLUppConfig;
using tdls::TiledLUppSolverDynamic;
using tdls::TiledLUppSolverStatic;

constexpr int n = 4;

template <class T>
struct tdls_solver : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(tdls_solver, scalars);

/// A system in arrays of the thread and the same interleaved with another in memory, its order known at run time.
template <class T>
struct both_ways {
    SHOAL_FN void operator()(T* p, int* w) const {
        T a[n * n], y[n];
        int piv[n];
        for (int e = 0; e < n * n; ++e) a[e] = p[2 * e];
        for (int i = 0; i < n; ++i) y[i] = p[2 * (n * n + i)];
        w[0] =
            TiledLUppSolverStatic<T, n>::template solve_inplace<true, true, true>(a, 1, piv, 1, y, 1) ? 1 : 0;
        w[1] = TiledLUppSolverDynamic<T>::solve_inplace(n, p, 2, w + 2, 1, p + 2 * n * n, 2) ? 1 : 0;
        for (int i = 0; i < n; ++i) p[2 * (n * n + i) + 1] = y[i];
    }
};

TYPED_TEST(tdls_solver, solves_in_arrays_and_interleaved) {
    using T = TypeParam;
    auto m = random_memory<T>(2 * (n * n + n), 2 + n, 5);
    const memory<T> before = m;

    run(both_ways<T>{}, m);

    T a[n * n], b[n], x[n];
    for (std::size_t e = 0; e < n * n; ++e) a[e] = before.numbers[2 * e];
    for (std::size_t i = 0; i < n; ++i) {
        b[i] = before.numbers[2 * (n * n + i)];
        x[i] = m.numbers[2 * (n * n + i)];
        EXPECT_EQ(x[i], m.numbers[2 * (n * n + i) + 1]) << i;
    }
    EXPECT_EQ(m.whole[0] + m.whole[1], 2);
    EXPECT_LT(backward_error(n, a, x, b), 4 * n * std::numeric_limits<T>::epsilon());
}

/// What a material point needs: factors, then columns of the inverse, by one and by two.
struct tangent {
    SHOAL_FN void operator()(double* p, int* w) const {
        using S = TiledLUppSolverStatic<double, n>;
        double* const x = p + n * n;
        double* const together = x + n * n;
        double a[n * n];
        for (int e = 0; e < n * n; ++e) a[e] = p[e];
        w[0] = S::factorize<false, true>(a, 1, w + 1, 1) ? 1 : 0;
        for (int c = 0; c < n; ++c)
            S::substitute_canonical<false, false, true>(a, 1, w + 1, 1, c, x + c * n, 1);
        S::substitute_canonical_multirhs<n, false, false, true, 2>(a, 1, w + 1, 1, 0, together, 1, n);
    }
};

TEST(tdls, columns_of_the_inverse) {
    auto m = random_memory<double>(3 * n * n, 1 + n, 6);

    run(tangent{}, m);

    const double* const inverse = m.numbers.data() + n * n;
    EXPECT_EQ(m.whole[0], 1);
    EXPECT_EQ(std::memcmp(inverse, inverse + n * n, n * n * sizeof(double)), 0);
    for (int c = 0; c < n; ++c) {
        double unit[n] = {};
        unit[c] = 1;
        EXPECT_LT(backward_error(n, m.numbers.data(), inverse + c * n, unit), 4 * n * 0x1p-52);
    }
}

using config = TiledLUppConfig<double>;

/// Solves with A (n x n) at the front and b behind it; x follows. The verdict and the counter are the first whole numbers, the
/// pivots follow.
template <config Config>
struct solve_counting {
    SHOAL_FN void operator()(double* p, int* w) const {
        double a[n * n];
        for (int e = 0; e < n * n; ++e) a[e] = p[e];
        w[0] = TiledLUppSolverStatic<double, n, Config>::template solve<false, false, true>(
                   a, 1, w + 2, 1, p + n * n, p + n * n + n, 1, w[1])
                   ? 1
                   : 0;
    }
};

template <config Config>
memory<double> solved(std::vector<double> a) {
    memory<double> m{std::move(a), {-5, -5, 0, 0, 0, 0}};
    m.numbers.insert(m.numbers.end(), {1, 2, 3, 4, 9, 9, 9, 9});
    run(solve_counting<Config>{}, m);
    return m;
}

TEST(tdls, counts_columns_whose_tile_has_no_pivot) {
    const std::vector<double> a = {0, 0, 1, 0,  //
                                   0, 0, 0, 1,  //
                                   1, 0, 0, 0,  //
                                   0, 1, 0, 0};

    const auto column = solved<config{.tile_size = 2}>(a);
    const auto tile = solved<config{.tile_size = 2, .pivot_search = PivotSearch::Tile}>(a);
    const auto one = solved<config{.tile_size = 9}>(a);

    for (const auto* m : {&column, &tile, &one}) {
        EXPECT_EQ(m->whole[0], 1);
        EXPECT_EQ(std::vector<double>(m->numbers.end() - 4, m->numbers.end()),
                  (std::vector<double>{3, 4, 1, 2}));
        EXPECT_EQ(std::vector<int>(m->whole.end() - 4, m->whole.end()), (std::vector<int>{2, 3, 0, 1}));
    }
    EXPECT_EQ(column.whole[1], 2);
    EXPECT_EQ(tile.whole[1], 2);
    EXPECT_EQ(one.whole[1], 0);
}

TEST(tdls, says_no_to_singular_matrices_and_to_nan) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> singular = {1, 2, 3, 4, 2, 4, 6, 8, 1, 0, 0, 0, 0, 1, 0, 0};
    const std::vector<double> poisoned = {1, 0, 0, 0, 0, nan, 0, 0, 0, nan, 1, 0, 0, nan, 0, 1};

    for (const auto& m :
         {solved<config{.tile_size = 2}>(singular), solved<config{.tile_size = 2}>(poisoned)}) {
        EXPECT_EQ(m.whole[0], 0);
        EXPECT_EQ(std::vector<double>(m.numbers.end() - 4, m.numbers.end()),
                  (std::vector<double>{9, 9, 9, 9}));
    }
}

TEST(tdls, floor_decides_what_is_singular) {
    const std::vector<double> a = {1, 0, 0, 0, 0, 1e-6, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

    const auto accepted = solved<config{.tile_size = 2, .oot_pivot_threshold = 1e-4}>(a);
    const auto refused =
        solved<config{.tile_size = 2, .oot_pivot_threshold = 1e-4, .singular_floor = 1e-5}>(a);

    EXPECT_EQ(accepted.whole[0], 1);
    EXPECT_EQ(accepted.whole[1], 1) << "below oot_pivot_threshold";
    EXPECT_EQ(refused.whole[0], 0);
}

/// Without oot_diag the counter is left alone.
struct counter_left_alone {
    SHOAL_FN void operator()(double* p, int* w) const {
        if (!TiledLUppSolverStatic<double, n>::factorize<false, false, false>(p, 1, w + 1, 1, w[0])) w[0] = 0;
    }
};

TEST(tdls, counts_nothing_without_diagnostics) {
    memory<double> m{{0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {-5, 0, 0, 0, 0}};

    run(counter_left_alone{}, m);

    EXPECT_EQ(m.whole, (std::vector<int>{-5, 1, 2, 3, 0}));
}

/// Row-major factors of A and column-major factors of the transposed memory are the same numbers; solutions are those of the two
/// systems.
struct two_layouts {
    static constexpr int numbers = 4 * n * n + 3 * n;
    static constexpr int whole = 2 + 2 * n;

    SHOAL_FN void operator()(double* p, int* w) const {
        using rows = TiledLUppSolverStatic<double, n>;
        using columns =
            TiledLUppSolverStatic<double, n, TiledLUppConfig<double>{.layout = MatrixLayout::ColMajor}>;
        double* const R = p + n * n;
        double* const C = R + n * n;
        double* const b = p + 4 * n * n;
        for (int e = 0; e < n * n; ++e) R[e] = C[e] = p[e];
        w[0] = rows::factorize<false, false>(R, 1, w + 2, 1) ? 1 : 0;
        w[1] = columns::solve<false, false, false>(C, 1, w + 2 + n, 1, b, b + n, 1) ? 1 : 0;
        for (int i = 0; i < n; ++i) b[2 * n + i] = b[i];
        columns::substitute_inplace<false, false, false>(C, 1, w + 2 + n, 1, b + 2 * n, 1);
    }
};

TEST(tdls, columns_are_the_rows_of_the_transposed_matrix) {
    using layouts = two_layouts;
    auto m = random_memory<double>(layouts::numbers, layouts::whole, 3);

    run(layouts{}, m);

    const double* const p = m.numbers.data();
    const double* const b = p + 4 * n * n;
    double transposed[n * n];
    for (int e = 0; e < n * n; ++e) transposed[e] = p[e % n * n + e / n];
    EXPECT_EQ(m.whole[0], 1);
    EXPECT_EQ(m.whole[1], 1);
    EXPECT_EQ(std::memcmp(p + n * n, p + 2 * n * n, n * n * sizeof(double)), 0);
    EXPECT_TRUE(std::equal(m.whole.begin() + 2, m.whole.begin() + 2 + n, m.whole.begin() + 2 + n));
    EXPECT_LT(backward_error(n, transposed, b + n, b), 4 * n * std::numeric_limits<double>::epsilon());
    EXPECT_EQ(std::memcmp(b + n, b + 2 * n, n * sizeof(double)), 0);
}

/// Pivots and factors of a published case: with Physical they are LAPACK's, counted from 0, the diagonal inverted.
struct published_case {
    SHOAL_FN void operator()(double* p, int* w) const {
        constexpr config lapack{.row_interchange = RowInterchange::Physical, .relative_pivot_threshold = 1};
        w[3] = TiledLUppSolverStatic<double, 3, lapack>::factorize<false, false>(p, 1, w, 1) ? 1 : 0;
    }
};

TEST(tdls, physical_pivots_are_those_of_lapack) {
    memory<double> m{{2, 4, -2, 4, 9, -3, -8, -3, 7}, std::vector<int>(4)};

    run(published_case{}, m);

    EXPECT_EQ(m.whole, (std::vector<int>{2, 1, 2, 1}));
    const double expected[9] = {-1.0 / 8, -3, 7, -0.5, 2.0 / 15, 0.5, -0.25, 13.0 / 30, -15.0 / 7};
    for (std::size_t e = 0; e < 9; ++e)
        EXPECT_NEAR(m.numbers[e], expected[e], 8 * std::numeric_limits<double>::epsilon());
}

/// The largest error of a whole solve in constant evaluation, where products and sums may round one after the other.
template <class T>
constexpr T error_at_compile_time() {
    T a[9] = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    T y[3] = {8, 10, 22};
    int piv[3] = {};
    if (!TiledLUppSolverStatic<T, 3>::template solve_inplace<true, true, true>(a, 1, piv, 1, y, 1)) return 1;
    T largest = 0;
    for (int i = 0; i < 3; ++i) {
        const T error = y[i] > T(i + 1) ? y[i] - T(i + 1) : T(i + 1) - y[i];
        largest = error > largest ? error : largest;
    }
    return largest;
}
static_assert(error_at_compile_time<double>() < 1e-14 && error_at_compile_time<float>() < 1e-5f);

TYPED_TEST(tdls_solver, constants_are_those_of_the_config) {
    using T = TypeParam;
    using S = TiledLUppSolverStatic<T, 8>;
    using whole =
        TiledLUppSolverStatic<T, 8, TiledLUppConfig<T>{.tile_size = 4, .schedule = Schedule::LeftLooking}>;
    using larger = TiledLUppSolverStatic<T, 8, TiledLUppConfig<T>{.tile_size = 9, .singular_floor = 1e-20}>;
    using D = TiledLUppSolverDynamic<T>;
    EXPECT_EQ(S::tile_size, 3);
    EXPECT_EQ(S::full_tiles, 2);
    EXPECT_EQ(S::last_tile_tail, 2);
    EXPECT_EQ(S::num_tiles, 3);
    EXPECT_EQ(S::schedule, Schedule::RightLooking);
    EXPECT_EQ(S::oot_pivot_threshold, (std::is_same_v<T, float> ? T(1e-4) : T(1e-10)));
    EXPECT_EQ(S::singular_floor, std::numeric_limits<T>::min());
    EXPECT_EQ(whole::full_tiles, 2);
    EXPECT_EQ(whole::last_tile_tail, 0);
    EXPECT_EQ(whole::num_tiles, 2);
    EXPECT_EQ(whole::schedule, Schedule::LeftLooking);
    EXPECT_EQ(larger::full_tiles, 0);
    EXPECT_EQ(larger::last_tile_tail, 8);
    EXPECT_EQ(larger::num_tiles, 1);
    EXPECT_EQ(larger::singular_floor, T(1e-20));
    EXPECT_EQ(D::tile_size, 3);
    EXPECT_EQ(D::num_tiles(8), 3);
    EXPECT_EQ(D::num_tiles(9), 3);
    EXPECT_EQ(D::num_tiles(0), 0);
    EXPECT_EQ(D::tile_extent(3, 8), 3);
    EXPECT_EQ(D::tile_extent(6, 8), 2);
}

}  // namespace
