// Views: what they hold, where they point, how parts and transposed views combine, and views of other libraries' objects.

#include <array>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/banded/strip.hpp>
#include <shoal/shoal.hpp>

namespace {

using namespace shoal;

// ---- a static view is a pointer --------------------------------------------------------------------------------------

static_assert(sizeof(matrix<double, 3, 4>) == sizeof(double*));
static_assert(sizeof(matrix<double, 3, 3>) == sizeof(double*));
static_assert(sizeof(matrix<float, 3, 4, row>) == sizeof(float*));
static_assert(sizeof(matrix<double, 3, 4, column_ld<7>>) == sizeof(double*));
static_assert(sizeof(matrix<double, 3, 4, row_ld<4>>) == sizeof(double*));
static_assert(sizeof(matrix<double, 3, 4, strided_column<32>>) == sizeof(double*));
static_assert(sizeof(matrix<double, 3, 4, strided_row<32>>) == sizeof(double*));
static_assert(sizeof(vector<double, 5>) == sizeof(double*));
static_assert(sizeof(vector<float, 5, 3>) == sizeof(float*));
static_assert(sizeof(decltype(lower(matrix<double, 3, 3>{}))) == sizeof(double*));
static_assert(sizeof(decltype(transposed(matrix<double, 3, 4>{}))) == sizeof(double*));
static_assert(sizeof(decltype(matrix<double, 6, 6>{}.block<2, 3>(0, 0))) == sizeof(double*));
static_assert(sizeof(decltype(matrix<double, 6, 6>{}.row(0))) == sizeof(double*));
// One dynamic number makes a view larger by that number alone.
static_assert(sizeof(matrix<double, 3, 4, column_ld<dynamic>>) == 2 * sizeof(double*));
static_assert(sizeof(matrix<double, 3, dynamic>) == 2 * sizeof(double*));
static_assert(sizeof(vector<double>) == 2 * sizeof(double*));
static_assert(std::is_trivially_copyable_v<matrix<double>> && std::is_trivially_copyable_v<vector<double>>);

static_assert(MatrixView<matrix<double>> && !VectorView<matrix<double>>);
static_assert(VectorView<vector<const float, 3>> && !MatrixView<vector<const float, 3>>);
static_assert(!MatrixView<decltype(lower(matrix<double>{}))>);

// The extents and strides of parts and of transposed views stay static.
using sub = decltype(matrix<double, 6, 5>{}.block<2, 3>(1, 1));
static_assert(std::is_same_v<sub, matrix<double, 2, 3, column_ld<6>>>);
static_assert(std::is_same_v<decltype(transposed(sub{})), matrix<double, 3, 2, row_ld<6>>>);
static_assert(std::is_same_v<decltype(transposed(transposed(sub{}))), sub>);
static_assert(std::is_same_v<decltype(matrix<double, 6, 5>{}.column(0)), vector<double, 6, 1>>);
static_assert(std::is_same_v<decltype(matrix<double, 6, 5>{}.row(0)), vector<double, 5, 6>>);
static_assert(std::is_same_v<decltype(matrix<double, 6, 5, row>{}.row(0)), vector<double, 5, 1>>);
static_assert(std::is_same_v<decltype(matrix<double, 4, 4, strided_column<8>>{}.block<2, 2>(0, 0)),
                             matrix<double, 2, 2, any_stride>>);
static_assert(std::is_same_v<decltype(transposed(matrix<double, 4, 3, strided_column<8>>{})),
                             matrix<double, 3, 4, strided_row<8>>>);

// ---- where elements are ----------------------------------------------------------------------------------------------

/// Where a view says that an element is, in each of the ways that it offers.
struct ways {
    const double* at[8];
};

/// Expects all of them to be `expected`.
void expect_ways(const ways& w, const double* expected) {
    for (const double* const p : w.at) EXPECT_EQ(p, expected);
}
void expect_extents(std::initializer_list<int> got, std::initializer_list<int> expected) {
    EXPECT_EQ(std::vector<int>(got), std::vector<int>(expected));
}

/// Expects element (i, j) of `a`, seen in every way that a view offers, to lie at `base + offset(i, j)`.
template <class M, class Offset>
void expect_elements(M a, const double* base, int rows, int cols, Offset offset) {
    const auto t = transposed(a);
    expect_extents({a.rows(), a.cols(), t.rows(), t.cols(), a.column(0).size(), a.row(0).size()},
                   {rows, cols, cols, rows, rows, cols});
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            expect_ways({{&a(i, j), a.data() + i * a.row_step() + j * a.col_step(), &t(j, i), &a.column(j)(i),
                          &a.row(i)[j], &transposed(t)(i, j), &t.row(j)(i), &t.column(i)(j)}},
                        base + offset(i, j));
}

template <class M, class Offset>
void expect_view(M a, const double* base, int rows, int cols, Offset offset) {
    expect_elements(a, base, rows, cols, offset);
    if (rows < 3 || cols < 3) return;
    const auto shifted = [&](int i0, int j0) { return [=](int i, int j) { return offset(i + i0, j + j0); }; };
    expect_elements(a.template block<2, 2>(1, 1), base, 2, 2, shifted(1, 1));
    expect_elements(a.block(0, 1, 3, 2), base, 3, 2, shifted(0, 1));
    expect_elements(a.block(1, 0, 2, 3).template block<1, 2>(1, 1), base, 1, 2, shifted(2, 1));
    expect_elements(transposed(transposed(a).block(1, 0, 2, 3)), base, 3, 2, shifted(0, 1));
    expect_elements(matrix<const double, M::static_rows, M::static_cols, typename M::layout_type>(a), base,
                    rows, cols, offset);
}

std::vector<double> room(2000);

TEST(view, column_and_row_layouts) {
    double* const p = room.data();
    const auto by_column = [](int ld) { return [ld](int i, int j) { return i + j * ld; }; };
    const auto by_row = [](int ld) { return [ld](int i, int j) { return i * ld + j; }; };
    expect_view(matrix<double, 4, 5>{p}, p, 4, 5, by_column(4));
    expect_view(matrix<double, 4, dynamic>{p, 4, 5}, p, 4, 5, by_column(4));
    expect_view(matrix<double, dynamic, 5>{p, 4, 5}, p, 4, 5, by_column(4));
    expect_view(matrix{p, 4, 5}, p, 4, 5, by_column(4));
    expect_view(matrix<double, 4, 5, row>{p}, p, 4, 5, by_row(5));
    expect_view(matrix<double, dynamic, dynamic, row>{p, 4, 5}, p, 4, 5, by_row(5));
    expect_view(matrix<double, dynamic, 5, row>{p, 4, 5}, p, 4, 5, by_row(5));
    expect_view(matrix<double, 3, 3>{p}, p, 3, 3, by_column(3));
    expect_view(matrix<double, 1, 4>{p}, p, 1, 4, by_column(1));
}

TEST(view, padded_layouts) {
    double* const p = room.data() + 3;
    const auto by_column = [](int i, int j) { return i + j * 9; };
    const auto by_row = [](int i, int j) { return i * 9 + j; };
    expect_view(matrix<double, 4, 5, column_ld<9>>{p}, p, 4, 5, by_column);
    expect_view(matrix<double, 4, 5, column_ld<dynamic>>{p, 9}, p, 4, 5, by_column);
    expect_view(matrix<double, dynamic, dynamic, column_ld<9>>{p, 4, 5}, p, 4, 5, by_column);
    expect_view(matrix{p, 4, 5, 9}, p, 4, 5, by_column);
    expect_view(matrix<double, 4, 5, row_ld<9>>{p}, p, 4, 5, by_row);
    expect_view(matrix<double, 4, 5, row_ld<dynamic>>{p, 9}, p, 4, 5, by_row);
    expect_view(matrix<double, dynamic, dynamic, row_ld<dynamic>>{p, 4, 5, 9}, p, 4, 5, by_row);
    EXPECT_EQ((matrix{p, 4, 5, 9}.step()), 9);
    EXPECT_EQ((matrix<double, 4, 5, row_ld<9>>{p}.step()), 9);
    EXPECT_EQ((matrix<double, 4, 5>{p}.step()), 4);
}

TEST(view, interleaved_layouts) {
    double* const p = room.data() + 2;
    const auto by_column = [](int i, int j) { return 16 * (i + 4 * j); };
    const auto by_row = [](int i, int j) { return 16 * (5 * i + j); };
    expect_view(matrix<double, 4, 5, strided_column<16>>{p}, p, 4, 5, by_column);
    expect_view(matrix<double, 4, 5, strided_column<>>{p, 16}, p, 4, 5, by_column);
    expect_view(matrix<double, dynamic, dynamic, strided_column<16>>{p, 4, 5}, p, 4, 5, by_column);
    expect_view(matrix<double, dynamic, dynamic, strided_column<>>{p, 4, 5, 16}, p, 4, 5, by_column);
    expect_view(matrix<double, 4, 5, strided_row<16>>{p}, p, 4, 5, by_row);
    expect_view(matrix<double, dynamic, 5, strided_row<>>{p, 4, 5, 16}, p, 4, 5, by_row);
    EXPECT_EQ((matrix<double, 4, 5, strided_column<>>{p, 16}.step()), 16);
    EXPECT_EQ((matrix<double, 4, 5, strided_row<>>{p, 16}.step()), 16);
}

TEST(view, any_stride_reaches_backwards) {
    double* const p = room.data() + 500;
    const auto offset = [](int i, int j) { return 7 * j - 40 * i; };
    expect_view(matrix<double, dynamic, dynamic, any_stride>{p, 4, 5, -40, 7}, p, 4, 5, offset);
    expect_view(matrix<double, 4, 5, any_stride>{p, 4, 5, -40, 7}, p, 4, 5, offset);
}

TEST(view, B04_offsets_of_batches_slabs_and_strips_are_64_bit) {
    // Never dereferenced: addresses alone.
    double* const p = room.data();
    const std::int64_t stride = (std::int64_t{1} << 31) + 32;
    const auto address = [](const double* x) { return reinterpret_cast<std::uintptr_t>(x); };
    const auto far_from = [&](std::int64_t elements) {
        return reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(elements) * sizeof(double);
    };
    const matrix<double, 64, 64, strided_column<>> a{p, stride};
    EXPECT_EQ(address(&a(63, 63)), far_from(4095 * stride));
    EXPECT_EQ(address(&a.column(63)(63)), far_from(4095 * stride));
    EXPECT_EQ(address(a.block<2, 2>(62, 62).data()), far_from((62 + 62 * 64) * stride));
    EXPECT_EQ(address(&a.block<2, 2>(62, 62)(1, 1)), far_from(4095 * stride));
    const vector<double> x{p, 3};
    EXPECT_EQ(address(&x(2)), far_from(2));
    const vector<double, dynamic, dynamic> far{p, 3, stride};
    EXPECT_EQ(address(&far(2)), far_from(2 * stride));
    EXPECT_EQ(address(far.segment(1, 2).data()), far_from(stride));
    const shoal::tensor<double> slabs{p, 70000, 200, 300};
    EXPECT_EQ(address(&slabs(69999, 199, 299)), far_from(70000 * std::int64_t{60000} - 1));
    const shoal::strip<double, 16> chain{p, 3000000};
    EXPECT_EQ(address(chain.main(2999999).data()), far_from(2999999 * std::int64_t{768} + 16));
    EXPECT_EQ(shoal::strip_size(16, 3000000), 3000000 * std::int64_t{768});
}

TEST(view, vectors_and_segments) {
    double* const p = room.data();
    const vector<double, 6> x{p};
    const vector<double, 6, 3> y{p};
    const vector<double, dynamic, dynamic> z{p, 6, -2};
    const vector w{p, 6};
    EXPECT_EQ(x.size(), 6);
    EXPECT_EQ(y.size(), 6);
    EXPECT_EQ(w.size(), 6);
    EXPECT_EQ(z.increment(), -2);
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(&x(i), p + i);
        EXPECT_EQ(&x[i], p + i);
        EXPECT_EQ(&y(i), p + 3 * i);
        EXPECT_EQ(&w(i), p + i);
    }
    EXPECT_EQ(&(vector{p + 50, 6, -2})(3), p + 44);
    EXPECT_EQ(&y.segment<2>(3)(1), p + 12);
    EXPECT_EQ(&y.segment(3, 2)(1), p + 12);
    EXPECT_EQ(y.segment(3, 2).size(), 2);
    EXPECT_EQ((vector<double, 3, dynamic>{p, 5}.increment()), 5);
    const vector<const double, 6, 3> read = y;
    EXPECT_EQ(&read(5), p + 15);
}

