#pragma once

/// \file
/// A random program of shoal/mpc/qp.hpp, and the same program as dense matrices, built from its definition alone.

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <shoal/mpc/qp.hpp>

namespace mpc_test {

using shoal::mpc::fixed_rows;
using shoal::mpc::no_limit;
using shoal::mpc::qp_data;
using shoal::mpc::qp_shape;
using shoal::mpc::stage_size;
using shoal::mpc::state_size;

/// Row-major matrix.
struct dense {
    dense(std::int64_t r, std::int64_t c) : rows(r), columns(c), a(std::size_t(r * c)) {}
    double& operator()(std::int64_t i, std::int64_t j) { return a[std::size_t(i * columns + j)]; }
    double operator()(std::int64_t i, std::int64_t j) const { return a[std::size_t(i * columns + j)]; }
    std::int64_t rows, columns;
    std::vector<double> a;
};

inline dense product_transposed(const dense& A, const std::vector<double>& weights) {
    dense K(A.columns, A.columns);
    for (std::int64_t r = 0; r < A.rows; ++r)
        for (std::int64_t i = 0; i < A.columns; ++i) {
            if (A(r, i) == 0) continue;
            for (std::int64_t j = 0; j < A.columns; ++j)
                K(i, j) += weights[std::size_t(r)] * A(r, i) * A(r, j);
        }
    return K;
}

/// Gaussian elimination with partial pivoting.
inline std::vector<double> solve(dense A, std::vector<double> b) {
    const std::int64_t n = A.rows;
    for (std::int64_t c = 0; c < n; ++c) {
        std::int64_t pivot = c;
        for (std::int64_t r = c + 1; r < n; ++r)
            if (std::abs(A(r, c)) > std::abs(A(pivot, c))) pivot = r;
        for (std::int64_t j = 0; j < n; ++j) std::swap(A(c, j), A(pivot, j));
        std::swap(b[std::size_t(c)], b[std::size_t(pivot)]);
        for (std::int64_t r = c + 1; r < n; ++r) {
            const double f = A(r, c) / A(c, c);
            if (f == 0) continue;
            for (std::int64_t j = c; j < n; ++j) A(r, j) -= f * A(c, j);
            b[std::size_t(r)] -= f * b[std::size_t(c)];
        }
    }
    for (std::int64_t c = n - 1; c >= 0; --c) {
        for (std::int64_t j = c + 1; j < n; ++j) b[std::size_t(c)] -= A(c, j) * b[std::size_t(j)];
        b[std::size_t(c)] /= A(c, c);
    }
    return b;
}

/// A z = c: first the dynamics of every block, then the root's state.
struct equations {
    dense A;
    std::vector<double> c;
};

inline equations dense_equations(const qp_data& data) {
    const qp_shape& s = data.shape;
    equations out{dense(s.blocks() * state_size, s.blocks() * stage_size),
                  std::vector<double>(std::size_t(s.blocks() * state_size))};
    for (int i = 0; i < s.scenarios; ++i)
        for (int k = 1; k <= s.stages; ++k) {
            const std::int64_t to = s.block(i, k), from = s.block(i, k - 1);
            for (int r = 0; r < state_size; ++r) {
                const std::int64_t row = to * state_size + r;
                out.A(row, to * stage_size + r) = 1;
                for (int c = 0; c < stage_size; ++c)
                    out.A(row, from * stage_size + c) -= data.step(to)[r * stage_size + c];
                out.c[std::size_t(row)] = data.c[std::size_t(row)];
            }
        }
    for (int r = 0; r < state_size; ++r) {
        const std::int64_t row = s.root() * state_size + r;
        out.A(row, s.root() * stage_size + r) = 1;
        out.c[std::size_t(row)] = data.initial[r];
    }
    return out;
}

/// G, one row for every row of every block, absent ones too.
inline dense dense_rows(const qp_data& data) {
    const qp_shape& s = data.shape;
    dense G(s.blocks() * s.rows(), s.blocks() * stage_size);
    for (std::int64_t b = 0; b < s.blocks(); ++b) {
        const std::int64_t row = b * s.rows(), column = b * stage_size;
        for (int j = 0; j < 4; ++j) {
            G(row + j, column + 12 + j) = -1;
            G(row + 4 + j, column + 12 + j) = 1;
        }
        for (int j = 0; j < 2; ++j) {
            G(row + 8 + j, column + 6 + j) = -1;
            G(row + 10 + j, column + 6 + j) = 1;
        }
        for (int j = 0; j < s.slots; ++j)
            for (int a = 0; a < 3; ++a)
                G(row + 12 + j, column + a) = -data.normal[std::size_t((b * s.slots + j) * 3 + a)];
    }
    return G;
}

/// Stable dynamics, limits that bite, every kind of row present somewhere and absent elsewhere.
inline qp_data random_program(qp_shape shape, unsigned seed) {
    qp_data data(shape);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (std::int64_t b = 0; b < shape.tail_blocks(); ++b)
        for (int r = 0; r < state_size; ++r) {
            for (int c = 0; c < stage_size; ++c)
                data.step(b)[r * stage_size + c] = 0.3 * draw(engine) + (r == c ? 0.7 : 0.0);
            data.c[std::size_t(b * state_size + r)] = 0.2 * draw(engine);
        }
    for (double& h : data.hessian) h = 1 + 0.9 * draw(engine);
    for (double& g : data.gradient) g = draw(engine);
    for (double& x : data.initial) x = 0.3 * draw(engine);
    for (std::int64_t b = 0; b < shape.blocks(); ++b) {
        double* limit = data.limit.data() + b * shape.rows();
        for (int j = 0; j < 8; ++j) limit[j] = 0.15 + 0.1 * draw(engine);
        if (b == shape.root()) continue;
        for (int j = 8; j < shape.rows(); ++j) limit[j] = j % 5 == 0 ? no_limit : 0.2 * draw(engine) + 0.1;
        for (int j = 0; j < shape.slots; ++j) {
            double n[3], length = 0;
            for (double& x : n) {
                x = draw(engine);
                length += x * x;
            }
            for (int a = 0; a < 3; ++a)
                data.normal[std::size_t((b * shape.slots + j) * 3 + a)] = n[a] / std::sqrt(length);
        }
    }
    data.penalty = 50;
    data.penalty_curvature = 5;
    return data;
}

}  // namespace mpc_test
