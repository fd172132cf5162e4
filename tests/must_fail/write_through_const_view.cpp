// expect: (assignment of read-only location|cannot assign to return value)
#include <shoal/view/matrix.hpp>

void f(double* p) {
    const shoal::matrix<const double, 2, 2> a = shoal::matrix<double, 2, 2>{p};
    a(0, 0) = 1;
}
