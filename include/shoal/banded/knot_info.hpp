#pragma once

#include <shoal/core/macros.hpp>

namespace shoal {

/// What bdsv_factor() found: the first bad pivot, or none.
struct knot_info {
    int knot = 0;   ///< 0: fine; otherwise the 1-based knot
    int pivot = 0;  ///< 0: fine; otherwise the 1-based pivot in its diagonal block
    SHOAL_FN constexpr bool good() const { return knot == 0; }
    /// The 1-based pivot in the whole matrix, blocks of n, as potrf() would count it; 0 when fine.
    SHOAL_FN constexpr int index(int n) const { return knot == 0 ? 0 : (knot - 1) * n + pivot; }
};

}  // namespace shoal
