#include "dense_program.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <shoal/mpc/kkt.hpp>
#include <shoal/mpc/linear_system.hpp>
#include <shoal/mpc/published.hpp>

using namespace shoal::mpc;
using mpc_test::dense;

namespace {

/// The whole matrix of an arrow, both triangles.
dense expand(const arrow_storage& K) {
    const int M = K.shape.tails, N = K.shape.stages, n = stage_size;
    const std::int64_t root = std::int64_t{M} * N * n;
    dense out(root + n, root + n);
    auto put = [&](std::int64_t row, std::int64_t column, const double* block) {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r) {
                out(row + r, column + c) = block[c * n + r];
                out(column + c, row + r) = block[c * n + r];
            }
    };
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < N; ++k) {
            const std::int64_t at = (std::int64_t{i} * N + k) * n;
            put(at, at, K.diagonal_block(i, k));
            if (k + 1 < N) put(at + n, at, K.lower_block(i, k));
        }
        put(root, std::int64_t{i} * N * n, K.coupling_block(i));
    }
    put(root, root, K.root.data());
    return out;
}

double largest_difference(const dense& a, const dense& b) {
    double most = 0;
    for (std::size_t j = 0; j < a.a.size(); ++j) most = std::max(most, std::abs(a.a[j] - b.a[j]));
    return most;
}

class Assembly : public testing::TestWithParam<qp_shape> {};

}  // namespace

TEST_P(Assembly, EqualsTheDenseDefinition) {
    const qp_shape shape = GetParam();
    const qp_data data = mpc_test::random_program(shape, 11);
    const double rho = 1e-3, delta = 0.125;
    std::vector<double> weights(std::size_t(shape.blocks() * shape.rows()));
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> draw(0, 3);
    for (double& w : weights) w = draw(engine);
    std::vector<double> grams(std::size_t(shape.tail_blocks()) * block_entries);
    double sum[block_entries] = {};
    for (std::int64_t b = 0; b < shape.tail_blocks(); ++b)
        gram(shoal::thread_group{}, data.step(b), grams.data() + b * block_entries);
    for (int i = 0; i < shape.scenarios; ++i)
        for (int j = 0; j < block_entries; ++j)
            sum[j] += grams[std::size_t(shape.block(i, 1) * block_entries + j)];
    // Assembly must not lean on what the memory held before.
    arrow_storage K({shape.scenarios, shape.stages});
    for (auto* v : {&K.diagonal, &K.lower, &K.coupling, &K.root})
        std::fill(v->begin(), v->end(), std::nan(""));

    for (int i = 0; i < shape.scenarios; ++i)
        assemble_tail(data, grams.data(), weights.data(), rho, delta, i, K);
    assemble_root(data, sum, weights.data(), rho, delta, K);

    const auto equations = mpc_test::dense_equations(data);
    const dense AA =
        product_transposed(equations.A, std::vector<double>(std::size_t(equations.A.rows), 1 / delta));
    const dense GG = product_transposed(mpc_test::dense_rows(data), weights);
    dense expected(AA.rows, AA.rows);
    for (std::int64_t i = 0; i < AA.rows; ++i)
        for (std::int64_t j = 0; j < AA.rows; ++j)
            expected(i, j) = AA(i, j) + GG(i, j) + (i == j ? data.hessian[std::size_t(i)] + rho : 0.0);
    EXPECT_LT(largest_difference(expand(K), expected), 1e-12);
}

TEST_P(Assembly, ResidualEqualsTheDenseProduct) {
    const qp_shape shape = GetParam();
    arrow_storage K({shape.scenarios, shape.stages});
    std::mt19937 engine(8);
    std::uniform_real_distribution<double> draw(-1, 1);
    auto fill = [&](double* block, bool symmetric) {
        for (int c = 0; c < stage_size; ++c)
            for (int r = 0; r < stage_size; ++r)
                block[c * stage_size + r] = symmetric && r < c ? block[r * stage_size + c] : draw(engine);
    };
    for (int i = 0; i < shape.scenarios; ++i) {
        for (int k = 0; k < shape.stages; ++k) {
            fill(K.diagonal_block(i, k), true);
            if (k + 1 < shape.stages) fill(K.lower_block(i, k), false);
        }
        fill(K.coupling_block(i), false);
    }
    fill(K.root.data(), true);
    std::vector<double> x(std::size_t(shape.blocks()) * stage_size), r(x.size());
    for (double& v : x) v = draw(engine);
    for (double& v : r) v = draw(engine);
    std::vector<double> expected = r;
    const dense full = expand(K);
    for (std::int64_t i = 0; i < full.rows; ++i)
        for (std::int64_t j = 0; j < full.rows; ++j)
            expected[std::size_t(i)] -= full(i, j) * x[std::size_t(j)];

    const std::vector<double> b = r;
    residual_sizes sizes{};
    for (int i = 0; i < shape.scenarios; ++i) sizes.add(residual_tail(K, x.data(), b.data(), i, r.data()));
    subtract_root(K, x.data(), r.data());

    for (std::size_t j = 0; j < r.size(); ++j) EXPECT_NEAR(r[j], expected[j], 1e-13 * double(r.size()));
    const auto largest = [](const std::vector<double>& v) {
        double most = 0;
        for (std::size_t j = 0; j + stage_size < v.size(); ++j) most = std::max(most, std::abs(v[j]));
        return most;
    };
    EXPECT_EQ(sizes.residual, largest(r));
    EXPECT_EQ(sizes.solution, largest(x));
    EXPECT_EQ(sizes.rhs, largest(b));
    x[3] = std::nan("");
    EXPECT_TRUE(std::isnan(residual_tail(K, x.data(), b.data(), 0, r.data()).residual));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Assembly,
                         testing::Values(qp_shape{1, 1, 0}, qp_shape{1, 2, 1}, qp_shape{3, 1, 2},
                                         qp_shape{2, 4, 3}));

