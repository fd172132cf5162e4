#pragma once

#include "harness.cuh"

namespace shoal_bench::incore {

/// C := A B of order N: A, B and C one after the other.
template <class T, int N>
struct gemm_operands {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, 0.0);
        append(v, N, N, 0.0);
        v.resize(static_cast<std::size_t>(3 * N * N));
        return v;
    }
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return residual<T>(N, N, at(before, 0, N), at(before, N * N, N), at(after, 2 * N * N, N));
    }
};

}  // namespace shoal_bench::incore
