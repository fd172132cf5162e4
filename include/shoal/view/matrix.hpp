#pragma once

#include <concepts>
#include <type_traits>

#include <shoal/view/layout.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// A view of a Rows x Cols matrix: a pointer plus only what is not static. Passed by value, owns nothing.
///
/// Indices are 32-bit; offsets are 64-bit where a stride can be a batch (the `strided_` layouts). A matrix of
/// its own must have fewer than 2^31 elements, padding included.
///
/// \tparam T element type, const for a read-only view
/// \tparam Rows, Cols extents, each static (at least 1) or `dynamic`
/// \tparam Layout `column` (default), `row`, `column_ld<Ld>`, `row_ld<Ld>`, `strided_column<S>` or
/// `strided_row<S>`
template <class T, int Rows = dynamic, int Cols = dynamic, class Layout = column>
class matrix : detail::extent<Rows, 0>,
               detail::extent<Cols, 1>,
               detail::layout_traits<Layout, Rows, Cols>::map {
    static_assert((Rows > 0 || Rows == dynamic) && (Cols > 0 || Cols == dynamic),
                  "a static extent is at least 1: a matrix that may be empty has dynamic extents");
    using traits = detail::layout_traits<Layout, Rows, Cols>;
    using map_type = typename traits::map;
    using rows_base = detail::extent<Rows, 0>;
    using cols_base = detail::extent<Cols, 1>;
    static constexpr bool all_static = Rows != dynamic && Cols != dynamic;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using layout_type = Layout;
    static constexpr int static_rows = Rows;
    static constexpr int static_cols = Cols;

    constexpr matrix() = default;

    /// Everything is static.
    SHOAL_FN constexpr explicit matrix(T* data) requires(all_static && !traits::needs_step)
        : matrix(data, Rows, Cols) {}
    /// Static extents; `step` is the leading dimension, or the stride of an interleaved batch.
    SHOAL_FN constexpr matrix(T* data, std::int64_t step) requires(all_static&& traits::needs_step &&
                                                                   !std::is_same_v<Layout, any_stride>)
        : matrix(data, Rows, Cols, step) {}
    /// No padding, or a static one. Static extents must be given as they are.
    SHOAL_FN constexpr matrix(T* data, int rows, int cols) requires(!traits::needs_step)
        : matrix(data, rows, cols, traits::default_step(rows, cols)) {}
    /// Any view with one step can be made from all its numbers; static ones are not stored.
    SHOAL_FN constexpr matrix(T* data, int rows, int cols,
                              std::int64_t step) requires(!std::is_same_v<Layout, any_stride>)
        : matrix(data, rows, cols, traits::make(rows, cols, step)) {}
    /// `any_stride`: element (i, j) at `i * row_step + j * col_step`.
    SHOAL_FN constexpr matrix(T* data, int rows, int cols, std::int64_t row_step,
                              std::int64_t col_step) requires(std::is_same_v<Layout, any_stride>)
        : matrix(data, rows, cols, map_type{{row_step}, {col_step}}) {}

    /// A view for writing serves for reading.
    template <class U>
    requires(std::is_same_v<const U, T>) SHOAL_FN constexpr matrix(matrix<U, Rows, Cols, Layout> a)
        : matrix(a.data(), a.rows(), a.cols(), map_type{{a.row_step()}, {a.col_step()}}) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int rows() const { return rows_base::get(); }
    SHOAL_FN constexpr int cols() const { return cols_base::get(); }
    /// Distance between neighbours in a column.
    SHOAL_FN constexpr std::int64_t row_step() const { return map_type::row_step(); }
    /// Distance between neighbours in a row.
    SHOAL_FN constexpr std::int64_t col_step() const { return map_type::col_step(); }
    /// The leading dimension; for an interleaved layout the distance between neighbours.
    SHOAL_FN constexpr std::int64_t step() const { return traits::step(static_cast<const map_type&>(*this)); }
    SHOAL_FN constexpr T& operator()(int i, int j) const { return data_[map_type::offset(i, j)]; }

    /// Column j as a vector.
    SHOAL_FN constexpr auto column(int j) const {
        return vector<T, Rows, map_type::static_row_step>{at(0, j), rows(), row_step()};
    }
    /// Row i as a vector.
    SHOAL_FN constexpr auto row(int i) const {
        return vector<T, Cols, map_type::static_col_step>{at(i, 0), cols(), col_step()};
    }

    /// The R x C part whose first element is (i, j).
    template <int R, int C>
    SHOAL_FN constexpr auto block(int i, int j) const {
        return make<R, C, typename traits::part>(at(i, j), R, C, row_step(), col_step());
    }
    /// The rows x cols part whose first element is (i, j).
    SHOAL_FN constexpr auto block(int i, int j, int rows, int cols) const {
        return make<dynamic, dynamic, typename traits::part>(at(i, j), rows, cols, row_step(), col_step());
    }
    /// The transposed matrix: the same memory with the storage order flipped, no data moves.
    SHOAL_FN constexpr auto flipped() const {
        return make<Cols, Rows, typename traits::flip>(data_, cols(), rows(), col_step(), row_step());
    }

  private:
    template <class, int, int, class>
    friend class matrix;

    SHOAL_FN constexpr matrix(T* data, int rows, int cols, map_type map)
        : rows_base(rows), cols_base(cols), map_type(map), data_(data) {}

    template <int R, int C, class L>
    SHOAL_FN static constexpr matrix<T, R, C, L> make(T* data, int rows, int cols, std::int64_t row_step,
                                                      std::int64_t col_step) {
        using map = typename matrix<T, R, C, L>::map_type;
        return {data, rows, cols, map{{row_step}, {col_step}}};
    }

    /// Where element (i, j) is or would be: a part without elements may lie at the end, or at a null pointer.
    SHOAL_FN constexpr T* at(int i, int j) const { return data_ + map_type::offset(i, j); }

    T* data_ = nullptr;
};

template <class T>
matrix(T*, int, int) -> matrix<T>;
template <class T>
matrix(T*, int, int, std::int64_t) -> matrix<T, dynamic, dynamic, column_ld<dynamic>>;

/// Anything with elements `a(i, j)`, i = 0 .. rows() - 1, j = 0 .. cols() - 1, its extents static or `dynamic`.
template <class M>
concept MatrixView = requires(const M& a, int i) {
    typename M::value_type;
    { M::static_rows } -> std::convertible_to<int>;
    { M::static_cols } -> std::convertible_to<int>;
    { a.rows() } -> std::convertible_to<int>;
    { a.cols() } -> std::convertible_to<int>;
    { a(i, i) } -> std::convertible_to<typename M::value_type>;
};

/// The transposed matrix: the same memory with the storage order flipped, no data moves.
template <class T, int Rows, int Cols, class Layout>
SHOAL_FN constexpr auto transposed(matrix<T, Rows, Cols, Layout> a) {
    return a.flipped();
}

}  // namespace shoal
