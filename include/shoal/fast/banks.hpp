#pragma once

#include <shoal/view/matrix.hpp>

/// \file
/// How operands lie in the banks of shared memory, and how lanes that would wait for one bank take turns instead.

namespace shoal::fast {

/// What of a matrix lies in one bank: with a leading dimension that is a multiple of a row of the banks (16 doubles, 32
/// floats), all that differ only in the other index.
enum class crowding {
    none,
    rows,  ///< neighbours lie along the rows of a product (left operand, result), or its columns (right operand)
    terms  ///< neighbours lie along the terms of the sums
};

/// `along_rows` where the columns of a matrix begin in the same bank, `along_cols` where its rows do. A view that is a part of another
/// one names it as `storage`.
template <class V>
SHOAL_FN constexpr crowding crowding_of(crowding along_rows, crowding along_cols) {
    if constexpr (requires { typename V::storage; }) {
        return crowding_of<typename V::storage>(along_rows, along_cols);
    } else if constexpr (requires { typename V::layout_type; }) {
        using map = typename shoal::detail::layout_traits<typename V::layout_type, V::static_rows,
                                                          V::static_cols>::map;
        constexpr int banks = 128 / static_cast<int>(sizeof(typename V::value_type));
        constexpr auto down = map::static_row_step;
        constexpr auto across = map::static_col_step;
        if (down == 1 && across > 0 && across % banks == 0) return along_rows;
        if (across == 1 && down > 0 && down % banks == 0) return along_cols;
    }
    return crowding::none;
}

namespace detail {

/// x[u] := x[u xor key] for key < Count, Count a power of two.
template <int Count, class T>
SHOAL_FN void exchange(T (&x)[Count], int key) {
    SHOAL_UNROLL
    for (int bit = 1; bit < Count; bit *= 2) {
        const bool crossed = (key & bit) != 0;
        SHOAL_UNROLL
        for (int u = 0; u < Count; ++u) {
            if ((u & bit) != 0) continue;
            const T low = crossed ? x[u | bit] : x[u];
            x[u | bit] = crossed ? x[u] : x[u | bit];
            x[u] = low;
        }
    }
}

}  // namespace detail

}  // namespace shoal::fast
