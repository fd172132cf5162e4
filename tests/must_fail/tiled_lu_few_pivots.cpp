// expect: tiled_lu: fewer pivots than the order of A
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a) {
    int p[4];
    return shoal::tiled_lu::factorize(shoal::tiled_lu::of_order<5>(shoal::tiled_lu::strided<1>(a)), p);
}
