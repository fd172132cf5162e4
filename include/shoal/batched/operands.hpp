#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <shoal/view/triangle.hpp>
#include <shoal/view/vector.hpp>

/// \file
/// Where the systems of a batch lie: an operand is a function from the number of a system to its view. All are passed
/// by value, own nothing, and serve on host and device alike. Numbers and strides of systems are 64-bit.

namespace shoal::batched {

namespace detail {

/// Where the elements of a batch lie: at the sums of 0 .. counts[d] - 1 times steps[d].
struct footprint {
    std::int64_t counts[4] = {1, 1, 1, 1};
    std::int64_t steps[4] = {};
};

/// The static extents of a view, 0 where they are dynamic.
template <class View>
inline constexpr int known_rows = [] {
    int n = dynamic;
    if constexpr (MatrixView<View>) {
        n = View::static_rows;
    } else {
        n = View::static_size;
    }
    return n == dynamic ? 0 : n;
}();
template <class View>
inline constexpr int known_cols = 1;
template <MatrixView View>
inline constexpr int known_cols<View> = View::static_cols == dynamic ? 0 : View::static_cols;

/// The numbers of a view in plain members: operands are arguments of kernels, and hold nothing empty on whose place two
/// compilers could disagree.
template <class View>
struct first_view {
    using pointer = decltype(std::declval<const View&>().data());
    pointer data_ = nullptr;
    std::int64_t step_ = 0;
    int rows_ = known_rows<View>;
    int cols_ = known_cols<View>;
    constexpr first_view() = default;
    SHOAL_FN constexpr first_view(View a) : data_(a.data()) {
        if constexpr (MatrixView<View>) {
            step_ = a.step();
            rows_ = a.rows();
            cols_ = a.cols();
        } else {
            step_ = a.increment();
            rows_ = a.size();
            cols_ = 1;
        }
    }
    SHOAL_FN constexpr pointer data() const { return data_; }
    SHOAL_FN constexpr bool empty() const { return rows_ == 0 || cols_ == 0; }
    /// The view with another pointer. What is static comes from the type and costs nothing.
    SHOAL_FN constexpr View at(pointer data) const {
        if constexpr (MatrixView<View>) {
            return View(data, rows_, cols_, step_);
        } else {
            return View(data, rows_, step_);
        }
    }
    /// With systems `stride` elements apart.
    constexpr footprint of(std::int64_t systems, std::int64_t stride) const {
        if constexpr (MatrixView<View>) {
            const View a = at(nullptr);
            return {{rows_, cols_, systems, 1}, {a.row_step(), a.col_step(), stride, 0}};
        } else {
            return {{rows_, systems, 1, 1}, {step_, stride, 0, 0}};
        }
    }
};

}  // namespace detail

/// Equal matrices, `stride` elements from one system to the next.
template <class T, int Rows = dynamic, int Cols = dynamic, class Layout = column>
class matrices {
  public:
    using view = matrix<T, Rows, Cols, Layout>;

    constexpr matrices() = default;
    /// System 0, and the distance in elements; 0 shows the same matrix to every system.
    SHOAL_FN constexpr matrices(view first, std::int64_t stride) : first_(first), stride_(stride) {}
    SHOAL_FN constexpr matrices(T* data, std::int64_t stride) requires std::constructible_from<view, T*>
        : matrices(view(data), stride) {}
    /// One after the other, without gaps.
    SHOAL_FN constexpr explicit matrices(T* data) requires(std::constructible_from<view, T*> &&
                                                           (Layout::leading == shoal::detail::packed))
        : matrices(view(data), std::int64_t{Rows} * Cols) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return first_.at(first_.data() + system * stride_);
    }
    SHOAL_FN constexpr std::int64_t stride() const { return stride_; }
    SHOAL_FN constexpr int rows() const { return first_.rows_; }
    SHOAL_FN constexpr int columns() const { return first_.cols_; }
    SHOAL_FN constexpr bool empty() const { return first_.empty(); }
    SHOAL_FN constexpr bool null() const { return first_.data() == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    constexpr detail::footprint footprint(std::int64_t systems) const { return first_.of(systems, stride_); }

  private:
    detail::first_view<view> first_;
    std::int64_t stride_ = 0;
};

/// Interleaved: element e of system s at `data[s + e * stride]`, e counted by columns; `stride` is the number of
/// systems, or more.
template <class T, int Rows = dynamic, int Cols = dynamic>
class interleaved_matrices {
  public:
    using view = matrix<T, Rows, Cols, strided_column<>>;

