// expect: no matching function for call to .transposed
#include <shoal/view/matrix.hpp>

void f(double* p) {
    transposed(shoal::vector<double, 3>{p});
}
