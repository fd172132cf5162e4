#pragma once

#include <limits>
#include <type_traits>

#include <shoal/core/math.hpp>

/// \file
/// The scalar operations of the solver. All but two run in constant evaluation as they do elsewhere; a fused
/// multiply-add rounds twice there, since not every compiler can evaluate it.

namespace shoal::tiled_lu::detail {

/// a * b + c with one rounding, at run time.
template <class T>
SHOAL_FN constexpr T fma(T a, T b, T c) noexcept {
    if (__builtin_is_constant_evaluated()) return a * b + c;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        return core::fma(a, b, c);
    } else {
        return __builtin_fmal(a, b, c);
    }
}

/// |x|. Zero keeps its sign, which no comparison sees.
template <class T>
SHOAL_FN constexpr T magnitude(T x) noexcept {
    if (__builtin_is_constant_evaluated()) return x < T(0) ? -x : x;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        return core::abs(x);
    } else {
        return __builtin_fabsl(x);
    }
}

/// 1 / d, correctly rounded.
template <class T>
SHOAL_FN constexpr T reciprocal(T d) noexcept {
    if (__builtin_is_constant_evaluated()) return T(1) / d;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        return core::pivot_reciprocal(d);
    } else {
        return T(1) / d;
    }
}

/// a + b, never fused with a product that made b.
template <class T>
SHOAL_FN constexpr T add_rounded(T a, T b) noexcept {
    // Under -ffp-contract=fast the compiler looks for the product through everything that it can see.
    if (!__builtin_is_constant_evaluated()) {
#if defined(__CUDA_ARCH__)
        if constexpr (std::is_same_v<T, float>) {
            return __fadd_rn(a, b);
        } else {
            return __dadd_rn(a, b);
        }
#elif defined(SHOAL_DEVICE_CODE)
        asm("" : "+v"(b));
#elif defined(__GNUC__)
        asm("" : "+m"(b));
#endif
    }
    return a + b;
}

/// Whether candidate beats best, both magnitudes: of equal ones the first stays, and NaN beats every number.
template <class T>
SHOAL_FN constexpr bool beats(T candidate, T best) noexcept {
    return candidate > best || (candidate != candidate && best == best);
}

/// The smallest number, a power of two, that has a finite reciprocal.
template <class T>
inline constexpr T smallest_invertible = std::numeric_limits<T>::min() / T(2);

/// Whether a magnitude can be divided by: not below the floor, finite, and its reciprocal finite. False for NaN.
template <class T>
SHOAL_FN constexpr bool invertible(T size, T floor) noexcept {
    return size >= floor && size >= smallest_invertible<T> && size <= core::largest_finite<T>;
}

}  // namespace shoal::tiled_lu::detail
