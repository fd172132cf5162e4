// expect: ldlt: A is not square
#include <shoal/lapack/ldlt.hpp>

void f(double* x, int* p) {
    ldlt(shoal::this_thread(), symmetric_lower(shoal::matrix<double, 3, 4>{x}), shoal::vector<int, 3>{p});
}
