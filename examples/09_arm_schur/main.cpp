// One step of trajectory optimisation for an arm of seven links: the linear-quadratic problem along a motion, reduced to
// the multipliers of its dynamics, whose matrix is block tridiagonal, solved directly and by conjugate gradients.
//
//     minimise  sum_k  (x_k - r_k)' Q (x_k - r_k) / 2 + u_k' R u_k / 2,   x_0 given,   x_{k+1} = A_k x_k + B_k u_k + c_k
//
// The multipliers l_k of the conditions solve S l = t with the strips
//     D_0 = Q^-1,  D_{k+1} = Q^-1 + A_k Q^-1 A_k' + B_k R^-1 B_k',  L_{k+1} = -A_k Q^-1,
// and states and inputs follow from them stage by stage.
#include "arm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/move_block.hpp>
#include <shoal/banded/pcg.hpp>
#include <shoal/blas/gemv.hpp>
#include <shoal/control/congruence.hpp>

namespace {

constexpr int n = arm::states, m = arm::inputs;
constexpr auto me = shoal::this_thread();

/// The problem along a motion of N knots: everything column-major, a stage behind the other.
struct problem {
    int knots;
    std::vector<double> A, B, c, reference;
    double Q[n], R[m];

    double* a(int k) { return A.data() + k * n * n; }
    double* b(int k) { return B.data() + k * n * m; }
    double* r(int k) { return reference.data() + k * n; }
    double* offset(int k) { return c.data() + k * n; }

