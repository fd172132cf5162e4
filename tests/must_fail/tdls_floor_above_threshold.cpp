// expect: singular_floor must not exceed oot_pivot_threshold
#include <shoal/compat/tdls.hpp>

using config = tdls::TiledLUppConfig<double>;

bool f(double* a, int* piv) {
    using solver =
        tdls::TiledLUppSolverStatic<double, 4, config{.oot_pivot_threshold = 1e-10, .singular_floor = 1e-9}>;
    return solver::factorize<false, false>(a, 1, piv, 1);
}
