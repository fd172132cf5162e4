#pragma once

#include <shoal/fast/pivot_rows.hpp>

namespace shoal::fast {

/// x := A^-1 x with partial pivoting by one thread, A of static order N in its registers; `a` by columns, both used up.
///
/// Interchanges move what is left of two rows, by selections: registers cannot be indexed. What was left of it is not
/// moved, so that `a` holds no factor afterwards.
///
/// \return as getrf(); the bits of x are those of getrf() and getrs(), and undefined unless it is 0.
/// Registers: N^2 + N elements, and about 30.
template <int N, class T>
SHOAL_FN int gesv_thread(T (&a)[static_cast<unsigned>(N * N)], T (&x)[static_cast<unsigned>(N)]) {
    T reciprocal[static_cast<unsigned>(N)];
    int info = 0;
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        T pivot = a[k + k * N];
        int p = k;
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) {
            const bool larger = core::magnitude_key(a[i + k * N]) > core::magnitude_key(pivot);
            pivot = larger ? a[i + k * N] : pivot;
            p = larger ? i : p;
        }
        p = detail::opaque(p);
        if (info == 0 && !core::good_pivot(core::abs(pivot))) info = k + 1;
        reciprocal[k] = core::pivot_reciprocal(pivot);
        const auto exchange = [&](T& upper, T* below) SHOAL_INLINE_LAMBDA {
            const T held = upper;
            SHOAL_UNROLL
            for (int i = k + 1; i < N; ++i) {
                const bool chosen = i == p;
                upper = chosen ? below[i - k - 1] : upper;
                below[i - k - 1] = chosen ? held : below[i - k - 1];
            }
        };
        SHOAL_UNROLL
        for (int j = k; j < N; ++j) exchange(a[k + j * N], a + (k + 1 + j * N));
        exchange(x[k], x + (k + 1));
        T l[static_cast<unsigned>(N)];
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) l[i] = a[i + k * N] * reciprocal[k];
        if (core::abs(pivot) < detail::smallest_invertible<T>) {
            const detail::tiny_divider<T> over(pivot);
            SHOAL_UNROLL
            for (int i = k + 1; i < N; ++i) l[i] = over(a[i + k * N]);
        }
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) {
            SHOAL_UNROLL
            for (int j = k + 1; j < N; ++j) a[i + j * N] = core::fma(-l[i], a[k + j * N], a[i + j * N]);
            x[i] = core::fma(-l[i], x[k], x[i]);
        }
    }
    SHOAL_UNROLL
    for (int k = N - 1; k >= 0; --k) {
        x[k] *= reciprocal[k];
        SHOAL_UNROLL
        for (int i = 0; i < k; ++i) x[i] = core::fma(-a[i + k * N], x[k], x[i]);
    }
    return info;
}

}  // namespace shoal::fast
