#pragma once

#include <shoal/tiled_lu/detail/substitution.hpp>

namespace shoal::tiled_lu {

namespace detail {

/// A x = b, or A^T x = b.
enum class equations { given, transposed };

/// Settles operands and configuration and solves in one sense.
template <auto Config, int Pass, equations Of, class A, class P, class X, class MakeStart>
SHOAL_FN constexpr void substitute_with(A&& a, P&& pivots, X&& x, MakeStart make) noexcept {
    const auto s = as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = resolved<Config, typename M::value_type, M::static_order>();
    constexpr sense in = Of == equations::transposed ? other_sense<chosen, M> : own_sense<chosen, M>;
    const auto out = as_columns<M>(x, s.order());
    solve_all<chosen, in, Pass>(s, as_pivots<M>(pivots), out, make(s, out));
}

/// The start from a block b.
template <class M, class B>
SHOAL_FN constexpr auto start_from(const M& s, B&& b) noexcept {
    const auto in = as_columns<M>(b, s.order());
    return from_block<std::remove_cvref_t<decltype(in)>>{in};
}

}  // namespace detail

/// x := A^-1 b from factorize(), for one column or a block (`columns`); b is only read, and x is not b.
///
/// `Pass` columns go through the factors together, 0 means all of them; the bits of a column do not depend on it.
/// Order: x(i) = fma(-l(i, k), x(k), x(i)) in ascending k, then fma(-u(i, k), x(k), x(i)) in descending k, and times
/// the stored reciprocal. No failure: NaN in b spreads to its column. Cost: n^2 FMA a column. Equivalent:
/// `scipy.linalg.lu_solve`.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class B, class X>
SHOAL_FN constexpr void substitute(A&& a, P&& pivots, B&& b, X&& x) noexcept {
    detail::substitute_with<Config, Pass, detail::equations::given>(
        a, pivots, x, [&](auto s, auto) SHOAL_INLINE_LAMBDA { return detail::start_from(s, b); });
}

/// x := A^-1 x; see substitute(). Works on a copy of nothing: the permutation moves along its cycles.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class X>
SHOAL_FN constexpr void substitute_inplace(A&& a, P&& pivots, X&& x) noexcept {
    detail::substitute_with<Config, Pass, detail::equations::given>(
        a, pivots, x,
        [&](auto, auto out) SHOAL_INLINE_LAMBDA { return detail::from_itself<decltype(out)>{out}; });
}

/// x := A^-1 e_column, a column of the inverse, 0-based; a block x takes that column and those after it.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class X>
SHOAL_FN constexpr void substitute_canonical(A&& a, P&& pivots, int column, X&& x) noexcept {
    detail::substitute_with<Config, Pass, detail::equations::given>(
        a, pivots, x, [&](auto s, auto) SHOAL_INLINE_LAMBDA {
            return detail::from_identity<typename decltype(s)::value_type>{column};
        });
}

/// x := A^-T b from the same factors; see substitute().
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class B, class X>
SHOAL_FN constexpr void substitute_transposed(A&& a, P&& pivots, B&& b, X&& x) noexcept {
    detail::substitute_with<Config, Pass, detail::equations::transposed>(
        a, pivots, x, [&](auto s, auto) SHOAL_INLINE_LAMBDA { return detail::start_from(s, b); });
}

/// x := A^-T x; see substitute().
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, int Pass = 0, class A, class P, class X>
SHOAL_FN constexpr void substitute_transposed_inplace(A&& a, P&& pivots, X&& x) noexcept {
    detail::substitute_with<Config, Pass, detail::equations::transposed>(
        a, pivots, x,
        [&](auto, auto out) SHOAL_INLINE_LAMBDA { return detail::from_itself<decltype(out)>{out}; });
}

/// Completes the solve that factorize_forward() began.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class P, class Y>
SHOAL_FN constexpr void substitute_backward(A&& a, P&& pivots, Y&& y) noexcept {
    const auto s = detail::as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = detail::resolved<Config, typename M::value_type, M::static_order>();
    const auto p = detail::as_pivots<M>(pivots);
    const auto side = detail::as_columns<M>(y, s.order());
    detail::with_own_column<chosen>(
        s, side, [&](auto block) SHOAL_INLINE_LAMBDA { detail::complete<chosen>(s, p, block); });
}

}  // namespace shoal::tiled_lu
