// expect: tiled_lu: the elements of A and of a right-hand side differ in type
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double (&a)[9], int (&p)[3], float (&y)[3]) {
    return shoal::tiled_lu::solve_inplace(a, p, y);
}
