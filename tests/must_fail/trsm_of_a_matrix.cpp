// expect: trsm: say which triangle of T to take
#include <shoal/blas/trsm.hpp>

void f(double* p, double* q) {
    trsm(shoal::this_thread(), shoal::matrix<double, 3, 3>{p}, shoal::matrix<double, 3, 2>{q});
}