// The published matrix from its rows: dynamics, obstacles and identities as one dense A, then diag(P) + A'A.
TEST(Published, EqualsTheDenseDefinition) {
    const int M = 2, N = 3, n = stage_size;
    const auto system = published_experiment(M, N, 4);
    const std::int64_t root = std::int64_t{M} * N * n;
    const double dt = 3.0 / N;

    normal_stream normal(4, 0);
    std::vector<std::vector<double>> rows;
    std::vector<double> P(std::size_t(root + n), 1e-8);
    for (int j = 0; j < 4; ++j) P[std::size_t(root + 12 + j)] += 2 * dt;
    auto new_row = [&]() -> std::vector<double>& { return rows.emplace_back(std::size_t(root + n)); };
    for (int j = 0; j < n; ++j) new_row()[std::size_t(root + j)] = 1;
    const double balls[3][3] = {{.7, .3, .4}, {1.3, .7, .7}, {1.0, .2, 1.1}};
    for (int i = 0; i < M; ++i) {
        quadrotor q;
        q.mass = 1 + 0.1 * normal();
        for (double& a : q.acceleration) a = 0.25 * normal();
        q.inertia[0] = q.inertia[1] = 0.01;
        q.inertia[2] = 0.018;
        const double x_of[4] = {.17, 0, -.17, 0}, y_of[4] = {0, .17, 0, -.17};
        for (int j = 0; j < 4; ++j) {
            q.rotor_x[j] = x_of[j];
            q.rotor_y[j] = y_of[j];
            q.rotor_yaw[j] = (j % 2 ? -1 : 1) * 0.016;
        }
        q.linear_drag = 0.3;
        q.angular_drag = 0.05;
        double x[12] = {};
        for (int t = 0; t < N; ++t) {
            double u[4], next[12], e[12 * 16];
            for (int j = 0; j < 4; ++j) u[j] = 9.81 / 4 * (1 + .06 * std::sin(2 * M_PI * t / N + 1.5 * j));
            rk4_jacobian(q, dt, x, u, next, e);
            const std::int64_t here = (std::int64_t{i} * N + t) * n;
            const std::int64_t x_at = t == 0 ? root : here - n + 4, u_at = t == 0 ? root + 12 : here;
            for (int j = 0; j < 4; ++j) {
                new_row()[std::size_t(here + j)] = 1;
                if (t > 0) P[std::size_t(here + j)] += 2 * dt / M;
            }
            for (int r = 0; r < 12; ++r) {
                double norm = 1;
                for (int c = 0; c < 16; ++c) norm += e[r * 16 + c] * e[r * 16 + c];
                norm = std::sqrt(norm);
                auto& row = new_row();
                row[std::size_t(here + 4 + r)] = 1 / norm;
                for (int c = 0; c < 12; ++c) row[std::size_t(x_at + c)] = -e[r * 16 + c] / norm;
                for (int c = 0; c < 4; ++c) row[std::size_t(u_at + c)] = -e[r * 16 + 12 + c] / norm;
            }
            for (const auto& o : balls) {
                const double d[3] = {next[0] - o[0], next[1] - o[1], next[2] - o[2]};
                auto& row = new_row();
                for (int a = 0; a < 3; ++a)
                    row[std::size_t(here + 4 + a)] = -d[a] / std::hypot(d[0], d[1], d[2]);
            }
            if (t + 1 == N)
                for (int r = 0; r < 12; ++r) new_row()[std::size_t(here + 4 + r)] = 1;
            std::copy(next, next + 12, x);
        }
    }
    dense A(std::int64_t(rows.size()), root + n);
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::copy(rows[r].begin(), rows[r].end(), A.a.begin() + std::int64_t(r) * (root + n));
    dense expected = product_transposed(A, std::vector<double>(rows.size(), 1.0));
    for (std::int64_t j = 0; j < root + n; ++j) expected(j, j) += P[std::size_t(j)];
    EXPECT_LT(largest_difference(expand(system.matrix), expected), 1e-13);
    EXPECT_EQ(system.rhs.size(), std::size_t(root + n));
}
