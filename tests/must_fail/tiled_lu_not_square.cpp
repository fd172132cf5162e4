// expect: tiled_lu: A is not square
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    return shoal::tiled_lu::factorize(shoal::matrix<double, 3, 4>{a}, shoal::tiled_lu::strided<1>(p));
}
