#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <shoal/core/macros.hpp>

/// \file
/// The scalar operations that every body is made of. Each has one rounding behaviour, written out here once:
/// results then depend on the order of operations alone, which every op fixes.
///
/// The device side calls the `_rn` intrinsics, which the precision flags of nvcc do not weaken. Only `-ftz=true`, and
/// with it `--use_fast_math`, shows: float numbers below 2^-126 become zero. nvcc defines no macro by which a header
/// could refuse these flags. Other GPUs take the branches of the host, whose builtins their compilers know.

namespace shoal::core {

/// a * b + c with one rounding.
///
/// On a host without the FMA instructions this is a library call, about 35 times slower: compile with
/// `-mfma` or `-march=x86-64-v3`.
template <class T>
SHOAL_FN constexpr T fma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double>) {
        return ::fma(a, b, c);
    } else {
        return ::fmaf(a, b, c);
    }
#else
    if constexpr (std::is_same_v<T, double>) {
        return __builtin_fma(a, b, c);
    } else {
        return __builtin_fmaf(a, b, c);
    }
#endif
}

/// |x|, exact, also for NaN (keeps the payload) and -0.
template <class T>
SHOAL_FN T abs(T x) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double>) {
        return ::fabs(x);
    } else {
        return ::fabsf(x);
    }
#else
    if constexpr (std::is_same_v<T, double>) {
        return __builtin_fabs(x);
    } else {
        return __builtin_fabsf(x);
    }
#endif
}

/// Square root, correctly rounded.
template <class T>
SHOAL_FN T sqrt(T x) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double>) {
        return __dsqrt_rn(x);
    } else {
        return __fsqrt_rn(x);
    }
#else
    if constexpr (std::is_same_v<T, double>) {
        return __builtin_sqrt(x);
    } else {
        return __builtin_sqrtf(x);
    }
#endif
}

/// 1 / d, correctly rounded on host and device: the reciprocal of a pivot that a sweep multiplies by.
template <class T>
SHOAL_FN T pivot_reciprocal(T d) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double>) {
        return __drcp_rn(d);
    } else {
        return __frcp_rn(d);
    }
#else
    return T(1) / d;
#endif
}

/// Square root of a pivot and its reciprocal.
template <class T>
struct pivot_root {
    T root;        ///< sqrt(d), within one unit in the last place, exact when d is a square
    T reciprocal;  ///< 1 / sqrt(d), within two units in the last place
};

/// sqrt(d) and 1 / sqrt(d) of a good pivot.
///
/// The device takes the reciprocal root first: columns wait for it alone, and the root follows off the
/// critical path by one Newton step. The host divides. The two agree to two units in the last place. Below 64 times
/// the smallest normal number, what the step corrects underflows: there the root is good to three units.
template <class T>
SHOAL_FN pivot_root<T> pivot_rsqrt(T d) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double>) {
        const T r = ::rsqrt(d);
        const T s = d * r;
        return {fma(fma(-s, s, d), T(0.5) * r, s), r};
    } else {
        const T q = ::rsqrtf(d);
        const T t = d * q;
        // rsqrtf is good to two units; one more step makes the factor as accurate as a division would.
        const T r = fma(fma(-t, q, T(1)), T(0.5) * q, q);
        const T s = d * r;
        return {fma(fma(-s, s, d), T(0.5) * r, s), r};
    }
#else
    const T s = core::sqrt(d);
    return {s, T(1) / s};
#endif
}

/// 1 / sqrt(x) within two units in the last place: for angles, which need no more.
SHOAL_FN float rough_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
    return ::rsqrtf(x);
#else
    return 1.0F / core::sqrt(x);
#endif
}
/// 1 / x likewise, for x from 1 to 2.
SHOAL_FN float rough_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
    return __fdividef(1.0F, x);
#else
    return 1.0F / x;
#endif
}

/// The largest finite number. A constant, since device code may not call the functions of the standard library.
template <class T>
inline constexpr T largest_finite = std::numeric_limits<T>::max();
/// The distance from 1 to the next number.
template <class T>
inline constexpr T epsilon = std::numeric_limits<T>::epsilon();

/// Whether d can be the pivot of a Cholesky step: positive and finite. False for NaN.
template <class T>
SHOAL_FN constexpr bool good_pivot(T d) {
    return d > T(0) && d <= largest_finite<T>;
}

/// An unsigned key that orders by magnitude: |a| < |b| exactly when key(a) < key(b), and NaN lies above
/// infinity.
///
/// Integer comparison makes the search for the largest entry associative, so that its result does not depend
/// on how many members share the work, NaN or not.
SHOAL_FN std::uint64_t magnitude_key(double x) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint64_t>(__double_as_longlong(x)) & 0x7fffffffffffffffULL;
#else
    return __builtin_bit_cast(std::uint64_t, x) & 0x7fffffffffffffffULL;
#endif
}
/// The same for float.
SHOAL_FN std::uint32_t magnitude_key(float x) {
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x) & 0x7fffffffU;
#else
    return __builtin_bit_cast(std::uint32_t, x) & 0x7fffffffU;
#endif
}

/// The number with the given bits.
SHOAL_FN double from_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __longlong_as_double(static_cast<long long>(bits));
#else
    return __builtin_bit_cast(double, bits);
#endif
}
/// The same for float.
SHOAL_FN float from_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    return __builtin_bit_cast(float, bits);
#endif
}

/// Two powers of two, each the reciprocal of the other, that bring a number near one and back.
template <class T>
struct scaling {
    T down;
    T up;
};

/// The scaling for a largest entry of the given size, which is finite. Exact: results scaled by it lose no bit.
SHOAL_FN scaling<double> scale_to_one(double largest) {
    std::uint64_t field = magnitude_key(largest) >> 52U;
    field = 2046U - (field < 1U ? 1U : field);
    field = field < 1U ? 1U : field;
    return {from_bits(field << 52U), from_bits((2046U - field) << 52U)};
}
/// \copydoc scale_to_one(double)
SHOAL_FN scaling<float> scale_to_one(float largest) {
    std::uint32_t field = magnitude_key(largest) >> 23U;
    field = 254U - (field < 1U ? 1U : field);
    field = field < 1U ? 1U : field;
    return {from_bits(field << 23U), from_bits((254U - field) << 23U)};
}

}  // namespace shoal::core