TEST(view, B06_empty_parts_and_null_pointers_reach_nothing) {
    const matrix<double> none{nullptr, 0, 0};
    EXPECT_EQ(none.block(0, 0, 0, 0).rows(), 0);
    EXPECT_EQ(transposed(none).cols(), 0);
    EXPECT_EQ(none.column(0).size(), 0);
    EXPECT_EQ(none.row(0).data(), nullptr);
    EXPECT_EQ(vector<double>(nullptr, 0).segment(0, 0).size(), 0);
    const matrix<double, 3, 3> a{room.data()};
    EXPECT_EQ((a.block(3, 3, 0, 0).data()), room.data() + 12);
}

TEST(view, C01_a_part_keeps_the_leading_dimension_of_the_whole) {
    double* const p = room.data();
    for (int n = 4; n <= 5; ++n) {
        const matrix whole{p, n + 3, n};
        const auto part = whole.block(0, 0, n, n);
        EXPECT_EQ(part.step(), n + 3);
        EXPECT_EQ(&part(n - 1, n - 1), p + (n - 1) * (n + 4));
        EXPECT_EQ(&transposed(part)(0, n - 1), &part(n - 1, 0));
    }
}

TEST(view, triangles_say_what_they_are) {
    const matrix<double, 3, 3> a{room.data()};
    const auto l = lower(a);
    const auto u = transposed(l);
    EXPECT_EQ(l.triangle, uplo::lower);
    EXPECT_EQ(u.triangle, uplo::upper);
    EXPECT_EQ(&u.matrix(0, 2), &a(2, 0));
    EXPECT_EQ(l.unit, diagonal::stored);
    EXPECT_EQ(unit_lower(a).unit, diagonal::unit);
    EXPECT_EQ(transposed(unit_lower(a)).unit, diagonal::unit);
    EXPECT_EQ(transposed(unit_upper(a)).triangle, uplo::lower);
    EXPECT_EQ(symmetric_lower(a).triangle, uplo::lower);
    EXPECT_EQ(symmetric_upper(a).triangle, uplo::upper);
}

