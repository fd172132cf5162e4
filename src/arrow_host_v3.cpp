// Host solver kernels for x86-64-v3: the build gives this file that -march, by its name, whatever the other flags are.
//
// Neither target_clones nor a target pragma does: clones are made of code that was expanded for the baseline, whose
// register tiles end up in memory, and under a pragma the compiler takes a hundred times as long. The kernels carry the
// instruction set in their names, so none of them is linked in the place of a function for another machine.
#include "arrow_host_sizes.hpp"

#if defined(SHOAL_ARROW_X86)
namespace shoal::arrow::detail {

template <class T, int n>
const host_kernels<T>& avx2_kernels() {
    return host_bodies<fast::isa_avx2, T, n>::table;
}

#  define SHOAL_ARROW_INSTANTIATE(T, n) template const host_kernels<T>& avx2_kernels<T, n>();
SHOAL_ARROW_SIZES(SHOAL_ARROW_INSTANTIATE)
#  undef SHOAL_ARROW_INSTANTIATE

}  // namespace shoal::arrow::detail
#endif
