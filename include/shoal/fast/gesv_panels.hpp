#pragma once

#include <shoal/fast/pivot_rows.hpp>

namespace shoal::fast {

namespace detail {

/// One system of a thread in memory of its own, and the panel of its columns that is in registers.
template <class T, int N>
struct panel_system {
    T* a;          ///< by columns; row i of L U lies in row place[i]
    int place[N];  ///< where row i of L U lies
    int info;

    SHOAL_FN T& at(int i, int j) { return a[place[i] + j * N]; }
};

/// Columns First .. First + Width - 1, and with the last of them the right-hand side x: fetched, updated by all columns
/// before, factored. `p` holds them by columns.
template <int First, int Width, int Columns, class T, int N>
SHOAL_FN void factor_panel(panel_system<T, N>& s, const T (&x)[static_cast<unsigned>(N)],
                           T (&p)[static_cast<unsigned>(N * Columns)]) {
    SHOAL_UNROLL
    for (int c = 0; c < Width; ++c) {
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) p[i + c * N] = s.at(i, First + c);
    }
    if constexpr (Columns > Width) {
        // Into the order of the rows by way of a column whose place is free now.
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) s.a[i + First * N] = x[i];
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) p[i + Width * N] = s.at(i, First);
    }
    SHOAL_UNROLL
    for (int k = 0; k < First; ++k) {
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) {
            const T l = s.at(i, k);
            SHOAL_UNROLL
            for (int c = 0; c < Columns; ++c) p[i + c * N] = core::fma(-l, p[k + c * N], p[i + c * N]);
        }
    }
    SHOAL_UNROLL
    for (int d = 0; d < Width; ++d) {
        const int k = First + d;
        T pivot = p[k + d * N];
        int best = k;
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) {
            const bool larger = core::magnitude_key(p[i + d * N]) > core::magnitude_key(pivot);
            pivot = larger ? p[i + d * N] : pivot;
            best = larger ? i : best;
        }
        best = opaque(best);
        if (s.info == 0 && !core::good_pivot(core::abs(pivot))) s.info = k + 1;
        const T reciprocal = core::pivot_reciprocal(pivot);
        const auto exchange = [&](auto& upper, auto* below) SHOAL_INLINE_LAMBDA {
            const auto held = upper;
            SHOAL_UNROLL
            for (int i = k + 1; i < N; ++i) {
                const bool chosen = i == best;
                upper = chosen ? below[i - k - 1] : upper;
                below[i - k - 1] = chosen ? held : below[i - k - 1];
            }
        };
        exchange(s.place[k], s.place + (k + 1));
        SHOAL_UNROLL
        for (int c = d; c < Columns; ++c) exchange(p[k + c * N], p + (k + 1 + c * N));
        s.at(k, k) = reciprocal;
        T l[static_cast<unsigned>(N)];
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) l[i] = p[i + d * N] * reciprocal;
        if (core::abs(pivot) < smallest_invertible<T>) {
            const tiny_divider<T> over(pivot);
            SHOAL_UNROLL
            for (int i = k + 1; i < N; ++i) l[i] = over(p[i + d * N]);
        }
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i) {
            if (First + Width < N) s.at(i, k) = l[i];
            SHOAL_UNROLL
            for (int c = d + 1; c < Columns; ++c) p[i + c * N] = core::fma(-l[i], p[k + c * N], p[i + c * N]);
        }
    }
}

/// The panels from First on, and on the way back the substitution.
template <int First, int Width, class T, int N>
SHOAL_FN void solve_panels(panel_system<T, N>& s, T (&x)[static_cast<unsigned>(N)]) {
    if constexpr (First + Width < N) {
        {
            T p[static_cast<unsigned>(N * Width)];
            factor_panel<First, Width, Width>(s, x, p);
            // Rows of U: those above the panel have not moved since they were fetched.
            SHOAL_UNROLL
            for (int c = 0; c < Width; ++c) {
                SHOAL_UNROLL
                for (int i = 0; i < First + c; ++i) s.at(i, First + c) = p[i + c * N];
            }
        }
        solve_panels<First + Width, Width, T, N>(s, x);
    } else {
        constexpr int width = N - First;
        T p[static_cast<unsigned>(N * (width + 1))];
        factor_panel<First, width, width + 1>(s, x, p);
        T* const y = p + N * width;
        SHOAL_UNROLL
        for (int k = N - 1; k >= 0; --k) {
            y[k] *= s.at(k, k);
            SHOAL_UNROLL
            for (int i = 0; i < k; ++i) {
                const T u = k >= First ? p[i + (k - First) * N] : s.at(i, k);
                y[i] = core::fma(-u, y[k], y[i]);
            }
        }
        if (s.info == 0) {
            SHOAL_UNROLL
            for (int i = 0; i < N; ++i) x[i] = y[i];
        }
    }
}

}  // namespace detail

/// x := A^-1 x with partial pivoting by one thread, A of static order N in memory of its own, `a` by columns, used up, and
/// x in its registers.
///
/// Left-looking by panels of `Width` columns, which are in registers one after the other. Only there rows are moved; in
/// memory they stay, since addresses, unlike registers, can be computed: far fewer selections than gesv_thread().
///
/// \return as getrf(); x is unchanged unless it is 0. The bits are those of getrf() and getrs().
/// Registers: N (Width + 2) elements, N numbers, and about 30.
template <int N, int Width, class T>
SHOAL_FN int gesv_panels(T* a, T (&x)[static_cast<unsigned>(N)]) {
    detail::panel_system<T, N> s{a, {}, 0};
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) s.place[i] = i;
    detail::solve_panels<0, Width, T, N>(s, x);
    return s.info;
}

}  // namespace shoal::fast
