// A batch of cells in which stiff kinetics run at different temperatures: one small solver per cell, on whatever runs the loop.
#include "../harness.hpp"
#include "batch.hpp"

#include <cstdio>
#include <vector>

int main() {
    const std::vector<robertson::rates> cells = robertson::all_cells();
    const int count = static_cast<int>(cells.size());
    std::vector<robertson::outcome> results(cells.size()), reference;
    bool right = true;
    const auto check = [&](const char* name, double time) {
        if (reference.empty()) reference = results;
        const robertson::verdict found = robertson::judge(results);
        const bool good = found.good && robertson::same_bits(results, reference);
        right = harness::line(name, time, found.error, good) && right;
    };

    const auto integrate = [&](int c) {
        const auto cell = static_cast<std::size_t>(c);
        results[cell] = robertson::integrate_in_arrays(cells[cell]);
    };
    harness::on_all([&](const char* name, const auto& loop) {
        check(name, harness::milliseconds([&] { loop(count, integrate); }));
    });

    // Elsewhere in memory, the same bits.
    std::vector<double> a(cells.size() * robertson::unknowns * robertson::unknowns);
    std::vector<double> z(cells.size() * robertson::unknowns);
    std::vector<int> pivots(cells.size() * robertson::unknowns);
    const double time = harness::milliseconds([&] {
        harness::sequential(count, [&](int c) {
            const auto cell = static_cast<std::size_t>(c);
            results[cell] =
                robertson::integrate_interleaved(cells[cell], c, count, a.data(), pivots.data(), z.data());
        });
    });
    check("sequential, SoA", time);

    std::printf("%d cells, mass off by %.1e; cell 0: %d steps, %d rejected, %d iterations\n", count,
                robertson::judge(reference).mass, reference[0].steps, reference[0].rejected,
                reference[0].iterations);
    return right ? 0 : 1;
}
