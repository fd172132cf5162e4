#pragma once

#include <shoal/compat/tdls/config.hpp>
#include <shoal/tiled_lu/factorize.hpp>
#include <shoal/tiled_lu/solve.hpp>
#include <shoal/tiled_lu/substitute.hpp>

namespace SHOAL_TDLS_NAMESPACE {

/// A X = B for one matrix of order N, known at compile time, by LU with partial pivoting on tiles; in the calling thread.
///
/// Element (r, c) of the matrix that memory holds row after row is at `A[(r * N + c) * A_stride]`, entry i of pivots and of
/// right-hand sides at `i * stride`. An array whose `internal_` flag is set is the caller's own, and its stride is not
/// looked at; columns in it lie N apart. Strides known at compile time may follow the documented template arguments, in the order
/// of A, pivots, right-hand side, column; those that are `dynamic_stride` or left out are the run-time arguments.
/// The diagonal of the factored matrix has the reciprocals of the pivots: only the substitutions here read it.
template <class T, int N, TiledLUppConfig<T> Config = TiledLUppConfig<T>{}>
class TiledLUppSolverStatic {
    static_assert(N >= 1, "TiledLUppSolverStatic: N must be at least 1");
    static constexpr auto native = detail::native(Config);
    static_assert(detail::lu::detail::checked<native>::value);

    template <bool Internal, int... Strides>
    SHOAL_FN static constexpr auto matrix(auto* A, int stride) noexcept {
        static_assert(sizeof...(Strides) <= 4, "TiledLUppSolverStatic: too many template arguments");
        return detail::lu::of_order<N>(detail::array<Internal, detail::stride_at<0, Strides...>>(A, stride));
    }
    template <int nrhs, bool Internal, int... Strides>
    SHOAL_FN static constexpr auto block(auto* x, int stride, std::int64_t next) noexcept {
        static_assert(nrhs >= 1, "TiledLUppSolverStatic: nrhs must be at least 1");
        return detail::lu::columns<nrhs>(detail::column<Internal, Strides...>(x, stride),
                                         Internal ? N : detail::next_column<Strides...>(next));
    }

  public:
    static constexpr int tile_size = Config.tile_size;
    static constexpr int full_tiles = N / tile_size;
    static constexpr int last_tile_tail = N - full_tiles * tile_size;
    static constexpr int num_tiles = full_tiles + (last_tile_tail > 0 ? 1 : 0);
    static constexpr Schedule schedule = Config.schedule;
    static constexpr T oot_pivot_threshold = Config.oot_pivot_threshold;
    static constexpr T singular_floor = Config.singular_floor;

