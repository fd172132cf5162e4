// expect: tile_size must be at least 1
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p, int n) {
    constexpr shoal::tiled_lu::config<double> c{.tile_size = 0};
    return shoal::tiled_lu::factorize<c>(shoal::tiled_lu::of_order(shoal::tiled_lu::strided<1>(a), n),
                                         shoal::tiled_lu::strided<1>(p));
}
