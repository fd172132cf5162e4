// One system, every way through the solver: the same pivots, factors and solution to the bit.

#include "support/random.hpp"
#include "tiled_lu/one_system.hpp"

namespace {

using namespace tiled_lu_test;
using lu::config;
using lu::interchange;
using lu::looking;
using lu::storage;

template <class T>
struct sample {
    std::vector<T> a;
    std::vector<T> b;
};

/// Entries of very different sizes, so that pivots come from everywhere and every rounding shows.
template <class T>
sample<T> mixed(int n, std::uint64_t seed) {
    shoal::support::random_stream r(seed);
    sample<T> s;
    for (int e = 0; e < n * n; ++e) {
        const double digits = r.uniform(-1, 1);
        s.a.push_back(static_cast<T>(std::ldexp(digits, r.integer(-12, 0))));
    }
    for (int e = 0; e < n; ++e) s.b.push_back(static_cast<T>(r.uniform(-1, 1)));
    return s;
}

template <class T>
testing::AssertionResult same(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return testing::AssertionFailure() << "sizes differ";
    for (std::size_t e = 0; e < a.size(); ++e)
        if (!shoal::support::same_bits(a[e], b[e]))
            return testing::AssertionFailure() << "element " << e << ": " << shoal::support::show_bits(a[e])
                                               << " is not " << shoal::support::show_bits(b[e]);
    return testing::AssertionSuccess();
}

template <class T, int N, storage Layout = storage::row_major>
class every_way {
  public:
    every_way()
        : sample_(mixed<T>(N, N + sizeof(T))), expected_(run(task<reference, N>{}, sample_.a, sample_.b)) {
        EXPECT_EQ(expected_.info, 0);
        order_ = in_order(expected_, false);
    }

    template <config<T> Config, way How = way::solve_inplace, lies Matrix = lies::packed,
              lies Pivots = lies::packed, lies Side = lies::packed>
    void expect_static() const {
        judge(run(task<Config, N, How, Matrix, Pivots, Side>{}, sample_.a, sample_.b), Config);
    }
    template <config<T> Config, way How = way::solve_inplace, lies Matrix = lies::packed,
              lies Pivots = lies::packed, lies Side = lies::packed>
    void expect_dynamic() const {
        judge(run(task<Config, dynamic, How, Matrix, Pivots, Side>{}, sample_.a, sample_.b), Config);
    }

  private:
    static constexpr config<T> reference{.layout = Layout};

    void judge(const result<T>& r, const config<T>& c) const {
        SCOPED_TRACE("tile " + std::to_string(c.tile_size) + ", order " + std::to_string(N));
        const bool physical = c.row_interchange == interchange::physical;
        EXPECT_EQ(r.info, 0);
        const auto f = in_order(r, physical);
        EXPECT_EQ(f.row, order_.row);
        EXPECT_TRUE(same(f.lu, order_.lu));
        EXPECT_TRUE(same(r.x, expected_.x));
        if (c.tile_size == reference.tile_size && !physical) {
            EXPECT_EQ(r.outside, expected_.outside);
        }
    }

    sample<T> sample_;
    result<T> expected_;
    ordered_factors<T> order_;
};

constexpr config<double> base;
constexpr config<double> moved{.row_interchange = interchange::physical};

TEST(tiled_lu_bits, entry_points_agree) {
    const every_way<double, 8> all;
    all.expect_static<base, way::solve>();
    all.expect_static<base, way::factor_then_inplace>();
    all.expect_static<base, way::forward_then_backward>();
    all.expect_dynamic<base, way::solve>();
    all.expect_dynamic<base, way::factor_then_inplace>();
    all.expect_static<moved, way::solve_inplace>();
    all.expect_static<moved, way::factor_then_out>();
    all.expect_dynamic<moved, way::factor_then_out>();
}

TEST(tiled_lu_bits, entry_points_agree_in_float) {
    const every_way<float, 5> all;
    all.expect_static<config<float>{.row_interchange = interchange::physical}, way::solve>();
    all.expect_dynamic<config<float>{.schedule = looking::left}, way::solve_inplace>();
}

TEST(tiled_lu_bits, entry_points_agree_on_columns) {
    const every_way<double, 7, storage::col_major> all;
    constexpr config<double> columns{.layout = storage::col_major};
    all.expect_static<columns, way::factor_then_out>();
    all.expect_dynamic<columns, way::forward_then_backward>();
    all.expect_static<config<double>{.row_interchange = interchange::physical,
                                     .layout = storage::col_major}>();
}

TEST(tiled_lu_bits, tiles_and_schedules_agree) {
    const every_way<double, 11> all;
    all.expect_static<config<double>{.tile_size = 1}>();
    all.expect_static<config<double>{.tile_size = 4, .schedule = looking::left}>();
    all.expect_static<config<double>{.tile_size = 64}>();
    all.expect_static<config<double>{.tile_size = 5, .unroll_loops = false}>();
    all.expect_dynamic<config<double>{.tile_size = 1, .schedule = looking::left}>();
    all.expect_dynamic<config<double>{.tile_size = 64}>();
    all.expect_dynamic<config<double>{.tile_size = 5,
                                      .schedule = looking::left,
                                      .row_interchange = interchange::physical,
                                      .unroll_loops = false}>();
}

TEST(tiled_lu_bits, a_physical_order_beyond_registers) {
    const every_way<double, 21> all;
    all.expect_static<config<double>{.tile_size = 4, .row_interchange = interchange::physical}>();
}

TEST(tiled_lu_bits, residencies_and_strides_agree) {
    const every_way<double, 6> all;
    all.expect_static<base, way::solve_inplace, lies::own, lies::own, lies::own>();
    all.expect_static<base, way::solve, lies::every_third, lies::own, lies::every_fifth>();
    all.expect_static<moved, way::solve_inplace, lies::own, lies::own, lies::own>();
    all.expect_static<moved, way::solve, lies::every_fifth, lies::every_third, lies::own>();
    all.expect_dynamic<base, way::solve_inplace, lies::every_fifth, lies::every_third, lies::every_third>();
}

TEST(tiled_lu_bits, one_unknown_and_two) {
    const every_way<double, 1> one;
    one.expect_static<lu::suggest<double, 1>, way::solve>();
    one.expect_dynamic<base, way::solve_inplace>();
    const every_way<float, 2> two;
    two.expect_static<lu::suggest<float, 2>>();
}

/// Factors of the memory read by rows: what a column-major solver is given A, a row-major one has from A^T.
TEST(tiled_lu_bits, columns_are_rows_of_the_transpose) {
    const auto s = mixed<double>(7, 3);
    constexpr config<double> by_rows;
    constexpr config<double> by_columns{.layout = storage::col_major};

    const auto rows = run(task<by_rows, 7, way::factor_then_inplace>{}, s.a, s.b);
    const auto columns = run(task<by_columns, 7, way::factor_then_inplace>{}, s.a, s.b);

    EXPECT_EQ(rows.pivots, columns.pivots);
    EXPECT_TRUE(same(rows.a, columns.a));
}

}  // namespace
