// expect: potrf: say which triangle of A is stored
#include <shoal/lapack/potrf.hpp>

void f(double* p) {
    potrf(shoal::this_thread(), shoal::matrix<double, 3, 3>{p});
}
