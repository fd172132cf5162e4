#pragma once

#include <shoal/compat/glass/views.cuh>
#include <shoal/lapack/fused.hpp>
#include <shoal/lapack/posv.hpp>
#include <shoal/lapack/shift.hpp>

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

template <int N, bool Check, bool Sync, class G, class T>
SHOAL_GLASS_FN void potrf(const G& g, int n, T* a, int* fail) {
    const int info = shoal::potrf(shoal::defer_sync(g), lower(view<N, N>(a, n, n)));
    finish<Check, Sync>(g, info, fail);
}

/// Takes the info of one system and forgets it: the count of failures tells.
struct no_info {
    __device__ const no_info& operator=(int) const { return *this; }
};

template <bool Sync, class G, class Order, class Data>
SHOAL_GLASS_FN void potrf_systems(const G& g, int count, Order order, Data data, int* fail) {
    using T = std::remove_pointer_t<decltype(data(0))>;
    const int failed = shoal::potrf_fused(
        shoal::defer_sync(g), count,
        [=](int m) { return lower(shoal::matrix<T>(data(m), order(m), order(m))); },
        [](int) { return no_info{}; });
    finish<true, Sync>(g, failed, fail);
}

template <bool Relative, int N, class G, class T>
SHOAL_GLASS_FN void regularize(const G& g, int n, T* a, T rho) {
    if constexpr (Relative) {
        shoal::shift_relative(g, rho, view<N, N>(a, n, n));
    } else {
        shoal::shift(g, rho, view<N, N>(a, n, n));
    }
}

/// A may be shifted first; B has one column or several.
template <int N, int NRhs, bool Regularize, bool Check, bool Relative, bool Sync, class G, class T>
SHOAL_GLASS_FN void posv(const G& g, int n, int nrhs, T* a, T* b, T rho, int* fail) {
    if constexpr (Regularize) regularize<Relative, N>(g, n, a, rho);
    int info = 0;
    if constexpr (NRhs == 1) {
        info = shoal::posv(shoal::defer_sync(g), lower(view<N, N>(a, n, n)), line<N>(b, n));
    } else {
        info = shoal::posv(shoal::defer_sync(g), lower(view<N, N>(a, n, n)), view<N, NRhs>(b, n, nrhs));
    }
    finish<Check, Sync>(g, info, fail);
}

template <int N, class G, class T>
SHOAL_GLASS_FN void potrs(const G& g, int n, const T* l, T* b) {
    shoal::potrs(g, lower(view<N, N>(l, n, n)), line<N>(b, n));
}
template <int N, int NRhs, class G, class T>
SHOAL_GLASS_FN void potrs(const G& g, int n, int nrhs, const T* l, T* b) {
    shoal::potrs(g, lower(view<N, N>(l, n, n)), view<N, NRhs>(b, n, nrhs));
}

}  // namespace detail

inline namespace block {

template <typename T, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrf(std::uint32_t n, T* s_A, int* s_fail = nullptr) {
    detail::potrf<detail::dynamic, CHECK, TRAILING_SYNC>(shoal::this_block(), detail::rt(n), s_A, s_fail);
}
template <typename T, std::uint32_t N, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrf(T* s_A, int* s_fail = nullptr) {
    detail::potrf<detail::ct<N>, CHECK, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>, s_A, s_fail);
}

