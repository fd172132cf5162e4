#pragma once

#include <shoal/blas/symmetrize.hpp>
#include <shoal/compat/glass/views.cuh>
#include <shoal/control/bilinear.hpp>
#include <shoal/control/congruence.hpp>
#include <shoal/control/riccati_gain.hpp>
#include <shoal/control/tensor_vector.hpp>

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

/// The axis of a tensor of K slabs of A x B that is contracted away.
enum class TensorAxis { K, A, B };

template <typename T, std::uint32_t N, std::uint32_t Kdim>
__host__ __device__ constexpr std::size_t congruence_scratch_bytes() {
    return std::size_t{N} * Kdim * sizeof(T);
}
template <typename T, std::uint32_t P, std::uint32_t Q>
__host__ __device__ constexpr std::size_t congruence_accum_scratch_bytes() {
    return std::size_t{2} * P * Q * sizeof(T);
}
template <typename T, std::uint32_t NX, std::uint32_t NU>
__host__ __device__ constexpr std::size_t riccati_scratch_bytes() {
    return (std::size_t{NU} * NU + std::size_t{NX} * (NX > NU ? NX : NU)) * sizeof(T);
}

}  // namespace vocabulary

namespace detail {

template <int K, int A, int B, TensorAxis Contract, bool Symmetric, bool Accumulate, bool RowMajor, class G,
          class T>
SHOAL_GLASS_FN void tensor_vec_contract(const G& g, const T* t, const T* v, T* m) {
    static_assert(!Symmetric || (Contract == TensorAxis::K && A == B),
                  "tensor_vec_contract: SYMMETRIC needs CONTRACT = TensorAxis::K and square slabs");
    constexpr auto axis = Contract == TensorAxis::K   ? shoal::tensor_axis::slab
                          : Contract == TensorAxis::A ? shoal::tensor_axis::slab_row
                                                      : shoal::tensor_axis::slab_column;
    constexpr int depth = Contract == TensorAxis::K ? K : Contract == TensorAxis::A ? A : B;
    constexpr int rows = Contract == TensorAxis::K ? A : K;
    constexpr int cols = Contract == TensorAxis::B ? A : B;
    const shoal::tensor<const T, K, A, B, std::conditional_t<RowMajor, shoal::row, shoal::column>> from(t);
    const auto into = view<rows, cols>(m, rows, cols);
    if constexpr (Symmetric) {
        shoal::tensor_vector<axis>(shoal::with_exit_sync(g), T(1), from, line<depth>(v, depth),
                                   T(Accumulate ? 1 : 0), into);
        shoal::symmetrize(g, symmetric_lower(into));
    } else {
        shoal::tensor_vector<axis>(g, T(1), from, line<depth>(v, depth), T(Accumulate ? 1 : 0), into);
    }
}

template <int K, int A, int B, bool Accumulate, bool RowMajor, class G, class T>
SHOAL_GLASS_FN void vec_tensor_vec(const G& g, const T* t, const T* u, const T* w, T* s) {
    const shoal::tensor<const T, K, A, B, std::conditional_t<RowMajor, shoal::row, shoal::column>> from(t);
    shoal::vector_tensor_vector(g, T(1), from, line<A>(u, A), line<B>(w, B), T(Accumulate ? 1 : 0),
                                line<K>(s, K));
}

template <int N, int K, bool Accumulate, class G, class T>
SHOAL_GLASS_FN void congruence_sym(const G& g, T alpha, const T* x, const T* m, T beta, T* q, T* scratch) {
    shoal::congruence(g, alpha, view<N, K>(x, N, K), view<N, N>(m, N, N), Accumulate ? beta : T(0),
                      view<K, K>(q, K, K), view<N, K>(scratch, N, K));
}

template <int N, int P, int Q, bool Accumulate, class G, class T>
SHOAL_GLASS_FN void bilinear(const G& g, T alpha, const T* x, const T* m, const T* y, T beta, T* r,
                             T* scratch) {
    shoal::bilinear(g, alpha, view<N, P>(x, N, P), view<N, N>(m, N, N), view<N, Q>(y, N, Q),
                    Accumulate ? beta : T(0), view<P, Q>(r, P, Q), view<N, Q>(scratch, N, Q));
}

template <int P, int Q, bool Accumulate, class G, class T>
SHOAL_GLASS_FN void congruence_accum(const G& g, T alpha, const T* f, const T* m, T beta, T* c, T* scratch) {
    shoal::congruence(g, alpha, transposed(view<P, Q>(f, P, Q)), view<Q, Q>(m, Q, Q),
                      Accumulate ? beta : T(0), view<P, P>(c, P, P), view<Q, P>(scratch, Q, P));
}

template <int NX, int NU, bool Regularize, bool Sync, class G, class T>
SHOAL_GLASS_FN void riccati_gain(const G& g, const T* p, const T* a, const T* b, const T* r, T* k, T* scratch,
                                 T rho, int* fail) {
    const int info = shoal::riccati_gain(
        shoal::defer_sync(g), view<NX, NX>(p, NX, NX), view<NX, NX>(a, NX, NX), view<NX, NU>(b, NX, NU),
        view<NU, NU>(r, NU, NU), Regularize ? rho : T(0), view<NU, NX>(k, NU, NX),
        view<NU, NU>(scratch, NU, NU), view<NU, NX>(scratch + NU * NU, NU, NX));
    finish<true, Sync>(g, info, fail);
}

}  // namespace detail

