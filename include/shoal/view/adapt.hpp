#pragma once

#include <utility>

#include <shoal/view/matrix.hpp>

/// \file
/// Matrices and vectors of other libraries as views, recognised by their members; no library is named or included.

namespace shoal {

namespace detail {

/// `data_handle()`, `extent(r)`, `stride(r)`, `rank()`, `static_extent(r)`: mdspan and those made like it.
template <class X>
concept MdspanLike = requires(const X& x) {
    x.data_handle();
    x.extent(0);
    x.stride(0);
    X::rank();
    X::static_extent(0);
};

/// `data()`, `rows()`, `cols()` and strides in elements, inner and outer: the dense objects of Eigen and the like.
template <class X>
concept EigenLike = requires(X& x) {
    x.data();
    x.rows();
    x.cols();
    x.outerStride();
    x.innerStride();
    X::RowsAtCompileTime;
    X::ColsAtCompileTime;
    X::IsRowMajor;
};

/// `data()` and `size()`: a vector, array or span.
template <class X>
concept ArrayLike = !EigenLike<X> && !MdspanLike<X> && requires(X & x) {
    x.data();
    x.size();
};

/// A static extent of theirs as ours: whatever they say for "dynamic" is no small positive number.
template <auto Extent>
inline constexpr int extent_of = Extent > 0 && Extent <= static_cast<decltype(Extent)>(0x7fffffff)
                                     ? static_cast<int>(Extent)
                                     : dynamic;

/// The number of elements that a type fixes, as an array or a span of static extent does; otherwise `dynamic`.
template <class X>
inline constexpr int size_of_type = [] {
    if constexpr (requires { std::tuple_size<X>::value; }) {
        return extent_of<std::tuple_size<X>::value>;
    } else if constexpr (requires { X::extent; }) {
        return extent_of<X::extent>;
    } else {
        return dynamic;
    }
}();

}  // namespace detail

/// A view of `x`, which must outlive it; static extents stay static, strides are taken as they are.
///
/// - mdspan-like, rank 1 or 2, any layout with strides: a vector or a matrix.
/// - Eigen-like: a matrix.
/// - Anything with `data()` and `size()`: a vector, of static size if the type fixes it (std::array, std::span).
///
/// A constant `x` gives a view for reading. Throws nothing, allocates nothing.
SHOAL_CALLS_HOST_OR_DEVICE
template <class X>
requires(detail::MdspanLike<X>) SHOAL_FN constexpr auto adapt(const X& x) {
    auto* data = x.data_handle();
    using T = std::remove_pointer_t<decltype(data)>;
    static_assert(X::rank() == 1 || X::rank() == 2, "adapt: an mdspan of rank 1 or 2");
    constexpr int rows = detail::extent_of<X::static_extent(0)>;
    const int m = static_cast<int>(x.extent(0));
    const auto row_step = static_cast<std::int64_t>(x.stride(0));
    if constexpr (X::rank() == 1) {
        return vector<T, rows, dynamic>{data, m, row_step};
    } else {
        constexpr int cols = detail::extent_of<X::static_extent(1)>;
        return matrix<T, rows, cols, any_stride>{data, m, static_cast<int>(x.extent(1)), row_step,
                                                 static_cast<std::int64_t>(x.stride(1))};
    }
}

/// The same for a matrix with Eigen's members: static extents stay static.
SHOAL_CALLS_HOST_OR_DEVICE
template <class X>
requires(detail::EigenLike<std::remove_reference_t<X>>) SHOAL_FN constexpr auto adapt(X&& x) {
    using V = std::remove_cvref_t<X>;
    using T = std::remove_pointer_t<decltype(x.data())>;
    constexpr bool by_rows = V::IsRowMajor;
    const auto outer = static_cast<std::int64_t>(x.outerStride());
    const auto inner = static_cast<std::int64_t>(x.innerStride());
    return matrix<T, detail::extent_of<V::RowsAtCompileTime>, detail::extent_of<V::ColsAtCompileTime>,
                  any_stride>{x.data(), static_cast<int>(x.rows()), static_cast<int>(x.cols()),
                              by_rows ? outer : inner, by_rows ? inner : outer};
}

/// The same for anything with `data()` and `size()`: a vector of elements in a row.
SHOAL_CALLS_HOST_OR_DEVICE
template <class X>
requires(detail::ArrayLike<std::remove_reference_t<X>>) SHOAL_FN constexpr auto adapt(X&& x) {
    using T = std::remove_pointer_t<decltype(x.data())>;
    return vector<T, detail::size_of_type<std::remove_cvref_t<X>>>{x.data(), static_cast<int>(x.size()), 1};
}

}  // namespace shoal
