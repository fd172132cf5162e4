/// Backward errors of the tiled LU solver over families of matrices, beside LAPACK's gesv on the same systems. Prints the
/// rows of bench/results/cpu/tiled_lu_accuracy.csv; the same on every machine but for LAPACK's own rounding.
///
/// usage: bench_tiled_lu_accuracy [SAMPLES]

#include "accuracy_solvers.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace shoal;
using bench::solution;
using bench::system_of;
using bench::with_lapack;
using bench::with_shoal;

template <class T>
solution<T> with_refinement(const system_of<T>& s) {
    auto f = s.a;
    auto r = s.b;
    solution<T> out{s.b, std::vector<int>(s.b.size()), 0};
    using tiled_lu::strided;
    out.info =
        tiled_lu::solve_refined(tiled_lu::of_order(strided<1>(s.a.data()), s.n),
                                tiled_lu::of_order(strided<1>(f.data()), s.n), strided<1>(out.pivots.data()),
                                strided<1>(s.b.data()), strided<1>(out.x.data()), strided<1>(r.data()));
    return out;
}

template <class T>
void run(const char* type, int samples) {
    constexpr tiled_lu::config<T> untouched;
    constexpr tiled_lu::config<T> threshold{.pivot_search = tiled_lu::search::column};
    constexpr tiled_lu::config<T> in_tile{.pivot_search = tiled_lu::search::tile};
    struct method {
        const char* name;
        solution<T> (*solve)(const system_of<T>&);
    };
    const method methods[] = {{"lapack", with_lapack<T>},
                              {"suggest", with_shoal<tiled_lu::suggest<T, dynamic>, T>},
                              {"default", with_shoal<untouched, T>},
                              {"threshold_0.1", with_shoal<threshold, T>},
                              {"in_tile", with_shoal<in_tile, T>},
                              {"refined", with_refinement<T>}};
    for (const auto& family : bench::families<T>()) {
        for (const int n : {1, 2, 3, 4, 7, 8, 12, 20, 33, 64, 128}) {
            if (n < family.smallest) continue;
            std::vector<system_of<T>> systems;
            for (int k = 0; k < samples; ++k) systems.push_back(family.make(n, k));
            for (const auto& m : methods) {
                std::vector<double> errors;
                int failed = 0;
                for (const auto& s : systems) {
                    const auto found = m.solve(s);
                    if (found.info != 0)
                        ++failed;
                    else
                        errors.push_back(s.backward_error(found.x));
                }
                std::sort(errors.begin(), errors.end(),
                          [](double a, double b) { return a < b || (b != b && a == a); });
                const double median = errors.empty() ? 0 : errors[errors.size() / 2];
                const double most = errors.empty() ? 0 : errors.back();
                std::printf("%s,%s,%d,%s,%d,%d,%.3g,%.3g\n", type, family.name.c_str(), n, m.name, samples,
                            failed, median, most);
            }
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int samples = count > 1 ? std::atoi(arguments[1]) : 20;
    std::printf("type,family,n,solver,samples,failed,median,maximum\n");
    run<double>("f64", samples);
    run<float>("f32", samples);
}
