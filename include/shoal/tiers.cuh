#pragma once

#include <shoal/group/device.cuh>
#include <shoal/tiers.hpp>

#define SHOAL_WARP_OP(op)                              \
  template <class... Operands>                         \
  SHOAL_FN decltype(auto) op(Operands... operands) {   \
    return shoal::op(shoal::this_warp(), operands...); \
  }
#define SHOAL_BLOCK_OP(op)                              \
  template <class... Operands>                          \
  SHOAL_FN decltype(auto) op(Operands... operands) {    \
    return shoal::op(shoal::this_block(), operands...); \
  }

namespace shoal::warp {
SHOAL_FOR_EACH_OP(SHOAL_WARP_OP)
}  // namespace shoal::warp

namespace shoal::block {
SHOAL_FOR_EACH_OP(SHOAL_BLOCK_OP)
}  // namespace shoal::block

#undef SHOAL_WARP_OP
#undef SHOAL_BLOCK_OP
