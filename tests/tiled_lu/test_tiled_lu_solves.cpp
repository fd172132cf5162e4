// Substitution in all its forms, refinement, operands of other libraries, and a whole solve at compile time.

#include "support/dense.hpp"
#include "support/error.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <shoal/tiled_lu/tiled_lu.hpp>

namespace {

namespace lu = shoal::tiled_lu;
using namespace shoal::support;
using lu::config;
using lu::interchange;
using lu::looking;
using lu::storage;
using lu::strided;
using numbers = std::vector<double>;

/// A matrix of order n row after row, its factors, and right-hand sides.
struct system_of_seven {
    static constexpr int n = 7;
    static constexpr int many = 6;
    dense<double> a;
    dense<double> b;
    numbers memory;
    std::vector<int> pivots = std::vector<int>(n);

    explicit system_of_seven(std::uint64_t seed) : a(n, n), b(n, many), memory(n * n) {
        random_stream r(seed);
        a = random_matrix<double>(n, n, r);
        b = random_matrix<double>(n, many, r);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) memory[static_cast<std::size_t>(i * n + j)] = a(i, j);
    }

    numbers sides() const {
        numbers s(static_cast<std::size_t>(n * many));
        for (int w = 0; w < many; ++w)
            for (int i = 0; i < n; ++i) s[static_cast<std::size_t>(w * n + i)] = b(i, w);
        return s;
    }
};

dense<double> as_dense(const numbers& x, int columns) {
    const int n = static_cast<int>(x.size()) / columns;
    return dense<double>::from(n, columns,
                               [&](int i, int w) { return x[static_cast<std::size_t>(w * n + i)]; });
}

template <config<double> Config, int N>
void expect_columns_do_not_depend_on_passes() {
    system_of_seven s(5);
    const auto matrix = [&] {
        if constexpr (N == shoal::dynamic) {
            return lu::of_order(strided<1>(s.memory.data()), 7);
        } else {
            return lu::of_order<N>(strided<1>(s.memory.data()));
        }
    }();
    ASSERT_EQ(lu::factorize<Config>(matrix, s.pivots), 0);
    numbers one_by_one(42);
    const auto b = s.sides();
    for (int w = 0; w < 6; ++w)
        lu::substitute<Config>(matrix, s.pivots, strided<1>(b.data() + 7 * w),
                               strided<1>(one_by_one.data() + 7 * w));
    numbers together(42);
    numbers passes(42);
    numbers in_place = b;

    lu::substitute<Config>(matrix, s.pivots, lu::columns<6>(strided<1>(b.data())),
                           lu::columns<6>(strided<1>(together.data())));
    lu::substitute<Config, 4>(matrix, s.pivots, lu::columns<6>(strided<1>(b.data())),
                              lu::columns<6>(strided<1>(passes.data())));
    lu::substitute_inplace<Config, 5>(matrix, s.pivots, lu::columns(strided<1>(in_place.data()), 6));

    EXPECT_EQ(together, one_by_one);
    EXPECT_EQ(passes, one_by_one);
    EXPECT_EQ(in_place, one_by_one);
    const bool by_rows = Config.layout == storage::row_major;
    EXPECT_LT(solve_error(by_rows ? s.a : transpose(s.a), as_dense(together, 6), s.b), 10);
}

TEST(tiled_lu_solves, columns_do_not_depend_on_passes) {
    expect_columns_do_not_depend_on_passes<lu::suggest<double, 7>, 7>();
    expect_columns_do_not_depend_on_passes<config<double>{}, 7>();
    expect_columns_do_not_depend_on_passes<
        config<double>{.schedule = looking::left, .layout = storage::col_major}, shoal::dynamic>();
}

template <config<double> Config, int N>
void expect_transposed() {
    system_of_seven s(8);
    const auto matrix = lu::of_order<N>(strided<1>(s.memory.data()));
    ASSERT_EQ(lu::factorize<Config>(matrix, s.pivots), 0);
    const auto b = s.sides();
    numbers x(7);
    numbers y(b.begin(), b.begin() + 7);

    lu::substitute_transposed<Config>(matrix, s.pivots, strided<1>(b.data()), x);
    lu::substitute_transposed_inplace<Config>(matrix, s.pivots, y);

    EXPECT_EQ(x, y);
    const bool by_rows = Config.layout == storage::row_major;
    EXPECT_LT(solve_error(by_rows ? transpose(s.a) : s.a, as_dense(x, 1),
                          as_dense(numbers(b.begin(), b.begin() + 7), 1)),
              10);
}

