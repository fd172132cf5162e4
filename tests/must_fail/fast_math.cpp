// expect: Shoal: -ffast-math removes the NaN checks
// flags: -ffast-math
#include <shoal/core/macros.hpp>
