#pragma once

#include <shoal/blas/copy.hpp>
#include <shoal/blas/gemm.hpp>
#include <shoal/blas/gemv.hpp>
#include <shoal/blas/ger.hpp>
#include <shoal/blas/set.hpp>
#include <shoal/blas/symmetrize.hpp>
#include <shoal/blas/transpose.hpp>
#include <shoal/blas/trmv.hpp>
#include <shoal/compat/glass/views.cuh>
#include <shoal/lapack/shift.hpp>

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

template <typename T>
__host__ __device__ constexpr std::size_t trmv_scratch_bytes(std::uint32_t n) {
    return std::size_t{n} * sizeof(T);
}

}  // namespace vocabulary

namespace detail {

/// y := alpha op(A) x + beta y, A of m x n as stored.
template <int M, int N, bool Transpose, bool RowMajor, class G, class T>
SHOAL_GLASS_FN void gemv(const G& g, int m, int n, T alpha, const T* a, const T* x, T beta, T* y) {
    if constexpr (Transpose) {
        shoal::gemv(g, alpha, transposed(view<M, N, RowMajor>(a, m, n)), line<M>(x, m), beta, line<N>(y, n));
    } else {
        shoal::gemv(g, alpha, view<M, N, RowMajor>(a, m, n), line<N>(x, n), beta, line<M>(y, m));
    }
}
/// The same with the terms of a sum shared by the lanes of a warp.
template <int M, int N, bool Transpose, bool RowMajor, class G, class T>
SHOAL_GLASS_FN void gemv_reduced(const G& g, T alpha, const T* a, const T* x, T beta, T* y) {
    constexpr shoal::gemm_policy policy{.algorithm = shoal::product_algorithm::split};
    constexpr int rows = Transpose ? N : M;
    constexpr int depth = Transpose ? M : N;
    const auto m = view<M, N, RowMajor>(a, M, N);
    if constexpr (Transpose) {
        shoal::gemm<policy>(g, alpha, transposed(m), view<depth, 1>(x, depth, 1), beta,
                            view<rows, 1>(y, rows, 1));
    } else {
        shoal::gemm<policy>(g, alpha, m, view<depth, 1>(x, depth, 1), beta, view<rows, 1>(y, rows, 1));
    }
}

}  // namespace detail

