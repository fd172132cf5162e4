// expect: a static extent is at least 1
#include <shoal/view/matrix.hpp>

shoal::matrix<double, 0, 3> empty(double* p) {
    return shoal::matrix<double, 0, 3>{p};
}
