// expect: relative_pivot_threshold must be in \(0, 1\]
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double* a, int* p) {
    constexpr shoal::tiled_lu::config<double> c{.relative_pivot_threshold = 1.5};
    return shoal::tiled_lu::factorize<c>(shoal::tiled_lu::of_order<3>(shoal::tiled_lu::strided<1>(a)),
                                         shoal::tiled_lu::strided<1>(p));
}
