// expect: SameScalar
#include <shoal/blas/axpy.hpp>

void f(double* p, float* q) {
    axpy(shoal::this_thread(), 1.0, shoal::vector<float, 2>{q}, shoal::vector<double, 2>{p});
}
