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

}  // namespace shoal
