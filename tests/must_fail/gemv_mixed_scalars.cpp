// expect: gemv: the elements of A, x and y differ in type
#include <shoal/blas/gemv.hpp>

void f(double* p, float* q) {
    const shoal::vector<float, 2> x{q};
    gemv(shoal::this_thread(), 1.0, shoal::matrix<double, 2, 2>{p}, x, 0.0, x);
}
