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

#include <cstdint>
#include <vector>

#include <shoal/arrow/types.hpp>
#include <shoal/core/macros.hpp>
#include <shoal/group/thread.hpp>
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
    [[nodiscard]] arrow::matrix_view<double> blocks() {
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

/// Where the blocks of a matrix lie for writing; see arrow_storage.
using arrow_blocks = arrow::matrix_view<double>;

/// The members of a group that share the passes over a block: one, or one per column. Member c has the columns and the
/// rows c, c + size, ... of the block, so what it computes alone depends on no other member.
template <class G>
inline constexpr int columns_each = stage_size / G::static_size;

/// First index >= from that belongs to this member.
template <class G>
SHOAL_FN int first_from(const G& g, int from) {
    constexpr int W = G::static_size;
    return from + (g.rank() + W - from % W) % W;
}

/// out = e' e: 16 x 16, from e: 12 x 16 row-major.
template <class G>
SHOAL_FN void gram(const G& g, const double* e, double* out) {
    for (int i = g.rank(); i < stage_size; i += G::static_size) {
        double sum[stage_size] = {};
        for (int r = 0; r < state_size; ++r) {
            const double* row = e + r * stage_size;
            SHOAL_UNROLL
            for (int j = 0; j < stage_size; ++j) sum[j] += row[i] * row[j];
        }
        // Symmetric: one thread writes columns, lanes write rows beside each other.
        constexpr int along = G::static_size == 1 ? 1 : stage_size, across = stage_size + 1 - along;
        SHOAL_UNROLL
        for (int j = 0; j < stage_size; ++j) out[i * across + j * along] = sum[j];
    }
}

/// y += alpha e' x: y has 16 entries, x has 12. Rows of e are ld apart.
template <class G>
SHOAL_FN void add_transposed(const G& g, double alpha, const double* e, int ld, const double* x, double* y) {
    constexpr int W = G::static_size, each = columns_each<G>;
    double sum[each];
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) sum[j] = y[g.rank() + W * j];
    for (int r = 0; r < state_size; ++r) {
        const double* row = e + r * ld + g.rank();
        SHOAL_UNROLL
        for (int j = 0; j < each; ++j) sum[j] += alpha * x[r] * row[W * j];
    }
    SHOAL_UNROLL
    for (int j = 0; j < each; ++j) y[g.rank() + W * j] = sum[j];
}

/// y -= e x: y has 12 entries, x has 16.
template <class G>
SHOAL_FN void subtract_product(const G& g, const double* e, int ld, const double* x, double* y) {
    for (int r = g.rank(); r < state_size; r += G::static_size) {
        double sum = 0;
        for (int c = 0; c < stage_size; ++c) sum += e[r * ld + c] * x[c];
        y[r] -= sum;
    }
}

/// Row j of G_b z, in the order of qp.hpp.
SHOAL_FN double row_product(const double* normals, const double* z, int j) {
    if (j < input_size) return -z[state_size + j];
    if (j < thrust_rows) return z[state_size + j - input_size];
    if (j < thrust_rows + 2) return -z[6 + j - thrust_rows];
    if (j < fixed_rows) return z[4 + j - thrust_rows];
    const double* n = normals + 3 * (j - fixed_rows);
    return -(n[0] * z[0] + n[1] * z[1] + n[2] * z[2]);
}

/// r += alpha G_b' v.
template <class G>
SHOAL_FN void add_rows_transposed(const G& g, double alpha, int slots, const double* normals, const double* v,
                                  double* r) {
    constexpr int W = G::static_size;
    for (int i = g.rank(); i < 3; i += W) {
        double sum = r[i];
        for (int j = 0; j < slots; ++j) sum -= alpha * v[fixed_rows + j] * normals[3 * j + i];
        r[i] = sum;
    }
    for (int i = first_from(g, 6); i < 8; i += W)
        r[i] += alpha * (v[thrust_rows + i - 4] - v[thrust_rows + i - 6]);
    for (int i = first_from(g, state_size); i < stage_size; i += W)
        r[i] += alpha * (v[input_size + i - state_size] - v[i - state_size]);
}