    constexpr interleaved_matrices() = default;
    SHOAL_FN constexpr interleaved_matrices(T* data,
                                            std::int64_t stride) requires(Rows != dynamic && Cols != dynamic)
        : first_(view(data, stride)) {}
    SHOAL_FN constexpr interleaved_matrices(T* data, int rows, int cols, std::int64_t stride)
        : first_(view(data, rows, cols, stride)) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return first_.at(first_.data() + system);
    }
    SHOAL_FN constexpr int rows() const { return first_.rows_; }
    SHOAL_FN constexpr int columns() const { return first_.cols_; }
    SHOAL_FN constexpr bool empty() const { return first_.empty(); }
    SHOAL_FN constexpr bool null() const { return first_.data() == nullptr; }
    SHOAL_FN constexpr bool shared() const { return first_.step_ == 0; }
    constexpr detail::footprint footprint(std::int64_t systems) const { return first_.of(systems, 1); }

  private:
    detail::first_view<view> first_;
};

/// One pointer a system. The array of pointers lies where the batch runs: the launchers, which never look there, refuse
/// a null array, but not a null pointer inside it, which is dereferenced like any other.
template <class T, int Rows = dynamic, int Cols = dynamic, class Layout = column>
class pointer_matrices {
  public:
    using view = matrix<T, Rows, Cols, Layout>;

    constexpr pointer_matrices() = default;
    SHOAL_FN constexpr explicit pointer_matrices(T* const* systems) requires std::constructible_from<view, T*>
        : systems_(systems), shape_(view(static_cast<T*>(nullptr))) {}
    /// `shape` gives extents and leading dimension; its pointer is not used.
    SHOAL_FN constexpr pointer_matrices(T* const* systems, view shape) : systems_(systems), shape_(shape) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const { return shape_.at(systems_[system]); }
    SHOAL_FN constexpr int rows() const { return shape_.rows_; }
    SHOAL_FN constexpr int columns() const { return shape_.cols_; }
    SHOAL_FN constexpr bool empty() const { return shape_.empty(); }
    SHOAL_FN constexpr bool null() const { return systems_ == nullptr; }
    SHOAL_FN static constexpr bool shared() { return false; }
    constexpr detail::footprint footprint(std::int64_t) const { return shape_.of(1, 0); }

  private:
    T* const* systems_ = nullptr;
    detail::first_view<view> shape_;
};

/// Equal vectors, `stride` elements from one system to the next.
template <class T, int N = dynamic, std::int64_t Increment = 1>
class vectors {
  public:
    using view = vector<T, N, Increment>;

    constexpr vectors() = default;
    SHOAL_FN constexpr vectors(view first, std::int64_t stride) : first_(first), stride_(stride) {}
    SHOAL_FN constexpr vectors(T* data, std::int64_t stride) requires std::constructible_from<view, T*>
        : first_(view(data)), stride_(stride) {}
    /// One after the other, without gaps.
    SHOAL_FN constexpr explicit vectors(T* data) requires(N != dynamic && Increment == 1)
        : first_(view(data)), stride_(N) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return first_.at(first_.data() + system * stride_);
    }
    SHOAL_FN constexpr std::int64_t stride() const { return stride_; }
    SHOAL_FN constexpr bool empty() const { return first_.empty(); }
    SHOAL_FN constexpr bool null() const { return first_.data() == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    SHOAL_FN constexpr int rows() const { return first_.rows_; }
    constexpr detail::footprint footprint(std::int64_t systems) const { return first_.of(systems, stride_); }

  private:
    detail::first_view<view> first_;
    std::int64_t stride_ = 0;
};

