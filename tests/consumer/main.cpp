#include <cmath>

#include <shoal/lapack/posv.hpp>

double norm_of(const double* x, int n);

// The solution of [4 2; 2 5] x = (8, 9) is (1.375, 1.25).
int main() {
    double a[4] = {4, 2, 2, 5};
    double b[2] = {8, 9};
    const int info =
        shoal::posv(shoal::this_thread(), lower(shoal::matrix<double, 2, 2>{a}), shoal::vector<double, 2>{b});
    const bool solved = info == 0 && std::abs(b[0] - 1.375) < 1e-14 && std::abs(b[1] - 1.25) < 1e-14;
    return solved && norm_of(b, 2) > 1.8 ? 0 : 1;
}
