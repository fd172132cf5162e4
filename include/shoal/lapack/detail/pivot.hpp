#pragma once

#include <limits>

#include <shoal/core/loop.hpp>
#include <shoal/core/math.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal::detail {

/// The entry of a column that a step divides by.
template <class T>
struct pivot_choice {
    T value;
    int row;
};

/// The largest entry of a(k, k), ..., a(n - 1, k); of equal ones the first, and NaN counts as largest. Every member
/// searches alone: reads of one address are broadcast, and no barrier or scratch is needed.
template <class Flat, MatrixView A>
SHOAL_FN auto find_pivot(Flat how, A a, int k) {
    pivot_choice<typename A::value_type> best{a(k, k), k};
    core::loop(how, k + 1, a.rows(), [&](int i) SHOAL_INLINE_LAMBDA {
        const auto candidate = a(i, k);
        if (core::magnitude_key(candidate) > core::magnitude_key(best.value)) best = {candidate, i};
    });
    return best;
}

/// Division by a pivot: by its reciprocal, except where that would overflow; by zero it leaves the numerator.
template <class T>
class divider {
  public:
    SHOAL_FN explicit divider(T pivot) : pivot_(pivot), reciprocal_(core::pivot_reciprocal(pivot)) {}
    SHOAL_FN T operator()(T value) const {
        if (pivot_ == 0) return value;
        return core::abs(pivot_) < smallest_invertible ? value / pivot_ : value * reciprocal_;
    }

  private:
    static constexpr T smallest_invertible = std::numeric_limits<T>::min() * T(4);
    T pivot_;
    T reciprocal_;
};

}  // namespace shoal::detail
