#pragma once

#include <shoal/tiled_lu/operands.hpp>

/// \file
/// Turns what a caller passes into what the bodies work on: a matrix with elements (r, c) of the memory read by rows, and
/// blocks of columns. Objects of other libraries are recognised by their members.

namespace shoal::tiled_lu::detail {

/// A matrix with strides of its own, as the body reads it. Where columns lie together it is read as its transpose.
template <class T, int N, std::int64_t RowStep, std::int64_t ColStep>
class grid : shoal::detail::extent<N, 1>, shoal::detail::strides<std::int64_t, RowStep, ColStep> {
    using order_base = shoal::detail::extent<N, 1>;
    using map = shoal::detail::strides<std::int64_t, RowStep, ColStep>;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    static constexpr residency where = residency::memory;
    static constexpr int static_order = N;
    static constexpr storage layout = RowStep != dynamic && (ColStep == dynamic || RowStep < ColStep)
                                          ? storage::col_major
                                          : storage::row_major;

    SHOAL_FN constexpr grid(T* data, int order, std::int64_t row_step, std::int64_t col_step) noexcept
        : order_base(order), map{{row_step}, {col_step}}, data_(data) {}

    SHOAL_FN constexpr int order() const noexcept { return order_base::get(); }
    SHOAL_FN constexpr T& operator()(int r, int c) const noexcept {
        return layout == storage::row_major ? data_[map::offset(r, c)] : data_[map::offset(c, r)];
    }

