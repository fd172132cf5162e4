// expect: tiled_lu: the pivots are written, but they are const
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double (&a)[9], const int (&p)[3]) {
    return shoal::tiled_lu::factorize(a, p);
}
