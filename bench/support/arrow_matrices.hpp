#pragma once

/// \file
/// Block-arrow matrices for the benchmark: random ones, the published branch-MPC experiment, and the matrices of a proximal
/// interior-point method on the same scenarios: early, middle, late, of condition 3e4, 1e8, 1e12 at 20 x 30 (it grows with
/// both numbers: 1e5, 6e8, 6e12 at 60 x 60). All n = 16, double.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <shoal/arrow/types.hpp>
#include <shoal/mpc/published.hpp>

namespace shoal_bench {

inline constexpr int block_size = 16;

struct arrow_matrix {
    shoal::arrow::extent size;
    std::vector<double> diagonal, lower, coupling,
        root;  // column-major blocks; both triangles of the diagonal ones

    explicit arrow_matrix(shoal::arrow::extent e) : size(e) {
        const auto M = static_cast<std::size_t>(e.tails), N = static_cast<std::size_t>(e.stages);
        diagonal.resize(M * N * 256);
        lower.resize(M * (N - 1) * 256);
        coupling.resize(M * 256);
        root.resize(256);
    }
    double* D(int i, int k) { return diagonal.data() + (std::int64_t{i} * size.stages + k) * 256; }
    double* E(int i, int k) { return lower.data() + (std::int64_t{i} * (size.stages - 1) + k) * 256; }
    double* C(int i) { return coupling.data() + std::int64_t{i} * 256; }

    /// |K x - b| / (|K| |x| + |b|) in the max norm. Infinity when x is not finite.
    double backward_error(const std::vector<double>& x, const std::vector<double>& b) const {
        std::vector<long double> r(b.begin(), b.end());
        std::vector<double> rows(b.size(), 0.0);
        const auto add = [&](const double* A, std::int64_t to, std::int64_t from, bool transposed) {
            for (int c = 0; c < 16; ++c) {
                const long double xc = x[static_cast<std::size_t>(from + c)];
                for (int row = 0; row < 16; ++row) {
                    const double v = transposed ? A[row * 16 + c] : A[c * 16 + row];
                    r[static_cast<std::size_t>(to + row)] -= v * xc;
                    rows[static_cast<std::size_t>(to + row)] += std::fabs(v);
                }
            }
        };
        const std::int64_t top = std::int64_t{size.tails} * size.stages * 16;
        add(root.data(), top, top, false);
        for (int i = 0; i < size.tails; ++i) {
            const std::int64_t at = std::int64_t{i} * size.stages * 16;
            const double* c = coupling.data() + std::int64_t{i} * 256;
            add(c, top, at, false);
            add(c, at, top, true);
            for (int k = 0; k < size.stages; ++k) {
                add(diagonal.data() + (std::int64_t{i} * size.stages + k) * 256, at + 16 * k, at + 16 * k,
                    false);
                if (k + 1 == size.stages) break;
                const double* e = lower.data() + (std::int64_t{i} * (size.stages - 1) + k) * 256;
                add(e, at + 16 * k + 16, at + 16 * k, false);
                add(e, at + 16 * k, at + 16 * k + 16, true);
            }
        }
        double rm = 0, K = 0, xm = 0, bm = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            const double ri = std::fabs(static_cast<double>(r[i]));
            if (!std::isfinite(ri)) return INFINITY;
            rm = std::max(rm, ri);
            K = std::max(K, rows[i]);
            xm = std::max(xm, std::fabs(x[i]));
            bm = std::max(bm, std::fabs(b[i]));
        }
        return rm / (K * xm + bm);
    }
};

/// Diagonally dominant.
inline arrow_matrix random_arrow(shoal::arrow::extent e, unsigned seed) {
    arrow_matrix a(e);
    std::mt19937_64 g(seed);
    std::uniform_real_distribution<double> u(-0.5, 0.5);
    for (auto* v : {&a.lower, &a.coupling}) {
        for (double& x : *v) x = u(g);
    }
    const auto block = [&](double* A, double shift) {
        for (int c = 0; c < 16; ++c) {
            for (int r = c; r < 16; ++r) A[c * 16 + r] = A[r * 16 + c] = u(g) + (r == c ? shift : 0.0);
        }
    };
    for (int i = 0; i < e.tails; ++i) {
        for (int k = 0; k < e.stages; ++k) block(a.D(i, k), 14.0);
    }
    block(a.root.data(), 6.0 * e.tails + 10.0);
    return a;
}

