// expect: gemv: A has not as many columns as x has elements
#include <shoal/blas/gemv.hpp>

void f(double* a, double* x, double* y) {
    gemv(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 3>{a}, shoal::vector<double, 2>{x}, 0.0,
         shoal::vector<double, 2>{y});
}
