// expect: gemm writes C, but its elements are const
#include <shoal/blas/gemm.hpp>

void f(double* a, const double* c) {
    const shoal::matrix<double, 2, 2> A{a};
    gemm(shoal::this_thread(), 1.0, A, A, 0.0, shoal::matrix<const double, 2, 2>{c});
}
