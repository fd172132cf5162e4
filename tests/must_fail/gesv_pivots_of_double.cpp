// expect: the pivots are not integers
#include <shoal/lapack/gesv.hpp>

int f(double* a, double* p, double* b) {
    return gesv(shoal::this_thread(), shoal::matrix<double, 3, 3>{a}, shoal::vector<double, 3>{p},
                shoal::vector<double, 3>{b});
}
