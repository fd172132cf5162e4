#pragma once

#include <shoal/group/collectives.hpp>

namespace shoal::detail {

/// finish(e, sum of term(e, k, partial) over k = 0 .. depth - 1) for e = 0 .. count - 1, the members sharing the terms of a
/// sum instead of the sums: a warp to a sum, in the order of dot(). No barrier.
///
/// Members that exchange registers share every sum. A block does so warp by warp if it consists of whole warps; in any
/// other group each member makes whole sums, in the same order.
template <int Depth, class T, Group G, class Term, class Finish>
SHOAL_FN void split_sums(const G& g, int count, int depth, Term term, Finish finish) {
    const auto share = [&](const auto& lanes, int first, int step) SHOAL_INLINE_LAMBDA {
        for (int e = first; e < count; e += step) {
            const T sum = reduce<Depth>(
                lanes, depth, T(-0.0), [&](T part, int k) SHOAL_INLINE_LAMBDA { return term(e, k, part); },
                [](T a, T b) SHOAL_INLINE_LAMBDA { return a + b; }, no_scratch{});
            if (lanes.rank() == 0) finish(e, sum + T(0));
        }
    };
    if constexpr (ShuffleGroup<G>) {
        share(g, 0, 1);
    } else {
        if constexpr (requires { g.template split<32>(); }) {
            if (g.size() % 32 == 0) {
                share(g.template split<32>(), g.rank() / 32, g.size() / 32);
                return;
            }
        }
        share(this_thread(), g.rank(), g.size());
    }
}

}  // namespace shoal::detail
