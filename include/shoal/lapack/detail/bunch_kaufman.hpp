#pragma once

#include <shoal/fast/block_pivot.hpp>
#include <shoal/fast/update_tiles.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>

namespace shoal::detail {

using fast::detail::block_pivot;

/// Questions of choose_block_pivot() about a matrix in memory. `search(first, last, key)` finds the largest key and the
/// first row that has it.
template <MatrixView A, class Search>
struct pivot_questions {
    A a;
    int k;
    Search search;
    SHOAL_FN auto here() const { return a(k, k); }
    SHOAL_FN auto diagonal(int r) const { return a(r, r); }
    SHOAL_FN auto below() const {
        return search(k + 1, a.rows(),
                      [&](int i) SHOAL_INLINE_LAMBDA { return core::magnitude_key(a(i, k)); });
    }
    SHOAL_FN auto beside(int r) const {
        const auto key = [&](int i) SHOAL_INLINE_LAMBDA {
            const auto x = core::magnitude_key(i < r ? a(r, i) : a(i, r));
            return i == r ? decltype(x)(0) : x;
        };
        return search(k, a.rows(), key).key;
    }
};
template <MatrixView A, class Search>
SHOAL_FN block_pivot choose_pivot(A a, int k, Search search) {
    const pivot_questions<A, Search> questions{a, k, search};
    return fast::detail::choose_block_pivot(k, questions);
}

/// The choice of a group: where it consists of warps, the lanes of each search together; otherwise every member alone.
template <Group G, MatrixView A>
SHOAL_FN block_pivot choose_pivot_of(const G& g, A a, int k) {
    if constexpr (fast::has_warps<G>) {
        if (fast::whole_warps(g)) {
            const auto warp = fast::warp_of(g);
            return choose_pivot(a, k, [&](int first, int last, auto key) SHOAL_INLINE_LAMBDA {
                return largest_key(warp, first, last, key);
            });
        }
    }
    return choose_pivot(a, k, [&](int first, int last, auto key) SHOAL_INLINE_LAMBDA {
        keyed_row<decltype(key(0))> best{0, last};
        for (int i = first; i < last; ++i) {
            const auto candidate = key(i);
            if (candidate > best.key || best.row == last) best = {candidate, i};
        }
        return best;
    });
}

/// Interchanges rows and columns of the part of the lower triangle that is still to be factored.
template <Group G, MatrixView A>
SHOAL_FN void swap_symmetric(const G& g, A a, int k, block_pivot step) {
    const int n = a.rows();
    const int last = k + step.width - 1;
    const int p = step.row;
    if (p == last) return;
    const auto exchange = [&](int i, int j, int r, int c) SHOAL_INLINE_LAMBDA {
        const auto held = a(i, j);
        a(i, j) = a(r, c);
        a(r, c) = held;
    };
    // Index i stands for the pair that it names: every element moves once, by one member.
    strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
        if (i < last) {
            if (i == k) exchange(last, k, p, k);
        } else if (i == last) {
            exchange(last, last, p, p);
        } else if (i < p) {
            exchange(i, last, p, i);
        } else if (i > p) {
            exchange(i, last, i, p);
        }
    });
}

/// What a row has in the two columns of a block.
template <class T>
struct column_pair {
    T first;
    T second;
};

/// The update of the rest by the pivot block, and the multipliers in place of its columns.
template <Group G, MatrixView A>
SHOAL_FN void eliminate(const G& g, A a, int k, block_pivot step) {
    using T = typename A::value_type;
    const int first = k + step.width;
    const int size = a.rows() - first;
    const divider<T> over(step.width == 1 ? a(k, k) : T(1));
    // D^-1 of a block of order two, scaled by its off-diagonal so that nothing overflows.
    const T off = step.width == 2 ? a(k + 1, k) : T(1);
    const T upper = step.width == 2 ? a(k, k) / off : T(0);
    const T lower = step.width == 2 ? a(k + 1, k + 1) / off : T(0);
    const T scale = step.width == 2 ? T(1) / (core::fma(upper, lower, T(-1))) / off : T(0);
    const auto left = [&](int i) SHOAL_INLINE_LAMBDA {
        return step.width == 1 ? over(a(i, k)) : scale * core::fma(lower, a(i, k), -a(i, k + 1));
    };
    const auto right = [&](int i)
                           SHOAL_INLINE_LAMBDA { return scale * core::fma(upper, a(i, k + 1), -a(i, k)); };
    const bool two = step.width == 2;
    fast::update_tiles<A::static_rows>(
        g, a, first,
        [&](int i) SHOAL_INLINE_LAMBDA {
            return column_pair<T>{left(i), two ? right(i) : T(0)};
        },
        [&](int j) SHOAL_INLINE_LAMBDA {
            return column_pair<T>{a(j, k), two ? a(j, k + 1) : T(0)};
        },
        [&](column_pair<T> l, column_pair<T> u, T value) SHOAL_INLINE_LAMBDA {
            value = core::fma(-l.first, u.first, value);
            return two ? core::fma(-l.second, u.second, value) : value;
        },
        [](int i, int j) SHOAL_INLINE_LAMBDA { return i >= j; });
    // Everyone has used the columns of the block, before the multipliers replace them.
    g.sync();
    strided(core::rolled{}, g, size, [&](int s) SHOAL_INLINE_LAMBDA {
        const int i = first + s;
        const T l = left(i);
        if (step.width == 2) a(i, k + 1) = right(i);
        a(i, k) = l;
    });
}

}  // namespace shoal::detail
