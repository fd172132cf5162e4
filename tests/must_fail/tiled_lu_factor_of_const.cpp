// expect: tiled_lu: A is overwritten by its factors, but its elements are const
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(const double* a, int* p) {
    return shoal::tiled_lu::factorize(shoal::tiled_lu::of_order<5>(shoal::tiled_lu::strided<1>(a)),
                                      shoal::tiled_lu::strided<1>(p));
}
