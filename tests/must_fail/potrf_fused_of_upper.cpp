// expect: systems\(m\) must be a lower triangle
#include <shoal/lapack/fused.hpp>

void f(double* x, int* info) {
    const auto systems = [=](int) { return upper(shoal::matrix<double, 3, 3>{x}); };
    potrf_fused(shoal::this_thread(), 1, systems, shoal::vector<int, 1>{info});
}
