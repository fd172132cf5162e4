#pragma once

#include <shoal/shoal.hpp>

/// \file
/// The ops by scope, without naming the group: `thread::potrf(lower(A))` is `potrf(this_thread(), lower(A))`.
/// `tiers.cuh` adds `warp::` and `block::` for device code.

/// Expands X(op) for every op that takes a group first.
#define SHOAL_FOR_EACH_OP(X) \
  X(asum)                    \
  X(axpby)                   \
  X(axpy)                    \
  X(bilinear)                \
  X(congruence)              \
  X(copy)                    \
  X(dimm)                    \
  X(dot)                     \
  X(eig_clamp)               \
  X(exclusive_scan)          \
  X(gemm)                    \
  X(gemm_indexed)            \
  X(gemv)                    \
  X(ger)                     \
  X(gesv)                    \
  X(getrf)                   \
  X(getrs)                   \
  X(getrs_transposed)        \
  X(iamax)                   \
  X(inclusive_scan)          \
  X(inv)                     \
  X(inv_fused)               \
  X(inv_unpivoted)           \
  X(laswp)                   \
  X(laswp_reversed)          \
  X(ldlt)                    \
  X(ldlt_solve)              \
  X(ldlt_unpivoted)          \
  X(nrm2)                    \
  X(pivot_permutation)       \
  X(posv)                    \
  X(potrf)                   \
  X(potrf_fused)             \
  X(potrs)                   \
  X(riccati_gain)            \
  X(rot)                     \
  X(scal)                    \
  X(set)                     \
  X(shift)                   \
  X(shift_relative)          \
  X(sum)                     \
  X(swap)                    \
  X(syev)                    \
  X(symm)                    \
  X(symmetrize)              \
  X(syr2k)                   \
  X(syrk)                    \
  X(transpose)               \
  X(trmm)                    \
  X(trmv)                    \
  X(trmv_in_place)           \
  X(trsm)                    \
  X(trsv)                    \
  X(vector_tensor_vector)

#define SHOAL_THREAD_OP(op)                              \
  template <class... Operands>                           \
  SHOAL_FN decltype(auto) op(Operands... operands) {     \
    return shoal::op(shoal::this_thread(), operands...); \
  }

namespace shoal::thread {
SHOAL_FOR_EACH_OP(SHOAL_THREAD_OP)
}  // namespace shoal::thread

#undef SHOAL_THREAD_OP
