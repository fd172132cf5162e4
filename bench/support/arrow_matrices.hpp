#pragma once

/// \file
/// Block-arrow matrices for the benchmark: random ones, the published branch-MPC experiment, and the matrices of a proximal
/// interior-point method (early, middle, late: condition numbers of about 1e4, 1e8, 1e12). All n = 16, double.
///
/// The plant is a quadrotor: 12 states (position, velocity, roll-pitch-yaw, body rates), 4 thrusts; scenario i has a mass
/// and a constant wind of its own; linearised along the rollout from rest under a slightly wavy hover thrust.

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <shoal/arrow/types.hpp>

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

namespace quadrotor {

/// A number and its derivatives by 12 states and 4 thrusts.
struct dual {
    double v = 0;
    std::array<double, 16> d{};
    dual() = default;
    dual(double x) : v(x) {}
};
inline dual chain(double v, const dual& a, double slope) {
    dual r(v);
    for (int i = 0; i < 16; ++i) r.d[i] = slope * a.d[i];
    return r;
}
inline dual operator+(const dual& a, const dual& b) {
    dual r(a.v + b.v);
    for (int i = 0; i < 16; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
}
inline dual operator-(const dual& a, const dual& b) {
    dual r(a.v - b.v);
    for (int i = 0; i < 16; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
}
inline dual operator*(const dual& a, const dual& b) {
    dual r(a.v * b.v);
    for (int i = 0; i < 16; ++i) r.d[i] = a.d[i] * b.v + a.v * b.d[i];
    return r;
}
inline dual operator/(const dual& a, const dual& b) {
    dual r(a.v / b.v);
    for (int i = 0; i < 16; ++i) r.d[i] = (a.d[i] - r.v * b.d[i]) / b.v;
    return r;
}
inline dual sin(const dual& a) {
    return chain(std::sin(a.v), a, std::cos(a.v));
}
inline dual cos(const dual& a) {
    return chain(std::cos(a.v), a, -std::sin(a.v));
}

using state = std::array<dual, 12>;
using thrust = std::array<dual, 4>;
struct scenario {
    double mass, wind[3];
};

inline state derivative(const state& x, const thrust& u, const scenario& s) {
    const dual sr = sin(x[6]), cr = cos(x[6]), sp = sin(x[7]), cp = cos(x[7]), sy = sin(x[8]), cy = cos(x[8]);
    const dual lift = (u[0] + u[1] + u[2] + u[3]) / dual(s.mass);
    const dual axis[3] = {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr};
    state d;
    for (int i = 0; i < 3; ++i) {
        d[i] = x[3 + i];
        d[3 + i] = axis[i] * lift - dual(0.30 / s.mass) * x[3 + i] + dual(s.wind[i]);
    }
    d[5] = d[5] - dual(9.81);
    const dual &p = x[9], &q = x[10], &r = x[11];
    const dual t = sp / cp;
    d[6] = p + sr * t * q + cr * t * r;
    d[7] = cr * q - sr * r;
    d[8] = (sr / cp) * q + (cr / cp) * r;
    const double J[3] = {0.010, 0.010, 0.018};
    const dual torque[3] = {dual(0.17) * (u[1] - u[3]), dual(0.17) * (u[2] - u[0]),
                            dual(0.016) * (u[0] - u[1] + u[2] - u[3])};
    const dual h[3] = {dual(J[0]) * p, dual(J[1]) * q, dual(J[2]) * r};
    const dual gyro[3] = {q * h[2] - r * h[1], r * h[0] - p * h[2], p * h[1] - q * h[0]};
    for (int i = 0; i < 3; ++i) d[9 + i] = (torque[i] - gyro[i]) / dual(J[i]) - dual(0.05) * x[9 + i];
    return d;
}

/// x_{k+1} = f(x_k, u_k) over 3 seconds: Jacobians (12 x 16, row-major) and states.
struct linearisation {
    std::vector<std::array<double, 192>> jacobian;
    std::vector<std::array<double, 12>> x;

    linearisation(int stages, const scenario& s)
        : jacobian(static_cast<std::size_t>(stages)), x(static_cast<std::size_t>(stages) + 1) {
        const double h = 3.0 / stages, pi = std::acos(-1.0), phase[4] = {0, 1.5, 3, 4.5};
        for (std::size_t k = 0; k < jacobian.size(); ++k) {
            state z;
            thrust u;
            for (std::size_t i = 0; i < 12; ++i) {
                z[i] = dual(x[k][i]);
                z[i].d[i] = 1;
            }
            for (std::size_t i = 0; i < 4; ++i) {
                u[i] = dual(9.81 / 4 *
                            (1 + 0.06 * std::sin(2 * pi * static_cast<double>(k) / stages + phase[i])));
                u[i].d[12 + i] = 1;
            }
            const auto along = [](const state& a, const state& b, double t) {
                state r;
                for (std::size_t i = 0; i < 12; ++i) r[i] = a[i] + dual(t) * b[i];
                return r;
            };
            const state k1 = derivative(z, u, s), k2 = derivative(along(z, k1, h / 2), u, s),
                        k3 = derivative(along(z, k2, h / 2), u, s), k4 = derivative(along(z, k3, h), u, s);
            for (std::size_t i = 0; i < 12; ++i) {
                const dual y = z[i] + dual(h / 6) * (k1[i] + dual(2) * k2[i] + dual(2) * k3[i] + k4[i]);
                x[k + 1][i] = y.v;
                for (std::size_t j = 0; j < 16; ++j) jacobian[k][i * 16 + j] = y.d[j];
            }
        }
    }
};

inline scenario draw(std::mt19937_64& g) {
    std::normal_distribution<double> n;
    scenario s;
    s.mass = 1.0 + 0.10 * n(g);
    for (double& w : s.wind) w = 0.25 * n(g);
    return s;
}
inline constexpr double obstacles[3][3] = {{0.7, 0.3, 0.4}, {1.3, 0.7, 0.7}, {1.0, 0.2, 1.1}};

}  // namespace quadrotor

/// K = diag(P) + A^T A. Stage 1 is x_1 (12, padded), stage t > 1 is (u_{t-1}, x_t), the root is (x_0, u_0).
inline arrow_matrix published_arrow(shoal::arrow::extent e, unsigned seed) {
    arrow_matrix a(e);
    std::mt19937_64 g(seed);
    const double h = 3.0 / e.stages;
    for (int i = 0; i < 16; ++i)
        a.root[static_cast<std::size_t>(i) * 17] += 1.0 + 1e-8 + (i >= 12 ? 2 * h : 0.0);
    for (int s = 0; s < e.tails; ++s) {
        const quadrotor::linearisation lin(e.stages, quadrotor::draw(g));
        for (int k = 0; k < e.stages; ++k) {
            double* D = a.D(s, k);
            const int x0 = k == 0 ? 0 : 4;  // where the state begins in the block
            for (int i = 0; i < 16; ++i) {
                const bool is_state = i >= x0 && i<x0 + 12, is_thrust = k> 0 && i < 4;
                D[i * 17] += 1e-8 + (is_thrust ? 2 * h / e.tails + 1.0 : 0.0) +
                             (!is_state && !is_thrust ? 1.0 : 0.0) +
                             (is_state && k + 1 == e.stages ? 1.0 : 0.0);
            }
            for (const auto& o : quadrotor::obstacles) {
                double r[3], length = 0;
                for (int i = 0; i < 3; ++i) {
                    r[i] = lin.x[static_cast<std::size_t>(k) + 1][static_cast<std::size_t>(i)] - o[i];
                    length += r[i] * r[i];
                }
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) D[(x0 + i) * 16 + x0 + j] += r[i] * r[j] / length;
                }
            }
            // Dynamics rows into this stage: on this block (x, and u unless k = 0) and on the one before.
            for (int i = 0; i < 12; ++i) {
                const double* J = lin.jacobian[static_cast<std::size_t>(k)].data() + i * 16;
                double norm = 1;
                for (int j = 0; j < 16; ++j) norm += J[j] * J[j];
                double here[16] = {}, before[16] = {};
                const int p0 = k == 1 ? 0 : k == 0 ? 0 : 4;
                const double scale = 1 / std::sqrt(norm);
                here[x0 + i] = scale;
                for (int j = 0; j < 4; ++j) (k == 0 ? before[12 + j] : here[j]) = -J[12 + j] * scale;
                for (int j = 0; j < 12; ++j) before[p0 + j] = -J[j] * scale;
                double* P = k == 0 ? a.root.data() : a.D(s, k - 1);
                for (int c = 0; c < 16; ++c) {
                    for (int r = 0; r < 16; ++r) {
                        D[c * 16 + r] += here[r] * here[c];
                        P[c * 16 + r] += before[r] * before[c];
                        if (k > 0) a.E(s, k - 1)[c * 16 + r] += here[r] * before[c];
                        if (k == 0) a.C(s)[c * 16 + r] += before[r] * here[c];
                    }
                }
            }
        }
    }
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
    for (int s = 0; s < e.tails; ++s) {
        const quadrotor::linearisation lin(e.stages, quadrotor::draw(g));
        for (int k = -1; k < e.stages; ++k) {
            double* D = k < 0 ? a.root.data() : a.D(s, k);
            if (k >= 0) {
                for (int i = 0; i < 12; ++i) {
                    const double q = i < 3 ? 10 : i < 9 ? 1 : 0.1;
                    D[i * 17] += (k + 1 == e.stages ? 10 * q : q) / e.tails + rho + stiff;
                    if (i == 6 || i == 7) D[i * 17] += weight() + weight();
                }
                for (int i = 12; i < 16; ++i) {
                    D[i * 17] += k + 1 == e.stages ? 1.0 : rho + 0.1 / e.tails + weight() + weight();
                }
                for (const auto& o : quadrotor::obstacles) {
                    const double z = weight();
                    double r[3];
                    for (int i = 0; i < 3; ++i) {
                        r[i] =
                            2 * (lin.x[static_cast<std::size_t>(k) + 1][static_cast<std::size_t>(i)] - o[i]);
                    }
                    for (int i = 0; i < 3; ++i) {
                        for (int j = 0; j < 3; ++j) D[i * 16 + j] += z * r[i] * r[j];
                    }
                }
            }
            if (k + 1 == e.stages) break;
            const double* J = lin.jacobian[static_cast<std::size_t>(k + 1)].data();  // from stage k to k + 1
            double* next = k < 0 ? a.C(s) : a.E(s, k);
            for (int c = 0; c < 16; ++c) {
                for (int r = 0; r < 16; ++r) {
                    double v = 0;
                    for (int i = 0; i < 12; ++i) v += J[i * 16 + r] * J[i * 16 + c];
                    D[c * 16 + r] += stiff * v;
                    if (r < 12) (k < 0 ? next[r * 16 + c] : next[c * 16 + r]) -= stiff * J[r * 16 + c];
                }
            }
        }
    }
    return a;
}

inline arrow_matrix make_arrow(const std::string& type, shoal::arrow::extent e, unsigned seed) {
    if (type == "published") return published_arrow(e, seed);
    if (type == "early") return interior_point_arrow(e, seed, 1e-6, 1e-2, 1e-1);
    if (type == "middle") return interior_point_arrow(e, seed, 1e-7, 1e-6, 1e-4);
    if (type == "late") return interior_point_arrow(e, seed, 1e-8, 1e-10, 1e-8);
    return random_arrow(e, seed);
}

}  // namespace shoal_bench
