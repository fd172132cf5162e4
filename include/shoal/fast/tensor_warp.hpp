#pragma once

#include <shoal/core/math.hpp>
#include <shoal/fast/tensor_core.hpp>
#include <shoal/group/concept.hpp>

/// \file
/// The products of tensor_core.hpp for a group of 32 members that exchange registers: on the tensor cores where there are
/// any, elsewhere by shuffles, with the same bits.

namespace shoal::fast {

namespace detail {
/// Holds numbers where they are: a product whose result is wanted under a condition only must not follow it there, where
/// some lanes are missing.
SHOAL_FN void pin_one([[maybe_unused]] double& x) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+d"(x));
#endif
}
template <class... T>
SHOAL_FN void pin(T&... x) {
    (pin_one(x), ...);
}
}  // namespace detail

/// C (8 x 8) += A (8 x 4) B (4 x 8).
template <ShuffleGroup W>
SHOAL_FN void multiply_8x8x4([[maybe_unused]] const W& warp, double& c0, double& c1, double a, double b) {
    static_assert(W::static_size == 32, "multiply_8x8x4: a whole warp");
    if constexpr (has_tensor_cores) {
        tensor_8x8x4(c0, c1, a, b);
        detail::pin(c0, c1);
    } else {
        const int q = warp.rank() % 4;
        SHOAL_UNROLL
        for (int k = 0; k < 4; ++k) {
            const double x = warp.shuffle(a, warp.rank() - q + k);
            c0 = core::fma(x, warp.shuffle(b, 8 * q + k), c0);
            c1 = core::fma(x, warp.shuffle(b, 8 * q + 4 + k), c1);
        }
    }
}

/// C (16 x 8) += A (16 x 4) B (4 x 8).
template <ShuffleGroup W>
SHOAL_FN void multiply_16x8x4(const W& warp, double& c0, double& c1, double& c2, double& c3, double a0,
                              double a1, double b) {
    if constexpr (has_tensor_cores) {
        tensor_16x8x4(c0, c1, c2, c3, a0, a1, b);
        detail::pin(c0, c1, c2, c3);
    } else {
        multiply_8x8x4(warp, c0, c1, a0, b);
        multiply_8x8x4(warp, c2, c3, a1, b);
    }
}

}  // namespace shoal::fast
