// expect: gemm: the elements of A, B and C differ in type
#include <shoal/blas/gemm.hpp>

void f(double* p, float* q) {
    const shoal::matrix<double, 2, 2> A{p};
    const shoal::matrix<float, 2, 2> B{q};
    gemm(shoal::this_thread(), 1.0, A, B, 0.0, A);
}
