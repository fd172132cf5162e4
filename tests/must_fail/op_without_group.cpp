// expect: no matching function for call to .gemm
#include <shoal/blas/gemm.hpp>

void f(double* p) {
    const shoal::matrix<double, 2, 2> A{p};
    shoal::gemm(1.0, A, A, 0.0, A);
}
