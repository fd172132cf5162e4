// expect: syrk: say which triangle of C is stored
#include <shoal/blas/syrk.hpp>

void f(double* p, double* q) {
    const shoal::matrix<double, 3, 3> A{p}, C{q};
    syrk(shoal::this_thread(), 1.0, A, 0.0, C);
}
