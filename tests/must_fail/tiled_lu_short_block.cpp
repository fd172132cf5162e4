// expect: tiled_lu: a vector is shorter than the order of A
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double (&a)[9], int (&p)[3], double* y) {
    return shoal::tiled_lu::solve_inplace(a, p, shoal::matrix<double, 2, 4>{y});
}
