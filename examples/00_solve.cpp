// One small symmetric positive definite system, factored and solved in place by the calling thread.
#include <cmath>
#include <cstdio>

#include <shoal/shoal.hpp>

int main() {
    // Column by column; posv reads the lower triangle alone.
    double a[] = {4, 2, 0,  //
                  2, 5, 1,  //
                  0, 1, 6};
    double b[] = {8, 15, 20};

    auto A = shoal::matrix<double, 3, 3>{a};
    auto x = shoal::vector<double, 3>{b};
    const int info = shoal::posv(shoal::this_thread(), lower(A), x);

    std::printf("info %d, x = %g %g %g\n", info, x(0), x(1), x(2));
    const bool right = info == 0 && std::fabs(x(0) - 1) < 1e-15 && std::fabs(x(1) - 2) < 1e-15 &&
                       std::fabs(x(2) - 3) < 1e-15;
    return right ? 0 : 1;
}
