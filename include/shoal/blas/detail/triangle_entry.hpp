#pragma once

#include <shoal/core/macros.hpp>

namespace shoal::detail {

/// An entry of a lower triangle.
struct triangle_entry {
    int i;
    int j;
};

/// Number of entries of a lower triangle of order n.
SHOAL_FN constexpr int triangle_size(int n) {
    return n * (n + 1) / 2;
}

/// Entry e = 0 .. triangle_size(n) - 1 of a lower triangle of order n, without a square root: the triangle is folded
/// to a rectangle whose row r holds column r from its diagonal down, and in front of it what is left of the row a
/// column from the far end.
SHOAL_FN constexpr triangle_entry triangle_at(int e, int n) {
    const int even = n % 2 == 0 ? 1 : 0;
    const int r = e / (n + even);
    const int c = e % (n + even);
    if (c - even >= r) return {c - even, r};
    return {n - 1 - c, n - r - even};
}

}  // namespace shoal::detail
