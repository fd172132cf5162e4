#pragma once

#include <limits>

#include <shoal/blas/set.hpp>
#include <shoal/compat/glass/views.cuh>
#include <shoal/lapack/eig_clamp.hpp>
#include <shoal/lapack/ldlt.hpp>
#include <shoal/lapack/ldlt_solve.hpp>
#include <shoal/lapack/syev.hpp>

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

template <typename T>
__host__ __device__ constexpr std::size_t ldlt_scratch_bytes(std::uint32_t n) {
    return (std::size_t{n} + 1) * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr T syev_eps() {
    return shoal::core::epsilon<T>;
}
template <typename T>
__host__ __device__ constexpr std::size_t syev_scratch_bytes(std::uint32_t n) {
    return (std::size_t{n} * n + n + 4) * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t eig_clamp_scratch_bytes(std::uint32_t n) {
    return (2 * std::size_t{n} * n + 2 * std::size_t{n} + 4) * sizeof(T);
}

}  // namespace vocabulary

namespace detail {

template <bool Check, class G>
SHOAL_GLASS_FN void report(const G& g, int info, shoal::inertia_counts counts, int* fail, int* inertia) {
    if constexpr (Check) {
        if (inertia != nullptr && g.rank() == 0) {
            inertia[0] = counts.positive;
            inertia[1] = counts.negative;
            inertia[2] = counts.zero;
        }
    }
    finish<Check, true>(g, info, fail);
}

template <int N, bool Check, class G, class T>
SHOAL_GLASS_FN void ldlt(const G& g, int n, T* a, int* fail, int* inertia) {
    const auto m = symmetric_lower(view<N, N>(a, n, n));
    const int info = shoal::ldlt_unpivoted(g, m);
    report<Check>(g, info, Check ? shoal::inertia(m) : shoal::inertia_counts{}, fail, inertia);
}
/// Pivots that nobody asked for lie in the scratch.
template <int N, bool Check, class G, class T>
SHOAL_GLASS_FN void ldlt(const G& g, int n, T* a, T* scratch, bool pivot, std::int32_t* piv, int* fail,
                         int* inertia) {
    if (!pivot) {
        ldlt<N, Check>(g, n, a, fail, inertia);
        return;
    }
    const auto m = symmetric_lower(view<N, N>(a, n, n));
    const auto pivots = line<N>(piv != nullptr ? piv : reinterpret_cast<std::int32_t*>(scratch), n);
    const int info = shoal::ldlt(g, m, pivots);
    report<Check>(g, info, Check ? shoal::inertia(m, pivots) : shoal::inertia_counts{}, fail, inertia);
}

template <int N, class G, class T>
SHOAL_GLASS_FN void ldlt_solve(const G& g, int n, const T* ld, T* b, const std::int32_t* piv) {
    const auto factor = symmetric_lower(view<N, N>(ld, n, n));
    if (piv != nullptr) {
        shoal::ldlt_solve(g, factor, line<N>(piv, n), view<N, 1>(b, n, 1));
    } else {
        shoal::ldlt_solve(g, factor, view<N, 1>(b, n, 1));
    }
}

/// A constant: device code may not call the functions of the standard library.
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// A matrix that is not finite gives NaN.
template <int N, bool Sync, class G, class T>
SHOAL_GLASS_FN void syev(const G& g, int n, const T* a, T* w, T* v, T* scratch) {
    const int info =
        shoal::syev(g, symmetric_lower(view<N, N>(a, n, n)), line<N>(w, n), view<N, N>(v, n, n), scratch);
    if (info <= n) return;
    shoal::set(shoal::defer_sync(g), not_a_number<T>, line<N>(w, n));
    shoal::set(shoal::defer_sync(g), not_a_number<T>, not_a_number<T>, view<N, N>(v, n, n));
    finish<Sync>(g);
}

template <int N, class G, class T>
SHOAL_GLASS_FN void eig_clamp(const G& g, int n, T* a, T eps, T* scratch) {
    shoal::eig_clamp(g, symmetric_lower(view<N, N>(a, n, n)), eps, scratch);
}

}  // namespace detail

inline namespace block {

/// Ends on a barrier whatever TRAILING_SYNC says.
template <typename T, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void ldlt(std::uint32_t n, T* A, T* s_scratch, bool pivot = false, std::int32_t* piv = nullptr,
                         int* s_fail = nullptr, int* s_inertia = nullptr) {
    detail::ldlt<detail::dynamic, CHECK>(shoal::this_block(), detail::rt(n), A, s_scratch, pivot, piv, s_fail,
                                         s_inertia);
}
template <typename T, std::uint32_t N, bool CHECK = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void ldlt(T* A, T* s_scratch, bool pivot = false, std::int32_t* piv = nullptr,
                         int* s_fail = nullptr, int* s_inertia = nullptr) {
    detail::ldlt<detail::ct<N>, CHECK>(shoal::this_block(), detail::ct<N>, A, s_scratch, pivot, piv, s_fail,
                                       s_inertia);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void ldlt_solve(std::uint32_t n, const T* LD, T* b, const std::int32_t* piv = nullptr) {
    detail::ldlt_solve<detail::dynamic>(shoal::this_block(), detail::rt(n), LD, b, piv);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void ldlt_solve(const T* LD, T* b, const std::int32_t* piv = nullptr) {
    detail::ldlt_solve<detail::ct<N>>(shoal::this_block(), detail::ct<N>, LD, b, piv);
}

template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syev(std::uint32_t n, const T* A, T* W, T* V, T* s_scratch) {
    detail::syev<detail::dynamic, TRAILING_SYNC>(shoal::this_block(), detail::rt(n), A, W, V, s_scratch);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void syev(const T* A, T* W, T* V, T* s_scratch) {
    detail::syev<detail::ct<N>, TRAILING_SYNC>(shoal::this_block(), detail::ct<N>, A, W, V, s_scratch);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void eig_clamp(std::uint32_t n, T* A, T eps, T* s_scratch) {
    detail::eig_clamp<detail::dynamic>(detail::block_members<TRAILING_SYNC>(), detail::rt(n), A, eps,
                                       s_scratch);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void eig_clamp(T* A, T eps, T* s_scratch) {
    detail::eig_clamp<detail::ct<N>>(detail::block_members<TRAILING_SYNC>(), detail::ct<N>, A, eps,
                                     s_scratch);
}

}  // namespace block

namespace warp {
template <typename T, std::uint32_t N, bool CHECK = false>
SHOAL_GLASS_FN void ldlt(T* A, int* s_fail = nullptr, int* s_inertia = nullptr) {
    detail::ldlt<detail::ct<N>, CHECK>(shoal::this_warp(), detail::ct<N>, A, s_fail, s_inertia);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void ldlt_solve(const T* LD, T* b) {
    detail::ldlt_solve<detail::ct<N>>(shoal::this_warp(), detail::ct<N>, LD, b, nullptr);
}
}  // namespace warp

namespace thread {
template <typename T, std::uint32_t N, bool CHECK = false>
SHOAL_GLASS_FN void ldlt(T* A, int* s_fail = nullptr, int* s_inertia = nullptr) {
    detail::ldlt<detail::ct<N>, CHECK>(shoal::this_thread(), detail::ct<N>, A, s_fail, s_inertia);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN void ldlt_solve(const T* LD, T* b) {
    detail::ldlt_solve<detail::ct<N>>(shoal::this_thread(), detail::ct<N>, LD, b, nullptr);
}
}  // namespace thread

}  // namespace SHOAL_GLASS_NAMESPACE
