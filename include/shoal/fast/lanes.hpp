#pragma once

#include <cstddef>
#include <utility>

#include <shoal/core/math.hpp>

#if defined(__x86_64__) && !defined(__CUDACC__)
#  include <immintrin.h>
#endif

/// \file
/// Short vectors of one host thread, for kernels that must not depend on what a vectoriser makes of a loop: with the
/// usual compilers, register tiles written as loops over arrays end up in memory.
///
/// An instruction set is a template parameter and not a compiler flag, so that one program can hold kernels for several:
/// their names differ, whatever flags each file was compiled with.

namespace shoal::fast {

/// No vector instructions are assumed: the kernels are those of host_plain.hpp.
struct isa_generic {
    static constexpr int bytes = 32;
};
/// x86-64-v3: AVX2 and FMA.
struct isa_avx2 {
    static constexpr int bytes = 32;
};
/// x86-64-v4: AVX-512.
struct isa_avx512 {
    static constexpr int bytes = 64;
};

// Only files that may use an instruction set define its vectors. Under sanitizers nobody does: instrumented register
// tiles take minutes to compile, and the plain loops touch the same memory. SHOAL_LANES_SANITIZED asks for them anyway.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define SHOAL_LANES_INSTRUMENTED
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#    define SHOAL_LANES_INSTRUMENTED
#  endif
#endif
#if !defined(__CUDACC__) && (!defined(SHOAL_LANES_INSTRUMENTED) || defined(SHOAL_LANES_SANITIZED))
#  if defined(__AVX2__) && defined(__FMA__)
#    define SHOAL_LANES_AVX2
#  endif
#  if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#    define SHOAL_LANES_AVX512
#  endif
#endif

/// What the compiler may use in this file.
#if defined(SHOAL_LANES_AVX512)
using isa_native = isa_avx512;
#elif defined(SHOAL_LANES_AVX2)
using isa_native = isa_avx2;
#else
using isa_native = isa_generic;
#endif

/// W numbers that are computed on together. Addresses need no alignment.
template <class Isa, class T, int W>
struct lanes {
    static constexpr int width = W;
    T v[static_cast<std::size_t>(W)];

