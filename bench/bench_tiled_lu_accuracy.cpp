/// Backward errors of the tiled LU solver over families of matrices, beside LAPACK's gesv on the same systems. Prints the
/// rows of bench/results/cpu/tiled_lu_accuracy.csv; the same on every machine but for LAPACK's own rounding.
///
/// usage: bench_tiled_lu_accuracy [SAMPLES]

#include "accuracy_families.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <shoal/tiled_lu/tiled_lu.hpp>

extern "C" {
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
void sgesv_(const int*, const int*, float*, const int*, int*, float*, const int*, int*);
}

namespace {

using namespace shoal;
using bench::system_of;

int gesv(int n, double* a, int* pivots, double* x) {
    const int one = 1;
    int info = 0;
    dgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    return info;
}
int gesv(int n, float* a, int* pivots, float* x) {
    const int one = 1;
    int info = 0;
    sgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    return info;
}

template <class T>
std::vector<T> with_lapack(const system_of<T>& s, int& info) {
    std::vector<T> a(s.a.size());
    for (int i = 0; i < s.n; ++i)
        for (int j = 0; j < s.n; ++j) a[s.at(j, i)] = s.a[s.at(i, j)];
    auto x = s.b;
    std::vector<int> pivots(s.b.size());
    info = gesv(s.n, a.data(), pivots.data(), x.data());
    return x;
}

template <auto Config, class T>
std::vector<T> with_shoal(const system_of<T>& s, int& info) {
    auto a = s.a;
    auto x = s.b;
    std::vector<int> pivots(s.b.size());
    using tiled_lu::strided;
    info = tiled_lu::solve_inplace<Config>(tiled_lu::of_order(strided<1>(a.data()), s.n),
                                           strided<1>(pivots.data()), strided<1>(x.data()));
    return x;
}

template <class T>
std::vector<T> with_refinement(const system_of<T>& s, int& info) {
    auto f = s.a;
    auto x = s.b;
    auto r = s.b;
    std::vector<int> pivots(s.b.size());
    using tiled_lu::strided;
    info = tiled_lu::solve_refined(tiled_lu::of_order(strided<1>(s.a.data()), s.n),
                                   tiled_lu::of_order(strided<1>(f.data()), s.n), strided<1>(pivots.data()),
                                   strided<1>(s.b.data()), strided<1>(x.data()), strided<1>(r.data()));
    return x;
}

template <class T>
void run(const char* type, int samples) {
    constexpr tiled_lu::config<T> untouched;
    constexpr tiled_lu::config<T> threshold{.pivot_search = tiled_lu::search::column};
    constexpr tiled_lu::config<T> in_tile{.pivot_search = tiled_lu::search::tile};
    struct method {
        const char* name;
        std::vector<T> (*solve)(const system_of<T>&, int&);
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
                    int info = 0;
                    const auto x = m.solve(s, info);
                    if (info != 0)
                        ++failed;
                    else
                        errors.push_back(s.backward_error(x));
                }
                std::sort(errors.begin(), errors.end(), [](double a, double b) { return a < b || b != b; });
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
