#pragma once

#include <shoal/blas/gemm.hpp>
#include <shoal/lapack/posv.hpp>

namespace shoal {

/// K := (R + B' P B + rho I)^-1 B' P A, the feedback of one step of a Riccati recursion: P symmetric of order nx given in
/// full, A of nx x nx, B of nx x nu, R of order nu, K of nu x nx.
///
/// \param s nu x nu scratch, left holding the Cholesky factor of R + B' P B + rho I in its lower triangle
/// \param t nu x nx scratch, left holding B' P
/// \return 0, or k > 0 as potrf() of R + B' P B + rho I: K then holds B' P A. Every member gets the same value.
/// The inputs are not changed and must not overlap K and the scratch. Any nx and nu. The bits are the same at every scope
/// and group size.
/// Barriers: two, and those of posv(). Cost: 2 nu nx^2 + nu^2 nx + nu^3 / 6 + nx nu^2 FMA shared by the
/// members. Equivalent: `numpy.linalg.solve(R + B.T @ P @ B + rho * I, B.T @ P @ A)`.
template <Group G, MatrixView P, MatrixView A, MatrixView B, MatrixView R, MatrixView K, MatrixView S,
          MatrixView W>
SHOAL_FN int riccati_gain(const G& g, P p, A a, B b, R r, typename K::value_type rho, K k, S s, W t) {
    static_assert(detail::extents_agree<P::static_rows, P::static_cols>, "riccati_gain: P is not square");
    static_assert(detail::extents_agree<A::static_rows, A::static_cols>, "riccati_gain: A is not square");
    static_assert(detail::extents_agree<P::static_rows, A::static_rows>,
                  "riccati_gain: P and A differ in rows");
    static_assert(detail::extents_agree<A::static_rows, B::static_rows>,
                  "riccati_gain: A and B differ in rows");
    static_assert(detail::extents_agree<B::static_cols, R::static_rows>,
                  "riccati_gain: B has not as many columns as R has rows");
    static_assert(detail::extents_agree<R::static_rows, R::static_cols>, "riccati_gain: R is not square");
    static_assert(detail::extents_agree<B::static_cols, K::static_rows>,
                  "riccati_gain: B has not as many columns as K has rows");
    static_assert(detail::extents_agree<A::static_cols, K::static_cols>,
                  "riccati_gain: A and K differ in columns");
    static_assert(detail::writable<K>, "riccati_gain writes K, but its elements are const");
    using T = typename K::value_type;
    const auto inner = with_exit_sync(g);
    const int nu = s.rows();
    strided(flatten<G, S::static_rows>{}, g, nu * nu, [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % nu;
        const int j = e / nu;
        s(i, j) = i == j ? r(i, j) + rho : r(i, j);
    });
    gemm(inner, T(1), transposed(b), p, T(0), t);
    // Neither product reads what the other writes.
    gemm(defer_sync(inner), T(1), t, a, T(0), k);
    gemm(inner, T(1), t, b, T(1), s);
    return posv(g, lower(s), k);
}

}  // namespace shoal
