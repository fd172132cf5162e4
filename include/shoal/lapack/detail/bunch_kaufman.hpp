#pragma once

#include <shoal/fast/update_tiles.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>

namespace shoal::detail {

/// What one step of ldlt() takes as its pivot block.
struct block_pivot {
    int width;  ///< order of the block of D
    int row;    ///< the row and column that change places with the last of the block
    bool bad;   ///< the column is zero, or holds NaN or infinity
};

/// The choice of Bunch and Kaufman: growth bounded by 2.57 a step, by looking at two columns. `search(first, last, key)`
/// finds the largest key and the first row that has it.
template <MatrixView A, class Search>
SHOAL_FN block_pivot choose_pivot(A a, int k, Search search) {
    using T = typename A::value_type;
    constexpr T alpha = T(0.64038820320220756872767623199676);  // (1 + sqrt(17)) / 8
    const int n = a.rows();
    const auto below_key =
        search(k + 1, n, [&](int i) SHOAL_INLINE_LAMBDA { return core::magnitude_key(a(i, k)); });
    const T here = core::abs(a(k, k));
    const T below = core::from_bits(below_key.key);
    const T column = core::magnitude_key(here) < below_key.key ? below : here;
    if (!core::good_pivot(column)) return {1, k, true};
    if (here >= alpha * below) return {1, k, false};
    const int row = below_key.row;
    const auto beside = search(k, n, [&](int i) SHOAL_INLINE_LAMBDA {
        const auto key = core::magnitude_key(i < row ? a(row, i) : a(i, row));
        return i == row ? decltype(key)(0) : key;
    });
    const T across = core::from_bits(beside.key);
    if (!core::good_pivot(across)) return {1, k, true};
    // here >= alpha below^2 / across, in factors that do not vanish where the product is not small.
    if (here / below * across >= alpha * below) return {1, k, false};
    if (core::abs(a(row, row)) >= alpha * across) return {1, row, false};
    return {2, row, false};
}

/// The same for a group: where it consists of warps, the lanes of each search together; otherwise every member alone.
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
