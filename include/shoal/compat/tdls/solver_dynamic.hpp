#pragma once

#include <shoal/compat/tdls/config.hpp>
#include <shoal/tiled_lu/factorize.hpp>
#include <shoal/tiled_lu/solve.hpp>
#include <shoal/tiled_lu/substitute.hpp>

namespace SHOAL_TDLS_NAMESPACE {

/// The same as TiledLUppSolverStatic for an order n that is known at run time, the first argument of every call; nrhs, where
/// there is one, is the second. All arrays are memory with strides. n = 0 and nrhs = 0 touch nothing.
template <class T, TiledLUppConfig<T> Config = TiledLUppConfig<T>{}>
class TiledLUppSolverDynamic {
    static constexpr auto native = detail::native(Config);
    static_assert(detail::lu::detail::checked<native>::value);

    template <int... Strides>
    SHOAL_FN static constexpr auto matrix(int n, auto* A, int stride) noexcept {
        static_assert(sizeof...(Strides) <= 4, "TiledLUppSolverDynamic: too many template arguments");
        return detail::lu::of_order(detail::array<false, detail::stride_at<0, Strides...>>(A, stride), n);
    }
    template <int... Strides>
    SHOAL_FN static constexpr auto block(int nrhs, auto* x, int stride, std::int64_t next) noexcept {
        return detail::lu::columns(detail::column<false, Strides...>(x, stride), nrhs,
                                   detail::next_column<Strides...>(next));
    }

  public:
    static constexpr int tile_size = Config.tile_size;
    static constexpr Schedule schedule = Config.schedule;
    static constexpr T oot_pivot_threshold = Config.oot_pivot_threshold;
    static constexpr T singular_floor = Config.singular_floor;

    /// How many tiles n rows have, the last one perhaps a part.
    SHOAL_FN static constexpr int num_tiles(int n) noexcept {
        return n / tile_size + (n % tile_size > 0 ? 1 : 0);
    }
    /// How many rows the tile has that begins at row t0.
    SHOAL_FN static constexpr int tile_extent(int t0, int n) noexcept {
        return n - t0 < tile_size ? n - t0 : tile_size;
    }

