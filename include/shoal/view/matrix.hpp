#pragma once

#include <concepts>
#include <type_traits>

#include <shoal/view/layout.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

namespace detail {

/// Where element (i, j) lies. One class per storage order; `flip` is the order of the transposed matrix.
template <class Layout, int Rows, int Cols>
struct mapping;

template <int Ld, int Rows, int Cols>
struct mapping<column_ld<Ld>, Rows, Cols> {
    static constexpr int leading = Ld == packed ? Rows : Ld;
    using flip = row_ld<Ld>;
    using sub = column_ld<leading>;
    static constexpr std::int64_t row_increment = 1;
    static constexpr std::int64_t col_increment = leading;
    [[no_unique_address]] extent<leading, 2> ld;
    constexpr mapping() = default;
    SHOAL_FN constexpr mapping(int rows, int) : ld(rows) {}
    SHOAL_FN constexpr explicit mapping(std::int64_t step) : ld(static_cast<int>(step)) {}
    SHOAL_FN constexpr std::int64_t step() const { return ld.get(); }
    SHOAL_FN constexpr int offset(int i, int j) const { return i + j * ld.get(); }
    SHOAL_FN static constexpr int row_step() { return 1; }
    SHOAL_FN constexpr int col_step() const { return ld.get(); }
};

template <int Ld, int Rows, int Cols>
struct mapping<row_ld<Ld>, Rows, Cols> {
    static constexpr int leading = Ld == packed ? Cols : Ld;
    using flip = column_ld<Ld>;
    using sub = row_ld<leading>;
    static constexpr std::int64_t row_increment = leading;
    static constexpr std::int64_t col_increment = 1;
    [[no_unique_address]] extent<leading, 2> ld;
    constexpr mapping() = default;
    SHOAL_FN constexpr mapping(int, int cols) : ld(cols) {}
    SHOAL_FN constexpr explicit mapping(std::int64_t step) : ld(static_cast<int>(step)) {}
    SHOAL_FN constexpr std::int64_t step() const { return ld.get(); }
    SHOAL_FN constexpr int offset(int i, int j) const { return i * ld.get() + j; }
    SHOAL_FN constexpr int row_step() const { return ld.get(); }
    SHOAL_FN static constexpr int col_step() { return 1; }
};

/// Interleaved storage: the leading dimension is fixed by `Minor`, the extent along which elements follow.
template <std::int64_t Stride, int Minor>
struct interleaved {
    using sub = void;  // a part of an interleaved matrix has two strides: not a view that we have
    static constexpr std::int64_t row_increment = dynamic;
    static constexpr std::int64_t col_increment = dynamic;
    [[no_unique_address]] distance<Stride> stride;
    [[no_unique_address]] extent<Minor, 2> minor;
    constexpr interleaved() = default;
    SHOAL_FN constexpr interleaved(std::int64_t s, int m) : stride(s), minor(m) {}
    SHOAL_FN constexpr std::int64_t step() const { return stride.get(); }
};

template <std::int64_t Stride, int Rows, int Cols>
struct mapping<strided_column<Stride>, Rows, Cols> : interleaved<Stride, Rows> {
    using flip = strided_row<Stride>;
    using base = interleaved<Stride, Rows>;
    constexpr mapping() = default;
    SHOAL_FN constexpr mapping(std::int64_t s, int rows, int) : base(s, rows) {}
    SHOAL_FN constexpr std::int64_t offset(int i, int j) const {
        return (i + j * this->minor.get()) * this->stride.get();
    }
    SHOAL_FN constexpr std::int64_t row_step() const { return this->stride.get(); }
    SHOAL_FN constexpr std::int64_t col_step() const { return this->minor.get() * this->stride.get(); }
};

template <std::int64_t Stride, int Rows, int Cols>
struct mapping<strided_row<Stride>, Rows, Cols> : interleaved<Stride, Cols> {
    using flip = strided_column<Stride>;
    using base = interleaved<Stride, Cols>;
    constexpr mapping() = default;
    SHOAL_FN constexpr mapping(std::int64_t s, int, int cols) : base(s, cols) {}
    SHOAL_FN constexpr std::int64_t offset(int i, int j) const {
        return (i * this->minor.get() + j) * this->stride.get();
    }
    SHOAL_FN constexpr std::int64_t row_step() const { return this->minor.get() * this->stride.get(); }
    SHOAL_FN constexpr std::int64_t col_step() const { return this->stride.get(); }
};

template <class Layout>
inline constexpr bool is_interleaved = requires {
    Layout::stride;
};

/// Whether a leading dimension or stride must be given at run time, beyond the extents.
template <class Layout>
constexpr bool needs_step() {
    if constexpr (is_interleaved<Layout>) {
        return Layout::stride == dynamic;
    } else {
        return Layout::leading == dynamic;
    }
}

}  // namespace detail

