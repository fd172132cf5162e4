// expect: gemm: B and C differ in columns
#include <shoal/blas/gemm.hpp>

void f(double* a, double* b, double* c) {
    gemm(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 3>{a}, shoal::matrix<double>{b, 3, 2}, 0.0,
         shoal::matrix<double, 2, 2>{c});
    gemm(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 3>{a}, shoal::matrix<double, 3, 2>{b}, 0.0,
         shoal::matrix<double, 2, 5>{c});
}
