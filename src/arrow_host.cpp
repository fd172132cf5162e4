// Host solver kernels for the build's own flags, and the choice of kernels when a solver is made.
#include "arrow_host_sizes.hpp"

namespace shoal::arrow::detail {

namespace {

#if defined(SHOAL_ARROW_X86)
bool machine_has(instruction_set which) {
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (which == instruction_set::avx2) return v3;
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd");
}
#endif

}  // namespace

template <class T, int n>
const host_kernels<T>& compiled_kernels(instruction_set which) {
#if defined(SHOAL_ARROW_X86)
    const bool any = which == instruction_set::best;
    if ((any || which == instruction_set::avx512) && machine_has(instruction_set::avx512))
        return avx512_kernels<T, n>();
    if (which != instruction_set::baseline && machine_has(instruction_set::avx2)) return avx2_kernels<T, n>();
#endif
    (void)which;
    return host_bodies<fast::isa_native, T, n>::table;
}

#define SHOAL_ARROW_INSTANTIATE(T, n) template const host_kernels<T>& compiled_kernels<T, n>(instruction_set);
SHOAL_ARROW_SIZES(SHOAL_ARROW_INSTANTIATE)
#undef SHOAL_ARROW_INSTANTIATE

}  // namespace shoal::arrow::detail
