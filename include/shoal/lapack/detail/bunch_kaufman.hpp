#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/lapack/detail/pivot.hpp>

namespace shoal::detail {

/// What one step of ldlt() takes as its pivot block.
struct block_pivot {
    int width;  ///< order of the block of D
    int row;    ///< the row and column that change places with the last of the block
    bool bad;   ///< the column is zero, or holds NaN or infinity
};

/// The choice of Bunch and Kaufman: growth bounded by 2.57 a step, by looking at two columns. Every member searches
/// alone.
template <MatrixView A>
SHOAL_FN block_pivot choose_pivot(A a, int k) {
    using T = typename A::value_type;
    constexpr T alpha = T(0.64038820320220756872767623199676);  // (1 + sqrt(17)) / 8
    const int n = a.rows();
    const auto larger = [](T x, T y) SHOAL_INLINE_LAMBDA {
        return core::magnitude_key(x) < core::magnitude_key(y) ? core::abs(y) : core::abs(x);
    };
    T below = 0;
    int row = k;
    for (int i = k + 1; i < n; ++i) {
        if (core::magnitude_key(a(i, k)) > core::magnitude_key(below)) {
            below = core::abs(a(i, k));
            row = i;
        }
    }
    const T here = core::abs(a(k, k));
    const T column = larger(here, below);
    if (!core::good_pivot(column)) return {1, k, true};
    if (here >= alpha * below) return {1, k, false};
    T across = 0;
    for (int j = k; j < row; ++j) across = larger(across, a(row, j));
    for (int i = row + 1; i < n; ++i) across = larger(across, a(i, row));
    if (!core::good_pivot(across)) return {1, k, true};
    if (here >= alpha * below * (below / across)) return {1, k, false};
    if (core::abs(a(row, row)) >= alpha * across) return {1, row, false};
    return {2, row, false};
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
    strided(core::rolled{}, g, size * size, [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = first + e % size;
        const int j = first + e / size;
        if (i < j) return;
        T value = core::fma(-left(i), a(j, k), a(i, j));
        if (step.width == 2) value = core::fma(-right(i), a(j, k + 1), value);
        a(i, j) = value;
    });
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
