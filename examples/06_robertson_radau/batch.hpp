#pragma once

// The cells that the example integrates, where their systems can lie, and what must be true of the results.

#include "../harness.hpp"
#include "model.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace robertson {

namespace lu = shoal::tiled_lu;

inline constexpr double end = 1e11;
inline constexpr int cell_count = 256;

/// Cell 0 has the rates of the literature; the others are at temperatures up to 60 degrees away, each rate by a law of its own.
inline std::vector<rates> all_cells() {
    std::vector<rates> cells;
    for (int c = 0; c < cell_count; ++c) {
        const double distance = c * (1.0 / 300 - 1.0 / 360) / cell_count;
        cells.push_back({0.04 * std::exp(3000 * distance), 1e4 * std::exp(500 * distance),
                         3e7 * std::exp(1500 * distance)});
    }
    return cells;
}

/// The operands in arrays of the calling thread.
SHOAL_FN outcome integrate_in_arrays(const rates& k) {
    double a[unknowns * unknowns], z[unknowns];
    int pivots[unknowns];
    return integrate(k, end, {}, lu::of_order<unknowns>(lu::local(a)), lu::local(pivots), lu::local(z));
}

/// The operands of all cells interleaved in memory, entry e of cell c at e * count + c: neighbouring threads of a GPU then read
/// neighbouring numbers.
SHOAL_FN outcome integrate_interleaved(const rates& k, int c, int count, double* a, int* pivots, double* z) {
    return integrate(k, end, {}, lu::of_order<unknowns>(lu::strided(a + c, count)),
                     lu::strided(pivots + c, count), lu::strided(z + c, count));
}

struct verdict {
    double error;  // of cell 0 against the published solution, relative
    double mass;   // largest distance of y1 + y2 + y3 from 1
    bool good;
};

inline verdict judge(const std::vector<outcome>& results) {
    constexpr double published[species] = {2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050};
    verdict found{0, 0, true};
    for (int r = 0; r < species; ++r)
        found.error = harness::worse(found.error, std::fabs(results[0].y[r] / published[r] - 1));
    for (const outcome& result : results) {
        const double mass = std::fabs(result.y[0] + result.y[1] + result.y[2] - 1);
        found.mass = harness::worse(found.mass, mass);
        found.good = found.good && result.good && mass < 1e-10;
    }
    found.good = found.good && found.error < 1e-8;
    return found;
}

inline bool same_bits(const std::vector<outcome>& one, const std::vector<outcome>& other) {
    bool same = one.size() == other.size();
    for (std::size_t c = 0; same && c < one.size(); ++c) {
        same = std::memcmp(one[c].y, other[c].y, sizeof one[c].y) == 0 && one[c].steps == other[c].steps &&
               one[c].iterations == other[c].iterations;
    }
    return same;
}

}  // namespace robertson
