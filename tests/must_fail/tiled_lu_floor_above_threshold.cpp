// expect: singular_floor must not exceed oot_pivot_threshold
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    constexpr shoal::tiled_lu::config<double> c{.oot_pivot_threshold = 1e-10, .singular_floor = 1e-9};
    return shoal::tiled_lu::factorize<c>(shoal::tiled_lu::of_order<3>(shoal::tiled_lu::strided<1>(a)),
                                         shoal::tiled_lu::strided<1>(p));
}
