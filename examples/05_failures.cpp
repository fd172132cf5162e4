// What went wrong is a number, LAPACK's info: never an exception, never silence.
#include <cmath>
#include <cstdio>
#include <limits>

#include <shoal/shoal.hpp>

int main() {
    const auto me = shoal::this_thread();
    const double nan = std::numeric_limits<double>::quiet_NaN();

    // Indefinite: the second leading minor is 1 * 1 - 2 * 2 < 0.
    double indefinite[] = {1, 2, 2, 1};
    const int second = shoal::potrf(me, lower(shoal::matrix<double, 2, 2>{indefinite}));

    // NaN counts as a bad pivot; it never passes as success.
    double poisoned[] = {1, 0, 0, 0, nan, 0, 0, 0, 1};
    const int poisoned_pivot = shoal::potrf(me, lower(shoal::matrix<double, 3, 3>{poisoned}));

    // Only the named triangle is read: NaN in the other one does no harm.
    double half[] = {4, 2, nan, 5};
    const int fine = shoal::potrf(me, lower(shoal::matrix<double, 2, 2>{half}));

    // A singular matrix: its second pivot is exactly zero, and the right-hand side is left alone.
    double singular[] = {2, 1, 4, 2};
    double b[] = {1, 1};
    int pivots[2];
    const int zero = shoal::gesv(me, shoal::matrix<double, 2, 2>{singular}, shoal::vector<int, 2>{pivots},
                                 shoal::matrix<double, 2, 1>{b});

    std::printf("info: indefinite %d, NaN %d, NaN in the other triangle %d, singular %d\n", second,
                poisoned_pivot, fine, zero);
    const bool right = second == 2 && poisoned_pivot == 2 && fine == 0 && half[0] == 2 && half[1] == 1 &&
                       half[3] == 2 && std::isnan(half[2]) && zero == 2 && b[0] == 1 && b[1] == 1;
    return right ? 0 : 1;
}