/// The fused forms set an optional flag last: 1 where a pivot of any matrix was bad, otherwise 0. MAX_DIM is found from the
/// orders.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrf(std::uint32_t K, const std::uint32_t* dims, std::uint32_t /*MAX_DIM*/, T** mats,
                          int* s_fail = nullptr) {
    detail::potrf_systems<TRAILING_SYNC>(
        shoal::this_block(), detail::rt(K), [=](int m) { return detail::rt(dims[m]); },
        [=](int m) { return mats[m]; }, s_fail);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrf(std::uint32_t dimA, std::uint32_t dimB, std::uint32_t /*MAX_DIM*/, T* A, T* B,
                          int* s_fail = nullptr) {
    detail::potrf_systems<TRAILING_SYNC>(
        shoal::this_block(), 2, [=](int m) { return detail::rt(m == 0 ? dimA : dimB); },
        [=](int m) { return m == 0 ? A : B; }, s_fail);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrf(std::uint32_t dimA, std::uint32_t dimB, std::uint32_t dimC,
                          std::uint32_t /*MAX_DIM*/, T* A, T* B, T* C, int* s_fail = nullptr) {
    detail::potrf_systems<TRAILING_SYNC>(
        shoal::this_block(), 3, [=](int m) { return detail::rt(m == 0   ? dimA
                                                               : m == 1 ? dimB
                                                                        : dimC); },
        [=](int m) { return m == 0   ? A
                            : m == 1 ? B
                                     : C; }, s_fail);
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void posv(std::uint32_t n, T* A, T* b) {
    detail::posv<detail::dynamic, 1, false, false, false, TRAILING_SYNC>(shoal::this_block(), detail::rt(n),
                                                                         1, A, b, T(0), nullptr);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void posv(T* A, T* b) {
    detail::posv<detail::ct<N>, 1, false, false, false, true>(shoal::this_block(), detail::ct<N>, 1, A, b,
                                                              T(0), nullptr);
}
template <typename T, bool REGULARIZE = false, bool CHECK = false, bool REG_DIAG = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void posv(std::uint32_t n, std::uint32_t nrhs, T* A, T* B, T rho = T(0),
                         int* s_fail = nullptr) {
    detail::posv<detail::dynamic, detail::dynamic, REGULARIZE, CHECK, REG_DIAG, TRAILING_SYNC>(
        shoal::this_block(), detail::rt(n), detail::rt(nrhs), A, B, rho, s_fail);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, bool REGULARIZE = false, bool CHECK = false,
          bool REG_DIAG = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void posv(T* A, T* B, T rho = T(0), int* s_fail = nullptr) {
    detail::posv<detail::ct<N>, detail::ct<NRHS>, REGULARIZE, CHECK, REG_DIAG, TRAILING_SYNC>(
        shoal::this_block(), detail::ct<N>, detail::ct<NRHS>, A, B, rho, s_fail);
}
template <typename T, bool REG_DIAG = false, typename SizeT>
SHOAL_GLASS_FN void _posv_regularize(SizeT n, T* A, T rho) {
    detail::regularize<REG_DIAG, detail::dynamic>(shoal::this_block(), static_cast<int>(n), A, rho);
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrs(std::uint32_t n, const T* L, T* b) {
    detail::potrs<detail::dynamic>(detail::block_members<TRAILING_SYNC>(), detail::rt(n), L, b);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void potrs(const T* L, T* b) {
    detail::potrs<detail::ct<N>>(shoal::this_block(), detail::ct<N>, L, b);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrs(std::uint32_t n, std::uint32_t nrhs, const T* L, T* B) {
    detail::potrs<detail::dynamic, detail::dynamic>(detail::block_members<TRAILING_SYNC>(), detail::rt(n),
                                                    detail::rt(nrhs), L, B);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void potrs(const T* L, T* B) {
    detail::potrs<detail::ct<N>, detail::ct<NRHS>>(detail::block_members<TRAILING_SYNC>(), detail::ct<N>,
                                                   detail::ct<NRHS>, L, B);
}

}  // namespace block

namespace warp {

template <typename T, std::uint32_t N, bool CHECK = false>
SHOAL_GLASS_FN void potrf(T* s_A, int* s_fail = nullptr) {
    detail::potrf<detail::ct<N>, CHECK, true>(shoal::this_warp(), detail::ct<N>, s_A, s_fail);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void posv(T* A, T* b) {
    detail::posv<detail::ct<N>, 1, false, false, false, true>(shoal::this_warp(), detail::ct<N>, 1, A, b,
                                                              T(0), nullptr);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, bool REGULARIZE = false, bool CHECK = false,
          bool REG_DIAG = false>
SHOAL_GLASS_FN void posv(T* A, T* B, T rho = T(0), int* s_fail = nullptr) {
    detail::posv<detail::ct<N>, detail::ct<NRHS>, REGULARIZE, CHECK, REG_DIAG, true>(
        shoal::this_warp(), detail::ct<N>, detail::ct<NRHS>, A, B, rho, s_fail);
}
template <typename T, bool REG_DIAG = false, typename SizeT>
SHOAL_GLASS_FN void _posv_regularize(SizeT n, T* A, T rho) {
    detail::regularize<REG_DIAG, detail::dynamic>(shoal::this_warp(), static_cast<int>(n), A, rho);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void potrs(const T* L, T* b) {
    detail::potrs<detail::ct<N>>(shoal::this_warp(), detail::ct<N>, L, b);
}

}  // namespace warp

namespace thread {

template <typename T, std::uint32_t N, bool CHECK = false>
SHOAL_GLASS_FN void potrf(T* s_A, int* s_fail = nullptr) {
    detail::potrf<detail::ct<N>, CHECK, true>(shoal::this_thread(), detail::ct<N>, s_A, s_fail);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void posv(T* A, T* b) {
    detail::posv<detail::ct<N>, 1, false, false, false, true>(shoal::this_thread(), detail::ct<N>, 1, A, b,
                                                              T(0), nullptr);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void potrs(const T* L, T* b) {
    detail::potrs<detail::ct<N>>(shoal::this_thread(), detail::ct<N>, L, b);
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE
