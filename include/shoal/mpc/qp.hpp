#pragma once

/// \file
/// The quadratic program of one optimisation step over M scenarios and N stages, with a shared first stage.
///
///     minimise   sum_b 1/2 z_b' diag(h_b) z_b + g_b' z_b  +  sum_j w s_j + w2/2 s_j^2
///     subject to S z_0 = x_0                                                        (root)
///                S z_k^i = e_{k-1}^i z_{k-1}^i + c_{k-1}^i,  k = 1..N, i = 1..M,  z_0^i = z_0
///                G_b z_b <= limit_b  (thrust: hard)
///                G_b z_b <= limit_b + s_b, s_b >= 0  (attitude, obstacles: soft)
///
/// z = (x, u) has 16 entries, S = [I_12 0]. The rows of G_b, in this order:
///
///     0..3   -u           8, 9    -phi, -theta        12..   -n_j' p, one per obstacle slot
///     4..7    u          10, 11    phi,  theta
///
/// A limit of `no_limit` or more switches its row off. With w above the largest multiplier the penalty is exact: the
/// slacks are zero whenever the program with hard limits is feasible, and the program is feasible in any case.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <shoal/core/macros.hpp>
#include <shoal/mpc/quadrotor.hpp>

namespace shoal::mpc {

/// A limit that is never met.
inline constexpr double no_limit = 1e20;
/// Lower and upper limits of the thrusts: hard.
inline constexpr int thrust_rows = 2 * input_size;
/// Lower and upper limits of roll and pitch: soft.
inline constexpr int attitude_rows = 4;
/// Rows that every stage has; those of obstacles follow.
inline constexpr int fixed_rows = thrust_rows + attitude_rows;
/// Most obstacles that a stage looks at.
inline constexpr int max_slots = 8;
/// w of a program that does not say otherwise.
inline constexpr double default_penalty = 1e3;
/// And w2.
inline constexpr double default_curvature = 1e2;

/// Number of scenarios, stages, and obstacles that a stage looks at.
struct qp_shape {
    int scenarios = 1;
    int stages = 1;
    int slots = 0;

    [[nodiscard]] SHOAL_FN int rows() const { return fixed_rows + slots; }
    [[nodiscard]] SHOAL_FN std::int64_t tail_blocks() const { return std::int64_t{scenarios} * stages; }
    [[nodiscard]] SHOAL_FN std::int64_t blocks() const { return tail_blocks() + 1; }
    [[nodiscard]] SHOAL_FN std::int64_t root() const { return tail_blocks(); }
    /// Block of stage k = 1..N of scenario i; stage 0 is the root of all of them.
    [[nodiscard]] SHOAL_FN std::int64_t block(int i, int k) const {
        return k == 0 ? root() : std::int64_t{i} * stages + (k - 1);
    }
};

/// Where the numbers of a program lie, on the host or on a device; owns nothing. T: double, or const double to read.
template <class T>
struct qp_arrays {
    qp_shape shape;
    T *e, *c, *hessian, *gradient, *limit, *normal, *initial;
    int row = stage_size;  ///< from one row of e to the next: more than 16 where 16 lanes have a row each

    [[nodiscard]] SHOAL_FN T* step(std::int64_t b) const { return e + b * state_size * row; }
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) SHOAL_FN operator qp_arrays<U>() const {
        return {shape, e, c, hessian, gradient, limit, normal, initial, row};
    }
};
/// A program to read.
using qp_view = qp_arrays<const double>;

/// Where the variables of a program lie.
struct point_view {
    double *z, *y, *t, *lambda, *s, *nu;
};

/// The numbers of the program. Blocks follow the arrow order: x_1..x_N of every scenario, then the root.
struct qp_data {
    explicit qp_data(qp_shape s)
        : shape(s),
          e(std::size_t(s.tail_blocks()) * state_size * stage_size),
          c(std::size_t(s.tail_blocks()) * state_size),
          hessian(std::size_t(s.blocks()) * stage_size),
          gradient(std::size_t(s.blocks()) * stage_size),
          limit(std::size_t(s.blocks() * s.rows()), no_limit),
          normal(std::size_t(s.blocks() * s.slots) * 3) {}

    qp_shape shape;
    std::vector<double> e;        ///< e_{k-1}, 12 x 16 row-major, at block (i, k): what leads to that block
    std::vector<double> c;        ///< c_{k-1} at block (i, k)
    std::vector<double> hessian;  ///< diagonal, positive
    std::vector<double> gradient;
    std::vector<double> limit;
    std::vector<double> normal;                    ///< n_j, pointing away from the obstacle
    double initial[state_size] = {};               ///< x_0
    double penalty = default_penalty;              ///< w
    double penalty_curvature = default_curvature;  ///< w2

    [[nodiscard]] const double* step(std::int64_t b) const { return view().step(b); }
    [[nodiscard]] double* step(std::int64_t b) { return view().step(b); }
    [[nodiscard]] qp_view view() const {
        return {shape,           e.data(),     c.data(),      hessian.data(),
                gradient.data(), limit.data(), normal.data(), initial};
    }
    [[nodiscard]] qp_arrays<double> view() {
        return {shape,           e.data(),     c.data(),      hessian.data(),
                gradient.data(), limit.data(), normal.data(), initial};
    }
};

/// Primal and dual variables of the program.
struct qp_point {
    explicit qp_point(qp_shape shape)
        : z(std::size_t(shape.blocks()) * stage_size),
          y(std::size_t(shape.blocks()) * state_size),
          t(std::size_t(shape.blocks() * shape.rows())),
          lambda(t.size()),
          s(t.size()),
          nu(t.size()) {}

    std::vector<double> z;       ///< 16 per block
    std::vector<double> y;       ///< multipliers of the equations, 12 per block
    std::vector<double> t;       ///< distance to the (softened) limit, > 0
    std::vector<double> lambda;  ///< its multiplier, > 0, below w + w2 s on soft rows
    std::vector<double> s;       ///< slack of a soft row, > 0
    std::vector<double> nu;      ///< its multiplier, > 0

    [[nodiscard]] point_view view() {
        return {z.data(), y.data(), t.data(), lambda.data(), s.data(), nu.data()};
    }
};

}  // namespace shoal::mpc
