// Host kernels for batches of general systems, x86-64-v4: the build gives this file that -march, by its name.
#include "lane_solves_sizes.hpp"

#if defined(SHOAL_LANE_SOLVES_X86)
namespace shoal::batched::detail {

template <class T>
const lane_kernels<T>* avx512_lane_kernels() {
    return compiled_lanes<fast::isa_avx512, T>::tables.data();
}
template const lane_kernels<float>* avx512_lane_kernels<float>();
template const lane_kernels<double>* avx512_lane_kernels<double>();

}  // namespace shoal::batched::detail
#endif
