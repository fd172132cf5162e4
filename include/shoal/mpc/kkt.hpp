#pragma once

/// \file
/// Assembly of the Newton system of the proximal interior-point method as a block-arrow matrix.
///
///     K = H + rho I + G' Z G + 1/delta A' A,      A = the equations S z_k - e_{k-1} z_{k-1} = c_{k-1}
///
///     D_k = H_k + rho I + G_k' Z_k G_k + 1/delta (S'S + e_k' e_k)        (e_N = 0)
///     E_k = K_{k+1,k} = -1/delta S' e_k
///     C_i = K_{0,1}   = -1/delta e_0^i' S
///     R   = H_0 + rho I + G_0' Z_0 G_0 + 1/delta (S'S + sum_i e_0^i' e_0^i)
///
///          x_1   x_2   ...  x_N   root
///     x_1  D_1   E_1'             C_i'
///     x_2  E_1   D_2   E_2'
///     ...        E_2   ...
///     x_N              ...  D_N
///     root C_i                     R
///
/// K >= rho I for any positive weights, so the Cholesky factorisation exists however degenerate the rows are.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <shoal/arrow/types.hpp>
#include <shoal/core/macros.hpp>
#include <shoal/mpc/qp.hpp>

namespace shoal::mpc {

/// Numbers in a block.
inline constexpr int block_entries = stage_size * stage_size;

/// Owns the blocks of one arrow matrix in host memory, column-major, in the order that arrow::matrix_view asks for.
struct arrow_storage {
    explicit arrow_storage(arrow::extent e)
        : shape(e),
          diagonal(std::size_t(e.tails) * std::size_t(e.stages) * block_entries),
          lower(std::size_t(e.tails) * std::size_t(e.stages - 1) * block_entries),
          coupling(std::size_t(e.tails) * block_entries),
          root(block_entries) {}

    [[nodiscard]] arrow::matrix_view<const double> view() const {
        return {diagonal.data(), lower.data(), coupling.data(), root.data()};
    }
    [[nodiscard]] double* diagonal_block(int i, int k) { return diagonal.data() + index(i, k, shape.stages); }
    [[nodiscard]] double* lower_block(int i, int k) { return lower.data() + index(i, k, shape.stages - 1); }
    [[nodiscard]] double* coupling_block(int i) { return coupling.data() + index(i, 0, 1); }
    [[nodiscard]] const double* diagonal_block(int i, int k) const {
        return diagonal.data() + index(i, k, shape.stages);
    }
    [[nodiscard]] const double* lower_block(int i, int k) const {
        return lower.data() + index(i, k, shape.stages - 1);
    }
    [[nodiscard]] const double* coupling_block(int i) const { return coupling.data() + index(i, 0, 1); }

    arrow::extent shape;
    std::vector<double> diagonal, lower, coupling, root;

  private:
    [[nodiscard]] static std::int64_t index(int i, int k, int stages) {
        return (std::int64_t{i} * stages + k) * block_entries;
    }
};

/// G = e' e: 16 x 16, from e: 12 x 16 row-major.
SHOAL_FN void gram(const double* e, double* G) {
    for (int i = 0; i < block_entries; ++i) G[i] = 0;
    for (int r = 0; r < state_size; ++r) {
        const double* row = e + r * stage_size;
        for (int i = 0; i < stage_size; ++i)
            for (int j = 0; j < stage_size; ++j) G[i * stage_size + j] += row[i] * row[j];
    }
}

/// y += alpha e' x: y has 16 entries, x has 12.
SHOAL_FN void add_transposed(double alpha, const double* e, const double* x, double* y) {
    for (int r = 0; r < state_size; ++r)
        for (int c = 0; c < stage_size; ++c) y[c] += alpha * x[r] * e[r * stage_size + c];
}

/// y -= e x: y has 12 entries, x has 16.
SHOAL_FN void subtract_product(const double* e, const double* x, double* y) {
    for (int r = 0; r < state_size; ++r) {
        double sum = 0;
        for (int c = 0; c < stage_size; ++c) sum += e[r * stage_size + c] * x[c];
        y[r] -= sum;
    }
}

/// v = G_b z: the rows of one block, in the order of qp.hpp.
SHOAL_FN void apply_rows(int slots, const double* normals, const double* z, double* v) {
    for (int i = 0; i < input_size; ++i) {
        v[i] = -z[state_size + i];
        v[input_size + i] = z[state_size + i];
    }
    for (int i = 0; i < 2; ++i) {
        v[thrust_rows + i] = -z[6 + i];
        v[thrust_rows + 2 + i] = z[6 + i];
    }
    for (int j = 0; j < slots; ++j) {
        const double* n = normals + 3 * j;
        v[fixed_rows + j] = -(n[0] * z[0] + n[1] * z[1] + n[2] * z[2]);
    }
}

/// r += alpha G_b' v.
SHOAL_FN void add_rows_transposed(double alpha, int slots, const double* normals, const double* v,
                                  double* r) {
    for (int i = 0; i < input_size; ++i) r[state_size + i] += alpha * (v[input_size + i] - v[i]);
    for (int i = 0; i < 2; ++i) r[6 + i] += alpha * (v[thrust_rows + 2 + i] - v[thrust_rows + i]);
    for (int j = 0; j < slots; ++j)
        for (int i = 0; i < 3; ++i) r[i] -= alpha * v[fixed_rows + j] * normals[3 * j + i];
}

/// D += G_b' diag(Z) G_b, for the column-major 16 x 16 block D.
SHOAL_FN void add_row_weights(int slots, const double* normals, const double* Z, double* D) {
    for (int i = 0; i < input_size; ++i) D[(state_size + i) * (stage_size + 1)] += Z[i] + Z[input_size + i];
    for (int i = 0; i < 2; ++i) D[(6 + i) * (stage_size + 1)] += Z[thrust_rows + i] + Z[thrust_rows + 2 + i];
    for (int j = 0; j < slots; ++j) {
        const double* n = normals + 3 * j;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) D[a * stage_size + b] += Z[fixed_rows + j] * n[a] * n[b];
    }
}