/// The published experiment, as the library's controller makes it.
inline arrow_matrix published_arrow(shoal::arrow::extent e, unsigned seed) {
    shoal::mpc::published_system made = shoal::mpc::published_experiment(e.tails, e.stages, seed);
    arrow_matrix a(e);
    a.diagonal.swap(made.matrix.diagonal);
    a.lower.swap(made.matrix.lower);
    a.coupling.swap(made.matrix.coupling);
    a.root.swap(made.matrix.root);
    return a;
}

/// K = H + rho I + X + A^T A / delta + G^T Z G. Stage t is (x_t, u_t), the root is (x_0, u_0). A quarter of the
/// inequalities is active, with slacks of about mu.
inline arrow_matrix interior_point_arrow(shoal::arrow::extent e, unsigned seed, double rho, double delta,
                                         double mu) {
    arrow_matrix a(e);
    std::mt19937_64 g(seed);
    std::uniform_real_distribution<double> u(0.5, 1.5);
    const double stiff = 1 / delta;
    const auto weight = [&] {
        const bool active = u(g) < 0.75;
        const double s = active ? mu * u(g) : u(g), z = active ? u(g) : mu * u(g);
        return 1 / (s / z + delta);
    };
    for (int i = 0; i < 16; ++i) {
        a.root[static_cast<std::size_t>(i) * 17] += rho + (i < 12 ? stiff : 0.1 + weight() + weight());
    }
    shoal::mpc::normal_stream normal(seed, 0);
    for (int s = 0; s < e.tails; ++s) {
        // J leads to block k from the one before, the root for k = 0.
        shoal::mpc::published_rollout(normal, e.stages, [&](int k, const double* J, const double* state) {
            double* before = k == 0 ? a.root.data() : a.D(s, k - 1);
            double* next = k == 0 ? a.C(s) : a.E(s, k - 1);
            for (int c = 0; c < 16; ++c) {
                for (int r = 0; r < 16; ++r) {
                    double v = 0;
                    for (int i = 0; i < 12; ++i) v += J[i * 16 + r] * J[i * 16 + c];
                    before[c * 16 + r] += stiff * v;
                    if (r < 12) (k == 0 ? next[r * 16 + c] : next[c * 16 + r]) -= stiff * J[r * 16 + c];
                }
            }
            double* D = a.D(s, k);
            for (int i = 0; i < 12; ++i) {
                const double q = i < 3 ? 10 : i < 9 ? 1 : 0.1;
                D[i * 17] += (k + 1 == e.stages ? 10 * q : q) / e.tails + rho + stiff;
                if (i == 6 || i == 7) D[i * 17] += weight() + weight();
            }
            for (int i = 12; i < 16; ++i) {
                D[i * 17] += k + 1 == e.stages ? 1.0 : rho + 0.1 / e.tails + weight() + weight();
            }
            for (const auto& o : shoal::mpc::detail::published_balls) {
                const double z = weight();
                double r[3];
                for (int i = 0; i < 3; ++i) r[i] = 2 * (state[i] - o[i]);
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) D[i * 16 + j] += z * r[i] * r[j];
                }
            }
        });
    }
    return a;
}

inline arrow_matrix make_arrow(const std::string& type, shoal::arrow::extent e, unsigned seed) {
    if (type == "published") return published_arrow(e, seed);
    if (type == "early") return interior_point_arrow(e, seed, 1e-6, 50.0, 1e-1);
    if (type == "middle") return interior_point_arrow(e, seed, 1e-7, 8e-3, 1e-4);
    if (type == "late") return interior_point_arrow(e, seed, 1e-8, 8e-7, 1e-8);
    return random_arrow(e, seed);
}

}  // namespace shoal_bench
