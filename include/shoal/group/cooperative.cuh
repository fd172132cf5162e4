#pragma once

#include <cooperative_groups.h>

#include <shoal/group/device.cuh>

namespace shoal {

/// Any handle of `cooperative_groups` as a Shoal group: block scope contract, whatever its size.
///
/// The header costs about three seconds of compile time: only the drop-in header for GLASS includes it, whose interface takes such handles.
template <class CooperativeGroup>
struct cooperative_group {
    static constexpr shoal::scope scope = shoal::scope::block;
    CooperativeGroup handle;
    SHOAL_FN int rank() const {
#if defined(SHOAL_DEVICE_CODE)
        return static_cast<int>(handle.thread_rank());
#else
        return 0;
#endif
    }
    SHOAL_FN int size() const {
#if defined(SHOAL_DEVICE_CODE)
        return static_cast<int>(handle.size());
#else
        return 1;
#endif
    }
    SHOAL_FN void sync() const {
#if defined(SHOAL_DEVICE_CODE)
        handle.sync();
#endif
    }
};

/// `adapt_group(cooperative_groups::this_thread_block())`.
template <class CooperativeGroup>
SHOAL_FN cooperative_group<CooperativeGroup> adapt_group(const CooperativeGroup& handle) {
    return {handle};
}

}  // namespace shoal
