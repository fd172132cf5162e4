#pragma once

#include <gtest/gtest.h>

namespace shoal::support {

/// The types of a typed test. A sanitizer watches the same bodies for either, at twice the time to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
using scalars = testing::Types<double>;
#else
using scalars = testing::Types<float, double>;
#endif

}  // namespace shoal::support
