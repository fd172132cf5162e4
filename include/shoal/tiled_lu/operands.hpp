#pragma once

#include <cstdint>
#include <type_traits>

#include <shoal/tiled_lu/config.hpp>
#include <shoal/view/adapt.hpp>

/// \file
/// What the solver works on: elements e = 0, 1, ... of a matrix, of pivots or of right-hand sides, and where they lie.
///
/// Every operand knows its pointer, its stride and its residency by itself, so that systems in arrays of the thread,
/// one after the other in memory (AoS), interleaved (SoA) or in groups (AoSoA) are the same call. Offsets have 64 bits.

namespace shoal::tiled_lu {

using shoal::dynamic;

/// Whose memory an operand is in. `local`: an array of the caller, which the compiler may keep in registers; it is
/// never indexed by a run-time number where that can be avoided. `memory`: anywhere.
enum class residency { local, memory };

/// Elements e = 0, 1, ... at `data[e * stride]`. Made by `local` and `strided`.
///
/// \tparam Stride distance between neighbours, or `dynamic`
/// \tparam Count number of elements where the type of the array and a static stride say it, otherwise `dynamic`
template <class T, residency Where, std::int64_t Stride, int Count = dynamic>
class operand : shoal::detail::stride_value<std::int64_t, Stride> {
    using step = shoal::detail::stride_value<std::int64_t, Stride>;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    static constexpr residency where = Where;
    static constexpr std::int64_t static_stride = Stride;
    static constexpr int count = Count;

    SHOAL_FN constexpr explicit operand(T* data, std::int64_t stride = Stride) noexcept
        : step(stride), data_(data) {}

    SHOAL_FN constexpr T* data() const noexcept { return data_; }
    SHOAL_FN constexpr std::int64_t stride() const noexcept { return step::get(); }
    SHOAL_FN constexpr T& operator[](int e) const noexcept {
        if constexpr (Stride == 1) {
            return data_[e];
        } else {
            return data_[e * step::get()];
        }
    }

  private:
    T* data_;
};

namespace detail {

template <class X>
inline constexpr bool is_operand = false;
template <class T, residency W, std::int64_t S, int C>
inline constexpr bool is_operand<operand<T, W, S, C>> = true;

/// The number of elements of a C array; of a square one of two dimensions all of them.
template <class X>
inline constexpr int array_count = dynamic;
template <class T, std::size_t N>
inline constexpr int array_count<T[N]> = static_cast<int>(N);
template <class T, std::size_t M, std::size_t N>
inline constexpr int array_count<T[M][N]> = static_cast<int>(M* N);

/// Pointers and arrays of one or two dimensions; anything else by `data()`.
template <class X>
SHOAL_FN constexpr auto* first_element(X&& x) noexcept {
    using Bare = std::remove_reference_t<X>;
    if constexpr (std::rank_v<Bare> == 2) {
        return &x[0][0];
    } else if constexpr (std::is_pointer_v<Bare>) {
        return x;
    } else {
        return &x[0];
    }
}

template <class X>
concept PointerLike =
    std::is_pointer_v<std::remove_cvref_t<X>> || std::is_array_v<std::remove_reference_t<X>>;

}  // namespace detail

/// An array of the caller itself, or a pointer to one: elements in a row, in registers where that is possible.
template <detail::PointerLike X>
SHOAL_FN constexpr auto local(X&& x) noexcept {
    auto* data = detail::first_element(x);
    return operand<std::remove_pointer_t<decltype(data)>, residency::local, 1,
                   detail::array_count<std::remove_reference_t<X>>>{data};
}

/// Element e at `x[e * stride]`, the stride known at run time: x points to element 0 of one system of a batch.
template <detail::PointerLike X>
SHOAL_FN constexpr auto strided(X&& x, std::int64_t stride) noexcept {
    auto* data = detail::first_element(x);
    return operand<std::remove_pointer_t<decltype(data)>, residency::memory, dynamic>{data, stride};
}

/// The same with a stride known at compile time: 1 for systems that lie in one piece.
template <std::int64_t Stride, detail::PointerLike X>
SHOAL_FN constexpr auto strided(X&& x) noexcept {
    static_assert(Stride > 0, "a compile-time stride is at least 1");
    auto* data = detail::first_element(x);
    constexpr int length = detail::array_count<std::remove_reference_t<X>>;
    constexpr int count = length == dynamic ? dynamic : static_cast<int>((length - 1) / Stride + 1);
    return operand<std::remove_pointer_t<decltype(data)>, residency::memory, Stride, count>{data};
}

/// An operand as the n^2 elements of a matrix of order n. Made by `of_order`.
template <class Elements, int N>
class square : Elements, shoal::detail::extent<N, 1> {
    using order_base = shoal::detail::extent<N, 1>;