TEST(view, is_usable_in_constant_expressions) {
    constexpr double value = [] {
        double storage[6] = {1, 2, 3, 4, 5, 6};
        const matrix<double, 2, 3> a{storage};
        const auto t = transposed(a).block<2, 2>(1, 0);
        return t(0, 1) + a.row(1)(2) + a.column(0).segment<1>(1)(0);
    }();
    EXPECT_EQ(value, 4 + 6 + 2);
}

// ---- adapt -----------------------------------------------------------------------------------------------------------

/// What std::mdspan offers, and those made like it.
template <class T, std::size_t... Extents>
struct mdspan_like {
    T* pointer;
    std::size_t extents[sizeof...(Extents)];
    std::ptrdiff_t strides[sizeof...(Extents)];
    T* data_handle() const { return pointer; }
    std::size_t extent(std::size_t r) const { return extents[r]; }
    std::ptrdiff_t stride(std::size_t r) const { return strides[r]; }
    static constexpr std::size_t rank() { return sizeof...(Extents); }
    static constexpr std::size_t static_extent(std::size_t r) {
        constexpr std::size_t all[] = {Extents...};
        return all[r];
    }
};
constexpr std::size_t unknown = static_cast<std::size_t>(-1);

/// What the dense objects of Eigen offer.
template <class T, int Rows, int Cols, bool RowMajor>
struct eigen_like {
    static constexpr int RowsAtCompileTime = Rows;
    static constexpr int ColsAtCompileTime = Cols;
    static constexpr bool IsRowMajor = RowMajor;
    T* pointer;
    std::ptrdiff_t rows_, cols_, outer_, inner_;
    T* data() { return pointer; }
    const T* data() const { return pointer; }
    std::ptrdiff_t rows() const { return rows_; }
    std::ptrdiff_t cols() const { return cols_; }
    std::ptrdiff_t outerStride() const { return outer_; }
    std::ptrdiff_t innerStride() const { return inner_; }
    std::ptrdiff_t size() const { return rows_ * cols_; }
};

