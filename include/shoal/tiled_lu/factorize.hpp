#pragma once

#include <shoal/tiled_lu/detail/accept.hpp>
#include <shoal/tiled_lu/detail/factor.hpp>
#include <shoal/tiled_lu/detail/stage.hpp>

namespace shoal::tiled_lu {

namespace detail {

/// Factors S with its own operands, y going along unless it is `no_side`.
template <auto Config, class M, class P, class Y>
SHOAL_FN constexpr int factor_in_place(M s, P pivots, Y y, int& outside) noexcept {
    using T = typename M::value_type;
    using rows = row_map<plan<Config, T, M::static_order>, M::static_order, P>;
    factorisation<Config, M, P, Y> f(s, rows{pivots}, y, s.order());
    f.run();
    outside = f.outside;
    return f.info;
}

}  // namespace detail

/// P S = L U with partial pivoting, in place; S is A, or A^T where the memory is column-major, of order n.
///
/// S becomes L strictly below the diagonal and U on and above it, with the reciprocals of its diagonal. Rows are
/// permuted as `row_interchange` says: the pivots are the rows of memory (logical) or the interchanges (physical).
/// Order: s(i, j) = fma(-l(i, k), u(k, j), s(i, j)) in ascending k, l = s * (1 / u(k, k)). The bits depend on the chosen
/// rows alone: not on tiles, schedule, interchange, residency or stride, not on whether n is static, nor on the device.
///
/// \param a a matrix operand (`of_order`), an array of n^2 elements, or a matrix of another library
/// \param pivots n integers, of any integral type that holds n
/// \param outside the number of columns whose tile held no pivot of at least `oot_pivot_threshold`
/// \return 0, or k > 0: column k of S, 1-based, has no pivot that is finite, of at least `singular_floor` and with a
///         finite reciprocal; NaN counts as none. Then the factors are of no use.
/// One thread; no scratch, no allocation. Cost: n^3 / 3 FMA. Equivalent: `scipy.linalg.lu_factor(A)`.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class P>
[[nodiscard]] SHOAL_FN constexpr int factorize(A&& a, P&& pivots, int& outside) noexcept {
    const auto s = detail::as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = detail::resolved<Config, typename M::value_type, M::static_order>();
    return detail::with_staged<chosen>(
        s, detail::as_pivots<M>(pivots), [&](auto m, auto p) SHOAL_INLINE_LAMBDA {
            return detail::factor_in_place<chosen>(m, p, detail::no_side{}, outside);
        });
}
/// The same without the counter.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class P>
[[nodiscard]] SHOAL_FN constexpr int factorize(A&& a, P&& pivots) noexcept {
    int outside = 0;
    return factorize<Config>(a, pivots, outside);
}

/// factorize() with the forward substitution of one right-hand side y folded in; substitute_backward() completes it.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class P, class Y>
[[nodiscard]] SHOAL_FN constexpr int factorize_forward(A&& a, P&& pivots, Y&& y, int& outside) noexcept {
    const auto s = detail::as_matrix(a);
    using M = std::remove_cvref_t<decltype(s)>;
    constexpr auto chosen = detail::resolved<Config, typename M::value_type, M::static_order>();
    const auto side = detail::as_columns<M>(y, s.order());
    return detail::with_staged<chosen>(
        s, detail::as_pivots<M>(pivots), [&](auto m, auto p) SHOAL_INLINE_LAMBDA {
            int info = 0;
            detail::with_own_column<chosen>(m, side, [&](auto block) SHOAL_INLINE_LAMBDA {
                info = detail::factor_in_place<chosen>(m, p, block, outside);
            });
            return info;
        });
}
/// The same without the counter.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class P, class Y>
[[nodiscard]] SHOAL_FN constexpr int factorize_forward(A&& a, P&& pivots, Y&& y) noexcept {
    int outside = 0;
    return factorize_forward<Config>(a, pivots, y, outside);
}

}  // namespace shoal::tiled_lu
