// expect: getrf: A is not square
#include <shoal/lapack/getrf.hpp>

void f(double* a, int* p) {
    getrf(shoal::this_thread(), shoal::matrix<double, 3, 2>{a}, shoal::vector<int, 3>{p});
}
