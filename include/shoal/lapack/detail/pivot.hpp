#pragma once

#include <limits>

#include <shoal/core/loop.hpp>
#include <shoal/core/math.hpp>
#include <shoal/fast/pivot_rows.hpp>
#include <shoal/fast/warps.hpp>
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

/// A key of magnitude and the row where it stands.
template <class Key>
struct keyed_row {
    Key key;
    int row;
};

/// The largest of key(i) for i = first .. last - 1, of equal ones the first, by the lanes of a warp together: every lane
/// gets it. Key 0 and row `last` if there is none.
template <ShuffleGroup G, class F>
SHOAL_FN auto largest_key(const G& warp, int first, int last, F key) {
    keyed_row<decltype(key(0))> best{0, last};
    for (int i = first + warp.rank(); i < last; i += warp.size()) {
        const auto candidate = key(i);
        if (candidate > best.key || best.row == last) best = {candidate, i};
    }
    const int leader = fast::detail::leading_member(warp, best.key, best.row,
                                                    fast::detail::largest_leading_word(warp, best.key));
    return keyed_row<decltype(key(0))>{warp.shuffle(best.key, leader), warp.shuffle(best.row, leader)};
}

/// find_pivot(), where the group consists of warps by each of them for itself.
template <class Flat, Group G, MatrixView A>
SHOAL_FN auto find_pivot(Flat how, const G& g, A a, int k) {
    if constexpr (fast::has_warps<G> && !Flat::value) {
        if (fast::whole_warps(g)) {
            const auto found = largest_key(fast::warp_of(g), k, a.rows(), [&](int i) SHOAL_INLINE_LAMBDA {
                return core::magnitude_key(a(i, k));
            });
            return pivot_choice<typename A::value_type>{a(found.row, k), found.row};
        }
    }
    return find_pivot(how, a, k);
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
