// expect: tiled_lu: the pivots are not integers
#include <shoal/tiled_lu/tiled_lu.hpp>

void f(double (&a)[9], double (&p)[3], double (&y)[3]) {
    shoal::tiled_lu::substitute_inplace(a, p, y);
}
