// expect: axpby writes y, but its elements are const
#include <shoal/blas/axpby.hpp>

void f(const double* x) {
    axpby(shoal::this_thread(), 1.0, shoal::vector<const double, 3>{x}, 1.0,
          shoal::vector<const double, 3>{x});
}