TEST(tiled_lu_solves, transposed_from_the_same_factors) {
    expect_transposed<lu::suggest<double, 7>, 7>();
    expect_transposed<config<double>{.tile_size = 2}, 7>();
    expect_transposed<config<double>{.layout = storage::col_major}, 7>();
}

TEST(tiled_lu_solves, canonical_columns_are_those_of_the_inverse) {
    system_of_seven s(11);
    const auto matrix = lu::of_order<7>(strided<1>(s.memory.data()));
    ASSERT_EQ(lu::factorize(matrix, s.pivots), 0);
    numbers inverse(49);
    numbers column(7);
    double middle[3 * 7];

    lu::substitute_canonical(matrix, s.pivots, 0, lu::columns<7>(strided<1>(inverse.data())));
    lu::substitute_canonical<lu::automatic, 2>(matrix, s.pivots, 2, lu::columns<3>(lu::local(middle)));

    for (int w = 0; w < 7; ++w) {
        numbers e(7, 0.0);
        e[static_cast<std::size_t>(w)] = 1;
        lu::substitute(matrix, s.pivots, e, column);
        EXPECT_TRUE(std::equal(column.begin(), column.end(), inverse.begin() + 7 * w));
        if (w >= 2 && w < 5) {
            EXPECT_TRUE(std::equal(column.begin(), column.end(), middle + 7 * (w - 2)));
        }
    }
    EXPECT_LT(solve_error(s.a, as_dense(inverse, 7), dense<double>::identity(7)), 10);
}

TEST(tiled_lu_solves, columns_far_apart_in_an_interleaved_batch) {
    constexpr int batch = 3;
    system_of_seven s(13);
    numbers a(49 * batch, 9.0);
    numbers x(7 * 2 * batch, 9.0);
    std::vector<int> p(7 * batch, -5);
    for (std::size_t e = 0; e < 49; ++e) a[e * batch + 1] = s.memory[e];
    const auto b = s.sides();
    for (std::size_t e = 0; e < 14; ++e) x[e * batch + 1] = b[e];

    const auto matrix = lu::of_order<7>(strided(a.data() + 1, batch));
    ASSERT_EQ(lu::solve_inplace(matrix, strided(p.data() + 1, batch),
                                lu::columns<2>(strided(x.data() + 1, batch), 7 * batch)),
              0);

    numbers mine(14);
    for (std::size_t e = 0; e < 14; ++e) {
        mine[e] = x[e * batch + 1];
        EXPECT_EQ(x[e * batch], 9.0);
        EXPECT_EQ(x[e * batch + 2], 9.0);
    }
    EXPECT_LT(solve_error(s.a, as_dense(mine, 2), as_dense(numbers(b.begin(), b.begin() + 14), 2)), 10);
}

TEST(tiled_lu_solves, B02_a_million_right_hand_sides) {
    constexpr int many = (1 << 20) + 3;
    double a[] = {2, 0, 1, 4};
    int pivots[2];
    numbers x(2 * static_cast<std::size_t>(many));
    for (std::size_t w = 0; w < many; ++w) {
        x[2 * w] = 2;
        x[2 * w + 1] = 5;
    }
    ASSERT_EQ(
        lu::solve_inplace(lu::of_order<2>(strided<1>(a)), pivots, lu::columns(strided<1>(x.data()), many)),
        0);
    EXPECT_EQ(std::count(x.begin(), x.end(), 1.0), 2 * many);
}

/// Element 3 of the matrix is 24 GiB behind element 0: only four pages of that are ever touched.
TEST(tiled_lu_solves, B04_offsets_beyond_32_bits) {
    constexpr std::int64_t stride = (std::int64_t{1} << 31) + 32;
    const std::size_t bytes = (3 * static_cast<std::size_t>(stride) + 1) * sizeof(float);
    void* const room =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(room, MAP_FAILED);
    auto* const a = static_cast<float*>(room);
    a[0] = 0;
    a[stride] = 2;
    a[2 * stride] = 4;
    a[3 * stride] = 0;
    float x[] = {2, 8};
    int pivots[2];
    EXPECT_EQ(lu::solve_inplace(lu::of_order<2>(strided(a, stride)), pivots, lu::local(x)), 0);
    EXPECT_EQ(x[0], 2);
    EXPECT_EQ(x[1], 1);
    float y[] = {2, 8};
    a[0] = 0;
    a[stride] = 2;
    a[2 * stride] = 4;
    a[3 * stride] = 0;
    EXPECT_EQ(lu::solve_inplace(lu::of_order(strided(a, stride), 2), pivots, lu::strided<1>(y)), 0);
    EXPECT_EQ(y[0], 2);
    EXPECT_EQ(y[1], 1);
    munmap(room, bytes);
}

