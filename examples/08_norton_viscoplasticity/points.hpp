#pragma once

// The material points of the example with their loading, where their systems can lie, and what must be true of the results.

#include "../harness.hpp"
#include "model.hpp"

#include <cmath>
#include <vector>

namespace norton {

namespace lu = shoal::tiled_lu;

inline constexpr int point_count = 2000;
inline constexpr int step_count = 10;
inline constexpr double step_length = 0.5;

/// Strain per step: every point is drawn and sheared at another rate; in the second half it is held and relaxes.
SHOAL_FN void loading(int point, int step, double* strain_increment) {
    const double strength = step < step_count / 2 ? 4e-4 + 8e-7 * point : 0;
    const double direction[components] = {1, -0.4, -0.3, 0.2 + 1e-4 * (point % 100), -0.1, 0.05};
    for (int i = 0; i < components; ++i) strain_increment[i] = strength * direction[i];
}

/// What is known of a point after its last step.
struct history {
    state now;
    outcome last;
    double peak;  // the largest |stress| of all steps
    int iterations;
    bool good;
};

/// All steps of a point.
template <class Matrix, class Pivots, class Vector>
SHOAL_FN history load(const material& m, int point, const Matrix& A, const Pivots& pivots, const Vector& x) {
    history h{{}, {}, 0, 0, true};
    for (int step = 0; step < step_count; ++step) {
        double strain_increment[components];
        loading(point, step, strain_increment);
        h.last = advance(m, h.now, strain_increment, step_length, A, pivots, x);
        h.iterations += h.last.iterations;
        h.good = h.good && h.last.good;
        for (int i = 0; i < components; ++i) {
            const double size = shoal::core::abs(h.last.stress[i]);
            h.peak = size > h.peak ? size : h.peak;
        }
    }
    return h;
}

/// The operands in arrays of the calling thread.
SHOAL_FN history load_in_arrays(const material& m, int point) {
    double a[unknowns * unknowns], x[unknowns];
    int pivots[unknowns];
    return load(m, point, lu::of_order<unknowns>(lu::local(a)), lu::local(pivots), lu::local(x));
}

/// The operands of all points interleaved in memory, entry e of a point at e * count + point: neighbouring threads of a GPU
/// then read neighbouring numbers.
SHOAL_FN history load_interleaved(const material& m, int point, int count, double* a, int* pivots,
                                  double* x) {
    return load(m, point, lu::of_order<unknowns>(lu::strided(a + point, count)),
                lu::strided(pivots + point, count), lu::strided(x + point, count));
}

/// The largest difference of two runs, of stresses and tangents relative to their size; NaN when a run failed.
inline double difference(const std::vector<history>& one, const std::vector<history>& other) {
    double largest = one.size() == other.size() ? 0 : NAN;
    const material m;
    for (std::size_t s = 0; s < one.size() && s < other.size(); ++s) {
        if (!one[s].good || !other[s].good) return NAN;
        for (int i = 0; i < components; ++i) {
            largest = harness::worse(
                largest, std::fabs(one[s].last.stress[i] - other[s].last.stress[i]) / one[s].peak);
            for (int j = 0; j < components; ++j)
                largest = harness::worse(
                    largest, std::fabs(one[s].last.tangent[i][j] - other[s].last.tangent[i][j]) / m.young);
        }
    }
    return largest;
}

}  // namespace norton
