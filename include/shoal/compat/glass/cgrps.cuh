#pragma once

#include <shoal/compat/glass/cholesky.cuh>
#include <shoal/compat/glass/control.cuh>
#include <shoal/compat/glass/gemm.cuh>
#include <shoal/compat/glass/inverse.cuh>
#include <shoal/compat/glass/level2.cuh>
#include <shoal/compat/glass/lu.cuh>
#include <shoal/compat/glass/symmetric.cuh>
#include <shoal/group/cooperative.cuh>

/// \file
/// The tier of cooperative groups: any group of the calling thread, the whole block by default.

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

template <bool Sync = true>
SHOAL_GLASS_FN auto members_of(const cooperative_groups::thread_group& g) {
    if constexpr (Sync) {
        return shoal::adapt_group(g);
    } else {
        return shoal::defer_sync(shoal::adapt_group(g));
    }
}

}  // namespace detail

namespace cgrps {

using cooperative_groups::this_thread_block;
using cooperative_groups::thread_group;

template <typename T, bool TRANSPOSE_A = false, bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B,
                         T beta, T* C, thread_group g = this_thread_block()) {
    detail::gemm<detail::elements, detail::dynamic, detail::dynamic, detail::dynamic, TRANSPOSE_A,
                 TRANSPOSE_B, ROW_MAJOR_C>(detail::members_of<TRAILING_SYNC>(g), detail::rt(m), detail::rt(n),
                                           detail::rt(k), alpha, A, B, beta, C);
}
template <typename T, bool TRANSPOSE_A = false, bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B,
                         T* C, thread_group g = this_thread_block()) {
    gemm<T, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(m, n, k, alpha, A, B, T(0), C, g);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T beta, T* C,
                         thread_group g = this_thread_block()) {
    using detail::ct;
    detail::gemm<detail::elements, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(
        detail::members_of<TRAILING_SYNC>(g), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T* C, thread_group g = this_thread_block()) {
    gemm<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(alpha, A, B, T(0), C, g);
}

template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T beta, T* C, thread_group g = this_thread_block()) {
    using detail::ct;
    detail::gemm<detail::split, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C,
                 decltype(detail::members_of<TRAILING_SYNC>(g)), T>(
        detail::members_of<TRAILING_SYNC>(g), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T* C, thread_group g = this_thread_block()) {
    gemm_reduced<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(alpha, A, B, T(0), C, g);
}
template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T beta, T* C, thread_group g = this_thread_block()) {
    constexpr int n = detail::ct < TRANSPOSE ? COLS : ROWS > ;
    constexpr int k = detail::ct < TRANSPOSE ? ROWS : COLS > ;
    detail::syrk<detail::shared_terms, n, k, FillMode::Full, TRANSPOSE, false>(
        detail::members_of<TRAILING_SYNC>(g), n, k, alpha, A, beta, C);
}
template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T* C, thread_group g = this_thread_block()) {
    syrk_reduced<T, ROWS, COLS, TRANSPOSE, TRAILING_SYNC>(alpha, A, T(0), C, g);
}

template <typename T>
SHOAL_GLASS_FN void inv(std::uint32_t dimA, T* A, T* /*s_scratch*/, thread_group g = this_thread_block(),
                        int* s_fail = nullptr) {
    const int n = detail::rt(dimA);
    detail::inv<detail::dynamic, true>(detail::members_of(g), n, A, A + n * n, s_fail);
}
template <typename T, bool CHECK = false>
SHOAL_GLASS_FN void potrf(std::uint32_t n, T* s_A, thread_group g = this_thread_block(),
                          int* s_fail = nullptr) {
    detail::potrf<detail::dynamic, CHECK, true>(detail::members_of(g), detail::rt(n), s_A, s_fail);
}
template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false>
SHOAL_GLASS_FN void trsm(std::uint32_t n, std::uint32_t nrhs, const T* A, T* B,
                         thread_group g = this_thread_block()) {
    detail::trsm<detail::dynamic, detail::dynamic, FILL, DIAG, TRANSPOSE>(
        detail::members_of(g), detail::rt(n), detail::rt(nrhs), A, B);
}

template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, TensorAxis CONTRACT = TensorAxis::K,
          bool SYMMETRIC = false, bool ACCUMULATE = true, bool TIN_ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void tensor_vec_contract(const T* Tns, const T* v, T* Mout,
                                        thread_group g = this_thread_block()) {
    using detail::ct;
    detail::tensor_vec_contract<ct<K>, ct<A>, ct<B>, CONTRACT, SYMMETRIC, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::members_of<TRAILING_SYNC>(g), Tns, v, Mout);
}
template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, bool ACCUMULATE = false,
          bool TIN_ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void vec_tensor_vec(const T* Tns, const T* u, const T* w, T* s,
                                   thread_group g = this_thread_block()) {
    using detail::ct;
    detail::vec_tensor_vec<ct<K>, ct<A>, ct<B>, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::members_of<TRAILING_SYNC>(g), Tns, u, w, s);
}
template <typename T, std::uint32_t N, std::uint32_t Kdim, bool ACCUMULATE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void congruence_sym(T alpha, const T* X, const T* M, T beta, T* Q, T* s_scratch,
                                   thread_group g = this_thread_block()) {
    detail::congruence_sym<detail::ct<N>, detail::ct<Kdim>, ACCUMULATE>(detail::members_of<TRAILING_SYNC>(g),
                                                                        alpha, X, M, beta, Q, s_scratch);
}
template <typename T, std::uint32_t N, std::uint32_t P, std::uint32_t Qd, bool ACCUMULATE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void bilinear(T alpha, const T* X, const T* M, const T* Y, T beta, T* R, T* s_scratch,
                             thread_group g = this_thread_block()) {
    using detail::ct;
    detail::bilinear<ct<N>, ct<P>, ct<Qd>, ACCUMULATE>(detail::members_of<TRAILING_SYNC>(g), alpha, X, M, Y,
                                                       beta, R, s_scratch);
}

template <typename T, bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(std::uint32_t m, std::uint32_t n, T alpha, const T* A, const T* x, T beta, T* y,
                         thread_group g = this_thread_block()) {
    detail::gemv<detail::dynamic, detail::dynamic, TRANSPOSE, ROW_MAJOR>(
        detail::members_of<TRAILING_SYNC>(g), detail::rt(m), detail::rt(n), alpha, A, x, beta, y);
}
template <typename T, bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemv(std::uint32_t m, std::uint32_t n, T alpha, const T* A, const T* x, T* y,
                         thread_group g = this_thread_block()) {
    gemv<T, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(m, n, alpha, A, x, T(0), y, g);
}

}  // namespace cgrps
}  // namespace SHOAL_GLASS_NAMESPACE
