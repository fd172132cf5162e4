// expect: needs C\+\+20: compile with nvcc -std=c\+\+20
// flags: -std=c++17
#include <shoal/compat/glass.cuh>