  private:
    T* data_;
};

template <class X>
inline constexpr bool is_square = false;
template <class E, int N>
inline constexpr bool is_square<square<E, N>> = true;
template <class T, int N, std::int64_t R, std::int64_t C>
inline constexpr bool is_square<grid<T, N, R, C>> = true;

/// The order of a matrix of Count elements.
constexpr int order_of_count(int count) {
    int n = 1;
    while (n < count / n || n * n < count) ++n;
    return n * n == count ? n : dynamic;
}

SHOAL_CALLS_HOST_OR_DEVICE
template <class T, int M, int N, class L>
SHOAL_FN constexpr auto grid_of(const matrix<T, M, N, L>& a) noexcept {
    static_assert(shoal::detail::extents_agree<M, N>, "tiled_lu: A is not square");
    using map = typename shoal::detail::layout_traits<L, M, N>::map;
    constexpr int order = M == dynamic ? N : M;
    return grid<T, order, map::static_row_step, map::static_col_step>{a.data(), a.rows(), a.row_step(),
                                                                      a.col_step()};
}

template <class X>
inline constexpr bool is_columns = false;
template <class E, int W, std::int64_t S>
inline constexpr bool is_columns<column_block<E, W, S>> = true;

template <class T>
inline constexpr bool is_index = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// What the bodies are compiled for once a static_assert has refused an operand: its sentence is then all that is said.
template <class T>
using stand_in = operand<std::conditional_t<std::is_arithmetic_v<T>, T, double>, residency::memory, 1>;
template <class T>
SHOAL_FN constexpr auto refused() noexcept {
    return stand_in<T>{nullptr};
}
template <class T>
SHOAL_FN constexpr auto refused_matrix() noexcept {
    using number = std::conditional_t<std::is_floating_point_v<T>, T, double>;
    return square<stand_in<number>, dynamic>{refused<number>(), 0};
}

/// A view of a vector as an operand in memory.
template <class T, int N, std::int64_t Increment>
SHOAL_FN constexpr auto operand_of(const vector<T, N, Increment>& x) noexcept {
    return operand<T, residency::memory, Increment, N>{x.data(), x.increment()};
}

/// A view of a matrix as a block of columns.
template <class T, int M, int N, class L>
SHOAL_FN constexpr auto operand_of(const matrix<T, M, N, L>& x) noexcept {
    using map = typename shoal::detail::layout_traits<L, M, N>::map;
    using elements = operand<T, residency::memory, map::static_row_step, M>;
    return column_block<elements, N, map::static_col_step>{elements{x.data(), x.row_step()}, x.cols(),
                                                           x.col_step()};
}

/// Any vector argument as an operand.
SHOAL_CALLS_HOST_OR_DEVICE
template <class X>
SHOAL_FN constexpr auto as_elements(X&& x) noexcept {
    using V = std::remove_cvref_t<X>;
    if constexpr (is_operand<V> || is_columns<V>) {
        return x;
    } else if constexpr (std::is_array_v<V>) {
        return strided<1>(x);
    } else if constexpr (requires { operand_of(x); }) {
        return operand_of(x);
    } else {
        return operand_of(adapt(x));
    }
}

/// Any matrix argument as the body reads it.
SHOAL_CALLS_HOST_OR_DEVICE
template <class X>
SHOAL_FN constexpr auto as_matrix(X&& x) noexcept {
    using V = std::remove_cvref_t<X>;
    if constexpr (is_square<V>) {
        using T = typename V::value_type;
        static_assert(std::is_floating_point_v<T>,
                      "tiled_lu: the elements of A are neither float nor double");
        if constexpr (std::is_floating_point_v<T>) {
            return x;
        } else {
            return refused_matrix<T>();
        }
    } else if constexpr (is_operand<V>) {
        constexpr int order = order_of_count(V::count == dynamic ? 2 : V::count);
        static_assert(V::count != dynamic,
                      "tiled_lu: say the order of A with of_order<N>(A) or of_order(A, n)");
        static_assert(V::count == dynamic || order != dynamic,
                      "tiled_lu: the array is not that of a square matrix");
        if constexpr (order != dynamic) {
            return as_matrix(of_order<order>(x));
        } else {
            return refused_matrix<typename V::value_type>();
        }
    } else if constexpr (PointerLike<V>) {
        return as_matrix(strided<1>(x));
    } else if constexpr (requires { grid_of(x); }) {
        return as_matrix(grid_of(x));
    } else if constexpr (requires { operand_of(x); }) {
        return as_matrix(operand_of(x));
    } else {
        return as_matrix(adapt(x));
    }
}

/// The pivots of a matrix M.
SHOAL_CALLS_HOST_OR_DEVICE
template <class M, class P>
SHOAL_FN constexpr auto as_pivots(P&& pivots) noexcept {
    const auto p = as_elements(pivots);
    using E = std::remove_cvref_t<decltype(p)>;
    static_assert(is_operand<E>, "tiled_lu: the pivots are a vector, not a matrix");
    static_assert(is_index<typename E::value_type>, "tiled_lu: the pivots are not integers");
    if constexpr (is_operand<E> && is_index<typename E::value_type>) {
        static_assert(M::static_order == dynamic || E::count == dynamic || E::count >= M::static_order,
                      "tiled_lu: fewer pivots than the order of A");
        return p;
    } else {
        return refused<int>();
    }
}

/// Any right-hand side of a matrix M as a block of columns, the distance between them settled by the order.
SHOAL_CALLS_HOST_OR_DEVICE
template <class M, class X>
SHOAL_FN constexpr auto as_columns(X&& x, int n) noexcept {
    constexpr int N = M::static_order;
    using T = typename M::value_type;
    const auto e = as_elements(x);
    using E = std::remove_cvref_t<decltype(e)>;
    static_assert(std::is_same_v<typename E::value_type, T>,
                  "tiled_lu: the elements of A and of a right-hand side differ in type");
    static_assert(N == dynamic || E::count == dynamic || E::count >= N,
                  "tiled_lu: a vector is shorter than the order of A");
    if constexpr (!std::is_same_v<typename E::value_type, T>) {
        return column_block<stand_in<T>, 1, 0>{refused<T>(), 1, 0};
    } else if constexpr (is_operand<E>) {
        return column_block<E, 1, 0>{e, 1, 0};
    } else if constexpr (E::static_column_stride == packed_columns) {
        using base = std::remove_cvref_t<decltype(e.elements())>;
        constexpr std::int64_t step =
            N == dynamic || base::static_stride == dynamic ? dynamic : N * base::static_stride;
        return column_block<base, E::static_columns, step>{e.elements(), e.number(), n * e.stride()};
    } else {
        return e;
    }
}

}  // namespace shoal::tiled_lu::detail