namespace detail {

/// D = gram / delta + diag(hessian + rho + [x: 1/delta]) + G' Z G; pass gram = nullptr where nothing follows the stage.
SHOAL_HOST_FN void assemble_diagonal(const qp_data& data, std::int64_t b, const double* G, const double* Z,
                                     double rho, double inverse_delta, double* D) {
    if (G) {
        for (int i = 0; i < block_entries; ++i) D[i] = inverse_delta * G[i];
    } else {
        for (int i = 0; i < block_entries; ++i) D[i] = 0;
    }
    const double* h = data.hessian.data() + b * stage_size;
    for (int i = 0; i < stage_size; ++i)
        D[i * (stage_size + 1)] += h[i] + rho + (i < state_size ? inverse_delta : 0.0);
    add_row_weights(data.shape.slots, data.normal.data() + b * data.shape.slots * 3, Z, D);
}

}  // namespace detail

/// The blocks of scenario i. grams: e' e of the step that leads to every block; Z: one weight per row of every block.
SHOAL_TARGET_CLONES inline void assemble_tail(const qp_data& data, const double* grams, const double* Z,
                                              double rho, double delta, int i, arrow_storage& K) {
    const qp_shape& shape = data.shape;
    const double inverse_delta = 1 / delta;
    for (int k = 1; k <= shape.stages; ++k) {
        const std::int64_t b = shape.block(i, k);
        const bool last = k == shape.stages;
        detail::assemble_diagonal(data, b, last ? nullptr : grams + (b + 1) * block_entries,
                                  Z + b * shape.rows(), rho, inverse_delta, K.diagonal_block(i, k - 1));
        if (last) break;
        const double* e = data.step(b + 1);
        double* E = K.lower_block(i, k - 1);
        for (int c = 0; c < stage_size; ++c) {
            for (int r = 0; r < state_size; ++r)
                E[c * stage_size + r] = -inverse_delta * e[r * stage_size + c];
            for (int r = state_size; r < stage_size; ++r) E[c * stage_size + r] = 0;
        }
    }
    const double* e = data.step(shape.block(i, 1));
    double* C = K.coupling_block(i);
    for (int c = 0; c < state_size; ++c)
        for (int r = 0; r < stage_size; ++r) C[c * stage_size + r] = -inverse_delta * e[c * stage_size + r];
    std::fill(C + state_size * stage_size, C + block_entries, 0.0);
}

/// The root block; gram_sum = sum_i e_0^i' e_0^i.
inline void assemble_root(const qp_data& data, const double* gram_sum, const double* Z, double rho,
                          double delta, arrow_storage& K) {
    const std::int64_t b = data.shape.root();
    detail::assemble_diagonal(data, b, gram_sum, Z + b * data.shape.rows(), rho, 1 / delta, K.root.data());
}

}  // namespace shoal::mpc