namespace detail {

/// to = factor from, for blocks that do not overlap. All reads before the first write, where lanes share the block: a write
/// that may change what is still to be read makes every read wait for the one before.
template <class G>
SHOAL_FN void scaled_copy(const G& g, double factor, const double* from, double* to) {
    constexpr int W = G::static_size, part = W == 1 ? stage_size : block_entries / W;
    for (int first = g.rank(); first < block_entries; first += part * W) {
        double x[part];
        SHOAL_UNROLL
        for (int i = 0; i < part; ++i) x[i] = from[first + i * W];
        SHOAL_UNROLL
        for (int i = 0; i < part; ++i) to[first + i * W] = factor * x[i];
    }
}

/// D = grams / delta + diag(hessian + rho + [x: 1/delta]) + G' Z G, column-major; grams = nullptr where nothing follows the
/// stage.
template <class G>
SHOAL_FN void assemble_diagonal(const G& g, const qp_view& data, std::int64_t b, const double* grams,
                                const double* Z, double rho, double inverse_delta, double* D) {
    constexpr int W = G::static_size;
    if (grams) {
        scaled_copy(g, inverse_delta, grams, D);
    } else {
        for (int i = g.rank(); i < block_entries; i += W) D[i] = 0;
    }
    // Member i has row i, and adds in registers what is more than that.
    for (int i = g.rank(); i < stage_size; i += W) {
        const int at = i * (stage_size + 1);
        double d = grams ? inverse_delta * grams[at] : 0.0;
        d += data.hessian[b * stage_size + i] + rho + (i < state_size ? inverse_delta : 0.0);
        if (i >= state_size) d += Z[i - state_size] + Z[input_size + i - state_size];
        if (i == 6 || i == 7) d += Z[thrust_rows + i - 6] + Z[thrust_rows + i - 4];
        if (i >= 3) {
            D[at] = d;
            continue;
        }
        double row[3];
        SHOAL_UNROLL
        for (int a = 0; a < 3; ++a)
            row[a] = a == i ? d : grams ? inverse_delta * grams[a * stage_size + i] : 0.0;
        for (int j = 0; j < data.shape.slots; ++j) {
            const double* n = data.normal + (b * data.shape.slots + j) * 3;
            SHOAL_UNROLL
            for (int a = 0; a < 3; ++a) row[a] += Z[fixed_rows + j] * n[a] * n[i];
        }
        SHOAL_UNROLL
        for (int a = 0; a < 3; ++a) D[a * stage_size + i] = row[a];
    }
}

/// D_k of stage k = 1..N of scenario i.
template <class G>
SHOAL_FN void assemble_stage(const G& g, const qp_view& data, const double* grams, const double* Z,
                             double rho, double inverse_delta, int i, int k, const arrow_blocks& K) {
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.block(i, k);
    assemble_diagonal(g, data, b, k == shape.stages ? nullptr : grams + (b + 1) * block_entries,
                      Z + b * shape.rows(), rho, inverse_delta, K.diagonal + b * block_entries);
}

/// E_k, and C_i where k = 1.
template <class G>
SHOAL_FN void assemble_links(const G& g, const qp_view& data, double inverse_delta, int i, int k,
                             const arrow_blocks& K) {
    constexpr int W = G::static_size;
    const qp_shape& shape = data.shape;
    const std::int64_t b = shape.block(i, k);
    if (k < shape.stages) {
        const double* e = data.step(b + 1);
        double* E = K.lower + (b - i) * block_entries;
        for (int c = 0; c < stage_size; ++c) {
            for (int r = g.rank(); r < state_size; r += W)
                E[c * stage_size + r] = -inverse_delta * e[r * data.row + c];
            for (int r = first_from(g, state_size); r < stage_size; r += W) E[c * stage_size + r] = 0;
        }
    }
    if (k > 1) return;
    const double* e = data.step(b);
    double* C = K.coupling + std::int64_t{i} * block_entries;
    for (int c = 0; c < stage_size; ++c)
        for (int r = g.rank(); r < stage_size; r += W)
            C[c * stage_size + r] = c < state_size ? -inverse_delta * e[c * data.row + r] : 0.0;
}

}  // namespace detail

/// The blocks of scenario i. grams: e' e of the step that leads to every block; Z: one weight per row of every block.
SHOAL_TARGET_CLONES inline void assemble_tail(const qp_data& data, const double* grams, const double* Z,
                                              double rho, double delta, int i, arrow_storage& K) {
    const qp_view view = data.view();
    const arrow_blocks blocks = K.blocks();
    for (int k = 1; k <= data.shape.stages; ++k) {
        detail::assemble_stage(thread_group{}, view, grams, Z, rho, 1 / delta, i, k, blocks);
        detail::assemble_links(thread_group{}, view, 1 / delta, i, k, blocks);
    }
}

/// The root block; gram_sum = sum_i e_0^i' e_0^i.
inline void assemble_root(const qp_data& data, const double* gram_sum, const double* Z, double rho,
                          double delta, arrow_storage& K) {
    const std::int64_t b = data.shape.root();
    detail::assemble_diagonal(thread_group{}, data.view(), b, gram_sum, Z + b * data.shape.rows(), rho,
                              1 / delta, K.root.data());
}

}  // namespace shoal::mpc
