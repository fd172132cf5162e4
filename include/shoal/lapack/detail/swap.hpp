#pragma once

#include <shoal/core/loop.hpp>
#include <shoal/view/vector.hpp>

namespace shoal::detail {

/// Interchanges x(k) and x(p), p >= k. A flat caller holds x in registers, which cannot be indexed by p: it selects.
template <class Flat, VectorView X>
SHOAL_FN void swap_elements(Flat how, X x, int k, int p) {
    using T = typename X::value_type;
    if constexpr (Flat::value) {
        core::loop(how, k + 1, x.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            const bool chosen = i == p;
            const T upper = x(k);
            const T lower = x(i);
            x(k) = chosen ? lower : upper;
            x(i) = chosen ? upper : lower;
        });
    } else {
        const T upper = x(k);
        x(k) = x(p);
        x(p) = upper;
    }
}

}  // namespace shoal::detail
