#pragma once

#include <shoal/shoal.hpp>

/// \file
/// The ops by scope, without naming the group: `thread::potrf(lower(A))` is `potrf(this_thread(), lower(A))`.
/// `tiers.cuh` adds `warp::` and `block::` for device code.

/// Expands X(op) for every op that takes a group first.
#define SHOAL_FOR_EACH_OP(X) \
  X(axpy)                    \
  X(dot)                     \
  X(gemm)                    \
  X(gemv)                    \
  X(gesv)                    \
  X(getrf)                   \
  X(getrs)                   \
  X(getrs_transposed)        \
  X(iamax)                   \
  X(laswp)                   \
  X(laswp_reversed)          \
  X(nrm2)                    \
  X(pivot_permutation)       \
  X(posv)                    \
  X(potrf)                   \
  X(potrs)                   \
  X(syrk)                    \
  X(trsm)                    \
  X(trsv)

#define SHOAL_THREAD_OP(op)                              \
  template <class... Operands>                           \
  SHOAL_FN decltype(auto) op(Operands... operands) {     \
    return shoal::op(shoal::this_thread(), operands...); \
  }

namespace shoal::thread {
SHOAL_FOR_EACH_OP(SHOAL_THREAD_OP)
}  // namespace shoal::thread

#undef SHOAL_THREAD_OP
