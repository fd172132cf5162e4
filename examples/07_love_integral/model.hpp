#pragma once

// Love's integral equation, whose solution gives the capacity of two discs at distance d, on a grid of n points:
//
//   u(x) - integral of K(x - y) u(y) dy over [-1, 1] = f(x),   K(t) = d / (pi (d^2 + t^2))
//
// Nystroem's method with the trapezoid rule makes it a dense system (I - K W) u = f, whose n is known at run time only. It is
// solved for two right-hand sides at once: f = 1, which is the discs, and one made so that the solution is known.

#include <shoal/core/math.hpp>
#include <shoal/tiled_lu/tiled_lu.hpp>

namespace love {

inline constexpr double pi = 3.14159265358979323846;

struct outcome {
    double capacity;  // integral of u / 2 of the first solution
    double error;     // of the second one, which is known
    int info;
};

SHOAL_FN double point(int n, int i) {
    return -1 + 2.0 * i / (n - 1);
}
SHOAL_FN double weight(int n, int i) {
    return (i == 0 || i == n - 1 ? 1.0 : 2.0) / (n - 1);
}
SHOAL_FN double kernel(double d, double t) {
    return d / (pi * (d * d + t * t));
}
SHOAL_FN double known_solution(double x) {
    return (1 + x) / (2 + x * x);
}

/// A (n x n), pivots (n) and U (n x 2, column by column) are operands, wherever their elements lie.
template <class Matrix, class Pivots, class Columns>
SHOAL_FN outcome solve(int n, double d, const Matrix& A, const Pivots& pivots, const Columns& U) {
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            const double w = weight(n, j) * kernel(d, point(n, i) - point(n, j));
            A(i, j) = (i == j ? 1 : 0) - w;
            sum += w * known_solution(point(n, j));
        }
        U(i, 0) = 1;
        U(i, 1) = known_solution(point(n, i)) - sum;
    }

    const int info = shoal::tiled_lu::solve_inplace(A, pivots, U);

    outcome result{0, 0, info};
    for (int i = 0; i < n; ++i) {
        result.capacity += weight(n, i) * U(i, 0) / 2;
        const double error = shoal::core::abs(U(i, 1) - known_solution(point(n, i)));
        if (error != error || error > result.error) result.error = error;  // NaN, once there, stays
    }
    return result;
}

}  // namespace love
