// expect: tiled_lu: a vector is shorter than the order of A
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    double y[4] = {};
    return shoal::tiled_lu::solve_inplace(shoal::tiled_lu::of_order<5>(shoal::tiled_lu::strided<1>(a)),
                                          shoal::tiled_lu::strided<1>(p), y);
}
