#pragma once

#include <shoal/blas/detail/split_sum.hpp>
#include <shoal/fast/products.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// How the products gemm() and syrk() share their work.
enum class product_algorithm {
    elements,  ///< the elements of the result are shared, each a chain of fused multiply-adds in ascending k
    split,  ///< the terms of an element are shared, in the order of dot(): for few elements of long products
};

/// Choices of gemm(), passed by name: `gemm<gemm_policy{.algorithm = product_algorithm::split}>(g, alpha, A, B, beta, C)`.
struct gemm_policy {
    product_algorithm algorithm = product_algorithm::elements;
};

/// C := alpha A B + beta C, A of m x k, B of k x n, C of m x n. `transposed(A)` for A'.
///
/// Order: one chain of fused multiply-adds an element in ascending k, then `fma(beta, c, alpha * chain)`: the same bits
/// at every scope and group size. The split algorithm sums in the order of dot() instead, at every scope too. beta = 0
/// never reads C, alpha = 0 never reads A and B. C must not overlap A or B; A and B may be the same matrix.
/// Barriers: the exit barrier. Cost: m n k FMA, shared by the members in tiles of up to 16 elements; of doubles by a warp or
/// a block of whole warps, on the FP64 tensor cores, whose elements are the same chains. Equivalent:
/// `alpha * A @ B + beta * C`; BLAS gemm.
template <gemm_policy Policy = gemm_policy{}, Group G, MatrixView A, MatrixView B, MatrixView C>
requires(SameScalar<A, B, C>)
    SHOAL_FN void gemm(const G& g, typename C::value_type alpha, A a, B b, typename C::value_type beta, C c) {
    static_assert(detail::extents_agree<A::static_cols, B::static_rows>,
                  "gemm: A has not as many columns as B has rows");
    static_assert(detail::extents_agree<A::static_rows, C::static_rows>, "gemm: A and C differ in rows");
    static_assert(detail::extents_agree<B::static_cols, C::static_cols>, "gemm: B and C differ in columns");
    static_assert(detail::writable<C>, "gemm writes C, but its elements are const");
    using T = typename C::value_type;
    using how = flatten<G, C::static_rows, C::static_cols, A::static_cols>;
    const int m = c.rows();
    const int depth = alpha == 0 ? 0 : a.cols();
    const auto finish = [&](int i, int j, T sum) SHOAL_INLINE_LAMBDA {
        c(i, j) = beta == 0 ? alpha * sum : core::fma(beta, c(i, j), alpha * sum);
    };
    if constexpr (Policy.algorithm == product_algorithm::split) {
        detail::split_sums<dynamic, T>(
            g, m * c.cols(), depth,
            [&](int e, int k, T part)
                SHOAL_INLINE_LAMBDA { return core::fma(a(e % m, k), b(k, e / m), part); },
            [&](int e, T sum) SHOAL_INLINE_LAMBDA { finish(e % m, e / m, sum); });
    } else if constexpr (how::value) {
        strided(how{}, g, m * c.cols(), [&](int e) SHOAL_INLINE_LAMBDA {
            const int i = e % m;
            const int j = e / m;
            T sum = 0;
            core::loop(how{}, 0, depth,
                       [&](int k) SHOAL_INLINE_LAMBDA { sum = core::fma(a(i, k), b(k, j), sum); });
            finish(i, j, sum);
        });
    } else {
        const auto left = [&](int i, int k) SHOAL_INLINE_LAMBDA { return T(a(i, k)); };
        const auto right = [&](int k, int j) SHOAL_INLINE_LAMBDA { return T(b(k, j)); };
        fast::products<fast::kind_of_product<A, B, C>(), fast::region::full, T>(
            g, m, c.cols(), depth, [](int, int) SHOAL_INLINE_LAMBDA { return T(0); }, left, right, finish);
    }
    // The elements of C that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// \cond
template <gemm_policy = gemm_policy{}, Group G, class Alpha, MatrixView A, MatrixView B, class Beta,
          MatrixView C>
requires(!SameScalar<A, B, C>) SHOAL_FN void gemm(const G&, Alpha, A, B, Beta, C) {
    static_assert(SameScalar<A, B, C>, "gemm: the elements of A, B and C differ in type");
}
/// \endcond

}  // namespace shoal
