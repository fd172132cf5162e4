#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// \file
/// Families of linear systems that tell methods of pivoting apart.

namespace shoal::bench {

/// A x = b of order n, A row after row.
template <class T>
struct system_of {
    int n;
    std::vector<T> a;
    std::vector<T> b;

    std::size_t at(int i, int j) const {
        return static_cast<std::size_t>(i) * b.size() + static_cast<std::size_t>(j);
    }

    /// ||b - A x|| / (||A|| ||x|| + ||b||) in the largest norm, evaluated in long double. NaN stays NaN.
    double backward_error(const std::vector<T>& x) const {
        long double residual = 0;
        long double norm_a = 0;
        long double norm_x = 0;
        long double norm_b = 0;
        bool broken = false;
        for (int i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            long double r = b[k];
            long double sum = 0;
            for (int j = 0; j < n; ++j) {
                r -= static_cast<long double>(a[at(i, j)]) *
                     static_cast<long double>(x[static_cast<std::size_t>(j)]);
                sum += std::abs(static_cast<long double>(a[at(i, j)]));
            }
            broken = broken || !(std::abs(r) <= std::numeric_limits<long double>::max());
            residual = std::max(residual, std::abs(r));
            norm_a = std::max(norm_a, sum);
            norm_x = std::max(norm_x, std::abs(static_cast<long double>(x[k])));
            norm_b = std::max(norm_b, std::abs(static_cast<long double>(b[k])));
        }
        if (broken) return std::numeric_limits<double>::quiet_NaN();
        return residual == 0 ? 0 : static_cast<double>(residual / (norm_a * norm_x + norm_b));
    }
};

/// Numbers that are the same everywhere: splitmix64.
class numbers {
  public:
    explicit numbers(int seed) : state_(static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15u + 977) {}
    /// In [-1, 1).
    double next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
    }

  private:
    std::uint64_t state_;
};

template <class T>
struct family {
    std::string name;
    int smallest;
    std::function<system_of<T>(int n, int sample)> make;
};

/// A of entry(i, j, r), and b such that every row is as for a solution between 1/2 and 3/2.
template <class T, class F>
system_of<T> build(int n, int sample, F entry) {
    numbers r(sample * 1000 + n);
    const auto size = static_cast<std::size_t>(n);
    system_of<T> s{n, std::vector<T>(size * size), std::vector<T>(size)};
    for (int i = 0; i < n; ++i) {
        long double sum = 0;
        for (int j = 0; j < n; ++j) {
            const T value = static_cast<T>(entry(i, j, r));
            s.a[s.at(i, j)] = value;
            sum += static_cast<long double>(value) * (1 + r.next() / 2);
        }
        s.b[static_cast<std::size_t>(i)] = static_cast<T>(sum);
    }
    return s;
}

template <class T>
std::vector<family<T>> families() {
    // What may be scaled by without leaving the range of T during elimination.
    const int far = std::is_same_v<T, double> ? 900 : 100;
    std::vector<family<T>> all;
    const auto add = [&](std::string name, int smallest, auto entry) {
        all.push_back({name, smallest, [entry](int n, int sample) {
                           return build<T>(n, sample,
                                           [&](int i, int j, numbers& r) { return entry(n, i, j, r); });
                       }});
    };
    const auto random = [](int, int, int, numbers& r) { return r.next(); };
    add("random", 1, random);
    add("random with a dominant diagonal", 1,
        [](int n, int i, int j, numbers& r) { return i == j ? n + r.next() : r.next(); });
    add("leading tile scaled by 1e-8", 4,
        [](int, int i, int j, numbers& r) { return r.next() * (i < 3 && j < 3 ? 1e-8 : 1); });
    add("leading tile of 4 scaled by 1e-4", 5,
        [](int, int i, int j, numbers& r) { return r.next() * (i < 4 && j < 4 ? 1e-4 : 1); });
    add("leading tile zero", 7,
        [](int, int i, int j, numbers& r) { return r.next() * (i < 3 && j < 3 ? 0 : 1); });
    add("diagonal tiles scaled by 1e-6", 4,
        [](int, int i, int j, numbers& r) { return r.next() * (i / 3 == j / 3 ? 1e-6 : 1); });
    add("growth", 2, [](int n, int i, int j, numbers&) {
        return i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0;
    });
    add("growth from below", 2, [](int n, int p, int j, numbers&) {
        const int i = n - 1 - p;
        return i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0;
    });
    add("growth perturbed", 2, [](int n, int i, int j, numbers& r) {
        return (i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0) + 0.01 * r.next();
    });
    add("saddle point with zero diagonal", 3, [](int n, int i, int j, numbers& r) {
        const int m = n - n / 3;
        const double x = r.next();
        return i == j || (i >= m && j >= m) ? 0.0 : x;
    });
    add("zero diagonal", 2, [](int, int i, int j, numbers& r) { return i == j ? 0.0 * r.next() : r.next(); });
    add("rows graded up", 2, [](int n, int i, int, numbers& r) { return std::ldexp(r.next(), 60 * i / n); });
    add("rows graded down", 2,
        [](int n, int i, int, numbers& r) { return std::ldexp(r.next(), -60 * i / n); });
    add("columns graded", 2, [](int n, int, int j, numbers& r) { return std::ldexp(r.next(), -60 * j / n); });
    add("graded both ways", 2,
        [](int n, int i, int j, numbers& r) { return std::ldexp(r.next(), 30 * (i + j) / n - 30); });
    add("rows at random scales", 2, [far](int, int i, int, numbers& r) {
        numbers scale(i + 77);
        return std::ldexp(r.next(), static_cast<int>(scale.next() * far / 2));
    });
    add("scaled far up", 1, [far](int, int, int, numbers& r) { return std::ldexp(r.next(), far); });
    add("scaled far down", 1, [far](int, int, int, numbers& r) { return std::ldexp(r.next(), -far); });
    add("leading tile 1e-8 scaled far down", 4, [far](int, int i, int j, numbers& r) {
        return std::ldexp(r.next() * (i < 3 && j < 3 ? 1e-8 : 1), -far);
    });
    add("mostly zeros", 3, [](int n, int i, int j, numbers& r) {
        const double keep = r.next();
        const double x = r.next();
        return i == j ? x : keep > 1 - 8.0 / n ? x : (j == (i + 1) % n ? x : 0.0);
    });
    add("nearly singular", 2, [](int n, int i, int j, numbers& r) {
        return 1.0 / (i + j + 1) + (n > 8 ? 1e-10 : 1e-14) * r.next();
    });
    return all;
}

}  // namespace shoal::bench
