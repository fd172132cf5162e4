// expect: singular_floor must be positive
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    constexpr shoal::tiled_lu::config<double> c{.singular_floor = 0};
    return shoal::tiled_lu::factorize<c>(shoal::tiled_lu::of_order<3>(shoal::tiled_lu::strided<1>(a)),
                                         shoal::tiled_lu::strided<1>(p));
}