/// Permutations go along cycles, noted in a word up to 64 rows and found by walking above.
TEST(tiled_lu_solves, in_place_permutations_of_any_length) {
    for (const int n : {33, 64, 65, 130}) {
        random_stream r(static_cast<std::uint64_t>(n));
        const auto a = random_matrix<double>(n, n, r);
        const auto b = random_matrix<double>(n, 1, r);
        const auto size = static_cast<std::size_t>(n);
        numbers memory(size * size);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                memory[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)] = a(i, j);
        numbers side(size);
        for (int i = 0; i < n; ++i) side[static_cast<std::size_t>(i)] = b(i);
        std::vector<int> pivots(size);
        const auto matrix = lu::of_order(strided<1>(memory.data()), n);
        constexpr config<double> chosen{.tile_size = 8};
        ASSERT_EQ(lu::factorize<chosen>(matrix, pivots), 0);
        numbers x(size);
        numbers y = side;
        numbers z = side;
        numbers w(size);

        lu::substitute<chosen>(matrix, pivots, side, x);
        lu::substitute_inplace<chosen>(matrix, pivots, y);
        lu::substitute_transposed<chosen>(matrix, pivots, side, w);
        lu::substitute_transposed_inplace<chosen>(matrix, pivots, z);

        EXPECT_EQ(x, y);
        EXPECT_EQ(w, z);
        EXPECT_LT(solve_error(a, as_dense(x, 1), b), 50);
        EXPECT_LT(solve_error(transpose(a), as_dense(w, 1), b), 50);
    }
}

TEST(tiled_lu_solves, refinement_serves_every_row) {
    // Rows of very different sizes, the unknowns too: the small rows lose all digits in a plain solve.
    constexpr int n = 12;
    random_stream r(21);
    auto a = random_matrix<double>(n, n, r);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), -4 * ((5 * i) % n) + 3 * ((7 * j) % n));
    auto b = random_matrix<double>(n, 1, r);
    numbers memory(n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) memory[static_cast<std::size_t>(i * n + j)] = a(i, j);
    numbers side(n);
    for (int i = 0; i < n; ++i) side[static_cast<std::size_t>(i)] = b(i);
    numbers factors(n * n);
    numbers x(n);
    numbers rest(n);
    std::vector<int> pivots(n);
    const auto before = memory;

    ASSERT_EQ(lu::solve_refined(lu::of_order<n>(strided<1>(memory.data())),
                                lu::of_order<n>(strided<1>(factors.data())), pivots, side, x, rest, 2),
              0);

    EXPECT_EQ(memory, before);
    for (int i = 0; i < n; ++i) {
        wide left = b(i);
        wide size = std::abs(static_cast<wide>(b(i)));
        for (int j = 0; j < n; ++j) {
            const auto term = static_cast<wide>(a(i, j)) * static_cast<wide>(x[static_cast<std::size_t>(j)]);
            left -= term;
            size += std::abs(term);
        }
        EXPECT_LT(std::abs(left), 2 * (n + 1) * 0x1p-53L * size) << "row " << i;
    }
    numbers singular(n * n, 1.0);
    EXPECT_EQ(lu::solve_refined(lu::of_order<n>(strided<1>(singular.data())),
                                lu::of_order<n>(strided<1>(factors.data())), pivots, side, x, rest),
              2);
}

TEST(tiled_lu_solves, long_double_has_its_digits) {
    constexpr int n = 9;
    random_stream r(31);
    std::vector<long double> a;
    std::vector<long double> x(n, 0);
    for (int e = 0; e < n * n; ++e) a.push_back(static_cast<long double>(r.uniform(-1, 1)));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) x[static_cast<std::size_t>(i)] += a[static_cast<std::size_t>(i * n + j)];
    std::vector<int> pivots(n);
    ASSERT_EQ(lu::solve_inplace(lu::of_order<n>(strided<1>(a.data())), pivots, x), 0);
    for (const long double v : x)
        EXPECT_LT(std::abs(v - 1), 1e4L * std::numeric_limits<long double>::epsilon());
}

// ---- objects of other libraries --------------------------------------------------------------------------------------

/// What Eigen's dense matrices look like from outside.
struct foreign_matrix {
    enum { RowsAtCompileTime = 3, ColsAtCompileTime = 3, IsRowMajor = 0 };
    std::array<double, 9> values;
    double* data() { return values.data(); }
    long rows() const { return 3; }
    long cols() const { return 3; }
    long outerStride() const { return 3; }
    long innerStride() const { return 1; }
};

