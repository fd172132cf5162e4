// expect: posv: say which triangle of A is stored
#include <shoal/lapack/posv.hpp>

void f(double* p, double* q) {
    posv(shoal::this_thread(), shoal::matrix<double, 3, 3>{p}, shoal::vector<double, 3>{q});
}