// The tiers differ in their groups and in whether they have a TRAILING_SYNC.
inline namespace block {

template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, TensorAxis CONTRACT = TensorAxis::K,
          bool SYMMETRIC = false, bool ACCUMULATE = true, bool TIN_ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void tensor_vec_contract(const T* Tns, const T* v, T* Mout) {
    using detail::ct;
    detail::tensor_vec_contract<ct<K>, ct<A>, ct<B>, CONTRACT, SYMMETRIC, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), Tns, v, Mout);
}
template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, bool ACCUMULATE = false,
          bool TIN_ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void vec_tensor_vec(const T* Tns, const T* u, const T* w, T* s) {
    using detail::ct;
    detail::vec_tensor_vec<ct<K>, ct<A>, ct<B>, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::block_members<TRAILING_SYNC>(), Tns, u, w, s);
}
template <typename T, std::uint32_t N, std::uint32_t Kdim, bool ACCUMULATE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void congruence_sym(T alpha, const T* X, const T* M, T beta, T* Q, T* s_scratch) {
    detail::congruence_sym<detail::ct<N>, detail::ct<Kdim>, ACCUMULATE>(
        detail::block_members<TRAILING_SYNC>(), alpha, X, M, beta, Q, s_scratch);
}
template <typename T, std::uint32_t N, std::uint32_t P, std::uint32_t Qd, bool ACCUMULATE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void bilinear(T alpha, const T* X, const T* M, const T* Y, T beta, T* R, T* s_scratch) {
    using detail::ct;
    detail::bilinear<ct<N>, ct<P>, ct<Qd>, ACCUMULATE>(detail::block_members<TRAILING_SYNC>(), alpha, X, M, Y,
                                                       beta, R, s_scratch);
}
template <typename T, std::uint32_t P, std::uint32_t Q, bool ACCUMULATE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void congruence_accum(T alpha, const T* G, const T* M, T beta, T* C, T* s_scratch) {
    detail::congruence_accum<detail::ct<P>, detail::ct<Q>, ACCUMULATE>(detail::block_members<TRAILING_SYNC>(),
                                                                       alpha, G, M, beta, C, s_scratch);
}
template <typename T, std::uint32_t NX, std::uint32_t NU, bool REGULARIZE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void riccati_gain(const T* P, const T* A, const T* B, const T* R, T* Kgain, T* s_scratch,
                                 T rho = T(0), int* s_fail = nullptr) {
    detail::riccati_gain<detail::ct<NX>, detail::ct<NU>, REGULARIZE, TRAILING_SYNC>(
        shoal::this_block(), P, A, B, R, Kgain, s_scratch, rho, s_fail);
}

}  // namespace block

namespace warp {

template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, TensorAxis CONTRACT = TensorAxis::K,
          bool SYMMETRIC = false, bool ACCUMULATE = true, bool TIN_ROW_MAJOR = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void tensor_vec_contract(const T* Tns, const T* v, T* Mout) {
    using detail::ct;
    detail::tensor_vec_contract<ct<K>, ct<A>, ct<B>, CONTRACT, SYMMETRIC, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::warp_members<TRAILING_SYNC>(), Tns, v, Mout);
}
template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, bool ACCUMULATE = false,
          bool TIN_ROW_MAJOR = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void vec_tensor_vec(const T* Tns, const T* u, const T* w, T* s) {
    using detail::ct;
    detail::vec_tensor_vec<ct<K>, ct<A>, ct<B>, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::warp_members<TRAILING_SYNC>(), Tns, u, w, s);
}
template <typename T, std::uint32_t N, std::uint32_t Kdim, bool ACCUMULATE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void congruence_sym(T alpha, const T* X, const T* M, T beta, T* Q, T* s_scratch) {
    detail::congruence_sym<detail::ct<N>, detail::ct<Kdim>, ACCUMULATE>(detail::warp_members<TRAILING_SYNC>(),
                                                                        alpha, X, M, beta, Q, s_scratch);
}
template <typename T, std::uint32_t N, std::uint32_t P, std::uint32_t Qd, bool ACCUMULATE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void bilinear(T alpha, const T* X, const T* M, const T* Y, T beta, T* R, T* s_scratch) {
    using detail::ct;
    detail::bilinear<ct<N>, ct<P>, ct<Qd>, ACCUMULATE>(detail::warp_members<TRAILING_SYNC>(), alpha, X, M, Y,
                                                       beta, R, s_scratch);
}
template <typename T, std::uint32_t P, std::uint32_t Q, bool ACCUMULATE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void congruence_accum(T alpha, const T* G, const T* M, T beta, T* C, T* s_scratch) {
    detail::congruence_accum<detail::ct<P>, detail::ct<Q>, ACCUMULATE>(detail::warp_members<TRAILING_SYNC>(),
                                                                       alpha, G, M, beta, C, s_scratch);
}
/// The solve ends on a barrier whatever TRAILING_SYNC says.
template <typename T, std::uint32_t NX, std::uint32_t NU, bool REGULARIZE = false, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void riccati_gain(const T* P, const T* A, const T* B, const T* R, T* Kgain, T* s_scratch,
                                 T rho = T(0), int* s_fail = nullptr) {
    detail::riccati_gain<detail::ct<NX>, detail::ct<NU>, REGULARIZE, true>(shoal::this_warp(), P, A, B, R,
                                                                           Kgain, s_scratch, rho, s_fail);
}

}  // namespace warp

namespace thread {

template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, TensorAxis CONTRACT = TensorAxis::K,
          bool SYMMETRIC = false, bool ACCUMULATE = true, bool TIN_ROW_MAJOR = false>
SHOAL_GLASS_FN void tensor_vec_contract(const T* Tns, const T* v, T* Mout) {
    using detail::ct;
    detail::tensor_vec_contract<ct<K>, ct<A>, ct<B>, CONTRACT, SYMMETRIC, ACCUMULATE, TIN_ROW_MAJOR>(
        detail::thread_members(), Tns, v, Mout);
}
template <typename T, std::uint32_t K, std::uint32_t A, std::uint32_t B, bool ACCUMULATE = false,
          bool TIN_ROW_MAJOR = false>
SHOAL_GLASS_FN void vec_tensor_vec(const T* Tns, const T* u, const T* w, T* s) {
    using detail::ct;
    detail::vec_tensor_vec<ct<K>, ct<A>, ct<B>, ACCUMULATE, TIN_ROW_MAJOR>(detail::thread_members(), Tns, u,
                                                                           w, s);
}
template <typename T, std::uint32_t N, std::uint32_t Kdim, bool ACCUMULATE = false>
SHOAL_GLASS_FN void congruence_sym(T alpha, const T* X, const T* M, T beta, T* Q, T* scratch) {
    detail::congruence_sym<detail::ct<N>, detail::ct<Kdim>, ACCUMULATE>(detail::thread_members(), alpha, X, M,
                                                                        beta, Q, scratch);
}
template <typename T, std::uint32_t N, std::uint32_t P, std::uint32_t Qd, bool ACCUMULATE = false>
SHOAL_GLASS_FN void bilinear(T alpha, const T* X, const T* M, const T* Y, T beta, T* R, T* scratch) {
    using detail::ct;
    detail::bilinear<ct<N>, ct<P>, ct<Qd>, ACCUMULATE>(detail::thread_members(), alpha, X, M, Y, beta, R,
                                                       scratch);
}
template <typename T, std::uint32_t P, std::uint32_t Q, bool ACCUMULATE = false>
SHOAL_GLASS_FN void congruence_accum(T alpha, const T* G, const T* M, T beta, T* C, T* scratch) {
    detail::congruence_accum<detail::ct<P>, detail::ct<Q>, ACCUMULATE>(detail::thread_members(), alpha, G, M,
                                                                       beta, C, scratch);
}
template <typename T, std::uint32_t NX, std::uint32_t NU, bool REGULARIZE = false>
SHOAL_GLASS_FN void riccati_gain(const T* P, const T* A, const T* B, const T* R, T* Kgain, T* scratch,
                                 T rho = T(0), int* s_fail = nullptr) {
    detail::riccati_gain<detail::ct<NX>, detail::ct<NU>, REGULARIZE, true>(shoal::this_thread(), P, A, B, R,
                                                                           Kgain, scratch, rho, s_fail);
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE
