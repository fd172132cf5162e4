#pragma once

#include <shoal/core/macros.hpp>

/// \file
/// The products of the FP64 tensor cores, C += A B, each made by a whole warp.
///
/// Of A (8 x 4) lane 4 g + q holds element (g, q), of B (4 x 8) element (q, g), of C (8 x 8) the elements (g, 2 q) and
/// (g, 2 q + 1). Forms of 16 rows hold row g + 8 next; forms of 8 and 16 terms hold terms q + 4, q + 8, q + 12 next.
///
/// An element of C is one chain of fused multiply-adds in ascending k, to the bit: tests/fast compares all that a double
/// can be.

namespace shoal::fast {

/// Whether this device code may use them. The forms of 16 rows, which only newer chips have, are made of two others
/// elsewhere.
inline constexpr bool has_tensor_cores =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    true;
#else
    false;
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/// C (8 x 8) += A (8 x 4) B (4 x 8). Half the rate of the forms of 16 rows where these are instructions.
SHOAL_FN void tensor_8x8x4(double& c0, double& c1, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
        : "+d"(c0), "+d"(c1)
        : "d"(a), "d"(b));
}

/// C (16 x 8) += A (16 x 4) B (4 x 8).
SHOAL_FN void tensor_16x8x4(double& c0, double& c1, double& c2, double& c3, double a0, double a1, double b) {
#  if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
        : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
        : "d"(a0), "d"(a1), "d"(b));
#  else
    tensor_8x8x4(c0, c1, a0, b);
    tensor_8x8x4(c2, c3, a1, b);
#  endif
}

#else

/// Never called: no group of a host is said to have tensor cores.
SHOAL_FN void tensor_8x8x4(double&, double&, double, double) {}
/// \copydoc tensor_8x8x4(double&, double&, double, double)
SHOAL_FN void tensor_16x8x4(double&, double&, double&, double&, double, double, double) {}

#endif

}  // namespace shoal::fast