TEST(view, adapt_mdspan_like) {
    double* const p = room.data();
    const auto a = adapt(mdspan_like<double, unknown, 4>{p, {3, 4}, {10, 2}});
    static_assert(a.static_rows == dynamic && a.static_cols == 4);
    expect_view(a, p, 3, 4, [](int i, int j) { return 10 * i + 2 * j; });
    const auto x = adapt(mdspan_like<const double, 7>{p, {7}, {-3}});
    static_assert(std::is_same_v<decltype(x), const vector<const double, 7, dynamic>>);
    EXPECT_EQ(x.size(), 7);
    EXPECT_EQ(x.increment(), -3);
}

TEST(view, adapt_eigen_like) {
    double* const p = room.data();
    eigen_like<double, 3, -1, false> by_column{p, 3, 5, 8, 1};
    const auto a = adapt(by_column);
    static_assert(a.static_rows == 3 && a.static_cols == dynamic);
    expect_view(a, p, 3, 5, [](int i, int j) { return i + 8 * j; });
    const eigen_like<double, -1, -1, true> by_row{p, 3, 5, 12, 2};
    const auto b = adapt(by_row);
    static_assert(std::is_same_v<decltype(b)::element_type, const double>);
    expect_elements(b, p, 3, 5, [](int i, int j) { return 12 * i + 2 * j; });
}

