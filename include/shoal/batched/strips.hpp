#pragma once

#include <shoal/banded/strip.hpp>
#include <shoal/batched/checks.hpp>

namespace shoal::batched {

/// Equal block-tridiagonal matrices in strips, `stride` elements from one system to the next.
template <class T, int n, int Knots = dynamic, int Blocks = 3>
class strips {
  public:
    using view = strip<T, n, Knots, Blocks>;

    constexpr strips() = default;
    /// System 0, and the distance in elements; 0 shows the same matrix to every system.
    SHOAL_FN constexpr strips(view first, std::int64_t stride)
        : data_(first.data()), knots_(first.knots()), stride_(stride) {}
    /// One after the other, without gaps.
    SHOAL_FN constexpr explicit strips(view first)
        : strips(first, std::int64_t{Blocks} * n * n * first.knots()) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return view(data_ + system * stride_, knots_);
    }
    SHOAL_FN constexpr int knots() const { return knots_; }
    SHOAL_FN constexpr bool empty() const { return knots_ <= 0; }
    SHOAL_FN constexpr bool null() const { return data_ == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    SHOAL_FN constexpr int rows() const { return n * knots_; }
    constexpr detail::footprint footprint(std::int64_t systems) const {
        return {{std::int64_t{Blocks} * n * n * knots_, systems, 1, 1}, {1, stride_, 0, 0}};
    }

  private:
    T* data_ = nullptr;
    int knots_ = Knots == dynamic ? 0 : Knots;
    std::int64_t stride_ = 0;
};

/// Strips [ L | D ] of symmetric matrices.
template <class T, int n, int Knots = dynamic>
using symmetric_strips = strips<T, n, Knots, 2>;

/// Equal block vectors, `stride` elements from one system to the next.
template <class T, int n, int Knots = dynamic, int Pad = 0>
class block_vectors {
  public:
    using view = block_vector<T, n, Knots, Pad>;

    constexpr block_vectors() = default;
    /// System 0, and the distance in elements.
    SHOAL_FN constexpr block_vectors(view first, std::int64_t stride)
        : data_(first.data()), knots_(first.knots()), stride_(stride) {}
    /// One after the other, pads included, without gaps.
    SHOAL_FN constexpr explicit block_vectors(view first)
        : block_vectors(first, block_vector_size(n, first.knots(), Pad)) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return view(data_ + system * stride_, knots_);
    }
    SHOAL_FN constexpr int knots() const { return knots_; }
    SHOAL_FN constexpr bool empty() const { return knots_ <= 0; }
    SHOAL_FN constexpr bool null() const { return data_ == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    SHOAL_FN constexpr int rows() const { return n * knots_; }
    constexpr detail::footprint footprint(std::int64_t systems) const {
        return {{std::int64_t{n} * knots_, systems, 1, 1}, {1, stride_, 0, 0}};
    }

  private:
    T* data_ = nullptr;
    int knots_ = Knots == dynamic ? 0 : Knots;
    std::int64_t stride_ = 0;
};

namespace detail {

/// Refuses a negative number of knots.
template <class A>
constexpr status check_knots(argument is, const A& a, std::int64_t systems) {
    if (systems > 0 && a.knots() < 0) return is.refuse(": the number of knots is negative: ", a.knots());
    return {};
}

/// Refuses block vectors, or a preconditioner, of another length than A.
template <class X, class A>
constexpr status check_same_knots(argument is, const X& x, const A& a, std::int64_t systems) {
    if (systems > 0 && x.knots() != a.knots())
        return is.refuse(" has ", x.knots(), " knots and A has ", a.knots());
    return {};
}

}  // namespace detail

}  // namespace shoal::batched
