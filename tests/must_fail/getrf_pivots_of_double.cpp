// expect: getrf: the pivots are not integers
#include <shoal/lapack/getrf.hpp>

int f(double* a, double* p) {
    return getrf(shoal::this_thread(), shoal::matrix<double, 3, 3>{a}, shoal::vector<double, 3>{p});
}
