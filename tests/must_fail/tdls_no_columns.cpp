// expect: TiledLUppSolverStatic: nrhs must be at least 1
#include <shoal/compat/tdls.hpp>

void f(const double* a, const int* piv, double* x) {
    using solver = tdls::TiledLUppSolverStatic<double, 4>;
    solver::substitute_inplace_multirhs<0, false, false, false>(a, 1, piv, 1, x, 1, 4);
}
