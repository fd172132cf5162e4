// expect: posv: A has not as many rows as B has elements
#include <shoal/lapack/posv.hpp>

void f(double* a, double* b) {
    posv(shoal::this_thread(), lower(shoal::matrix<double, 3, 3>{a}), shoal::vector<double, 4>{b});
}