    SHOAL_FN static lanes load(const T* p) {
        lanes x;
        for (int i = 0; i < W; ++i) x.v[i] = p[i];
        return x;
    }
    SHOAL_FN static lanes broadcast(T a) {
        lanes x;
        for (int i = 0; i < W; ++i) x.v[i] = a;
        return x;
    }
    SHOAL_FN void store(T* p) const {
        for (int i = 0; i < W; ++i) p[i] = v[i];
    }
    /// c - a * b with one rounding.
    SHOAL_FN static lanes subtract_product(lanes a, lanes b, lanes c) {
        for (int i = 0; i < W; ++i) c.v[i] = core::fma(-a.v[i], b.v[i], c.v[i]);
        return c;
    }
    SHOAL_FN static lanes product(lanes a, lanes b) {
        for (int i = 0; i < W; ++i) a.v[i] *= b.v[i];
        return a;
    }
    SHOAL_FN T first() const { return v[0]; }
    /// Lane From[l] of the 2 W lanes of a and b, for l = 0 .. W - 1.
    template <int... From>
    SHOAL_FN static lanes shuffle(lanes a, lanes b) {
        return {{(From < W ? a.v[From % W] : b.v[From % W])...}};
    }
};

#define SHOAL_LANES(ISA, T, W, REGISTER, PREFIX, SUFFIX)                                          \
  template <>                                                                                     \
  struct lanes<ISA, T, W> {                                                                       \
    static constexpr int width = W;                                                               \
    REGISTER v;                                                                                   \
    SHOAL_FN static lanes load(const T* p) { return {PREFIX##_loadu_##SUFFIX(p)}; }               \
    SHOAL_FN static lanes broadcast(T a) { return {PREFIX##_set1_##SUFFIX(a)}; }                  \
    SHOAL_FN void store(T* p) const { PREFIX##_storeu_##SUFFIX(p, v); }                           \
    SHOAL_FN static lanes subtract_product(lanes a, lanes b, lanes c) {                           \
      return {PREFIX##_fnmadd_##SUFFIX(a.v, b.v, c.v)};                                           \
    }                                                                                             \
    SHOAL_FN static lanes product(lanes a, lanes b) { return {PREFIX##_mul_##SUFFIX(a.v, b.v)}; } \
    SHOAL_FN T first() const { return v[0]; }                                                     \
    template <int... From>                                                                        \
    SHOAL_FN static lanes shuffle(lanes a, lanes b) {                                             \
      return {__builtin_shufflevector(a.v, b.v, From...)};                                        \
    }                                                                                             \
  }

#if defined(SHOAL_LANES_AVX2)
SHOAL_LANES(isa_avx2, double, 2, __m128d, _mm, pd);
SHOAL_LANES(isa_avx2, double, 4, __m256d, _mm256, pd);
SHOAL_LANES(isa_avx2, float, 4, __m128, _mm, ps);
SHOAL_LANES(isa_avx2, float, 8, __m256, _mm256, ps);
#endif
#if defined(SHOAL_LANES_AVX512)
SHOAL_LANES(isa_avx512, double, 2, __m128d, _mm, pd);
SHOAL_LANES(isa_avx512, double, 4, __m256d, _mm256, pd);
SHOAL_LANES(isa_avx512, double, 8, __m512d, _mm512, pd);
SHOAL_LANES(isa_avx512, float, 4, __m128, _mm, ps);
SHOAL_LANES(isa_avx512, float, 8, __m256, _mm256, ps);
SHOAL_LANES(isa_avx512, float, 16, __m512, _mm512, ps);
#endif
#undef SHOAL_LANES

namespace detail {
template <class F, int... I>
SHOAL_FN constexpr void call_each(F& f, std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
}
}  // namespace detail

/// f(0), f(1), .. f(N - 1) with compile-time numbers: no loop is left for an optimiser to keep.
template <int N, class F>
SHOAL_FN constexpr void each(F f) {
    detail::call_each(f, std::make_integer_sequence<int, N>{});
}

/// The widest vector that fits `rows` rows.
template <class Isa, class T>
constexpr int widest(int rows) {
    int w = Isa::bytes / static_cast<int>(sizeof(T));
    while (w > rows) w /= 2;
    return w;
}

/// The widest vector whose length divides n.
template <class Isa, class T>
constexpr int widest_divisor(int n) {
    int w = Isa::bytes / static_cast<int>(sizeof(T));
    while (n % w != 0) w /= 2;
    return w;
}

namespace detail {

template <int K, class L, int... I>
SHOAL_FN L broadcast_lane(L x, std::integer_sequence<int, I...>) {
    return L::template shuffle<(I - I + K)...>(x, x);
}

/// Swaps the off-diagonal Bit x Bit parts of every 2 Bit x 2 Bit part of a matrix whose columns are a and, Bit columns
/// farther, b.
template <int Bit, class L, int... I>
SHOAL_FN void exchange(L& a, L& b, std::integer_sequence<int, I...>) {
    const L low = L::template shuffle<((I & Bit) == 0 ? I : L::width + (I ^ Bit))...>(a, b);
    b = L::template shuffle<((I & Bit) == 0 ? (I | Bit) : L::width + I)...>(a, b);
    a = low;
}

/// Lanes below K from a, the rest from b.
template <int K, class L, int... I>
SHOAL_FN L splice(L a, L b, std::integer_sequence<int, I...>) {
    return L::template shuffle<(I < K ? I : L::width + I)...>(a, b);
}

template <int Bit, class L>
SHOAL_FN void transpose_from(L* columns) {
    if constexpr (Bit < L::width) {
        each<L::width>([&](auto c) SHOAL_INLINE_LAMBDA {
            if constexpr ((c & Bit) == 0) {
                exchange<Bit>(columns[c], columns[c | Bit], std::make_integer_sequence<int, L::width>{});
            }
        });
        transpose_from<2 * Bit>(columns);
    }
}

}  // namespace detail

/// Lane K in every lane.
template <int K, class L>
SHOAL_FN L broadcast_lane(L x) {
    return detail::broadcast_lane<K>(x, std::make_integer_sequence<int, L::width>{});
}

/// Lanes 0 .. K - 1 of a, the others of b.
template <int K, class L>
SHOAL_FN L splice(L a, L b) {
    return detail::splice<K>(a, b, std::make_integer_sequence<int, L::width>{});
}

/// The W x W matrix of W columns, transposed.
template <class L>
SHOAL_FN void transpose_lanes(L* columns) {
    detail::transpose_from<1>(columns);
}

}  // namespace shoal::fast
