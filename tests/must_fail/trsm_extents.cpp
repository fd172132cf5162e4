// expect: trsm: T and B differ in rows
#include <shoal/blas/trsm.hpp>

void f(double* t, double* b) {
    trsm(shoal::this_thread(), upper(shoal::matrix<double, 3, 3>{t}), shoal::matrix<double, 4, 2>{b});
}
