#pragma once

#include <shoal/fast/rows.hpp>

namespace shoal::fast {

/// x := A^-1 x, A symmetric positive definite in its lower triangle, of static order N <= 32 (`suits_rows`), in
/// registers.
///
/// Where the elements of A may be written, the factor replaces them as in potrf_rows(); a view of const elements is
/// only read, and no more moves than one triangle and two vectors. Forward substitution rides on the factorisation,
/// unless that is slower.
/// For the backward one, member k mod S keeps column k of the factor as it passes by in shuffles, in the registers that
/// the finished columns leave: after column k nobody needs it by rows again.
///
/// \return as potrf(); x is unchanged unless it is 0.
/// The bits are those of potrf(), trsv() and trsv() with the transposed factor.
/// Barriers: the exit barrier. No scratch. Shuffles: those of potrf_rows() and 2 N.
template <ShuffleGroup G, MatrixView M, VectorView X>
SHOAL_FN int posv_rows(const G& g, M a, X x) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int S = G::static_size;
    detail::triangle_rows<T, N, S> l;
    constexpr int slots = decltype(l)::slots;
    // Column k of the factor below its diagonal: in slot k / S of member k mod S.
    T column[slots * N];
    T y[slots];
    T reciprocal[slots];
    const int rank = g.rank();
    l.load(rank, [&](int i, int j) SHOAL_INLINE_LAMBDA { return a(i, j); });
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank;
        y[s] = i < N ? x(i) : T(0);
        reciprocal[s] = T(1);
    }
    // Measured on one system: 1.85 us against 1.91 for 8 doubles, 4.3 against 4.9 for 32 floats, but 6.5 against 6.2 for
    // 32 doubles, where the rows take the registers.
    constexpr bool one_row = slots == 1 && N * sizeof(T) <= 128;
    const auto forward = [&](int k, T scaled) SHOAL_INLINE_LAMBDA {
        const T yk = g.shuffle(scaled, k % S);
        SHOAL_UNROLL
        for (int s = k / S; s < slots; ++s) {
            if (s * S + rank > k) y[s] = core::fma(-l(s, k), yk, y[s]);
        }
    };
    int info = 0;
    T pivot = g.shuffle(l(0, 0), 0);
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        if (info == 0 && !core::good_pivot(pivot)) info = k + 1;
        const auto r = core::pivot_rsqrt(pivot);
        SHOAL_UNROLL
        for (int s = k / S; s < slots; ++s) {
            const int i = s * S + rank;
            l(s, k) = l(s, k) * r.reciprocal;
            if constexpr (!detail::read_only<M>) {
                if (info == 0 && i >= k && i < N) a(i, k) = i == k ? r.root : l(s, k);
            }
        }
        if (k + 1 < N) {
            // The owner of the next pivot has all it takes: the pivot need not wait for the shuffles of the update.
            const int t = (k + 1) / S;
            pivot = g.shuffle(core::fma(-l(t, k), l(t, k), l(t, k + 1)), (k + 1) % S);
        }
        SHOAL_UNROLL
        for (int j = k + 1; j < N; ++j) {
            const T ljk = g.shuffle(l(j / S, k), j % S);
            SHOAL_UNROLL
            for (int s = j / S; s < slots; ++s) l(s, j) = core::fma(-l(s, k), ljk, l(s, j));
            T& kept = column[k / S * N + j];
            kept = rank == k % S || k % S == 0 ? ljk : kept;
        }
        if constexpr (one_row) {
            if (rank == k) reciprocal[0] = r.root;
        } else {
            const T inverse = core::pivot_reciprocal(r.root);
            if (rank == k % S) reciprocal[k / S] = inverse;
            forward(k, y[k / S] * inverse);
        }
    }
    if constexpr (one_row) {
        // One reciprocal in each member, rather than each of them in all: shorter, though the sweep now comes after.
        reciprocal[0] = core::pivot_reciprocal(reciprocal[0]);
        SHOAL_UNROLL
        for (int k = 0; k + 1 < N; ++k) forward(k, y[0] * reciprocal[0]);
    }
    // y still lacks its scaling by the diagonal, each element once here and once after the backward sweep.
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) y[s] *= reciprocal[s];
    SHOAL_UNROLL
    for (int j = N - 1; j > 0; --j) {
        const T xj = g.shuffle(y[j / S] * reciprocal[j / S], j % S);
        SHOAL_UNROLL
        for (int s = 0; s <= j / S; ++s) {
            if (s * S + rank < j) y[s] = core::fma(-column[s * N + j], xj, y[s]);
        }
    }
    SHOAL_UNROLL
    for (int s = 0; s < slots; ++s) {
        const int i = s * S + rank;
        if (info == 0 && i < N) x(i) = y[s] * reciprocal[s];
    }
    // The elements of x, and the factor, that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return info;
}

}  // namespace shoal::fast
