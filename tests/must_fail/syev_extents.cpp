// expect: syev: A and V differ in rows
#include <shoal/lapack/syev.hpp>

void f(double* x) {
    syev(shoal::this_thread(), symmetric_lower(shoal::matrix<double, 3, 3>{x}), shoal::vector<double, 3>{x},
         shoal::matrix<double, 4, 4>{x}, x);
}
