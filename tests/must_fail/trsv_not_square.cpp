// expect: trsv: T is not square
#include <shoal/blas/trsv.hpp>

void f(double* t, double* x) {
    trsv(shoal::this_thread(), upper(shoal::matrix<double, 3, 4>{t}), shoal::vector<double, 3>{x});
}
