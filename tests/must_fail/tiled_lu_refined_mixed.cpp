// expect: solve_refined: the room for the factors is not of the type and order of A
#include <shoal/tiled_lu/tiled_lu.hpp>

int f(double (&a)[9], float (&room)[9], int (&p)[3], double (&b)[3], double (&x)[3], double (&r)[3]) {
    return shoal::tiled_lu::solve_refined(a, room, p, b, x, r);
}
