#pragma once

#include <shoal/blas/detail/triangle_entry.hpp>
#include <shoal/blas/gemm.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// Q := alpha X' M X + beta Q, M symmetric of order k given in full, X of k x n, Q of order n written in full.
/// `transposed(X)` for X M X'.
///
/// The lower triangle is computed and mirrored, so Q is symmetric to the bit. beta = 0 never reads Q, otherwise its lower
/// triangle is read. Q must not overlap the others. The bits are the same at every scope and group size.
///
/// \param scratch k x n, left holding M X
/// Barriers: two. Cost: n k^2 + n^2 k FMA shared by the members. Equivalent: `alpha * X.T @ M @ X + beta * Q`.
template <Group G, MatrixView X, MatrixView M, MatrixView Q, MatrixView S>
SHOAL_FN void congruence(const G& g, typename Q::value_type alpha, X x, M m, typename Q::value_type beta, Q q,
                         S scratch) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "congruence: M is not square");
    static_assert(detail::extents_agree<X::static_rows, M::static_rows>,
                  "congruence: X and M differ in rows");
    static_assert(detail::extents_agree<X::static_cols, Q::static_rows>,
                  "congruence: X has not as many columns as Q has rows");
    static_assert(detail::extents_agree<Q::static_rows, Q::static_cols>, "congruence: Q is not square");
    static_assert(detail::writable<Q>, "congruence writes Q, but its elements are const");
    using T = typename Q::value_type;
    using how = flatten<G, Q::static_rows, X::static_rows>;
    gemm(with_exit_sync(g), T(1), m, x, T(0), scratch);
    const int n = q.rows();
    const auto finish = [&](int i, int j, T sum) SHOAL_INLINE_LAMBDA {
        const T value = beta == 0 ? alpha * sum : core::fma(beta, q(i, j), alpha * sum);
        q(i, j) = value;
        q(j, i) = value;
    };
    if constexpr (how::value) {
        strided(how{}, g, detail::triangle_size(n), [&](int e) SHOAL_INLINE_LAMBDA {
            const auto entry = detail::triangle_at(e, n);
            T sum = 0;
            core::loop(how{}, 0, x.rows(), [&](int k) SHOAL_INLINE_LAMBDA {
                sum = core::fma(x(k, entry.i), scratch(k, entry.j), sum);
            });
            finish(entry.i, entry.j, sum);
        });
    } else {
        using fast::crowding;
        constexpr fast::product_kind kind{Q::static_rows,
                                          Q::static_rows,
                                          X::static_rows,
                                          fast::crowding_of<X>(crowding::terms, crowding::rows),
                                          fast::crowding_of<S>(crowding::terms, crowding::rows),
                                          fast::crowding_of<Q>(crowding::rows, crowding::none)};
        fast::products<kind, fast::region::lower, T>(
            g, n, n, x.rows(), [](int, int) SHOAL_INLINE_LAMBDA { return T(0); },
            [&](int i, int k) SHOAL_INLINE_LAMBDA { return T(x(k, i)); },
            [&](int k, int j) SHOAL_INLINE_LAMBDA { return T(scratch(k, j)); }, finish);
    }
    // The elements of Q that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
