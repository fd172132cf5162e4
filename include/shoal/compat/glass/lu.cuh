#pragma once

#include <shoal/blas/trsm.hpp>
#include <shoal/blas/trsv.hpp>
#include <shoal/compat/glass/views.cuh>
#include <shoal/lapack/gesv.hpp>

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

/// Interchanges k0 .. k1 - 1 of a list that names rows from 0, for a matrix that begins at row k0.
struct interchanges {
    using value_type = int;
    static constexpr int static_size = dynamic;
    const std::uint32_t* piv;
    int first;
    int count;
    __device__ int size() const { return count; }
    __device__ int operator()(int k) const { return static_cast<int>(piv[first + k]) - first; }
};

template <bool Reverse, class G, class T>
SHOAL_GLASS_FN void laswp(const G& g, int n, int cols, T* a, const std::uint32_t* piv, int k0, int k1) {
    const auto rows = shoal::matrix<T>(a, n, cols).block(k0, 0, n - k0, cols);
    const interchanges list{piv, k0, k1 > k0 ? k1 - k0 : 0};
    if constexpr (Reverse) {
        shoal::laswp_reversed(g, rows, list);
    } else {
        shoal::laswp(g, rows, list);
    }
}

template <int N, bool Check, class G, class T>
SHOAL_GLASS_FN void getrf(const G& g, int n, T* a, std::uint32_t* piv, int* fail) {
    const int info = shoal::getrf(shoal::defer_sync(g), view<N, N>(a, n, n), line<N>(piv, n));
    finish<Check, true>(g, info, fail);
}

template <int N, int NRhs, bool Transpose, class G, class T>
SHOAL_GLASS_FN void getrs(const G& g, int n, int nrhs, const T* lu, const std::uint32_t* piv, T* b) {
    if constexpr (Transpose) {
        shoal::getrs_transposed(g, view<N, N>(lu, n, n), line<N>(piv, n), view<N, NRhs>(b, n, nrhs));
    } else {
        shoal::getrs(g, view<N, N>(lu, n, n), line<N>(piv, n), view<N, NRhs>(b, n, nrhs));
    }
}

template <int N, int NRhs, bool Check, bool Sync, class G, class T>
SHOAL_GLASS_FN void gesv(const G& g, int n, int nrhs, T* a, std::uint32_t* piv, T* b, int* fail) {
    const int info =
        shoal::gesv(shoal::defer_sync(g), view<N, N>(a, n, n), line<N>(piv, n), view<N, NRhs>(b, n, nrhs));
    finish<Check, Sync>(g, info, fail);
}

template <int N, int NRhs, FillMode Fill, Diag Unit, bool Transpose, class G, class T>
SHOAL_GLASS_FN void trsm(const G& g, int n, int nrhs, const T* a, T* b) {
    shoal::trsm(g, triangle<Fill, Unit, Transpose>(view<N, N>(a, n, n)), view<N, NRhs>(b, n, nrhs));
}
template <int N, FillMode Fill, Diag Unit, bool Transpose, class G, class T>
SHOAL_GLASS_FN void trsv(const G& g, int n, const T* a, T* b) {
    shoal::trsv(g, triangle<Fill, Unit, Transpose>(view<N, N>(a, n, n)), line<N>(b, n));
}

}  // namespace detail