  public:
    using Elements::where;
    using typename Elements::element_type;
    using typename Elements::value_type;
    static constexpr int static_order = N;

    SHOAL_FN constexpr square(Elements elements, int order) noexcept
        : Elements(elements), order_base(order) {}

    SHOAL_FN constexpr int order() const noexcept { return order_base::get(); }
    SHOAL_FN constexpr const Elements& elements() const noexcept { return *this; }
    /// Element (r, c) of the matrix that the memory holds row after row.
    SHOAL_FN constexpr element_type& operator()(int r, int c) const noexcept {
        return Elements::operator[](r* order() + c);
    }
};

/// A matrix of static order N.
template <int N, class Elements>
requires(detail::is_operand<Elements>) SHOAL_FN constexpr auto of_order(Elements elements) noexcept {
    static_assert(N >= 1, "a static order is at least 1");
    static_assert(Elements::count == dynamic || Elements::count >= N * N,
                  "the array has fewer than N * N elements");
    return square<Elements, N>{elements, N};
}

/// A matrix of order n, known at run time. n^2 must stay below 2^31.
template <class Elements>
requires(detail::is_operand<Elements>) SHOAL_FN constexpr auto of_order(Elements elements, int n) noexcept {
    return square<Elements, dynamic>{elements, n};
}

/// W right-hand sides or solutions in one operand: element i of column w at `i * stride + w * column_stride`, in units
/// of elements. Made by `columns`.
template <class Elements, int W, std::int64_t ColumnStride>
class column_block : Elements,
                     shoal::detail::extent<W, 1>,
                     shoal::detail::stride_value<std::int64_t, ColumnStride, 1> {
    using count_base = shoal::detail::extent<W, 1>;
    using step_base = shoal::detail::stride_value<std::int64_t, ColumnStride, 1>;

  public:
    using Elements::count;
    using Elements::data;
    using Elements::stride;
    using Elements::where;
    using typename Elements::element_type;
    using typename Elements::value_type;
    static constexpr int static_columns = W;
    static constexpr std::int64_t static_column_stride = ColumnStride;

    SHOAL_FN constexpr column_block(Elements elements, int number, std::int64_t column_stride) noexcept
        : Elements(elements), count_base(number), step_base(column_stride) {}

    SHOAL_FN constexpr int number() const noexcept { return count_base::get(); }
    SHOAL_FN constexpr const Elements& elements() const noexcept { return *this; }
    SHOAL_FN constexpr std::int64_t column_stride() const noexcept { return step_base::get(); }
    SHOAL_FN constexpr element_type& operator()(int i, int w) const noexcept {
        if constexpr (W == 1) {
            return Elements::operator[](i);
        } else {
            return data()[i * stride() + w * column_stride()];
        }
    }
};

namespace detail {
/// Columns follow each other without a gap: n times the stride apart, which is known when n is.
inline constexpr std::int64_t packed_columns = -2;
}  // namespace detail

/// W columns, one after the other: n * stride apart.
template <int W, class Elements>
requires(detail::is_operand<Elements>) SHOAL_FN constexpr auto columns(Elements elements) noexcept {
    static_assert(W >= 1, "a static number of columns is at least 1");
    return column_block<Elements, W, detail::packed_columns>{elements, W, 0};
}
/// W columns, `column_stride` apart.
template <int W, class Elements>
requires(detail::is_operand<Elements>)
    SHOAL_FN constexpr auto columns(Elements elements, std::int64_t column_stride) noexcept {
    static_assert(W >= 1, "a static number of columns is at least 1");
    return column_block<Elements, W, dynamic>{elements, W, column_stride};
}
/// `number` columns, one after the other.
template <class Elements>
requires(detail::is_operand<Elements>)
    SHOAL_FN constexpr auto columns(Elements elements, int number) noexcept {
    return column_block<Elements, dynamic, detail::packed_columns>{elements, number, 0};
}
/// `number` columns, `column_stride` apart.
template <class Elements>
requires(detail::is_operand<Elements>)
    SHOAL_FN constexpr auto columns(Elements elements, int number, std::int64_t column_stride) noexcept {
    return column_block<Elements, dynamic, dynamic>{elements, number, column_stride};
}

}  // namespace shoal::tiled_lu
