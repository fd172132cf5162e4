// expect: (ignoring return value|nodiscard)
// flags: -Werror=unused-result
#include <shoal/compat/tdls.hpp>

void f(double* a, int* piv) {
    tdls::TiledLUppSolverStatic<double, 2>::factorize<false, false>(a, 1, piv, 1);
}
