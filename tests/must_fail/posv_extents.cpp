// expect: trs[vm]: T (and B differ in rows|has not as many rows as x has elements)
#include <shoal/lapack/posv.hpp>

void f(double* a, double* b) {
    posv(shoal::this_thread(), lower(shoal::matrix<double, 3, 3>{a}), shoal::vector<double, 4>{b});
}
