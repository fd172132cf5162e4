// expect: syrk: A and C differ in rows
#include <shoal/blas/syrk.hpp>

void f(double* a, double* c) {
    syrk(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 3>{a}, 0.0,
         symmetric_lower(shoal::matrix<double, 3, 3>{c}));
}