    explicit problem(int count)
        : knots(count),
          A(static_cast<std::size_t>(count * n * n)),
          B(static_cast<std::size_t>(count * n * m)),
          c(static_cast<std::size_t>(count * n)),
          reference(c.size()) {
        for (int i = 0; i < n; ++i) Q[i] = i < arm::links ? 10 : 1;
        for (int i = 0; i < m; ++i) R[i] = 0.05;
        // From hanging askew to upright, a link after the other; the arm is held where the reference is.
        for (int k = 0; k < knots; ++k) {
            arm::state x{};
            for (int i = 0; i < arm::links; ++i) {
                const double from = -1.2 + 0.1 * i, to = 1.4 - 0.05 * i;
                x[static_cast<std::size_t>(i)] = from + (to - from) * k / (knots - 1);
            }
            std::copy(x.begin(), x.end(), reference.begin() + k * n);
            const arm::input u = arm::holding(x);
            arm::linearise(x, u, a(k), b(k));
            // What the linear model misses: f(x, u) - A x - B u, inputs counted from the holding torque.
            const arm::state f = arm::next(x, u);
            for (int i = 0; i < n; ++i) {
                double value = f[static_cast<std::size_t>(i)];
                for (int j = 0; j < n; ++j) value -= a(k)[i + j * n] * x[static_cast<std::size_t>(j)];
                c[static_cast<std::size_t>(k * n + i)] = value;
            }
        }
    }
};

/// The strips of S and the right-hand side t.
void assemble(problem& p, const double* start, shoal::symmetric_strip<double, n> S,
              shoal::block_vector<double, n> t) {
    double inverse_q[n * n] = {}, inverse_r[m * m] = {}, block[n * n], work[n * n], work_b[m * n];
    for (int i = 0; i < n; ++i) inverse_q[i + i * n] = 1 / p.Q[i];
    for (int i = 0; i < m; ++i) inverse_r[i + i * m] = 1 / p.R[i];
    const shoal::matrix<double, n, n> q{inverse_q}, d{block};
    shoal::move_block(me, 1.0, q, S.main(0));
    for (int i = 0; i < n; ++i) t(i) = p.r(0)[i] - start[i];
    for (int k = 0; k + 1 < p.knots; ++k) {
        const shoal::matrix<double, n, n> A{p.a(k)};
        const shoal::matrix<double, n, m> B{p.b(k)};
        shoal::congruence(me, 1.0, transposed(A), q, 0.0, d, shoal::matrix<double, n, n>{work});
        shoal::congruence(me, 1.0, transposed(B), shoal::matrix<double, m, m>{inverse_r}, 1.0, d,
                          shoal::matrix<double, m, n>{work_b});
        for (int i = 0; i < n; ++i) d(i, i) += 1 / p.Q[i];
        shoal::move_block(me, 1.0, d, S.main(k + 1));
        shoal::gemm(me, 1.0, A, q, 0.0, d);
        shoal::move_block(me, -1.0, d, S.left(k + 1));
        const shoal::vector<double, n> target{&t((k + 1) * n)};
        for (int i = 0; i < n; ++i) target(i) = p.r(k + 1)[i] - p.offset(k)[i];
        shoal::gemv(me, -1.0, A, shoal::vector<double, n>{p.r(k)}, 1.0, target);
    }
}

/// The largest violation of the conditions of optimality by the multipliers l and what follows from them, relative to the
/// largest term.
double violation(problem& p, const double* start, const double* l) {
    std::vector<double> x(static_cast<std::size_t>(p.knots * n)), u(static_cast<std::size_t>(p.knots * m));
    for (int k = 0; k < p.knots; ++k) {
        double pull[n] = {}, push[m] = {};
        if (k + 1 < p.knots) {
            const shoal::vector<const double, n> after{l + (k + 1) * n};
            shoal::gemv(me, 1.0, transposed(shoal::matrix<double, n, n>{p.a(k)}), after, 0.0,
                        shoal::vector<double, n>{pull});
            shoal::gemv(me, 1.0, transposed(shoal::matrix<double, n, m>{p.b(k)}), after, 0.0,
                        shoal::vector<double, m>{push});
        }
        for (int i = 0; i < n; ++i)
            x[static_cast<std::size_t>(k * n + i)] = p.r(k)[i] - (l[k * n + i] - pull[i]) / p.Q[i];
        for (int i = 0; i < m; ++i) u[static_cast<std::size_t>(k * m + i)] = push[i] / p.R[i];
    }
    double worst = 0, scale = 1;
    const auto see = [&](double residual, double term) {
        worst = std::max(worst, std::abs(residual));
        scale = std::max(scale, std::abs(term));
    };
    for (int k = 0; k < p.knots; ++k) {
        const double* xk = x.data() + k * n;
        const double* uk = u.data() + k * m;
        for (int i = 0; i < n; ++i) {
            // Dynamics, and the start.
            double left = xk[i] - (k == 0 ? start[i] : 0.0);
            if (k > 0) {
                left -= p.offset(k - 1)[i];
                for (int j = 0; j < n; ++j) left -= p.a(k - 1)[i + j * n] * xk[j - n];
                for (int j = 0; j < m; ++j) left -= p.b(k - 1)[i + j * n] * uk[j - m];
            }
            see(left, xk[i]);
            // The gradient with respect to the state.
            double gradient = p.Q[i] * (xk[i] - p.r(k)[i]) + l[k * n + i];
            for (int j = 0; j < n && k + 1 < p.knots; ++j) gradient -= p.a(k)[j + i * n] * l[(k + 1) * n + j];
            see(gradient, l[k * n + i]);
        }
        for (int i = 0; i < m; ++i) {
            double gradient = p.R[i] * uk[i];
            for (int j = 0; j < n && k + 1 < p.knots; ++j) gradient -= p.b(k)[j + i * n] * l[(k + 1) * n + j];
            see(gradient, p.R[i] * uk[i]);
        }
    }
    return worst / scale;
}

bool solve(int knots) {
    problem p(knots);
    double start[n];
    for (int i = 0; i < n; ++i) start[i] = p.r(0)[i] + 0.05;

    const auto size = static_cast<std::size_t>(shoal::strip_size(n, knots, 2));
    std::vector<double> strips(size), inverse(size), t(static_cast<std::size_t>(n * knots));
    const shoal::symmetric_strip<double, n> S{strips.data(), knots}, M{inverse.data(), knots};
    assemble(p, start, S, {t.data(), knots});

    // By conjugate gradients first: they leave the strips as they are.
    std::vector<double> iterative(t.size()), scratch(static_cast<std::size_t>(shoal::pcg_scratch(n, knots)));
    if (!shoal::symmetric_stair(me, S, M).good()) return false;
    const shoal::pcg_options<double> options{.max_iterations = 2000, .relative = 1e-24};
    const auto done = shoal::pcg(
        me, S, shoal::strip_preconditioner<decltype(M)>{M}, shoal::block_vector<double, n>{t.data(), knots},
        shoal::block_vector<double, n>{iterative.data(), knots}, options, scratch.data());

    // Directly: the strips become their factor, t the multipliers.
    const auto info = shoal::bdsv(me, S, shoal::block_vector<double, n>{t.data(), knots});
    if (!info.good()) {
        std::printf("knot %d, pivot %d\n", info.knot, info.pivot);
        return false;
    }
    const double direct = violation(p, start, t.data()), by_pcg = violation(p, start, iterative.data());
    std::printf("%3d knots: bdsv leaves %.1e, pcg %.1e after %d iterations\n", knots, direct, by_pcg,
                done.iterations);
    return done.reason == shoal::pcg_reason::converged && direct < 1e-12 && by_pcg < 1e-8;
}

}  // namespace

int main() {
    bool fine = true;
    for (const int knots : {32, 64, 128}) fine = solve(knots) && fine;
    return fine ? 0 : 1;
}
