#pragma once

/// \file
/// A host matrix that owns its memory: what tests prepare, oracles compute and error measures read.

#include <cstddef>
#include <utility>
#include <vector>

namespace shoal::support {

/// rows x cols, column-major without padding. A vector is a matrix of one column.
template <class T>
class dense {
  public:
    using value_type = T;

    dense() = default;
    dense(int rows, int cols, T value = T(0))
        : rows_(rows),
          cols_(cols),
          data_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), value) {}

    /// f(i, j) gives the elements.
    template <class F>
    static dense from(int rows, int cols, F f) {
        dense a(rows, cols);
        for (int j = 0; j < cols; ++j)
            for (int i = 0; i < rows; ++i) a(i, j) = static_cast<T>(f(i, j));
        return a;
    }
    static dense identity(int n) {
        return from(n, n, [](int i, int j) { return i == j ? 1 : 0; });
    }

    int rows() const { return rows_; }
    int cols() const { return cols_; }
    T* data() { return data_.data(); }
    const T* data() const { return data_.data(); }
    T& operator()(int i, int j = 0) { return data_[index(i, j)]; }
    const T& operator()(int i, int j = 0) const { return data_[index(i, j)]; }

    template <class U>
    dense<U> as() const {
        return dense<U>::from(rows_, cols_, [&](int i, int j) { return static_cast<U>((*this)(i, j)); });
    }

  private:
    std::size_t index(int i, int j) const {
        return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_);
    }
    int rows_ = 0;
    int cols_ = 0;
    std::vector<T> data_;
};

template <class T>
dense<T> transpose(const dense<T>& a) {
    return dense<T>::from(a.cols(), a.rows(), [&](int i, int j) { return a(j, i); });
}

/// The elements on and below the diagonal, zeros above.
template <class T>
dense<T> lower_part(const dense<T>& a) {
    return dense<T>::from(a.rows(), a.cols(), [&](int i, int j) { return i >= j ? a(i, j) : T(0); });
}

/// The elements on and above the diagonal, zeros below.
template <class T>
dense<T> upper_part(const dense<T>& a) {
    return dense<T>::from(a.rows(), a.cols(), [&](int i, int j) { return i <= j ? a(i, j) : T(0); });
}

/// a with ones on the diagonal.
template <class T>
dense<T> with_unit_diagonal(dense<T> a) {
    for (int i = 0; i < a.rows() && i < a.cols(); ++i) a(i, i) = T(1);
    return a;
}

/// The symmetric matrix whose lower triangle is a's.
template <class T>
dense<T> symmetric_from_lower(const dense<T>& a) {
    return dense<T>::from(a.rows(), a.cols(), [&](int i, int j) { return i >= j ? a(i, j) : a(j, i); });
}

}  // namespace shoal::support