/// Interleaved vectors: element i of system s at `data[s + i * stride]`.
template <class T, int N = dynamic>
class interleaved_vectors {
  public:
    using view = vector<T, N, dynamic>;

    constexpr interleaved_vectors() = default;
    SHOAL_FN constexpr interleaved_vectors(T* data, std::int64_t stride) requires(N != dynamic)
        : first_(view(data, stride)) {}
    SHOAL_FN constexpr interleaved_vectors(T* data, int size, std::int64_t stride)
        : first_(view(data, size, stride)) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return first_.at(first_.data() + system);
    }
    SHOAL_FN constexpr bool empty() const { return first_.empty(); }
    SHOAL_FN constexpr bool null() const { return first_.data() == nullptr; }
    SHOAL_FN constexpr bool shared() const { return first_.step_ == 0; }
    SHOAL_FN constexpr int rows() const { return first_.rows_; }
    constexpr detail::footprint footprint(std::int64_t systems) const { return first_.of(systems, 1); }

  private:
    detail::first_view<view> first_;
};

/// A batch of operands: system s is `a(s)`.
///
/// `empty()`: the views have no elements, and pointers may be null. `null()`: there is no memory behind it.
/// `shared()`: all systems are the same memory, which must not be written.
template <class A>
concept Operand = requires(const A& a, std::int64_t s) {
    typename A::view;
    { a(s) } -> std::same_as<typename A::view>;
    { a.empty() } -> std::convertible_to<bool>;
    { a.null() } -> std::convertible_to<bool>;
    { a.shared() } -> std::convertible_to<bool>;
};

/// An operand that says how large its views are and where their elements lie, so that a launcher can check it. Those of
/// this library do; others are taken as they are.
template <class A>
concept Shaped = Operand<A> && requires(const A& a, std::int64_t s) {
    { a.rows() } -> std::convertible_to<std::int64_t>;
    { a.footprint(s) } -> std::same_as<detail::footprint>;
};

template <class A>
concept MatrixOperand = Operand<A> && MatrixView<typename A::view>;
template <class A>
concept VectorOperand = Operand<A> && VectorView<typename A::view>;

/// One triangle of each matrix of a batch.
template <MatrixOperand A, uplo Uplo, diagonal Diagonal = diagonal::stored>
struct triangles {
    using view = triangular<typename A::view, Uplo, Diagonal>;
    A of;
    SHOAL_FN constexpr view operator()(std::int64_t system) const { return {of(system)}; }
    SHOAL_FN constexpr bool empty() const { return of.empty(); }
    SHOAL_FN constexpr bool null() const { return of.null(); }
    SHOAL_FN constexpr bool shared() const { return of.shared(); }
    SHOAL_FN constexpr int rows() const requires Shaped<A> { return of.rows(); }
    SHOAL_FN constexpr int columns() const requires Shaped<A> { return of.columns(); }
    constexpr detail::footprint footprint(std::int64_t systems) const requires Shaped<A> {
        return of.footprint(systems);
    }
};

/// The lower triangle of every system.
template <MatrixOperand A>
SHOAL_FN constexpr triangles<A, uplo::lower> lower(A a) {
    return {a};
}
/// The upper triangle of every system.
template <MatrixOperand A>
SHOAL_FN constexpr triangles<A, uplo::upper> upper(A a) {
    return {a};
}
/// The lower triangle of every system with ones on the diagonal, which is never touched.
template <MatrixOperand A>
SHOAL_FN constexpr triangles<A, uplo::lower, diagonal::unit> unit_lower(A a) {
    return {a};
}
/// The upper triangle of every system with ones on the diagonal, which is never touched.
template <MatrixOperand A>
SHOAL_FN constexpr triangles<A, uplo::upper, diagonal::unit> unit_upper(A a) {
    return {a};
}

}  // namespace shoal::batched