TEST(tiled_lu_solves, matrices_and_vectors_of_other_libraries) {
    // Columns one after the other: A = [0 1 2; 1 0 3; 4 -3 8].
    foreign_matrix a{{0, 1, 4, 1, 0, -3, 2, 3, 8}};
    std::array<double, 3> b{8, 10, 22};
    std::array<int, 3> pivots{};
    ASSERT_EQ(lu::solve_inplace(a, pivots, b), 0);
    EXPECT_EQ(b, (std::array<double, 3>{1, 2, 3}));

    const std::array<double, 3> solved = b;
    numbers x(3);
    double rows[3][3] = {{0, 1, 2}, {1, 0, 3}, {4, -3, 8}};
    const numbers side{8, 10, 22};
    ASSERT_EQ(lu::solve(rows, pivots, side, x), 0);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), solved.begin()));
}

TEST(tiled_lu_solves, C01_views_with_a_leading_dimension) {
    constexpr double rest = 1e30;
    double padded[4 * 6];
    std::fill(std::begin(padded), std::end(padded), rest);
    const double values[] = {0, 1, 2, 1, 0, 3, 4, -3, 8};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) padded[i + 6 * j] = values[3 * i + j];
    double two_sides[] = {8, 10, 22, 16, 20, 44};
    int pivots[3];
    const shoal::matrix<double, 3, 3, shoal::column_ld<6>> a{padded};
    ASSERT_EQ(lu::solve_inplace(a, pivots, shoal::matrix<double, 3, 2>{two_sides}), 0);
    // The transpose is factored, whose multipliers are no binary fractions.
    const double expected[] = {1, 2, 3, 2, 4, 6};
    for (int e = 0; e < 6; ++e) EXPECT_NEAR(two_sides[e], expected[e], 1e-14);
    for (int e = 0; e < 24; ++e) {
        if (e % 6 >= 3 || e / 6 >= 3) {
            EXPECT_EQ(padded[e], rest);
        }
    }

    const double by_rows[] = {0, 1, 2, rest, 1, 0, 3, rest, 4, -3, 8, rest};
    double copy[12];
    std::copy(std::begin(by_rows), std::end(by_rows), copy);
    numbers y{8, 10, 22};
    const shoal::matrix<double, shoal::dynamic, shoal::dynamic, shoal::row_ld<4>> part{copy, 3, 3};
    std::vector<int> of_any_order(3);
    ASSERT_EQ(lu::solve_inplace(part, of_any_order, y), 0);
    EXPECT_EQ(y, (numbers{1, 2, 3}));
}

// ---- at compile time -------------------------------------------------------------------------------------------------

/// Largest error of a solve whose solution is 1, 2, ..., n.
template <class T, int N, auto Config>
constexpr double error_at_compile_time() {
    T a[N * N]{};
    T x[N]{};
    int pivots[N]{};
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            a[i * N + j] = static_cast<T>((7 * i * j + 3 * i + j * j) % 11) - T(i == j ? 9 : 5);
            x[i] += a[i * N + j] * static_cast<T>(j + 1);
        }
    }
    const int info =
        lu::solve_inplace<Config>(lu::of_order<N>(strided<1>(a)), strided<1>(pivots), lu::local(x));
    if (info != 0) return 1e300;
    double worst_error = 0;
    for (int i = 0; i < N; ++i) {
        const double error = static_cast<double>(x[i] - static_cast<T>(i + 1));
        worst_error = std::max(worst_error, error < 0 ? -error : error);
    }
    return worst_error;
}

constexpr bool singular_at_compile_time() {
    double a[4] = {1, 2, 2, 4};
    double x[2] = {1, 1};
    int pivots[2]{};
    return lu::solve_inplace(lu::local(a), lu::local(pivots), lu::local(x)) == 2;
}

static_assert(error_at_compile_time<double, 6, lu::automatic>() < 1e-12);
static_assert(error_at_compile_time<double, 7, config<double>{.schedule = looking::left}>() < 1e-12);
static_assert(error_at_compile_time<float, 5,
                                    config<float>{.tile_size = 2,
                                                  .row_interchange = interchange::physical,
                                                  .layout = storage::row_major}>() < 1e-3);
static_assert(singular_at_compile_time());

TEST(tiled_lu_solves, at_run_time_as_at_compile_time) {
    const double at_run_time = error_at_compile_time<double, 6, lu::automatic>();
    EXPECT_LT(at_run_time, 1e-12);
    EXPECT_TRUE(singular_at_compile_time());
}

}  // namespace
