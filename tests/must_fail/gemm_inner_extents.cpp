// expect: gemm: A has not as many columns as B has rows
#include <shoal/blas/gemm.hpp>

void f(double* a, double* b, double* c) {
    gemm(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 3>{a}, shoal::matrix<double, 4, 2>{b}, 0.0,
         shoal::matrix<double, 2, 2>{c});
}