    /// A = its factors. `oot` is set to the number of columns whose tile had no acceptable pivot, unless `oot_diag` is false;
    /// with `fuse_rhs` the forward pass of y is done on the way.
    template <bool internal_piv, bool internal_matrix, bool oot_diag = true, bool fuse_rhs = false,
              bool internal_rhs = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool factorize(T* A, int A_stride, int* piv, int piv_stride,
                                                           int& oot, T* y = nullptr,
                                                           int rhs_stride = 1) noexcept {
        const auto S = matrix<internal_matrix, Strides...>(A, A_stride);
        const auto p = detail::pivots<internal_piv, Strides...>(piv, piv_stride);
        if constexpr (fuse_rhs) {
            const auto side = detail::column<internal_rhs, Strides...>(y, rhs_stride);
            if constexpr (oot_diag)
                return detail::lu::factorize_forward<native>(S, p, side, oot) == 0;
            else
                return detail::lu::factorize_forward<native>(S, p, side) == 0;
        } else {
            if constexpr (oot_diag)
                return detail::lu::factorize<native>(S, p, oot) == 0;
            else
                return detail::lu::factorize<native>(S, p) == 0;
        }
    }
    /// The same without the counter.
    template <bool internal_piv, bool internal_matrix, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool factorize(T* A, int A_stride, int* piv,
                                                           int piv_stride) noexcept {
        return detail::lu::factorize<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                             detail::pivots<internal_piv, Strides...>(piv, piv_stride)) == 0;
    }
    /// x = the solution for b, which is another array.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, int... Strides>
    SHOAL_FN static constexpr void substitute(const T* A, int A_stride, const int* piv, int piv_stride,
                                              const T* b, T* x, int rhs_stride) noexcept {
        detail::lu::substitute<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                       detail::column<internal_rhs, Strides...>(b, rhs_stride),
                                       detail::column<internal_rhs, Strides...>(x, rhs_stride));
    }
    /// x = the solution for x.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, int... Strides>
    SHOAL_FN static constexpr void substitute_inplace(const T* A, int A_stride, const int* piv,
                                                      int piv_stride, T* x, int rhs_stride) noexcept {
        detail::lu::substitute_inplace<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                               detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                               detail::column<internal_rhs, Strides...>(x, rhs_stride));
    }
    /// x = column `col` of the inverse.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, int... Strides>
    SHOAL_FN static constexpr void substitute_canonical(const T* A, int A_stride, const int* piv,
                                                        int piv_stride, int col, T* x,
                                                        int rhs_stride) noexcept {
        detail::lu::substitute_canonical<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                                 detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                                 col,
                                                 detail::column<internal_rhs, Strides...>(x, rhs_stride));
    }
    /// The three for nrhs columns, `pass_width` at a time (0: all at once).
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              int... Strides>
    SHOAL_FN static constexpr void substitute_multirhs(const T* A, int A_stride, const int* piv,
                                                       int piv_stride, const T* b, T* x, int rhs_stride,
                                                       std::int64_t xcol_stride) noexcept {
        detail::lu::substitute<native, pass_width>(
            matrix<internal_matrix, Strides...>(A, A_stride),
            detail::pivots<internal_piv, Strides...>(piv, piv_stride),
            block<nrhs, internal_rhs, Strides...>(b, rhs_stride, xcol_stride),
            block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride));
    }
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              int... Strides>
    SHOAL_FN static constexpr void substitute_inplace_multirhs(const T* A, int A_stride, const int* piv,
                                                               int piv_stride, T* x, int rhs_stride,
                                                               std::int64_t xcol_stride) noexcept {
        detail::lu::substitute_inplace<native, pass_width>(
            matrix<internal_matrix, Strides...>(A, A_stride),
            detail::pivots<internal_piv, Strides...>(piv, piv_stride),
            block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride));
    }
    /// Columns col0, col0 + 1, ... of the inverse.
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              int... Strides>
    SHOAL_FN static constexpr void substitute_canonical_multirhs(const T* A, int A_stride, const int* piv,
                                                                 int piv_stride, int col0, T* x,
                                                                 int rhs_stride,
                                                                 std::int64_t xcol_stride) noexcept {
        detail::lu::substitute_canonical<native, pass_width>(
            matrix<internal_matrix, Strides...>(A, A_stride),
            detail::pivots<internal_piv, Strides...>(piv, piv_stride), col0,
            block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride));
    }
    /// Factorises A and solves for b, which is another array than x.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, bool oot_diag = true,
              int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve(T* A, int A_stride, int* piv, int piv_stride,
                                                       const T* b, T* x, int rhs_stride, int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                             detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                             detail::column<internal_rhs, Strides...>(b, rhs_stride),
                                             detail::column<internal_rhs, Strides...>(x, rhs_stride),
                                             oot) == 0;
        } else {
            return detail::lu::solve<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                             detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                             detail::column<internal_rhs, Strides...>(b, rhs_stride),
                                             detail::column<internal_rhs, Strides...>(x, rhs_stride)) == 0;
        }
    }
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve(T* A, int A_stride, int* piv, int piv_stride,
                                                       const T* b, T* x, int rhs_stride) noexcept {
        return detail::lu::solve<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                         detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                         detail::column<internal_rhs, Strides...>(b, rhs_stride),
                                         detail::column<internal_rhs, Strides...>(x, rhs_stride)) == 0;
    }
    /// The same in place, the forward pass folded into the factorisation.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, bool oot_diag = true,
              int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace(T* A, int A_stride, int* piv, int piv_stride,
                                                               T* y, int rhs_stride, int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve_inplace<native>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       detail::column<internal_rhs, Strides...>(y, rhs_stride), oot) == 0;
        } else {
            return detail::lu::solve_inplace<native>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       detail::column<internal_rhs, Strides...>(y, rhs_stride)) == 0;
        }
    }
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace(T* A, int A_stride, int* piv, int piv_stride,
                                                               T* y, int rhs_stride) noexcept {
        return detail::lu::solve_inplace<native>(matrix<internal_matrix, Strides...>(A, A_stride),
                                                 detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                                                 detail::column<internal_rhs, Strides...>(y, rhs_stride)) ==
               0;
    }
    /// Factorises A and solves for nrhs columns, `pass_width` at a time.
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_multirhs(T* A, int A_stride, int* piv, int piv_stride,
                                                                const T* b, T* x, int rhs_stride,
                                                                std::int64_t xcol_stride, int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve<native, pass_width>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       block<nrhs, internal_rhs, Strides...>(b, rhs_stride, xcol_stride),
                       block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride), oot) == 0;
        } else {
            return detail::lu::solve<native, pass_width>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       block<nrhs, internal_rhs, Strides...>(b, rhs_stride, xcol_stride),
                       block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride)) == 0;
        }
    }
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_multirhs(T* A, int A_stride, int* piv, int piv_stride,
                                                                const T* b, T* x, int rhs_stride,
                                                                std::int64_t xcol_stride) noexcept {
        return detail::lu::solve<native, pass_width>(
                   matrix<internal_matrix, Strides...>(A, A_stride),
                   detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                   block<nrhs, internal_rhs, Strides...>(b, rhs_stride, xcol_stride),
                   block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride)) == 0;
    }
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace_multirhs(T* A, int A_stride, int* piv,
                                                                        int piv_stride, T* x, int rhs_stride,
                                                                        std::int64_t xcol_stride,
                                                                        int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve_inplace<native, pass_width>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride), oot) == 0;
        } else {
            return detail::lu::solve_inplace<native, pass_width>(
                       matrix<internal_matrix, Strides...>(A, A_stride),
                       detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                       block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride)) == 0;
        }
    }
    template <int nrhs, bool internal_rhs, bool internal_piv, bool internal_matrix, int pass_width = 0,
              int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace_multirhs(T* A, int A_stride, int* piv,
                                                                        int piv_stride, T* x, int rhs_stride,
                                                                        std::int64_t xcol_stride) noexcept {
        return detail::lu::solve_inplace<native, pass_width>(
                   matrix<internal_matrix, Strides...>(A, A_stride),
                   detail::pivots<internal_piv, Strides...>(piv, piv_stride),
                   block<nrhs, internal_rhs, Strides...>(x, rhs_stride, xcol_stride)) == 0;
    }
};

}  // namespace SHOAL_TDLS_NAMESPACE
