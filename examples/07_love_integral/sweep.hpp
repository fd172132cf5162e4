#pragma once

// The systems of the example, grids of several sizes for a sweep of distances, where they can lie, and what must be true of the
// results.

#include "../harness.hpp"
#include "model.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace love {

namespace lu = shoal::tiled_lu;

struct task {
    int n;
    double distance;
};

/// Every n for each of `distances` distances from 0.5 to 2.
inline std::vector<task> sweep(std::initializer_list<int> sizes, int distances) {
    std::vector<task> tasks;
    for (const int n : sizes) {
        for (int k = 0; k < distances; ++k) tasks.push_back({n, 0.5 + 1.5 * k / (distances - 1)});
    }
    return tasks;
}

/// The elements of each operand one after the other.
SHOAL_FN outcome solve_packed(const task& t, double* a, int* pivots, double* u) {
    return solve(t.n, t.distance, lu::of_order(lu::strided<1>(a), t.n), lu::strided<1>(pivots),
                 lu::columns<2>(lu::strided<1>(u), t.n));
}

/// The operands of `count` systems of one size interleaved, element e of system s at e * count + s.
SHOAL_FN outcome solve_interleaved(const task& t, int s, std::int64_t count, double* a, int* pivots,
                                   double* u) {
    return solve(t.n, t.distance, lu::of_order(lu::strided(a + s, count), t.n),
                 lu::strided(pivots + s, count), lu::columns<2>(lu::strided(u + s, count), t.n * count));
}

/// In memory that is allocated for one system.
inline outcome solve_allocated(const task& t) {
    const auto n = static_cast<std::size_t>(t.n);
    std::vector<double> a(n * n), u(2 * n);
    std::vector<int> pivots(n);
    return solve_packed(t, a.data(), pivots.data(), u.data());
}

struct verdict {
    double error;
    bool good;
};

inline verdict judge(const std::vector<outcome>& results) {
    verdict found{0, true};
    for (const outcome& result : results) {
        found.error = harness::worse(found.error, result.error);
        found.good = found.good && result.info == 0 && result.error < 1e-12;
    }
    return found;
}

inline bool same_bits(const std::vector<outcome>& one, const std::vector<outcome>& other) {
    bool same = one.size() == other.size();
    for (std::size_t s = 0; same && s < one.size(); ++s) {
        same = std::memcmp(&one[s].capacity, &other[s].capacity, sizeof(double)) == 0 &&
               std::memcmp(&one[s].error, &other[s].error, sizeof(double)) == 0;
    }
    return same;
}

}  // namespace love
