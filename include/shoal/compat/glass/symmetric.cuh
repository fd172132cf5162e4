#pragma once

#include <shoal/blas/dimm.hpp>
#include <shoal/blas/symm.hpp>
#include <shoal/blas/symmetrize.hpp>
#include <shoal/blas/syr2k.hpp>
#include <shoal/blas/syrk.hpp>
#include <shoal/blas/trmm.hpp>
#include <shoal/compat/glass/views.cuh>

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

/// C := alpha op(A) op(A)' + beta C, C of order n, contraction k; FillMode::Full mirrors the lower triangle.
template <shoal::product_algorithm How, int N, int K, FillMode Fill, bool Transpose, bool RowMajor, class G,
          class T>
SHOAL_GLASS_FN void syrk(const G& g, int n, int k, T alpha, const T* a, T beta, T* c) {
    constexpr shoal::syrk_policy policy{.algorithm = How};
    const auto m = operand<N, K, Transpose, RowMajor>(a, n, k);
    const auto into = symmetric<Fill>(view<N, N, RowMajor>(c, n, n));
    if constexpr (Fill == FillMode::Full) {
        shoal::syrk<policy>(shoal::with_exit_sync(g), alpha, m, beta, into);
        shoal::symmetrize(g, into);
    } else {
        shoal::syrk<policy>(g, alpha, m, beta, into);
    }
}

/// C := alpha (op(A) op(B)' + op(B) op(A)') + beta C.
template <int N, int K, FillMode Fill, bool Transpose, bool RowMajor, class G, class T>
SHOAL_GLASS_FN void syr2k(const G& g, int n, int k, T alpha, const T* a, const T* b, T beta, T* c) {
    const auto left = operand<N, K, Transpose, RowMajor>(a, n, k);
    const auto right = operand<N, K, Transpose, RowMajor>(b, n, k);
    const auto into = symmetric<Fill>(view<N, N, RowMajor>(c, n, n));
    if constexpr (Fill == FillMode::Full) {
        shoal::syr2k(shoal::with_exit_sync(g), alpha, left, right, beta, into);
        shoal::symmetrize(g, into);
    } else {
        shoal::syr2k(g, alpha, left, right, beta, into);
    }
}

template <int N, int M, FillMode Fill, class G, class T>
SHOAL_GLASS_FN void symm(const G& g, int n, int m, T alpha, const T* a, const T* b, T beta, T* c) {
    static_assert(Fill != FillMode::Full, "symm: FillMode::Lower or FillMode::Upper");
    shoal::symm(g, alpha, symmetric<Fill>(view<N, N>(a, n, n)), view<N, M>(b, n, m), beta,
                view<N, M>(c, n, m));
}

template <int N, int M, FillMode Fill, Diag Unit, bool Transpose, class G, class T>
SHOAL_GLASS_FN void trmm(const G& g, int n, int m, T alpha, const T* a, const T* b, T* c) {
    shoal::trmm(g, alpha, triangle<Fill, Unit, Transpose>(view<N, N>(a, n, n)), view<N, M>(b, n, m),
                view<N, M>(c, n, m));
}

template <int M, int N, bool Right, class G, class T>
SHOAL_GLASS_FN void dimm(const G& g, int m, int n, T alpha, const T* d, const T* b, T* c) {
    if constexpr (Right) {
        shoal::dimm(g, alpha, line<N>(d, n), transposed(view<M, N>(b, m, n)), T(0),
                    transposed(view<M, N>(c, m, n)));
    } else {
        shoal::dimm(g, alpha, line<M>(d, m), view<M, N>(b, m, n), T(0), view<M, N>(c, m, n));
    }
}

inline constexpr auto shared_elements = shoal::product_algorithm::elements;
inline constexpr auto shared_terms = shoal::product_algorithm::split;

}  // namespace detail

inline namespace block {

template <typename T, FillMode FILL = FillMode::Full, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk(std::uint32_t n, std::uint32_t k, T alpha, const T* A, T beta, T* C) {
    detail::syrk<detail::shared_elements, detail::dynamic, detail::dynamic, FILL, TRANSPOSE, ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), detail::rt(n), detail::rt(k), alpha, A, beta, C);
}
template <typename T, FillMode FILL = FillMode::Full, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk(std::uint32_t n, std::uint32_t k, T alpha, const T* A, T* C) {
    syrk<T, FILL, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(n, k, alpha, A, T(0), C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T beta, T* C) {
    using detail::ct;
    detail::syrk<detail::shared_elements, ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), ct<N>, ct<K>, alpha, A, beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T* C) {
    syrk<T, N, K, FILL, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(alpha, A, T(0), C);
}

template <typename T, FillMode FILL = FillMode::Full, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syr2k(std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B, T beta, T* C) {
    detail::syr2k<detail::dynamic, detail::dynamic, FILL, TRANSPOSE, ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), detail::rt(n), detail::rt(k), alpha, A, B, beta, C);
}
template <typename T, FillMode FILL = FillMode::Full, bool TRANSPOSE = false, bool ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syr2k(std::uint32_t n, std::uint32_t k, T alpha, const T* A, const T* B, T* C) {
    syr2k<T, FILL, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(n, k, alpha, A, B, T(0), C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::syr2k<ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(detail::block_members<TRAILING_SYNC>(), ct<N>,
                                                            ct<K>, alpha, A, B, beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T* C) {
    syr2k<T, N, K, FILL, TRANSPOSE, ROW_MAJOR, TRAILING_SYNC>(alpha, A, B, T(0), C);
}

template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T beta, T* C) {
    constexpr int n = detail::ct < TRANSPOSE ? COLS : ROWS > ;
    constexpr int k = detail::ct < TRANSPOSE ? ROWS : COLS > ;
    detail::syrk<detail::shared_terms, n, k, FillMode::Full, TRANSPOSE, false>(
        detail::block_members<TRAILING_SYNC>(), n, k, alpha, A, beta, C);
}
template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T* C) {
    syrk_reduced<T, ROWS, COLS, TRANSPOSE, TRAILING_SYNC>(alpha, A, T(0), C);
}

