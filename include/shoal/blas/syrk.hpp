#pragma once

#include <shoal/blas/detail/triangle_entry.hpp>
#include <shoal/blas/gemm.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal {

/// Choices of syrk(), passed by name.
struct syrk_policy {
    product_algorithm algorithm = product_algorithm::elements;
};

/// C := alpha A A' + beta C, A of n x k, C symmetric of order n: `symmetric_lower(C)` or `symmetric_upper(C)`.
/// `transposed(A)` for A' A.
///
/// Only the named triangle of C is read and written. Order as in gemm(), with either algorithm: the bits are those of the
/// full product.
/// beta = 0 never reads C, alpha = 0 never reads A. C must not overlap A.
/// Barriers: the exit barrier. Cost: n (n + 1) k / 2 FMA, the elements shared by the members. Equivalent:
/// `alpha * A @ A.T + beta * C`; BLAS syrk.
template <syrk_policy Policy = syrk_policy{}, Group G, MatrixView A, MatrixView M, uplo Uplo>
requires(SameScalar<A, M>) SHOAL_FN void syrk(const G& g, typename M::value_type alpha, A a,
                                              typename M::value_type beta, symmetric<M, Uplo> c) {
    static_assert(detail::extents_agree<M::static_rows, M::static_cols>, "syrk: C is not square");
    static_assert(detail::extents_agree<A::static_rows, M::static_rows>, "syrk: A and C differ in rows");
    static_assert(detail::writable<M>, "syrk writes C, but its elements are const");
    using T = typename M::value_type;
    using how = flatten<G, M::static_rows, A::static_cols>;
    const int n = c.matrix.rows();
    const int depth = alpha == 0 ? 0 : a.cols();
    const auto finish = [&](int i, int j, T sum) SHOAL_INLINE_LAMBDA {
        T& out = Uplo == uplo::lower ? c.matrix(i, j) : c.matrix(j, i);
        out = beta == 0 ? alpha * sum : core::fma(beta, out, alpha * sum);
    };
    if constexpr (Policy.algorithm == product_algorithm::split) {
        detail::split_sums<dynamic, T>(
            g, detail::triangle_size(n), depth,
            [&](int e, int k, T part) SHOAL_INLINE_LAMBDA {
                const auto [i, j] = detail::triangle_at(e, n);
                return core::fma(a(i, k), a(j, k), part);
            },
            [&](int e, T sum) SHOAL_INLINE_LAMBDA {
                const auto [i, j] = detail::triangle_at(e, n);
                finish(i, j, sum);
            });
    } else if constexpr (G::scope == scope::thread) {
        strided(how{}, g, detail::triangle_size(n), [&](int e) SHOAL_INLINE_LAMBDA {
            const auto [i, j] = detail::triangle_at(e, n);
            T sum = 0;
            core::loop(how{}, 0, depth, [&, i = i, j = j](int k) SHOAL_INLINE_LAMBDA {
                sum = core::fma(a(i, k), a(j, k), sum);
            });
            finish(i, j, sum);
        });
    } else {
        using fast::crowding;
        constexpr auto operand = fast::crowding_of<A>(crowding::rows, crowding::terms);
        constexpr bool low = Uplo == uplo::lower;
        constexpr fast::product_kind kind{M::static_rows,
                                          M::static_rows,
                                          A::static_cols,
                                          operand,
                                          operand,
                                          fast::crowding_of<M>(low ? crowding::rows : crowding::none,
                                                               low ? crowding::none : crowding::rows)};
        fast::products<kind, fast::region::lower, T>(
            g, n, n, depth, [](int, int) SHOAL_INLINE_LAMBDA { return T(0); },
            [&](int i, int k) SHOAL_INLINE_LAMBDA { return T(a(i, k)); },
            [&](int k, int j) SHOAL_INLINE_LAMBDA { return T(a(j, k)); }, finish);
    }
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// \cond
template <syrk_policy = syrk_policy{}, Group G, class Alpha, MatrixView A, class Beta, class C>
requires(MatrixView<C> || !SameScalar<A, C>) SHOAL_FN void syrk(const G&, Alpha, A, Beta, C) {
    static_assert(!MatrixView<C>, "syrk: say which triangle of C is stored, as in symmetric_lower(C)");
    static_assert(MatrixView<C> || SameScalar<A, C>, "syrk: the elements of A and C differ in type");
}
/// \endcond

}  // namespace shoal
