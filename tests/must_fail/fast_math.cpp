// expect: -ffast-math removes the NaN checks and the reproducible bits
// flags: -ffast-math
#include <shoal/shoal.hpp>
