// expect: singular_floor must be positive
#include <shoal/compat/tdls.hpp>

using config = tdls::TiledLUppConfig<float>;

bool f(int n, float* a, int* piv) {
    using solver = tdls::TiledLUppSolverDynamic<float, config{.singular_floor = 0}>;
    return solver::factorize(n, a, 1, piv, 1);
}
