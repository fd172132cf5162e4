// expect: axpy: x and y differ in size
#include <shoal/blas/axpy.hpp>

void f(double* x) {
    axpy(shoal::this_thread(), 1.0, shoal::vector<double, 3>{x}, shoal::vector<double, 4>{x});
}
