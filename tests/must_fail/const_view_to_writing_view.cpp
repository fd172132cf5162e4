// expect: (could not convert|no viable conversion)
#include <shoal/view/matrix.hpp>

shoal::matrix<double, 2, 2> f(shoal::matrix<const double, 2, 2> a) {
    return a;
}
