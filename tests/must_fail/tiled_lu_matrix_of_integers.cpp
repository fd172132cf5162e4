// expect: tiled_lu: the elements of A are neither float nor double
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(int (&a)[9], int (&p)[3], double (&y)[3]) {
    return shoal::tiled_lu::solve_inplace(a, p, y);
}
