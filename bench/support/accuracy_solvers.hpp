#pragma once

#include "accuracy_families.hpp"

#include <type_traits>
#include <vector>

#include <shoal/tiled_lu/tiled_lu.hpp>

extern "C" {
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
void sgesv_(const int*, const int*, float*, const int*, int*, float*, const int*, int*);
}

/// \file
/// Two solutions of one of the systems whose errors are compared.

namespace shoal::bench {

/// What a solver says of a system.
template <class T>
struct solution {
    std::vector<T> x;
    std::vector<int> pivots;
    int info;
};

/// By LAPACK's gesv.
template <class T>
solution<T> with_lapack(const system_of<T>& s) {
    std::vector<T> a(s.a.size());
    for (int i = 0; i < s.n; ++i)
        for (int j = 0; j < s.n; ++j) a[s.at(j, i)] = s.a[s.at(i, j)];
    solution<T> out{s.b, std::vector<int>(s.b.size()), 0};
    const int one = 1;
    if constexpr (std::is_same_v<T, double>) {
        dgesv_(&s.n, &one, a.data(), &s.n, out.pivots.data(), out.x.data(), &s.n, &out.info);
    } else {
        sgesv_(&s.n, &one, a.data(), &s.n, out.pivots.data(), out.x.data(), &s.n, &out.info);
    }
    return out;
}

/// By the tiled LU solver.
template <auto Config, class T>
solution<T> with_shoal(const system_of<T>& s) {
    auto a = s.a;
    solution<T> out{s.b, std::vector<int>(s.b.size()), 0};
    using tiled_lu::strided;
    out.info = tiled_lu::solve_inplace<Config>(tiled_lu::of_order(strided<1>(a.data()), s.n),
                                               strided<1>(out.pivots.data()), strided<1>(out.x.data()));
    return out;
}

}  // namespace shoal::bench
