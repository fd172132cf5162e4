// expect: riccati_gain: A and K differ in columns
#include <shoal/control/riccati_gain.hpp>

void f(double* x) {
    using state = shoal::matrix<double, 4, 4>;
    riccati_gain(shoal::this_thread(), state{x}, state{x}, shoal::matrix<double, 4, 2>{x},
                 shoal::matrix<double, 2, 2>{x}, 0.0, shoal::matrix<double, 2, 3>{x},
                 shoal::matrix<double, 2, 2>{x}, shoal::matrix<double, 2, 4>{x});
}
