#pragma once

#include <cstdint>

#include <shoal/banded/strip.hpp>
#include <shoal/group/collectives.hpp>

/// \file
/// Block-tridiagonal elimination in the registers of a tile or a warp, a row a lane.
///
/// A block row takes W lanes, W the power of two that holds n rows. A group of S lanes has S / W such parts, which all
/// hold the same rows: the column-by-column work costs no more for being done several times, and of the product E E',
/// which is most of the shuffles, each part does a share of the columns.
///
///     lane W p + i holds   d: row i of D_k         e: row i of L_{k+1}         u: its share of row i of D_{k+1}
///
/// What a knot needs is loaded while the knot before it is eliminated.

namespace shoal::detail {

/// The largest block that is ever eliminated in registers.
inline constexpr int largest_row_block = 16;

/// How the rows of n x n blocks are dealt to S lanes.
template <int n, int S>
struct row_deal {
    SHOAL_FN static constexpr int lanes() {
        int w = 1;
        while (w < n) w *= 2;
        return w;
    }
    static constexpr int width = lanes();
    static constexpr int parts = S / width;
    static constexpr int share = parts > 0 ? (n + parts - 1) / parts : n;
};

/// Whether blocks of n x n are eliminated in the registers of a group G: a row for each lane.
template <class G, int n>
SHOAL_FN constexpr bool suits_row_blocks() {
    if constexpr (ShuffleGroup<G>) {
        return G::static_size > 1 && n <= G::static_size && n <= largest_row_block;
    } else {
        return false;
    }
}

/// A pivot whose root can be taken without a branch and without a wait. core::pivot_rsqrt() branches for subnormal numbers
/// in double precision, and across a branch no work of the column before can fill the wait for the root. Here a pivot
/// that may be subnormal, which the element that it is made from tells early, comes multiplied by 2^54. The bits are those
/// of core::pivot_rsqrt(), of subnormal pivots those of a number that was not rounded to one. Of a bad pivot the root is
/// of no meaning. Measured: 0.86 us a knot of 6 doubles with the branch, 0.65 without.
template <class T>
struct scaled_pivot {
    T value;     ///< the pivot, times 2^54 if `tiny`
    T multiple;  ///< root of what `value` is multiplied by
    bool tiny;

    /// The scale for a pivot that is this element less a square. A difference of doubles that is positive is at least 2^-106
    /// of the larger one.
    SHOAL_FN static scaled_pivot of([[maybe_unused]] T element) {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (sizeof(T) == 8) {
            const bool small = __double2hiint(element) < 0x08000000;
            return {element * (small ? 0x1p54 : 1.0), small ? 0x1p27 : 1.0, small};
        }
#endif
        return {element, T(1), false};
    }
    SHOAL_FN T pivot() const {
        if constexpr (sizeof(T) == 8) {
            return value * (tiny ? T(0x1p-54) : T(1));
        } else {
            return value;
        }
    }
    SHOAL_FN core::pivot_root<T> root() const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (sizeof(T) == 8) {
            T y;
            asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(value));
            const T e = __fma_rn(value, -__dmul_rn(y, y), 1.0);
            const T z = __dmul_rn(y, multiple);
            const T r = __fma_rn(__fma_rn(e, 0.375, 0.5), __dmul_rn(z, e), z);
            const T d = pivot();
            const T s = d * r;
            return {core::fma(core::fma(-s, s, d), T(0.5) * r, s), r};
        } else {
            return core::pivot_rsqrt(value);
        }
#else
        return core::pivot_rsqrt(value);
#endif
    }
};

/// One lane's way to its row of the blocks. Memory is touched in pieces of 16 bytes where the strips allow it.
template <class A>
struct strip_rows {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    static constexpr int piece = 16 / static_cast<int>(sizeof(T));
    static constexpr bool in_pieces = n % piece == 0 && A::row_length % piece == 0;
    A a;
    int i;         ///< row, n or more in lanes that have none
    bool aligned;  ///< same for all rows of all blocks

    SHOAL_FN strip_rows(A strips, int row) : a(strips), i(row), aligned(false) {
#if defined(SHOAL_DEVICE_CODE)
        aligned = in_pieces && (reinterpret_cast<std::uintptr_t>(a.data()) & 15U) == 0;
#endif
    }

    struct alignas(16) chunk {
        T v[static_cast<std::size_t>(piece)];
    };

    /// x[j - first] := row(j) for first <= j < first + Count and j <= last. What stands behind `last` is zero or of no
    /// meaning: to choose would be to wait for the loads here, instead of where they are used.
    template <int Count>
    SHOAL_FN void load(const T* row, int first, int last, T (&x)[Count]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces && Count % piece == 0) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < Count / piece; ++q) {
                    chunk c{};
                    if (first + q * piece <= last)
                        c = *reinterpret_cast<const chunk*>(row + first + q * piece);
                    SHOAL_UNROLL
                    for (int h = 0; h < piece; ++h) x[q * piece + h] = c.v[h];
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < Count; ++j) x[j] = first + j <= last ? row[first + j] : T(0);
    }
    /// Row i of L_k; zeros where there is none.
    SHOAL_FN void left(int k, T (&x)[n]) const {
        load(a.left(k).data() + i * row_step, 0, k > 0 && k < a.knots() && i < n ? n - 1 : -1, x);
    }
    /// Columns first .. first + Count - 1 of row i of the lower triangle of D_k; zeros where there is nothing.
    template <int Count>
    SHOAL_FN void main(int k, int first, T (&x)[Count]) const {
        load(a.main(k).data() + i * row_step, first, k < a.knots() && i < n ? i : -1, x);
    }
    /// row(j) := x[j] for j <= last: chunk q by part q mod `parts`. Conditions, not branches, which lanes would take apart.
    SHOAL_FN void store(T* row, int last, int part, int parts, const T (&x)[n]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < n / piece; ++q) {
                    const int mine = q % parts == part ? last : -1;
                    const int end = q * piece + piece - 1;
                    chunk c;
                    SHOAL_UNROLL
                    for (int h = 0; h < piece; ++h) c.v[h] = x[q * piece + h];
                    if (end <= mine) *reinterpret_cast<chunk*>(row + q * piece) = c;
                    SHOAL_UNROLL
                    for (int h = 0; h + 1 < piece; ++h)
                        if (q * piece + h <= mine && mine < end) row[q * piece + h] = x[q * piece + h];
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            if (j % parts == part && j <= last) row[j] = x[j];
    }
    static constexpr int row_step = A::row_length;
};

}  // namespace shoal::detail
