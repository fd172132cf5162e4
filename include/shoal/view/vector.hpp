#pragma once

#include <concepts>
#include <type_traits>

#include <shoal/view/extent.hpp>

namespace shoal {

/// A view of n elements, `increment` apart: a pointer plus only what is not static. Passed by value, owns
/// nothing.
///
/// \tparam T element type, const for a read-only view
/// \tparam N number of elements (at least 1), or `dynamic`
/// \tparam Increment distance between neighbours, or `dynamic` (64 bits)
template <class T, int N = dynamic, std::int64_t Increment = 1>
class vector : detail::extent<N>, detail::stride_value<std::int64_t, Increment> {
    using size_base = detail::extent<N>;
    using step_base = detail::stride_value<std::int64_t, Increment>;

    static_assert(N > 0 || N == dynamic,
                  "a static size is at least 1: a vector that may be empty has a dynamic size");

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    static constexpr int static_size = N;

    constexpr vector() = default;

    /// Both numbers are static.
    SHOAL_FN constexpr explicit vector(T* data) requires(N != dynamic && Increment != dynamic)
        : data_(data) {}
    /// The increment is dynamic, the size is static.
    SHOAL_FN constexpr vector(T* data, std::int64_t increment) requires(N != dynamic && Increment == dynamic)
        : step_base(increment), data_(data) {}
    /// The size is dynamic, the increment static.
    SHOAL_FN constexpr vector(T* data, int size) requires(N == dynamic && Increment != dynamic)
        : size_base(size), data_(data) {}
    /// Any view can be made from all its numbers; static ones are not stored.
    SHOAL_FN constexpr vector(T* data, int size, std::int64_t increment)
        : size_base(size), step_base(increment), data_(data) {}

    /// A view for writing serves for reading.
    template <class U>
    requires(std::is_same_v<const U, T>) SHOAL_FN constexpr vector(vector<U, N, Increment> x)
        : vector(x.data(), x.size(), x.increment()) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int size() const { return size_base::get(); }
    SHOAL_FN constexpr std::int64_t increment() const { return step_base::get(); }
    SHOAL_FN constexpr T& operator()(int i) const { return data_[i * step_base::get()]; }
    SHOAL_FN constexpr T& operator[](int i) const { return (*this)(i); }

    /// Elements first .. first + size - 1, the size static.
    template <int Size>
    SHOAL_FN constexpr vector<T, Size, Increment> segment(int first) const {
        return {data_ + first * step_base::get(), Size, step_base::get()};
    }
    /// Elements first .. first + size - 1.
    SHOAL_FN constexpr vector<T, dynamic, Increment> segment(int first, int size) const {
        return {data_ + first * step_base::get(), size, step_base::get()};
    }

  private:
    T* data_ = nullptr;
};

template <class T>
vector(T*, int) -> vector<T>;
template <class T>
vector(T*, int, std::int64_t) -> vector<T, dynamic, dynamic>;

/// Anything with elements `x(i)`, i = 0 .. size() - 1, its size static or `dynamic`.
template <class V>
concept VectorView = requires(const V& x, int i) {
    typename V::value_type;
    { V::static_size } -> std::convertible_to<int>;
    { x.size() } -> std::convertible_to<int>;
    { x(i) } -> std::convertible_to<typename V::value_type>;
};

/// Views whose elements are of one type: no op mixes float and double.
template <class First, class... Others>
concept SameScalar = (std::is_same_v<typename First::value_type, typename Others::value_type> && ...);

}  // namespace shoal
