#pragma once

#include <cstdint>

#include <shoal/core/macros.hpp>

namespace shoal {

/// An extent or leading dimension that is known at run time only.
inline constexpr int dynamic = -1;

namespace detail {

/// Whether two extents can be the same number: unless both are static and differ.
template <int A, int B>
inline constexpr bool extents_agree = A == dynamic || B == dynamic || A == B;

/// Whether elements can be assigned through a view; not when it is a view of const elements.
template <class View>
inline constexpr bool writable = requires(const View& v, typename View::value_type x) {
    v(0) = x;
}
|| requires(const View& v, typename View::value_type x) {
    v(0, 0) = x;
};

/// A number that takes no room when it is static. `Tag` tells the extents of one view apart: two empty
/// members of the same type would need two addresses.
template <int Value, int Tag = 0>
struct extent {
    constexpr extent() = default;
    SHOAL_FN constexpr explicit extent(int) {}
    SHOAL_FN static constexpr int get() { return Value; }
};

template <int Tag>
struct extent<dynamic, Tag> {
    int value = 0;
    constexpr extent() = default;
    SHOAL_FN constexpr explicit extent(int v) : value(v) {}
    SHOAL_FN constexpr int get() const { return value; }
};

/// A distance in memory: as wide as `Index` when it is dynamic, since it can be the size of a batch.
template <class Index, std::int64_t Value, int Tag = 0>
struct stride_value {
    constexpr stride_value() = default;
    SHOAL_FN constexpr stride_value(std::int64_t) {}
    SHOAL_FN static constexpr Index get() { return static_cast<Index>(Value); }
};

template <class Index, int Tag>
struct stride_value<Index, dynamic, Tag> {
    Index value = 0;
    constexpr stride_value() = default;
    SHOAL_FN constexpr stride_value(std::int64_t v) : value(static_cast<Index>(v)) {}
    SHOAL_FN constexpr Index get() const { return value; }
};

}  // namespace detail
}  // namespace shoal
