#pragma once

#include <shoal/view/extent.hpp>

namespace shoal {

namespace detail {
/// The leading dimension of a matrix without padding: its number of rows (column-major) or columns
/// (row-major).
inline constexpr int packed = -2;
}  // namespace detail

/// Column-major storage, element (i, j) at `i + j * Ld`. `Ld` is a number, `dynamic`, or the number of rows.
template <int Ld = detail::packed>
struct column_ld {
    static constexpr int leading = Ld;
};

/// Row-major storage, element (i, j) at `i * Ld + j`. `Ld` is a number, `dynamic`, or the number of columns.
template <int Ld = detail::packed>
struct row_ld {
    static constexpr int leading = Ld;
};

/// Column-major without padding: the default.
using column = column_ld<>;
/// Row-major without padding.
using row = row_ld<>;

/// Column-major with element e = i + j * rows at `e * Stride`: one system of an interleaved batch.
template <std::int64_t Stride = dynamic>
struct strided_column {
    static constexpr std::int64_t stride = Stride;
};

/// Row-major with element e = i * cols + j at `e * Stride`: one system of an interleaved batch.
template <std::int64_t Stride = dynamic>
struct strided_row {
    static constexpr std::int64_t stride = Stride;
};

/// Element (i, j) at `i * row_step + j * col_step`, both dynamic: what a slice of another library's array can be, and a
/// part of an interleaved matrix.
struct any_stride {};

namespace detail {

/// The two strides of a matrix: static where they can be, so that a static view holds a pointer alone.
///
/// Bases, not `[[no_unique_address]]` members: nvcc 13 gives a kernel parameter with such members another layout in
/// device code than the host gives it, so that a view passed to a kernel, and all parameters behind it, arrive wrong.
template <class Index, std::int64_t RowStep, std::int64_t ColStep>
struct strides : stride_value<Index, RowStep, 2>, stride_value<Index, ColStep, 3> {
    using index = Index;
    using row_base = stride_value<Index, RowStep, 2>;
    using col_base = stride_value<Index, ColStep, 3>;
    static constexpr std::int64_t static_row_step = RowStep;
    static constexpr std::int64_t static_col_step = ColStep;
    SHOAL_FN constexpr Index row_step() const { return row_base::get(); }
    SHOAL_FN constexpr Index col_step() const { return col_base::get(); }
    SHOAL_FN constexpr Index offset(int i, int j) const { return i * row_step() + j * col_step(); }
};

/// a * b unless one of them is dynamic.
SHOAL_FN constexpr std::int64_t static_product(std::int64_t a, std::int64_t b) {
    return a == dynamic || b == dynamic ? dynamic : a * b;
}

/// How each layout makes its strides from the extents and `step`, the one number that a layout may need beyond them;
/// which layout a part has; and which the transposed matrix.
template <class Layout, int Rows, int Cols>
struct layout_traits;

template <int Ld, int Rows, int Cols>
struct layout_traits<column_ld<Ld>, Rows, Cols> {
    static constexpr int leading = Ld == packed ? Rows : Ld;
    static constexpr bool needs_step = Ld == dynamic;
    using map = strides<int, 1, leading>;
    using flip = row_ld<leading>;
    using part = column_ld<leading>;
    SHOAL_FN static constexpr std::int64_t default_step(int rows, int) { return Ld == packed ? rows : Ld; }
    SHOAL_FN static constexpr map make(int, int, std::int64_t step) { return {{}, {step}}; }
    SHOAL_FN static constexpr std::int64_t step(map m) { return m.col_step(); }
};

template <int Ld, int Rows, int Cols>
struct layout_traits<row_ld<Ld>, Rows, Cols> {
    static constexpr int leading = Ld == packed ? Cols : Ld;
    static constexpr bool needs_step = Ld == dynamic;
    using map = strides<int, leading, 1>;
    using flip = column_ld<leading>;
    using part = row_ld<leading>;
    SHOAL_FN static constexpr std::int64_t default_step(int, int cols) { return Ld == packed ? cols : Ld; }
    SHOAL_FN static constexpr map make(int, int, std::int64_t step) { return {{step}, {}}; }
    SHOAL_FN static constexpr std::int64_t step(map m) { return m.row_step(); }
};

template <std::int64_t Stride, int Rows, int Cols>
struct layout_traits<strided_column<Stride>, Rows, Cols> {
    static constexpr bool needs_step = Stride == dynamic;
    using map = strides<std::int64_t, Stride, static_product(Stride, Rows)>;
    using flip = strided_row<Stride>;
    using part = any_stride;
    SHOAL_FN static constexpr std::int64_t default_step(int, int) { return Stride; }
    SHOAL_FN static constexpr map make(int rows, int, std::int64_t step) { return {{step}, {step * rows}}; }
    SHOAL_FN static constexpr std::int64_t step(map m) { return m.row_step(); }
};

template <std::int64_t Stride, int Rows, int Cols>
struct layout_traits<strided_row<Stride>, Rows, Cols> {
    static constexpr bool needs_step = Stride == dynamic;
    using map = strides<std::int64_t, static_product(Stride, Cols), Stride>;
    using flip = strided_column<Stride>;
    using part = any_stride;
    SHOAL_FN static constexpr std::int64_t default_step(int, int) { return Stride; }
    SHOAL_FN static constexpr map make(int, int cols, std::int64_t step) { return {{step * cols}, {step}}; }
    SHOAL_FN static constexpr std::int64_t step(map m) { return m.col_step(); }
};

template <int Rows, int Cols>
struct layout_traits<any_stride, Rows, Cols> {
    static constexpr bool needs_step = true;
    using map = strides<std::int64_t, dynamic, dynamic>;
    using flip = any_stride;
    using part = any_stride;
};

}  // namespace detail
}  // namespace shoal
