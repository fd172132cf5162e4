// expect: tiled_lu: the configuration is for another scalar than the matrix
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    constexpr shoal::tiled_lu::config<float> c;
    return shoal::tiled_lu::factorize<c>(shoal::tiled_lu::of_order<3>(shoal::tiled_lu::strided<1>(a)),
                                         shoal::tiled_lu::strided<1>(p));
}