TEST(view, adapt_arrays) {
    std::vector<double> v{1, 2, 3};
    const std::vector<double>& constant = v;
    std::array<float, 4> a{};
    const auto x = adapt(v);
    static_assert(std::is_same_v<decltype(x), const vector<double>>);
    EXPECT_EQ(&x(2), &v[2]);
    EXPECT_EQ(x.size(), 3);
    static_assert(std::is_same_v<decltype(adapt(constant))::element_type, const double>);
    static_assert(std::is_same_v<decltype(adapt(a)), vector<float, 4>>);
    EXPECT_EQ(&adapt(a)(3), &a[3]);
    static_assert(std::is_same_v<decltype(adapt(std::span<double>(v))), vector<double>>);
    static_assert(std::is_same_v<decltype(adapt(std::span<double, 3>(v))), vector<double, 3>>);
    static_assert(std::is_same_v<decltype(adapt(std::span<const double>(v)))::element_type, const double>);
    EXPECT_EQ(adapt(std::span<double>(v).subspan(1)).data(), &v[1]);
}

TEST(view, ops_take_adapted_objects) {
    std::vector<double> k{4, 2, 2, 5}, b{8, 12};
    eigen_like<double, 2, 2, false> A{k.data(), 2, 2, 2, 1};
    EXPECT_EQ(posv(this_thread(), lower(adapt(A)), adapt(b)), 0);
    EXPECT_EQ(b, (std::vector<double>{1, 2}));
    EXPECT_EQ(k[2], 2);
}

}  // namespace