template <typename T, FillMode FILL = FillMode::Lower, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void symm(std::uint32_t n, std::uint32_t m, T alpha, const T* A, const T* B, T beta, T* C) {
    detail::symm<detail::dynamic, detail::dynamic, FILL>(detail::block_members<TRAILING_SYNC>(),
                                                         detail::rt(n), detail::rt(m), alpha, A, B, beta, C);
}
template <typename T, FillMode FILL = FillMode::Lower, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void symm(std::uint32_t n, std::uint32_t m, T alpha, const T* A, const T* B, T* C) {
    symm<T, FILL, TRAILING_SYNC>(n, m, alpha, A, B, T(0), C);
}
template <typename T, std::uint32_t N, std::uint32_t M, FillMode FILL = FillMode::Lower,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void symm(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::symm<ct<N>, ct<M>, FILL>(detail::block_members<TRAILING_SYNC>(), ct<N>, ct<M>, alpha, A, B, beta,
                                     C);
}
template <typename T, std::uint32_t N, std::uint32_t M, FillMode FILL = FillMode::Lower,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void symm(T alpha, const T* A, const T* B, T* C) {
    symm<T, N, M, FILL, TRAILING_SYNC>(alpha, A, B, T(0), C);
}

template <typename T, FillMode FILL = FillMode::Lower, Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trmm(std::uint32_t n, std::uint32_t m, T alpha, const T* A, const T* B, T* C) {
    detail::trmm<detail::dynamic, detail::dynamic, FILL, DIAG, TRANSPOSE>(
        detail::block_members<TRAILING_SYNC>(), detail::rt(n), detail::rt(m), alpha, A, B, C);
}
template <typename T, std::uint32_t N, std::uint32_t M, FillMode FILL = FillMode::Lower,
          Diag DIAG = Diag::NonUnit, bool TRANSPOSE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void trmm(T alpha, const T* A, const T* B, T* C) {
    using detail::ct;
    detail::trmm<ct<N>, ct<M>, FILL, DIAG, TRANSPOSE>(detail::block_members<TRAILING_SYNC>(), ct<N>, ct<M>,
                                                      alpha, A, B, C);
}

template <typename T, bool RIGHT = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dimm(std::uint32_t m, std::uint32_t n, T alpha, const T* d, const T* B, T* C) {
    detail::dimm<detail::dynamic, detail::dynamic, RIGHT>(detail::block_members<TRAILING_SYNC>(),
                                                          detail::rt(m), detail::rt(n), alpha, d, B, C);
}
template <typename T, std::uint32_t M, std::uint32_t N, bool RIGHT = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dimm(T alpha, const T* d, const T* B, T* C) {
    using detail::ct;
    detail::dimm<ct<M>, ct<N>, RIGHT>(detail::block_members<TRAILING_SYNC>(), ct<M>, ct<N>, alpha, d, B, C);
}

}  // namespace block

namespace warp {

template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T beta, T* C) {
    using detail::ct;
    detail::syrk<detail::shared_elements, ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(
        detail::warp_members(), ct<N>, ct<K>, alpha, A, beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T* C) {
    syrk<T, N, K, FILL, TRANSPOSE, ROW_MAJOR>(alpha, A, T(0), C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::syr2k<ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(detail::warp_members(), ct<N>, ct<K>, alpha, A, B,
                                                            beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T* C) {
    syr2k<T, N, K, FILL, TRANSPOSE, ROW_MAJOR>(alpha, A, B, T(0), C);
}
template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T beta, T* C) {
    constexpr int n = detail::ct < TRANSPOSE ? COLS : ROWS > ;
    constexpr int k = detail::ct < TRANSPOSE ? ROWS : COLS > ;
    detail::syrk<detail::shared_terms, n, k, FillMode::Full, TRANSPOSE, false>(
        detail::warp_members<TRAILING_SYNC>(), n, k, alpha, A, beta, C);
}
template <typename T, std::uint32_t ROWS, std::uint32_t COLS, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syrk_reduced(T alpha, const T* A, T* C) {
    syrk_reduced<T, ROWS, COLS, TRANSPOSE, TRAILING_SYNC>(alpha, A, T(0), C);
}

}  // namespace warp

namespace thread {

template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T beta, T* C) {
    using detail::ct;
    detail::syrk<detail::shared_elements, ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(
        detail::thread_members(), ct<N>, ct<K>, alpha, A, beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syrk(T alpha, const T* A, T* C) {
    syrk<T, N, K, FILL, TRANSPOSE, ROW_MAJOR>(alpha, A, T(0), C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T beta, T* C) {
    using detail::ct;
    detail::syr2k<ct<N>, ct<K>, FILL, TRANSPOSE, ROW_MAJOR>(detail::thread_members(), ct<N>, ct<K>, alpha, A,
                                                            B, beta, C);
}
template <typename T, std::uint32_t N, std::uint32_t K, FillMode FILL = FillMode::Full,
          bool TRANSPOSE = false, bool ROW_MAJOR = false>
SHOAL_GLASS_FN void syr2k(T alpha, const T* A, const T* B, T* C) {
    syr2k<T, N, K, FILL, TRANSPOSE, ROW_MAJOR>(alpha, A, B, T(0), C);
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE
