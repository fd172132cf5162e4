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

/// C (16 x 8) += A (16 x 8) B (8 x 8).
SHOAL_FN void tensor_16x8x8(double& c0, double& c1, double& c2, double& c3, double a0, double a1, double a2,
                            double a3, double b0, double b1) {
#  if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
        : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
#  else
    tensor_16x8x4(c0, c1, c2, c3, a0, a1, b0);
    tensor_16x8x4(c0, c1, c2, c3, a2, a3, b1);
#  endif
}

/// C (16 x 8) += A (16 x 16) B (16 x 8).
SHOAL_FN void tensor_16x8x16(double& c0, double& c1, double& c2, double& c3, double a0, double a1, double a2,
                             double a3, double a4, double a5, double a6, double a7, double b0, double b1,
                             double b2, double b3) {
#  if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
        : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
        : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(a4), "d"(a5), "d"(a6), "d"(a7), "d"(b0), "d"(b1), "d"(b2),
          "d"(b3));
#  else
    tensor_16x8x8(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
    tensor_16x8x8(c0, c1, c2, c3, a4, a5, a6, a7, b2, b3);
#  endif
}

#else

/// Never called: no group of a host is said to have tensor cores.
SHOAL_FN void tensor_8x8x4(double&, double&, double, double) {}
/// \copydoc tensor_8x8x4(double&, double&, double, double)
SHOAL_FN void tensor_16x8x4(double&, double&, double&, double&, double, double, double) {}
/// \copydoc tensor_8x8x4(double&, double&, double, double)
SHOAL_FN void tensor_16x8x8(double&, double&, double&, double&, double, double, double, double, double,
                            double) {}
/// \copydoc tensor_8x8x4(double&, double&, double, double)
SHOAL_FN void tensor_16x8x16(double&, double&, double&, double&, double, double, double, double, double,
                             double, double, double, double, double, double, double) {}

#endif

}  // namespace shoal::fast
