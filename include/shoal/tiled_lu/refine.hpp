#pragma once

#include <shoal/tiled_lu/solve.hpp>

namespace shoal::tiled_lu {

/// x := A^-1 b with `steps` of iterative refinement: r = b - A x, x += A^-1 r. A and b are only read.
///
/// One step brings the residual of every equation down to the rounding of its own terms, which helps where rows of A
/// differ in size. \p f is room for the factors, \p pivots and \p r for n numbers each; b, x and r are single columns.
///
/// \return info as factorize(): then x is unchanged. Cost beyond solve(): n^2 copies, 2 n^2 FMA a step.
SHOAL_CALLS_HOST_OR_DEVICE
template <auto Config = automatic, class A, class F, class P, class B, class X, class R>
[[nodiscard]] SHOAL_FN constexpr int solve_refined(A&& a, F&& f, P&& pivots, B&& b, X&& x, R&& r,
                                                   int steps = 1) noexcept {
    const auto s = detail::as_matrix(a);
    const auto factors = detail::as_matrix(f);
    using M = std::remove_cvref_t<decltype(s)>;
    using T = typename M::value_type;
    using F_matrix = std::remove_cvref_t<decltype(factors)>;
    static_assert(std::is_same_v<typename F_matrix::element_type, T> &&
                      shoal::detail::extents_agree<M::static_order, F_matrix::static_order>,
                  "solve_refined: the room for the factors is not of the type and order of A");
    constexpr auto chosen = detail::resolved<Config, T, M::static_order>();
    constexpr bool by_columns = detail::layout_of<chosen, M> == storage::col_major;
    static_assert(by_columns == (detail::layout_of<chosen, F_matrix> == storage::col_major),
                  "solve_refined: A and the room for its factors have different layouts");
    const int n = s.order();
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) factors(i, j) = s(i, j);
    }
    const int info = solve<chosen>(factors, pivots, b, x);
    if (info != 0) return info;
    const auto side = detail::as_columns<M>(b, n);
    const auto solution = detail::as_columns<M>(x, n);
    const auto residual = detail::as_columns<M>(r, n);
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            T sum = side(i, 0);
            for (int j = 0; j < n; ++j) {
                sum = detail::fma(by_columns ? -s(j, i) : -s(i, j), T(solution(j, 0)), sum);
            }
            residual(i, 0) = sum;
        }
        substitute_inplace<chosen>(factors, pivots, r);
        for (int i = 0; i < n; ++i)
            solution(i, 0) = detail::add_rounded(T(solution(i, 0)), T(residual(i, 0)));
    }
    return info;
}

}  // namespace shoal::tiled_lu