inline namespace block {

template <typename T, bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(std::uint32_t m, std::uint32_t n, T alpha, const T* A, const T* x, T beta, T* y) {
    detail::gemv<detail::dynamic, detail::dynamic, TRANSPOSE, ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), detail::rt(m), detail::rt(n), alpha, A, x, beta, y);
}
template <typename T, bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(std::uint32_t m, std::uint32_t n, T alpha, const T* A, const T* x, T* y) {
    gemv<T, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(m, n, alpha, A, x, T(0), y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T beta, T* y) {
    using detail::ct;
    detail::gemv<ct<M>, ct<N>, TRANSPOSE, ROW_MAJOR>(detail::block_members<TRAILING_SYNC>(), ct<M>, ct<N>,
                                                     alpha, A, x, beta, y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T* y) {
    gemv<T, M, N, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(alpha, A, x, T(0), y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv_reduced(T alpha, const T* A, const T* x, T beta, T* y) {
    detail::gemv_reduced<detail::ct<M>, detail::ct<N>, TRANSPOSE, ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), alpha, A, x, beta, y);
}
/// A is column-major with ROW_STRIDE elements from one column to the next. Ends on a barrier.
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t ROW_STRIDE = M>
SHOAL_GLASS_FN void gemv_strided(T alpha, const T* A, const T* x, T beta, T* y) {
    using detail::ct;
    shoal::gemv(shoal::this_block(), alpha,
                shoal::matrix<const T, ct<M>, ct<N>, shoal::column_ld<ct<ROW_STRIDE>>>(A),
                detail::line<ct<N>>(x, ct<N>), beta, detail::line<ct<M>>(y, ct<M>));
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void ger(std::uint32_t m, std::uint32_t n, T alpha, const T* x, const T* y, T* A) {
    using detail::dynamic;
    const int rows = detail::rt(m);
    const int cols = detail::rt(n);
    shoal::ger(detail::block_members<TRAILING_SYNC>(), alpha, detail::line<dynamic>(x, rows),
               detail::line<dynamic>(y, cols), detail::view<dynamic, dynamic>(A, rows, cols));
}

template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trmv(std::uint32_t n, const T* A, const T* x, T* y) {
    using detail::dynamic;
    const int size = detail::rt(n);
    shoal::trmv(detail::block_members<TRAILING_SYNC>(), T(1),
                detail::triangle<FILL, DIAG, TRANSPOSE>(detail::view<dynamic, dynamic>(A, size, size)),
                detail::line<dynamic>(x, size), detail::line<dynamic>(y, size));
}
template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trmv_inplace(std::uint32_t n, const T* A, T* x, T* s_scratch) {
    using detail::dynamic;
    const int size = detail::rt(n);
    shoal::trmv_in_place(
        detail::block_members<TRAILING_SYNC>(),
        detail::triangle<FILL, DIAG, TRANSPOSE>(detail::view<dynamic, dynamic>(A, size, size)),
        detail::line<dynamic>(x, size), s_scratch);
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void set_identity(std::uint32_t n, T* A) {
    shoal::set(detail::block_members<TRAILING_SYNC>(), T(0), T(1),
               shoal::matrix<T>(A, detail::rt(n), detail::rt(n)));
}
/// A := A + alpha I
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void add_identity(std::uint32_t n, T* A, T alpha) {
    shoal::shift(detail::block_members<TRAILING_SYNC>(), alpha,
                 shoal::matrix<T>(A, detail::rt(n), detail::rt(n)));
}
/// B := A', A of m x n
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void transpose(std::uint32_t m, std::uint32_t n, const T* A, T* B) {
    shoal::copy(detail::block_members<TRAILING_SYNC>(),
                shoal::transposed(shoal::matrix<const T>(A, detail::rt(m), detail::rt(n))),
                shoal::matrix<T>(B, detail::rt(n), detail::rt(m)));
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void transpose(std::uint32_t n, T* A) {
    shoal::transpose(detail::block_members<TRAILING_SYNC>(),
                     shoal::matrix<T>(A, detail::rt(n), detail::rt(n)));
}
/// The lower triangle is copied over the upper one.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void symmetrize(std::uint32_t n, T* A) {
    shoal::symmetrize(detail::block_members<TRAILING_SYNC>(),
                      shoal::symmetric_lower(shoal::matrix<T>(A, detail::rt(n), detail::rt(n))));
}

}  // namespace block

namespace warp {
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T beta, T* y) {
    using detail::ct;
    detail::gemv<ct<M>, ct<N>, TRANSPOSE, ROW_MAJOR>(detail::warp_members(), ct<M>, ct<N>, alpha, A, x, beta,
                                                     y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T* y) {
    gemv<T, M, N, TRANSPOSE, ROW_MAJOR>(alpha, A, x, T(0), y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv_reduced(T alpha, const T* A, const T* x, T beta, T* y) {
    detail::gemv_reduced<detail::ct<M>, detail::ct<N>, TRANSPOSE, ROW_MAJOR>(
        detail::warp_members<TRAILING_SYNC>(), alpha, A, x, beta, y);
}
}  // namespace warp

namespace thread {
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T beta, T* y) {
    using detail::ct;
    detail::gemv<ct<M>, ct<N>, TRANSPOSE, ROW_MAJOR>(detail::thread_members(), ct<M>, ct<N>, alpha, A, x,
                                                     beta, y);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void gemv(T alpha, const T* A, const T* x, T* y) {
    gemv<T, M, N, TRANSPOSE, ROW_MAJOR>(alpha, A, x, T(0), y);
}
}  // namespace thread

}  // namespace SHOAL_GLASS_NAMESPACE
