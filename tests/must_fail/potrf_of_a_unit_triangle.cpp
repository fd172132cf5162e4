// expect: no matching function for call to .potrf
#include <shoal/lapack/potrf.hpp>

void f(double* p) {
    potrf(shoal::this_thread(), unit_lower(shoal::matrix<double, 3, 3>{p}));
}
