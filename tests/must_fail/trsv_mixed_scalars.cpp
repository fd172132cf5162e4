// expect: trsv: the elements of T and x differ in type
#include <shoal/blas/trsv.hpp>

void f(double* p, float* q) {
    trsv(shoal::this_thread(), lower(shoal::matrix<double, 3, 3>{p}), shoal::vector<float, 3>{q});
}