    /// A = its factors. `oot` is set to the number of columns whose tile had no acceptable pivot, unless `oot_diag` is false;
    /// with `fuse_rhs` the forward pass of y is done on the way.
    template <bool oot_diag = true, bool fuse_rhs = false, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool factorize(int n, T* A, int A_stride, int* piv,
                                                           int piv_stride, int& oot, T* y = nullptr,
                                                           int rhs_stride = 1) noexcept {
        const auto S = matrix<Strides...>(n, A, A_stride);
        const auto p = detail::pivots<false, Strides...>(piv, piv_stride);
        if constexpr (fuse_rhs) {
            const auto side = detail::column<false, Strides...>(y, rhs_stride);
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
    template <int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool factorize(int n, T* A, int A_stride, int* piv,
                                                           int piv_stride) noexcept {
        return detail::lu::factorize<native>(matrix<Strides...>(n, A, A_stride),
                                             detail::pivots<false, Strides...>(piv, piv_stride)) == 0;
    }
    /// x = the solution for b, which is another array.
    template <int... Strides>
    SHOAL_FN static constexpr void substitute(int n, const T* A, int A_stride, const int* piv, int piv_stride,
                                              const T* b, T* x, int rhs_stride) noexcept {
        detail::lu::substitute<native>(matrix<Strides...>(n, A, A_stride),
                                       detail::pivots<false, Strides...>(piv, piv_stride),
                                       detail::column<false, Strides...>(b, rhs_stride),
                                       detail::column<false, Strides...>(x, rhs_stride));
    }
    /// x = the solution for x.
    template <int... Strides>
    SHOAL_FN static constexpr void substitute_inplace(int n, const T* A, int A_stride, const int* piv,
                                                      int piv_stride, T* x, int rhs_stride) noexcept {
        detail::lu::substitute_inplace<native>(matrix<Strides...>(n, A, A_stride),
                                               detail::pivots<false, Strides...>(piv, piv_stride),
                                               detail::column<false, Strides...>(x, rhs_stride));
    }
    /// x = column `col` of the inverse.
    template <int... Strides>
    SHOAL_FN static constexpr void substitute_canonical(int n, const T* A, int A_stride, const int* piv,
                                                        int piv_stride, int col, T* x,
                                                        int rhs_stride) noexcept {
        detail::lu::substitute_canonical<native>(matrix<Strides...>(n, A, A_stride),
                                                 detail::pivots<false, Strides...>(piv, piv_stride), col,
                                                 detail::column<false, Strides...>(x, rhs_stride));
    }
    /// The three for nrhs columns, `pass_width` at a time (0: all at once).
    template <int pass_width = 0, int... Strides>
    SHOAL_FN static constexpr void substitute_multirhs(int n, int nrhs, const T* A, int A_stride,
                                                       const int* piv, int piv_stride, const T* b, T* x,
                                                       int rhs_stride, std::int64_t xcol_stride) noexcept {
        detail::lu::substitute<native, pass_width>(matrix<Strides...>(n, A, A_stride),
                                                   detail::pivots<false, Strides...>(piv, piv_stride),
                                                   block<Strides...>(nrhs, b, rhs_stride, xcol_stride),
                                                   block<Strides...>(nrhs, x, rhs_stride, xcol_stride));
    }
    template <int pass_width = 0, int... Strides>
    SHOAL_FN static constexpr void substitute_inplace_multirhs(int n, int nrhs, const T* A, int A_stride,
                                                               const int* piv, int piv_stride, T* x,
                                                               int rhs_stride,
                                                               std::int64_t xcol_stride) noexcept {
        detail::lu::substitute_inplace<native, pass_width>(
            matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
            block<Strides...>(nrhs, x, rhs_stride, xcol_stride));
    }
    /// Columns col0, col0 + 1, ... of the inverse.
    template <int pass_width = 0, int... Strides>
    SHOAL_FN static constexpr void substitute_canonical_multirhs(int n, int nrhs, const T* A, int A_stride,
                                                                 const int* piv, int piv_stride, int col0,
                                                                 T* x, int rhs_stride,
                                                                 std::int64_t xcol_stride) noexcept {
        detail::lu::substitute_canonical<native, pass_width>(
            matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride), col0,
            block<Strides...>(nrhs, x, rhs_stride, xcol_stride));
    }
    /// Factorises A and solves for b, which is another array than x.
    template <bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve(int n, T* A, int A_stride, int* piv, int piv_stride,
                                                       const T* b, T* x, int rhs_stride, int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve<native>(matrix<Strides...>(n, A, A_stride),
                                             detail::pivots<false, Strides...>(piv, piv_stride),
                                             detail::column<false, Strides...>(b, rhs_stride),
                                             detail::column<false, Strides...>(x, rhs_stride), oot) == 0;
        } else {
            return detail::lu::solve<native>(matrix<Strides...>(n, A, A_stride),
                                             detail::pivots<false, Strides...>(piv, piv_stride),
                                             detail::column<false, Strides...>(b, rhs_stride),
                                             detail::column<false, Strides...>(x, rhs_stride)) == 0;
        }
    }
    template <int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve(int n, T* A, int A_stride, int* piv, int piv_stride,
                                                       const T* b, T* x, int rhs_stride) noexcept {
        return detail::lu::solve<native>(matrix<Strides...>(n, A, A_stride),
                                         detail::pivots<false, Strides...>(piv, piv_stride),
                                         detail::column<false, Strides...>(b, rhs_stride),
                                         detail::column<false, Strides...>(x, rhs_stride)) == 0;
    }
    /// The same in place, the forward pass folded into the factorisation.
    template <bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace(int n, T* A, int A_stride, int* piv,
                                                               int piv_stride, T* y, int rhs_stride,
                                                               int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve_inplace<native>(
                       matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                       detail::column<false, Strides...>(y, rhs_stride), oot) == 0;
        } else {
            return detail::lu::solve_inplace<native>(matrix<Strides...>(n, A, A_stride),
                                                     detail::pivots<false, Strides...>(piv, piv_stride),
                                                     detail::column<false, Strides...>(y, rhs_stride)) == 0;
        }
    }
    template <int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace(int n, T* A, int A_stride, int* piv,
                                                               int piv_stride, T* y,
                                                               int rhs_stride) noexcept {
        return detail::lu::solve_inplace<native>(matrix<Strides...>(n, A, A_stride),
                                                 detail::pivots<false, Strides...>(piv, piv_stride),
                                                 detail::column<false, Strides...>(y, rhs_stride)) == 0;
    }
    /// Factorises A and solves for nrhs columns, `pass_width` at a time.
    template <int pass_width = 0, bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_multirhs(int n, int nrhs, T* A, int A_stride, int* piv,
                                                                int piv_stride, const T* b, T* x,
                                                                int rhs_stride, std::int64_t xcol_stride,
                                                                int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve<native, pass_width>(
                       matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                       block<Strides...>(nrhs, b, rhs_stride, xcol_stride),
                       block<Strides...>(nrhs, x, rhs_stride, xcol_stride), oot) == 0;
        } else {
            return detail::lu::solve<native, pass_width>(
                       matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                       block<Strides...>(nrhs, b, rhs_stride, xcol_stride),
                       block<Strides...>(nrhs, x, rhs_stride, xcol_stride)) == 0;
        }
    }
    template <int pass_width = 0, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_multirhs(int n, int nrhs, T* A, int A_stride, int* piv,
                                                                int piv_stride, const T* b, T* x,
                                                                int rhs_stride,
                                                                std::int64_t xcol_stride) noexcept {
        return detail::lu::solve<native, pass_width>(
                   matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                   block<Strides...>(nrhs, b, rhs_stride, xcol_stride),
                   block<Strides...>(nrhs, x, rhs_stride, xcol_stride)) == 0;
    }
    template <int pass_width = 0, bool oot_diag = true, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace_multirhs(int n, int nrhs, T* A, int A_stride,
                                                                        int* piv, int piv_stride, T* x,
                                                                        int rhs_stride,
                                                                        std::int64_t xcol_stride,
                                                                        int& oot) noexcept {
        if constexpr (oot_diag) {
            return detail::lu::solve_inplace<native, pass_width>(
                       matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                       block<Strides...>(nrhs, x, rhs_stride, xcol_stride), oot) == 0;
        } else {
            return detail::lu::solve_inplace<native, pass_width>(
                       matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                       block<Strides...>(nrhs, x, rhs_stride, xcol_stride)) == 0;
        }
    }
    template <int pass_width = 0, int... Strides>
    [[nodiscard]] SHOAL_FN static constexpr bool solve_inplace_multirhs(int n, int nrhs, T* A, int A_stride,
                                                                        int* piv, int piv_stride, T* x,
                                                                        int rhs_stride,
                                                                        std::int64_t xcol_stride) noexcept {
        return detail::lu::solve_inplace<native, pass_width>(
                   matrix<Strides...>(n, A, A_stride), detail::pivots<false, Strides...>(piv, piv_stride),
                   block<Strides...>(nrhs, x, rhs_stride, xcol_stride)) == 0;
    }
};

}  // namespace SHOAL_TDLS_NAMESPACE
