// expect: tiled_lu: say the order of A with of_order
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    return shoal::tiled_lu::factorize(shoal::tiled_lu::strided<1>(a), shoal::tiled_lu::strided<1>(p));
}
