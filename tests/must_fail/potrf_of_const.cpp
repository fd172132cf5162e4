// expect: potrf writes A, but its elements are const
#include <shoal/lapack/potrf.hpp>

void f(const double* p) {
    potrf(shoal::this_thread(), lower(shoal::matrix<const double, 3, 3>{p}));
}
