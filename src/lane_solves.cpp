// Host kernels for batches of general systems: the choice when a batch starts.
#include "lane_solves_sizes.hpp"

namespace shoal::batched::detail {

namespace {

template <class T>
const lane_kernels<T>* best_lane_kernels() {
#if defined(SHOAL_LANE_SOLVES_X86)
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
    if (v4) return avx512_lane_kernels<T>();
    if (v3) return avx2_lane_kernels<T>();
#endif
    return compiled_lanes<fast::isa_native, T>::tables.data();
}

}  // namespace

template <class T>
const lane_kernels<T>& compiled_lane_kernels(int n) {
    static const lane_kernels<T>* const best = best_lane_kernels<T>();
    return best[n - 2];
}
template const lane_kernels<float>& compiled_lane_kernels<float>(int);
template const lane_kernels<double>& compiled_lane_kernels<double>(int);

}  // namespace shoal::batched::detail
