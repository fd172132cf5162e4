#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal {

/// C_p := alpha A_p B_p + beta C_p for p = 0 .. count - 1, all of them at once: A_p = a(p) of m x k, B_p = b(p) of k x n,
/// C_p = c(p) of m x n, the same shapes for every p.
///
/// The operands come from functions of p, which look indices up or compute places:
/// `gemm_indexed(g, count, 1.0, [=](int p) { return matrix<const T, 4, 4>{A + 16 * left[p]}; }, ..., 0.0, ...)`.
/// Every C_p must be another matrix, and none may overlap an A_p or B_p; those may repeat. Order, alpha = 0, beta = 0: as
/// gemm().
/// Barriers: the exit barrier. Cost: count m n k FMA, the elements of all products shared by the members. Equivalent:
/// `C[c] = alpha * A[a] @ B[b] + beta * C[c]`.
template <Group G, class T, class A, class B, class C>
SHOAL_FN void gemm_indexed(const G& g, int count, T alpha, A a, B b, T beta, C c) {
    using left = decltype(a(0));
    using right = decltype(b(0));
    using result = decltype(c(0));
    static_assert(std::is_same_v<T, typename result::value_type>,
                  "gemm_indexed: alpha and beta must have the type of the elements of C");
    static_assert(detail::extents_agree<left::static_cols, right::static_rows>,
                  "gemm_indexed: A has not as many columns as B has rows");
    static_assert(detail::extents_agree<left::static_rows, result::static_rows>,
                  "gemm_indexed: A and C differ in rows");
    static_assert(detail::extents_agree<right::static_cols, result::static_cols>,
                  "gemm_indexed: B and C differ in columns");
    static_assert(detail::writable<result>, "gemm_indexed writes C, but its elements are const");
    const int m = count > 0 ? c(0).rows() : 0;
    const int size = m > 0 ? m * c(0).cols() : 0;
    if (size > 0) {
        // Element e of product p by each member in turn; the elements of all products together may be more than an int counts.
        std::int64_t p = g.rank() / size;
        int e = g.rank() % size;
        while (p < count) {
            const int at = static_cast<int>(p);
            const int i = e % m;
            const int j = e / m;
            const auto x = a(at);
            const auto y = b(at);
            T sum = 0;
            for (int k = 0; k < (alpha == 0 ? 0 : x.cols()); ++k) sum = core::fma(x(i, k), y(k, j), sum);
            auto& out = c(at)(i, j);
            out = beta == 0 ? alpha * sum : core::fma(beta, out, alpha * sum);
            p += g.size() / size;
            e += g.size() % size;
            if (e >= size) {
                e -= size;
                ++p;
            }
        }
    }
    // The elements that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
