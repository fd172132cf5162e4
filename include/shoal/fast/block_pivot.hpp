#pragma once

#include <type_traits>

#include <shoal/core/math.hpp>

namespace shoal::fast::detail {

/// What one step of a symmetric factorisation takes as its pivot block.
struct block_pivot {
    int width;  ///< order of the block of D
    int row;    ///< the row and column that change places with the last of the block
    bool bad;   ///< the column is zero, or holds NaN or infinity
};

/// The choice of Bunch and Kaufman: growth bounded by 2.57 a step, by looking at two columns.
///
/// \param questions about the part that is still to be factored: `here()` is element (k, k), `below()` the largest key of
///        a magnitude below it and the first row that has it, `beside(r)` the largest key in row and column r without the
///        diagonal, and then `diagonal(r)` is element (r, r)
template <class Questions>
SHOAL_FN block_pivot choose_block_pivot(int k, Questions& questions) {
    const auto below_key = questions.below();
    const auto here = core::abs(questions.here());
    using T = std::remove_const_t<decltype(here)>;
    constexpr T alpha = T(0.64038820320220756872767623199676);  // (1 + sqrt(17)) / 8
    const T below = core::from_bits(below_key.key);
    const T column = core::magnitude_key(here) < below_key.key ? below : here;
    if (!core::good_pivot(column)) return {1, k, true};
    if (here >= alpha * below) return {1, k, false};
    const int row = below_key.row;
    const T across = core::from_bits(questions.beside(row));
    if (!core::good_pivot(across)) return {1, k, true};
    // here >= alpha below^2 / across, in factors that do not vanish where the product is not small.
    if (here / below * across >= alpha * below) return {1, k, false};
    if (core::abs(questions.diagonal(row)) >= alpha * across) return {1, row, false};
    return {2, row, false};
}

}  // namespace shoal::fast::detail
