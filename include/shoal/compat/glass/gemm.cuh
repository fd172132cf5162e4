#pragma once

#include <shoal/blas/gemm.hpp>
#include <shoal/blas/gemm_indexed.hpp>
#include <shoal/compat/glass/views.cuh>

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

/// C := alpha op(A) op(B) + beta C of m x n, contraction k.
template <shoal::product_algorithm How, int M, int N, int K, bool TransposeA, bool TransposeB, bool RowMajorC,
          class G, class T>
SHOAL_GLASS_FN void gemm(const G& g, int m, int n, int k, T alpha, const T* a, const T* b, T beta, T* c) {
    shoal::gemm<shoal::gemm_policy{.algorithm = How}>(g, alpha, operand<M, K, TransposeA>(a, m, k),
                                                      operand<K, N, TransposeB>(b, k, n), beta,
                                                      view<M, N, RowMajorC>(c, m, n));
}

inline constexpr auto elements = shoal::product_algorithm::elements;
inline constexpr auto split = shoal::product_algorithm::split;

}  // namespace detail

inline namespace block {

template <typename T, bool TRANSPOSE_A = false, bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B,
                         T beta, T* C) {
    detail::gemm<detail::elements, detail::dynamic, detail::dynamic, detail::dynamic, TRANSPOSE_A,
                 TRANSPOSE_B, ROW_MAJOR_C>(detail::block_members<TRAILING_SYNC>(), detail::rt(m),
                                           detail::rt(n), detail::rt(k), alpha, A, B, beta, C);
}
template <typename T, bool TRANSPOSE_A = false, bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B,
                         T* C) {
    gemm<T, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(m, n, k, alpha, A, B, T(0), C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::gemm<detail::elements, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(
        detail::block_members<TRAILING_SYNC>(), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T* C) {
    gemm<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(alpha, A, B, T(0), C);
}

/// The scratch is neither needed nor touched: operands in shared memory are read in place.
template <typename T, int TILE = 8>
SHOAL_GLASS_FN void gemm_tiled(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A,
                               const T* B, T beta, T* C, T*, T*) {
    static_assert(TILE > 0, "gemm_tiled: TILE must be positive");
    gemm<T>(m, n, k, alpha, A, B, beta, C);
}
template <typename T, int TILE = 8>
SHOAL_GLASS_FN void gemm_dispatch(std::uint32_t m, std::uint32_t n, std::uint32_t k, T alpha, const T* A,
                                  const T* B, T beta, T* C, T* = nullptr, T* = nullptr) {
    static_assert(TILE > 0, "gemm_dispatch: TILE must be positive");
    gemm<T>(m, n, k, alpha, A, B, beta, C);
}

template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T beta, T* C) {
    using detail::ct;
    detail::gemm<detail::split, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C,
                 decltype(detail::block_members<TRAILING_SYNC>()), T>(
        detail::block_members<TRAILING_SYNC>(), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T* C) {
    gemm_reduced<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(alpha, A, B, T(0), C);
}

template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, std::uint32_t A_RS = M,
          std::uint32_t B_RS = K>
SHOAL_GLASS_FN void gemm_strided(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    shoal::gemm(shoal::this_block(), alpha,
                shoal::matrix<const T, ct<M>, ct<K>, shoal::column_ld<ct<A_RS>>>(A),
                shoal::matrix<const T, ct<K>, ct<N>, shoal::column_ld<ct<B_RS>>>(B), beta,
                shoal::matrix<T, ct<M>, ct<N>>(C));
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, std::uint32_t A_RS = M,
          std::uint32_t B_RS = K>
SHOAL_GLASS_FN void gemm_strided(T alpha, const T* A, const T* B, T* C) {
    gemm_strided<T, M, N, K, A_RS, B_RS>(alpha, A, B, T(0), C);
}

template <typename T, std::uint32_t DIM = 4, bool TRANSPOSE_A = false, bool TRANSPOSE_B = false,
          bool ATOMIC_C = false, typename IDX_T = int>
SHOAL_GLASS_FN void gemm_batched_indexed(std::uint32_t pairs, const IDX_T* a_idx, const IDX_T* b_idx,
                                         const IDX_T* c_idx, const T* A_base, const T* B_base, T* C_base) {
    constexpr int n = detail::ct<DIM>;
    const auto a = [=](int p) {
        return detail::operand<n, n, TRANSPOSE_A>(A_base + static_cast<std::ptrdiff_t>(a_idx[p]) * n * n, n,
                                                  n);
    };
    const auto b = [=](int p) {
        return detail::operand<n, n, TRANSPOSE_B>(B_base + static_cast<std::ptrdiff_t>(b_idx[p]) * n * n, n,
                                                  n);
    };
    const auto c = [=](int p) {
        return detail::view<n, n>(C_base + static_cast<std::ptrdiff_t>(c_idx[p]) * n * n, n, n);
    };
    const auto g = shoal::this_block();
    if constexpr (ATOMIC_C) {
        for (int e = g.rank(); e < detail::rt(pairs) * n * n; e += g.size()) {
            const int p = e / (n * n);
            const int i = e % n;
            const int j = e / n % n;
            T sum = 0;
            for (int k = 0; k < n; ++k) sum = shoal::core::fma(a(p)(i, k), b(p)(k, j), sum);
            atomicAdd(&c(p)(i, j), sum);
        }
        g.sync();
    } else {
        shoal::gemm_indexed(g, detail::rt(pairs), T(1), a, b, T(0), c);
    }
}

}  // namespace block

inline namespace vocabulary {

/// Whether gemm_reduced() is faster than gemm() for so many outputs of so long sums on so many threads: nowhere measured.
template <std::uint32_t n_out, std::uint32_t K_contract, std::uint32_t blockDim>
constexpr bool suggested_use_reduced() {
    return false;
}

}  // namespace vocabulary

namespace warp {

template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::gemm<detail::elements, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(
        detail::warp_members(), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T* C) {
    gemm<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(alpha, A, B, T(0), C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T beta, T* C) {
    using detail::ct;
    detail::gemm<detail::split, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C,
                 decltype(detail::warp_members<TRAILING_SYNC>()), T>(
        detail::warp_members<TRAILING_SYNC>(), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gemm_reduced(T alpha, T* A, T* B, T* C) {
    gemm_reduced<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C, TRAILING_SYNC>(alpha, A, B, T(0), C);
}

}  // namespace warp

namespace thread {

template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::gemm<detail::elements, ct<M>, ct<N>, ct<K>, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(
        detail::thread_members(), ct<M>, ct<N>, ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, std::uint32_t K, bool TRANSPOSE_A = false,
          bool TRANSPOSE_B = false, bool ROW_MAJOR_C = false>
SHOAL_GLASS_FN void gemm(T alpha, const T* A, const T* B, T* C) {
    gemm<T, M, N, K, TRANSPOSE_A, TRANSPOSE_B, ROW_MAJOR_C>(alpha, A, B, T(0), C);
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE

/// Bytes of shared memory that gemm_dispatch() may be given for m x n results on so many threads.
template <typename T>
constexpr std::size_t glass_gemm_dispatch_smem(std::uint32_t m, std::uint32_t n, std::uint32_t threads,
                                               std::uint32_t tile) {
    return m * n <= threads ? std::size_t{m + n} * tile * sizeof(T) : 0;
}