inline namespace block {

template <typename T, bool REVERSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void laswp(std::uint32_t n, std::uint32_t ncols, T* A, const std::uint32_t* piv,
                          std::uint32_t k0, std::uint32_t k1) {
    detail::laswp<REVERSE>(detail::block_members<TRAILING_SYNC>(), detail::rt(n), detail::rt(ncols), A, piv,
                           detail::rt(k0), detail::rt(k1));
}
template <typename T, bool REVERSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void laswp(std::uint32_t n, T* A, const std::uint32_t* piv, std::uint32_t k0,
                          std::uint32_t k1) {
    laswp<T, REVERSE, TRAILING_SYNC>(n, n, A, piv, k0, k1);
}
template <typename T, bool REVERSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void laswp(const std::uint32_t* piv, std::uint32_t k0, std::uint32_t k1, T* x) {
    laswp<T, REVERSE, TRAILING_SYNC>(k1, 1, x, piv, k0, k1);
}

/// Ends on a barrier whatever TRAILING_SYNC says: the last step's update needs it.
template <typename T, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void getrf(std::uint32_t n, T* A, std::uint32_t* piv, int* s_fail = nullptr) {
    detail::getrf<detail::dynamic, CHECK>(shoal::this_block(), detail::rt(n), A, piv, s_fail);
}
template <typename T, std::uint32_t N, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void getrf(T* A, std::uint32_t* piv, int* s_fail = nullptr) {
    detail::getrf<detail::ct<N>, CHECK>(shoal::this_block(), detail::ct<N>, A, piv, s_fail);
}

template <typename T, bool TRANSPOSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void getrs(std::uint32_t n, std::uint32_t nrhs, const T* LU, const std::uint32_t* piv, T* B) {
    detail::getrs<detail::dynamic, detail::dynamic, TRANSPOSE>(detail::block_members<TRAILING_SYNC>(),
                                                               detail::rt(n), detail::rt(nrhs), LU, piv, B);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, bool TRANSPOSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void getrs(const T* LU, const std::uint32_t* piv, T* B) {
    detail::getrs<detail::ct<N>, detail::ct<NRHS>, TRANSPOSE>(detail::block_members<TRAILING_SYNC>(),
                                                              detail::ct<N>, detail::ct<NRHS>, LU, piv, B);
}

template <typename T, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gesv(std::uint32_t n, std::uint32_t nrhs, T* A, std::uint32_t* piv, T* B,
                         int* s_fail = nullptr) {
    detail::gesv<detail::dynamic, detail::dynamic, CHECK, TRAILING_SYNC>(shoal::this_block(), detail::rt(n),
                                                                         detail::rt(nrhs), A, piv, B, s_fail);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void gesv(T* A, std::uint32_t* piv, T* B, int* s_fail = nullptr) {
    detail::gesv<detail::ct<N>, detail::ct<NRHS>, CHECK, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>,
                                                                        detail::ct<NRHS>, A, piv, B, s_fail);
}

template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trsm(std::uint32_t n, std::uint32_t nrhs, const T* A, T* B) {
    detail::trsm<detail::dynamic, detail::dynamic, FILL, DIAG, TRANSPOSE>(
        detail::block_members<TRAILING_SYNC>(), detail::rt(n), detail::rt(nrhs), A, B);
}
template <typename T, std::uint32_t N, std::uint32_t NRHS, FillMode FILL = FillMode::Lower,
          Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trsm(const T* A, T* B) {
    detail::trsm<detail::ct<N>, detail::ct<NRHS>, FILL, DIAG, TRANSPOSE>(
        detail::block_members<TRAILING_SYNC>(), detail::ct<N>, detail::ct<NRHS>, A, B);
}
template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trsv(std::uint32_t n, const T* A, T* b) {
    detail::trsv<detail::dynamic, FILL, DIAG, TRANSPOSE>(detail::block_members<TRAILING_SYNC>(),
                                                         detail::rt(n), A, b);
}
template <typename T, std::uint32_t N, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit,
          bool TRANSPOSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trsv(const T* A, T* b) {
    detail::trsv<detail::ct<N>, FILL, DIAG, TRANSPOSE>(detail::block_members<TRAILING_SYNC>(), detail::ct<N>,
                                                       A, b);
}

}  // namespace block

namespace warp {
template <typename T, std::uint32_t N, std::uint32_t NRHS, FillMode FILL = FillMode::Lower,
          Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false>
SHOAL_GLASS_FN void trsm(const T* A, T* B) {
    detail::trsm<detail::ct<N>, detail::ct<NRHS>, FILL, DIAG, TRANSPOSE>(shoal::this_warp(), detail::ct<N>,
                                                                         detail::ct<NRHS>, A, B);
}
template <typename T, std::uint32_t N, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit,
          bool TRANSPOSE = false>
SHOAL_GLASS_FN void trsv(const T* A, T* b) {
    detail::trsv<detail::ct<N>, FILL, DIAG, TRANSPOSE>(shoal::this_warp(), detail::ct<N>, A, b);
}
}  // namespace warp

namespace thread {
template <typename T, std::uint32_t N, std::uint32_t NRHS, FillMode FILL = FillMode::Lower,
          Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false>
SHOAL_GLASS_FN void trsm(const T* A, T* B) {
    detail::trsm<detail::ct<N>, detail::ct<NRHS>, FILL, DIAG, TRANSPOSE>(shoal::this_thread(), detail::ct<N>,
                                                                         detail::ct<NRHS>, A, B);
}
template <typename T, std::uint32_t N, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit,
          bool TRANSPOSE = false>
SHOAL_GLASS_FN void trsv(const T* A, T* b) {
    detail::trsv<detail::ct<N>, FILL, DIAG, TRANSPOSE>(shoal::this_thread(), detail::ct<N>, A, b);
}
}  // namespace thread

}  // namespace SHOAL_GLASS_NAMESPACE
