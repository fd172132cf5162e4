#pragma once

#include <shoal/tiled_lu/factorize.hpp>
#include <shoal/tiled_lu/substitute.hpp>

namespace shoal::tiled_lu {

/// x := A^-1 b; A is replaced by its factors, see factorize() and substitute() for everything else.
///
/// \return info as factorize(): then x is unchanged. NaN in b alone is no failure.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class B, class X>
[[nodiscard]] SHOAL_FN constexpr int solve(A&& a, P&& pivots, B&& b, X&& x, int& outside) noexcept {
    const auto s = detail::as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = detail::resolved<Config, typename M::value_type, M::static_order>();
    constexpr detail::sense in = detail::own_sense<chosen, M>;
    const auto out = detail::as_columns<M>(x, s.order());
    const auto start = detail::start_from(s, b);
    return detail::with_staged<chosen>(
        s, detail::as_pivots<M>(pivots), [&](auto m, auto p) SHOAL_INLINE_LAMBDA {
            const int info = detail::factor_in_place<chosen>(m, p, detail::no_side{}, outside);
            if (info == 0) detail::solve_all<chosen, in, Pass>(m, p, out, start);
            return info;
        });
}
/// The same without the counter.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class B, class X>
[[nodiscard]] SHOAL_FN constexpr int solve(A&& a, P&& pivots, B&& b, X&& x) noexcept {
    int outside = 0;
    return solve<Config, Pass>(a, pivots, b, x, outside);
}

/// y := A^-1 y; A is replaced by its factors. With one column the forward substitution goes along with the
/// factorisation; the bits are those of factorize() and substitute_inplace() all the same.
///
/// \return info as factorize(): then y holds nothing of use, unless it is a block of columns, which stay as they were;
///         solve() leaves x alone.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class Y>
[[nodiscard]] SHOAL_FN constexpr int solve_inplace(A&& a, P&& pivots, Y&& y, int& outside) noexcept {
    const auto s = detail::as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = detail::resolved<Config, typename M::value_type, M::static_order>();
    constexpr detail::sense in = detail::own_sense<chosen, M>;
    const auto out = detail::as_columns<M>(y, s.order());
    using Y_block = std::remove_cvref_t<decltype(out)>;
    return detail::with_staged<chosen>(
        s, detail::as_pivots<M>(pivots), [&](auto m, auto p) SHOAL_INLINE_LAMBDA {
            int info = 0;
            if constexpr (Y_block::static_columns == 1) {
                detail::with_own_column<chosen>(m, out, [&](auto block) SHOAL_INLINE_LAMBDA {
                    info = detail::factor_in_place<chosen>(m, p, block, outside);
                    if (info == 0) detail::complete<chosen>(m, p, block);
                });
            } else {
                info = detail::factor_in_place<chosen>(m, p, detail::no_side{}, outside);
                if (info == 0) {
                    const detail::from_itself<Y_block> start{out};
                    detail::solve_all<chosen, in, Pass>(m, p, out, start);
                }
            }
            return info;
        });
}
/// The same without the counter.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class Y>
[[nodiscard]] SHOAL_FN constexpr int solve_inplace(A&& a, P&& pivots, Y&& y) noexcept {
    int outside = 0;
    return solve_inplace<Config, Pass>(a, pivots, y, outside);
}

}  // namespace shoal::tiled_lu
