#pragma once

#include <array>
#include <utility>

#include <shoal/batched/lane_kernels.hpp>

// Sanitized builds have no vectors: see lanes.hpp.
#if defined(__x86_64__) && defined(__GNUC__) && \
    (!defined(SHOAL_LANES_INSTRUMENTED) || defined(SHOAL_LANES_SANITIZED))
#  define SHOAL_LANE_SOLVES_X86 1
#endif

namespace shoal::batched::detail {

/// Kernels of the orders 2, 3, ..., largest_compiled_order for one instruction set.
template <class Isa, class T>
struct compiled_lanes {
    template <int... I>
    static constexpr std::array<lane_kernels<T>, sizeof...(I)> make(std::integer_sequence<int, I...>) {
        return {lane_bodies<Isa, T, I + 2>::table()...};
    }
    static constexpr auto tables = make(std::make_integer_sequence<int, largest_compiled_order - 1>{});
};

/// Defined where the instructions may be used; to be called only where the machine has them.
template <class T>
const lane_kernels<T>* avx2_lane_kernels();
template <class T>
const lane_kernels<T>* avx512_lane_kernels();

}  // namespace shoal::batched::detail
