// expect: posv: the elements of A and B differ in type
#include <shoal/lapack/posv.hpp>

void f(double* p, float* q) {
    posv(shoal::this_thread(), lower(shoal::matrix<double, 3, 3>{p}), shoal::vector<float, 3>{q});
}
