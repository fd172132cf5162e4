#pragma once

#include <shoal/blas/copy.hpp>
#include <shoal/compat/glass/views.cuh>
#include <shoal/lapack/fused.hpp>
#include <shoal/lapack/inv.hpp>

/// \file
/// Matrices to invert come augmented, n x 2 n and column-major, [A | I]. The inverse is left in the right half; what the left
/// half holds afterwards means nothing. Every form takes an optional flag last: 1 where a pivot was zero or not finite,
/// otherwise 0.

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

template <typename T>
__host__ __device__ constexpr std::size_t inv_scratch_bytes(std::uint32_t dimA) {
    return (std::size_t{2} * dimA + 1) * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t inv_pivoted_scratch_bytes(std::uint32_t dimA) {
    return (std::size_t{3} * dimA + 1) * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t inv_dense_scratch_bytes(std::uint32_t dimA) {
    return std::size_t{3} * dimA * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t inv_fused_scratch_bytes(std::uint32_t K,
                                                                  const std::uint32_t* dims) {
    std::size_t bytes = 0;
    for (std::uint32_t m = 0; m < K; ++m) bytes += inv_scratch_bytes<T>(dims[m]);
    return bytes;
}

}  // namespace vocabulary

namespace detail {

/// The inverse in the left half moves to the right one, or to `to`.
template <int N, bool Sync, class G, class T>
SHOAL_GLASS_FN void inv(const G& g, int n, T* a, T* to, int* fail) {
    const auto m = view<N, N>(a, n, n);
    const int info = shoal::inv_unpivoted(g, m);
    shoal::copy(shoal::defer_sync(g), m, view<N, N>(to, n, n));
    finish<true, Sync>(g, info, fail);
}
template <int N, bool Sync, class G, class T>
SHOAL_GLASS_FN void inv_pivoted(const G& g, int n, T* a, T* scratch, int* fail) {
    const auto m = view<N, N>(a, n, n);
    const int info = shoal::inv(g, m, line<N>(reinterpret_cast<int*>(scratch), n));
    shoal::copy(shoal::defer_sync(g), m, view<N, N>(a + n * n, n, n));
    finish<true, Sync>(g, info, fail);
}

/// Several systems: order(m) and data(m) say where. The span of system m in the scratch, 2 n + 1 elements, holds its
/// pivots and its info.
template <bool Sync, class G, class Order, class Data, class T>
SHOAL_GLASS_FN void inv_systems(const G& g, int count, Order order, Data data, T* scratch, int* fail) {
    const auto room = [=](int m) {
        int offset = 0;
        for (int k = 0; k < m; ++k) offset += 2 * order(k) + 1;
        return reinterpret_cast<int*>(scratch + offset);
    };
    const int failed = shoal::inv_fused(
        g, count, [=](int m) { return shoal::matrix<T>(data(m), order(m), order(m)); },
        [=](int m) { return shoal::vector<int>(room(m), order(m)); },
        [=](int m) -> int& { return room(m)[order(m)]; });
    for (int m = 0; m < count; ++m) {
        const int n = order(m);
        shoal::copy(shoal::defer_sync(g), shoal::matrix<T>(data(m), n, n),
                    shoal::matrix<T>(data(m) + n * n, n, n));
    }
    finish<true, Sync>(g, failed, fail);
}

}  // namespace detail

inline namespace block {

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv(std::uint32_t dimA, T* A, T* /*s_scratch*/, int* s_fail = nullptr) {
    const int n = detail::rt(dimA);
    detail::inv<detail::dynamic, TRAILING_SYNC>(shoal::this_block(), n, A, A + n * n, s_fail);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv(T* A, T* /*s_scratch*/, int* s_fail = nullptr) {
    detail::inv<detail::ct<N>, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>, A, A + N * N, s_fail);
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv_pivoted(std::uint32_t dimA, T* A, T* s_scratch, int* s_fail = nullptr) {
    detail::inv_pivoted<detail::dynamic, TRAILING_SYNC>(shoal::this_block(), detail::rt(dimA), A, s_scratch,
                                                        s_fail);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv_pivoted(T* A, T* s_scratch, int* s_fail = nullptr) {
    detail::inv_pivoted<detail::ct<N>, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>, A, s_scratch,
                                                      s_fail);
}

/// The fused forms interchange rows: they also invert what needs it. MAX_DIM is found from the orders.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv(std::uint32_t K, const std::uint32_t* dims, std::uint32_t /*MAX_DIM*/, T** mats,
                        T* s_scratch, int* s_fail = nullptr) {
    detail::inv_systems<TRAILING_SYNC>(
        shoal::this_block(), detail::rt(K), [=](int m) { return detail::rt(dims[m]); },
        [=](int m) { return mats[m]; }, s_scratch, s_fail);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv(std::uint32_t dimA, std::uint32_t dimB, std::uint32_t /*MAX_DIM*/, T* A, T* B,
                        T* s_scratch, int* s_fail = nullptr) {
    detail::inv_systems<TRAILING_SYNC>(
        shoal::this_block(), 2, [=](int m) { return detail::rt(m == 0 ? dimA : dimB); },
        [=](int m) { return m == 0 ? A : B; }, s_scratch, s_fail);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv(std::uint32_t dimA, std::uint32_t dimB, std::uint32_t dimC, std::uint32_t /*MAX_DIM*/,
                        T* A, T* B, T* C, T* s_scratch, int* s_fail = nullptr) {
    detail::inv_systems<TRAILING_SYNC>(
        shoal::this_block(), 3, [=](int m) { return detail::rt(m == 0   ? dimA
                                                               : m == 1 ? dimB
                                                                        : dimC); },
        [=](int m) { return m == 0   ? A
                            : m == 1 ? B
                                     : C; }, s_scratch, s_fail);
}

/// Both A and Ainv hold the inverse on return.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv_dense(std::uint32_t dimA, T* A, T* Ainv, T* /*s_scratch*/, int* s_fail = nullptr) {
    detail::inv<detail::dynamic, TRAILING_SYNC>(shoal::this_block(), detail::rt(dimA), A, Ainv, s_fail);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void inv_dense(T* A, T* Ainv, T* /*s_scratch*/, int* s_fail = nullptr) {
    detail::inv<detail::ct<N>, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>, A, Ainv, s_fail);
}

}  // namespace block

namespace warp {
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void inv(T* A, T* /*s_scratch*/, int* s_fail = nullptr) {
    detail::inv<detail::ct<N>, true>(shoal::this_warp(), detail::ct<N>, A, A + N * N, s_fail);
}
}  // namespace warp

namespace thread {
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void inv(T* A, T* /*s_scratch*/, int* s_fail = nullptr) {
    detail::inv<detail::ct<N>, true>(shoal::this_thread(), detail::ct<N>, A, A + N * N, s_fail);
}
}  // namespace thread

}  // namespace SHOAL_GLASS_NAMESPACE
