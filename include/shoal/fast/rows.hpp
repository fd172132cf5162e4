#pragma once

#include <type_traits>

#include <shoal/core/loop.hpp>
#include <shoal/core/math.hpp>
#include <shoal/group/thread.hpp>
#include <shoal/view/triangle.hpp>

/// \file
/// Small matrices in the registers of a thread, a tile or a warp.
///
/// Rows are dealt out like cards: of S members, member r holds rows r, r + S, r + 2 S, ... in its slots 0, 1, 2, ...
/// A slot of a lower triangle is as wide as its last row, so that one layout serves all members:
///
///     N = 8, S = 4     row 0  x . . .           slot 0 of member 0
///                      row 1  x x . .           slot 0 of member 1
///                      row 2  x x x .           slot 0 of member 2
///                      row 3  x x x x           slot 0 of member 3
///                      row 4  x x x x x . . .   slot 1 of member 0
///                      row 5  x x x x x x . .   slot 1 of member 1     12 registers each for 36 elements
///
/// Shuffles are what the bodies have most of. Their number does not depend on S, so a warp that holds many systems in
/// small tiles needs fewer per system; large tiles give the shortest way through a single system.

namespace shoal::fast {

/// The largest order that is ever held in registers.
inline constexpr int largest_rows = 32;

namespace detail {

/// Slots that N rows take when they are dealt to S members.
SHOAL_FN constexpr int slots(int n, int s) {
    return (n + s - 1) / s;
}

/// True, which the device compiler cannot know. What stands under it stays together: ptxas otherwise spreads the loads
/// over the computation to save registers, turns it left-looking on the way, and makes it up to three times slower.
SHOAL_FN bool always() {
#if defined(SHOAL_DEVICE_CODE)
    unsigned lane;
    // Volatile: two equal questions would be answered once, and the second branch dissolved.
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(lane));
    return lane != 0;
#else
    return true;
#endif
}

/// Zero, for the branch that always() does not take: opaque to the compiler, which would turn a short branch beside a
/// trivial one into predicates, and then spread the loads after all.
template <class T>
SHOAL_FN T padding() {
#if defined(SHOAL_DEVICE_CODE)
    if constexpr (sizeof(T) == 8) {
        T zero;
        asm volatile("mov.f64 %0, 0d0000000000000000;" : "=d"(zero));
        return zero;
    } else {
        T zero;
        asm volatile("mov.f32 %0, 0f00000000;" : "=f"(zero));
        return zero;
    }
#else
    return T(0);
#endif
}

/// x, about which the compiler knows nothing. It would otherwise replace comparisons with the number of a row by the
/// comparisons of entries that led to it, and keep the results of all of those: up to 100 registers.
SHOAL_FN int opaque(int x) {
#if defined(SHOAL_DEVICE_CODE)
    asm("" : "+r"(x));
#endif
    return x;
}

/// A lower triangle of order N, or what of it one of S members holds.
template <class T, int N, int S>
struct triangle_rows {
    SHOAL_FN static constexpr int width(int s) { return (s + 1) * S < N ? (s + 1) * S : N; }
    SHOAL_FN static constexpr int start(int s) { return S * (s * (s + 1) / 2); }
    static constexpr int slots = detail::slots(N, S);
    static constexpr int elements = start(slots - 1) + width(slots - 1);
    T element[elements];
    /// Column j of the row in slot s. Both must be compile-time constants after unrolling.
    SHOAL_FN T& operator()(int s, int j) { return element[start(s) + j]; }
    /// f(i, j) for the elements that member `rank` holds, zero for those that pad its slots.
    template <class F>
    SHOAL_FN void load(int rank, F f) {
        if (always()) {
            SHOAL_UNROLL
            for (int s = 0; s < slots; ++s) {
                const int i = s * S + rank;
                SHOAL_UNROLL
                for (int j = 0; j < width(s); ++j) (*this)(s, j) = i >= j && i < N ? f(i, j) : T(0);
            }
        } else {
            SHOAL_UNROLL
            for (int e = 0; e < elements; ++e) element[e] = padding<T>();
        }
    }
};

/// Registers of 32 bits that a triangle takes in each member.
template <class T, int N, int S>
inline constexpr int triangle_words = triangle_rows<T, N, S>::elements*(static_cast<int>(sizeof(T)) / 4);

/// Of a thread's 255 registers, what a triangle may take so that nothing is spilled: the rest goes to right-hand
/// sides, addresses and pivots. 160 is 32 x 32 doubles on a tile of 8.
inline constexpr int largest_triangle_words = 160;

template <class G, class T, int N>
SHOAL_FN constexpr bool triangle_fits() {
    if constexpr (ShuffleGroup<G> && N >= 1 && N <= largest_rows) {
        return triangle_words<T, N, G::static_size> <= largest_triangle_words;
    } else {
        return false;
    }
}

/// Whether elements of M may not be written.
template <MatrixView M>
inline constexpr bool read_only =
    !std::is_assignable_v<decltype(std::declval<const M&>()(0, 0)), typename M::value_type>;

}  // namespace detail

/// Whether a triangle stored in M can be held in the registers of a group G: static order up to 32, members that
/// exchange registers, and few enough rows a member.
template <class G, class M>
inline constexpr bool suits_rows = false;
template <class G, class M>
requires requires {
    M::static_rows;
}
inline constexpr bool suits_rows<G, M> = detail::triangle_fits<G, typename M::value_type, M::static_rows>();

}  // namespace shoal::fast