/// A view of a Rows x Cols matrix: a pointer plus only what is not static. Passed by value, owns nothing.
///
/// Indices are 32-bit; offsets are 64-bit where a stride can be a batch (the `strided_` layouts). A matrix of
/// its own must have fewer than 2^31 elements, padding included.
///
/// \tparam T element type, const for a read-only view
/// \tparam Rows, Cols extents, each static or `dynamic`
/// \tparam Layout `column` (default), `row`, `column_ld<Ld>`, `row_ld<Ld>`, `strided_column<S>` or
/// `strided_row<S>`
template <class T, int Rows = dynamic, int Cols = dynamic, class Layout = column>
class matrix {
    using mapping_type = detail::mapping<Layout, Rows, Cols>;
    static constexpr bool all_static = Rows != dynamic && Cols != dynamic;
    static constexpr bool needs_step = detail::needs_step<Layout>();

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using layout_type = Layout;
    static constexpr int static_rows = Rows;
    static constexpr int static_cols = Cols;

    constexpr matrix() = default;

    /// Everything is static.
    SHOAL_FN constexpr explicit matrix(T* data) requires(all_static && !needs_step)
        : matrix(data, Rows, Cols) {}
    /// Static extents; `step` is the leading dimension, or the stride of an interleaved batch.
    SHOAL_FN constexpr matrix(T* data, std::int64_t step) requires(all_static&& needs_step)
        : matrix(data, Rows, Cols, step) {}
    /// No padding, or a static one. Static extents must be given as they are.
    SHOAL_FN constexpr matrix(T* data, int rows, int cols) requires(!needs_step)
        : data_(data), rows_(rows), cols_(cols), map_(make_map(rows, cols)) {}
    /// Any view can be made from all its numbers; static ones are not stored.
    SHOAL_FN constexpr matrix(T* data, int rows, int cols, std::int64_t step)
        : data_(data), rows_(rows), cols_(cols), map_(make_map(rows, cols, step)) {}

    /// A view for writing serves for reading.
    template <class U>
    requires(std::is_same_v<const U, T>) SHOAL_FN constexpr matrix(matrix<U, Rows, Cols, Layout> a)
        : matrix(a.data(), a.rows(), a.cols(), a.step()) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int rows() const { return rows_.get(); }
    SHOAL_FN constexpr int cols() const { return cols_.get(); }
    /// The leading dimension; for an interleaved layout the distance between neighbours.
    SHOAL_FN constexpr std::int64_t step() const { return map_.step(); }
    SHOAL_FN constexpr T& operator()(int i, int j) const { return data_[map_.offset(i, j)]; }

    /// Column j as a vector.
    SHOAL_FN constexpr auto column(int j) const {
        return vector<T, Rows, mapping_type::row_increment>{&(*this)(0, j), rows(), map_.row_step()};
    }
    /// Row i as a vector.
    SHOAL_FN constexpr auto row(int i) const {
        return vector<T, Cols, mapping_type::col_increment>{&(*this)(i, 0), cols(), map_.col_step()};
    }

    /// The R x C part whose first element is (i, j). Not for interleaved layouts.
    template <int R, int C>
    SHOAL_FN constexpr auto block(int i, int j) const {
        return matrix<T, R, C, typename mapping_type::sub>{data_ + map_.offset(i, j), R, C, map_.step()};
    }
    /// The rows x cols part whose first element is (i, j). Not for interleaved layouts.
    SHOAL_FN constexpr auto block(int i, int j, int rows, int cols) const {
        using part = matrix<T, dynamic, dynamic, typename mapping_type::sub>;
        return part{data_ + map_.offset(i, j), rows, cols, map_.step()};
    }

  private:
    SHOAL_FN static constexpr mapping_type make_map(int rows, int cols) {
        if constexpr (detail::is_interleaved<Layout>) {
            return mapping_type(Layout::stride, rows, cols);
        } else {
            return mapping_type(rows, cols);
        }
    }
    SHOAL_FN static constexpr mapping_type make_map(int rows, int cols, std::int64_t step) {
        if constexpr (detail::is_interleaved<Layout>) {
            return mapping_type(step, rows, cols);
        } else {
            return mapping_type(step);
        }
    }
    T* data_ = nullptr;
    [[no_unique_address]] detail::extent<Rows, 0> rows_;
    [[no_unique_address]] detail::extent<Cols, 1> cols_;
    [[no_unique_address]] mapping_type map_;
};

template <class T>
matrix(T*, int, int) -> matrix<T>;
template <class T>
matrix(T*, int, int, std::int64_t) -> matrix<T, dynamic, dynamic, column_ld<dynamic>>;

/// Anything with elements `a(i, j)`, i = 0 .. rows() - 1, j = 0 .. cols() - 1.
template <class M>
concept MatrixView = requires(const M& a, int i) {
    typename M::value_type;
    { a.rows() } -> std::convertible_to<int>;
    { a.cols() } -> std::convertible_to<int>;
    { a(i, i) } -> std::convertible_to<typename M::value_type>;
};

/// The transposed matrix: the same memory with the storage order flipped, no data moves.
template <class T, int Rows, int Cols, class Layout>
SHOAL_FN constexpr auto transposed(matrix<T, Rows, Cols, Layout> a) {
    using flipped = typename detail::mapping<Layout, Rows, Cols>::flip;
    return matrix<T, Cols, Rows, flipped>{a.data(), a.cols(), a.rows(), a.step()};
}

}  // namespace shoal
