// expect: potrf: A is not square
#include <shoal/lapack/potrf.hpp>

void f(double* p) {
    potrf(shoal::this_thread(), lower(shoal::matrix<double, 3, 4>{p}));
}
