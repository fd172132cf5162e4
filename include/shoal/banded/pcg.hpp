#pragma once

#include <shoal/banded/preconditioner.hpp>
#include <shoal/blas/dot.hpp>

namespace shoal {

/// Why pcg() stopped.
enum class pcg_reason {
    converged,  ///< |r' z| is at most absolute + relative * |r' z at the start|
    limit,      ///< the limit of iterations
    breakdown,  ///< p' A p or r' z is not positive: A or the preconditioner is not positive definite, or the residual of the
    ///< start is so small that r' z vanishes
    not_finite,  ///< NaN or infinity in A, b, x or the preconditioner, or overflow
};

/// How far pcg() goes.
template <class T>
struct pcg_options {
    int max_iterations = 100;
    T relative =
        sizeof(T) == 8 ? T(1e-20) : T(1e-10);  ///< of |r' z|, which falls with the square of the residual
    T absolute = 0;                            ///< of |r' z|
};

/// What pcg() did; every member of the group gets the same.
template <class T>
struct pcg_result {
    int iterations;
    T residual;  ///< |r' z| with r = b - A x as updated and z = M r
    pcg_reason reason;
};

/// Elements of scratch that pcg() needs for N knots of n: four vectors and the partial sums of a reduction.
SHOAL_FN constexpr int pcg_scratch(int n, int knots) {
    return 4 * n * knots + detail::partials;
}

namespace detail {

/// pcg() with its vectors r, z, p, q of one kind, whatever that is, and room for partial sums.
template <Group G, class S, class M, class B, class X, class T, class Vector, class Partial>
SHOAL_FN pcg_result<T> pcg_in(const G& g, S a, M preconditioner, B b, X x, pcg_options<T> options, Vector r,
                              Vector z, Vector p, Vector q, Partial partial) {
    const int size = a.knots() * S::block_size;
    const auto finite = [](T value)
                            SHOAL_INLINE_LAMBDA { return core::abs(value) <= core::largest_finite<T>; };

    strided(core::rolled{}, g, size,
            [&](int i) SHOAL_INLINE_LAMBDA { r(i) = b(i) - detail::bdmv_element(a, x, i); });
    // The residual, before the preconditioner reads it.
    g.sync();
    preconditioner(g, r, z);
    strided(core::rolled{}, g, size, [&](int i) SHOAL_INLINE_LAMBDA { p(i) = z(i); });
    // The first direction, before the product reads it: where members exchange registers, the reductions between have no
    // barrier.
    g.sync();
    T rho = dot(g, r, z, partial);
    if (rho == 0) {
        const T left = reduce<dynamic>(
            g, size, T(0), [&](T part, int i) SHOAL_INLINE_LAMBDA { return r(i) == 0 ? part : T(1); },
            [](T s, T t) SHOAL_INLINE_LAMBDA { return s > t ? s : t; }, partial);
        if (left > 0) return {0, T(0), pcg_reason::breakdown};
    }
    const T goal = core::fma(options.relative, core::abs(rho), options.absolute);
    for (int iteration = 0;; ++iteration) {
        const T size_of_rho = core::abs(rho);
        if (!finite(rho)) return {iteration, size_of_rho, pcg_reason::not_finite};
        if (size_of_rho <= goal) return {iteration, size_of_rho, pcg_reason::converged};
        if (!(rho > 0)) return {iteration, size_of_rho, pcg_reason::breakdown};
        if (iteration >= options.max_iterations) return {iteration, size_of_rho, pcg_reason::limit};
        bdmv(g, a, p, q);
        const T curvature = dot(g, p, q, partial);
        if (!finite(curvature)) return {iteration, size_of_rho, pcg_reason::not_finite};
        if (!(curvature > 0)) return {iteration, size_of_rho, pcg_reason::breakdown};
        const T alpha = rho / curvature;
        strided(core::rolled{}, g, size, [&](int i) SHOAL_INLINE_LAMBDA {
            x(i) = core::fma(alpha, p(i), x(i));
            r(i) = core::fma(-alpha, q(i), r(i));
        });
        // The residual, before the preconditioner reads it.
        g.sync();
        preconditioner(g, r, z);
        const T before = rho;
        rho = dot(g, r, z, partial);
        const T beta = rho / before;
        strided(core::rolled{}, g, size,
                [&](int i) SHOAL_INLINE_LAMBDA { p(i) = core::fma(beta, p(i), z(i)); });
        // The next direction, before the product reads it.
        g.sync();
    }
}

}  // namespace detail

/// Solves A x = b by preconditioned conjugate gradients, A symmetric positive definite and block tridiagonal, N knots of
/// n x n in strips; x holds the start on entry and the solution on return.
///
/// Stops when |r' z| <= absolute + relative * |r_0' z_0|, before the first iteration too: a right-hand side of zero or an
/// exact start takes none and divides nothing. A and b are not changed. The sums run in the order of dot(), so the bits
/// are the same at every scope and group size.
///
/// \param preconditioner called as `preconditioner(g, r, z)`: z := M r for block vectors, M symmetric positive definite;
///        ends synchronised
/// \param scratch pcg_scratch(n, N) elements shared by the members
/// Barriers: those of two reductions, of the products and two more an iteration. Cost: 3 N n^2 + 5 N n FMA and the
/// preconditioner an iteration, shared by the members. Equivalent: `scipy.sparse.linalg.cg`.
template <Group G, class S, class M, class B, class X, class T>
SHOAL_FN pcg_result<T> pcg(const G& g, S a, M preconditioner, B b, X x, pcg_options<T> options, T* scratch) {
    constexpr int n = S::block_size;
    const int size = a.knots() * n;
    using work = block_vector<T, n, S::static_knots>;
    const auto vector_at = [&](int i) SHOAL_INLINE_LAMBDA { return work{scratch + i * size, a.knots()}; };
    return detail::pcg_in(g, a, preconditioner, b, x, options, vector_at(0), vector_at(1), vector_at(2),
                          vector_at(3), scratch + 4 * size);
}

}  // namespace shoal
