#pragma once

#include <shoal/lapack/syev.hpp>

namespace shoal {

/// Elements of scratch that eig_clamp() needs for a matrix of order n.
SHOAL_FN constexpr int eig_clamp_scratch(int n) {
    return n * n + n + syev_scratch(n);
}

/// A := V max(W, floor) V' where A = V diag(W) V' is symmetric of order n: the nearest matrix whose eigenvalues are at
/// least `floor`, in both triangles, symmetric to the bit.
///
/// \param scratch eig_clamp_scratch(n) elements shared by the members
/// \return as syev(); where that is not 0, A is unchanged. Every member gets the same value.
/// Barriers: those of syev(), and two. Cost: that of syev() and n^3 / 2 FMA shared by the members.
template <syev_policy Policy = syev_policy{}, Group G, MatrixView M, uplo Uplo, class Scratch>
SHOAL_FN int eig_clamp(const G& g, symmetric<M, Uplo> a, typename M::value_type floor, Scratch scratch) {
    static_assert(detail::writable<M>, "eig_clamp writes A, but its elements are const");
    using T = typename M::value_type;
    const int n = a.matrix.rows();
    const matrix<T> v(&scratch[0], n, n);
    const vector<T> w(&scratch[n * n], n);
    const int info = syev<Policy>(with_exit_sync(g), a, w, v, &scratch[n * n + n]);
    if (info == 0) {
        strided(core::rolled{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
            const int i = e % n;
            const int j = e / n;
            // The factors in an order that does not depend on the triangle.
            T sum = 0;
            for (int k = 0; k < n; ++k) {
                const T value = w(k) > floor ? w(k) : floor;
                const T left = i < j ? v(j, k) : v(i, k);
                const T right = i < j ? v(i, k) : v(j, k);
                sum = core::fma(left * value, right, sum);
            }
            a.matrix(i, j) = sum;
        });
    }
    // The elements of A that other members wrote; the scratch may be used again.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal
