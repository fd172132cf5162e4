#pragma once

#include <shoal/fast/published_rows.hpp>

/// \file
/// What a factored panel of 8 columns does to the columns behind it, in memory that a group shares.

namespace shoal::fast {

namespace detail {

/// What a group shares of a solve of order N by panels of 8 columns: the matrix by columns, the rows of the panel's U, the
/// right-hand side, and where the panel's interchanges lead.
template <class T, int N>
struct panel_board {
    static constexpr int panel = 8;
    static constexpr int padded = (N + panel - 1) / panel * panel;
    /// Not a multiple of 128 bytes, and 16 bytes stay aligned.
    static constexpr int lead = padded + elements_of_16<T>;
    static constexpr int pitch = (panel + elements_of_16<T>) / elements_of_16<T> * elements_of_16<T>;
    static constexpr int numbers = lead * padded + pitch * panel + padded + panel;
    static constexpr int elements = numbers + 3 * panel;
    template <int Slots>
    static constexpr bool early = Slots == 1;
    T* memory;
    SHOAL_FN T& operator()(int i, int j) const { return memory[j * lead + i]; }
    SHOAL_FN T* row(int d) const { return memory + lead * padded + d * pitch; }
    SHOAL_FN T& y(int i) const { return memory[lead * padded + pitch * panel + i]; }
    SHOAL_FN T& reciprocal(int k) const { return y(padded + k % panel); }
    SHOAL_FN int* counts() const { return reinterpret_cast<int*>(memory + numbers); }
    SHOAL_FN int& place(int k) const { return counts()[k % panel]; }
    /// The row that became row d of the panel.
    SHOAL_FN int& from(int d) const { return counts()[panel + d]; }
    /// Where the row went that was row d of the panel.
    SHOAL_FN int& to(int d) const { return counts()[2 * panel + d]; }
};

/// The 8 rows of U beyond the panel at k0: interchanges, and the substitution with the panel's L.
template <class T, int N, ShuffleGroup G>
SHOAL_FN void finish_rows(const G& g, const panel_board<T, N>& b, int k0) {
    constexpr int per = elements_of_16<T>;
    for (int j = k0 + 8 + g.rank(); j < N; j += G::static_size) {
        T* const column = &b(0, j);
        T u[8];
        T displaced[8];
        SHOAL_UNROLL
        for (int d = 0; d < 8; ++d) u[d] = column[b.from(d)];
        SHOAL_UNROLL
        for (int d = 0; d < 8; ++d) displaced[d] = column[k0 + d];
        SHOAL_UNROLL
        for (int e = 0; e < 7; ++e) {
            SHOAL_UNROLL
            for (int d = (e + 1) / per * per; d < 8; d += per) {
                const auto l = *reinterpret_cast<const sixteen_bytes<T>*>(&b(k0 + d, k0 + e));
                SHOAL_UNROLL
                for (int v = 0; v < per; ++v) {
                    if (d + v > e) u[d + v] = core::fma(l.v[v], u[e], u[d + v]);
                }
            }
        }
        SHOAL_UNROLL
        for (int d = 0; d < 8; ++d) column[k0 + d] = u[d];
        SHOAL_UNROLL
        for (int d = 0; d < 8; ++d) {
            if (b.to(d) >= k0 + 8) column[b.to(d)] = displaced[d];
        }
    }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool has_tensor_cores = true;

/// `Rows` x 2 or 1 tiles of 8 x 8 doubles from (r, c) on, less L U of the panel at k0, on the tensor cores, which round every
/// product as an fma in ascending order. A tile is held by columns, and its columns in the order 0, 4, 1, 5, .. that keeps
/// lanes out of each other's banks.
template <int Rows, int Columns, int N>
SHOAL_FN void update_tiles(const panel_board<double, N>& b, int k0, int r, int c, int rank) {
    const int quad = rank / 4;
    const int lane = rank % 4;
    const int column = quad / 2 + quad % 2 * 4;
    double u[Columns][2];
    double l[Rows][2];
    sixteen_bytes<double> e[Rows][Columns];
    SHOAL_UNROLL
    for (int h = 0; h < 2; ++h) {
        SHOAL_UNROLL
        for (int t = 0; t < Columns; ++t) u[t][h] = b(k0 + 4 * h + lane, c + 8 * t + column);
        SHOAL_UNROLL
        for (int q = 0; q < Rows; ++q) l[q][h] = b(r + 8 * q + quad, k0 + 4 * h + lane);
    }
    const auto at = [&](int q, int t) SHOAL_INLINE_LAMBDA -> sixteen_bytes<double>& {
        return *reinterpret_cast<sixteen_bytes<double>*>(&b(r + 8 * q + 2 * lane, c + 8 * t + column));
    };
    SHOAL_UNROLL
    for (int q = 0; q < Rows; ++q) {
        SHOAL_UNROLL
        for (int t = 0; t < Columns; ++t) e[q][t] = at(q, t);
    }
    SHOAL_UNROLL
    for (int q = 0; q < Rows; ++q) {
        if constexpr (Columns == 2) {
            asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                : "+d"(e[q][0].v[0]), "+d"(e[q][0].v[1]), "+d"(e[q][1].v[0]), "+d"(e[q][1].v[1])
                : "d"(u[0][0]), "d"(u[1][0]), "d"(u[0][1]), "d"(u[1][1]), "d"(l[q][0]), "d"(l[q][1]));
        } else {
            SHOAL_UNROLL
            for (int h = 0; h < 2; ++h) {
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                    : "+d"(e[q][0].v[0]), "+d"(e[q][0].v[1])
                    : "d"(u[0][h]), "d"(l[q][h]));
            }
        }
    }
    SHOAL_UNROLL
    for (int q = 0; q < Rows; ++q) {
        SHOAL_UNROLL
        for (int t = 0; t < Columns; ++t) at(q, t) = e[q][t];
    }
}
#else
inline constexpr bool has_tensor_cores = false;
template <int Rows, int Columns, int N>
SHOAL_FN void update_tiles(const panel_board<double, N>&, int, int, int, int) {}
#endif

/// What is left of the matrix: less L U of the panel at k0.
template <class T, int N, ShuffleGroup G>
SHOAL_FN void update_rest(const G& g, const panel_board<T, N>& b, int k0) {
    if constexpr (has_tensor_cores && sizeof(T) == 8 && G::static_size == 32) {
#if defined(SHOAL_DEVICE_CODE)
        // Rows of U, and rows that went elsewhere: lanes had columns, and have tiles now.
        g.sync();
#endif
        constexpr int padded = panel_board<T, N>::padded;
        const int first = k0 + 8;
        const bool odd = (padded - first) % 16 != 0;
        const int even = odd ? first + 8 : first;
        for (int r = k0 + 8; r < padded;) {
            if (padded - r >= 32) {
                if (odd) update_tiles<4, 1>(b, k0, r, first, g.rank());
                for (int c = even; c < padded; c += 16) update_tiles<4, 2>(b, k0, r, c, g.rank());
                r += 32;
            } else {
                if (odd) update_tiles<1, 1>(b, k0, r, first, g.rank());
                for (int c = even; c < padded; c += 16) update_tiles<1, 2>(b, k0, r, c, g.rank());
                r += 8;
            }
        }
    } else {
        for (int j = k0 + 8 + g.rank(); j < N; j += G::static_size) {
            T u[8];
            SHOAL_UNROLL
            for (int e = 0; e < 8; ++e) u[e] = b(k0 + e, j);
            for (int i = k0 + 8; i < N; ++i) {
                T value = b(i, j);
                SHOAL_UNROLL
                for (int e = 0; e < 8; ++e) value = core::fma(b(i, k0 + e), u[e], value);
                b(i, j) = value;
            }
        }
    }
}

}  // namespace detail

}  // namespace shoal::fast
