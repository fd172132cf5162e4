#pragma once

#include <shoal/arrow/detail/host_dispatch.hpp>

/// \file
/// What the files of the compiled host solver tell each other.

/// X(T, n) for everything that is compiled ahead; `detail::has_compiled` names the same sizes.
#define SHOAL_ARROW_SIZES_OF(X, T) X(T, 4) X(T, 6) X(T, 8) X(T, 12) X(T, 16) X(T, 24) X(T, 32)
#define SHOAL_ARROW_SIZES(X) SHOAL_ARROW_SIZES_OF(X, float) SHOAL_ARROW_SIZES_OF(X, double)

// Sanitized builds have the plain loops only: see lanes.hpp.
#if defined(__x86_64__) && defined(__GNUC__) && \
    (!defined(SHOAL_LANES_INSTRUMENTED) || defined(SHOAL_LANES_SANITIZED))
#  define SHOAL_ARROW_X86 1
#endif

namespace shoal::arrow::detail {

/// Defined where the instructions may be used; to be called only where the machine has them.
template <class T, int n>
const host_kernels<T>& avx2_kernels();
template <class T, int n>
const host_kernels<T>& avx512_kernels();

}  // namespace shoal::arrow::detail
