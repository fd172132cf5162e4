#pragma once

#include <shoal/blas/asum.hpp>
#include <shoal/blas/dot.hpp>
#include <shoal/blas/iamax.hpp>
#include <shoal/blas/nrm2.hpp>
#include <shoal/blas/sum.hpp>
#include <shoal/compat/glass/views.cuh>

/// \file
/// Sums and searches. At block scope the result is left in memory where each function says; the vector itself is otherwise
/// kept. At warp and thread scope every member gets the value. All sums run in the order of shoal::dot(), those named
/// `_fast` too, so their bits do not depend on the number of threads.

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

/// Bytes that the `_fast` forms may be given; they have room of their own.
template <typename T>
__host__ __device__ constexpr std::size_t dot_fast_scratch_bytes(std::uint32_t threads) {
    return (std::size_t{threads} + 31) / 32 * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t reduce_fast_scratch_bytes(std::uint32_t threads) {
    return dot_fast_scratch_bytes<T>(threads);
}
template <typename T>
__host__ __device__ constexpr std::size_t nrm2_fast_scratch_bytes(std::uint32_t threads) {
    return dot_fast_scratch_bytes<T>(threads);
}

}  // namespace vocabulary

namespace detail {

/// The partial results of a block: the functions of this file have no argument for them.
template <class T>
SHOAL_GLASS_FN T* partials() {
    __shared__ T room[shoal::detail::partials];
    return room;
}

/// `value`, which every member has, into memory, and the trailing barrier.
template <bool Sync, class T>
SHOAL_GLASS_FN void leave(T value, T* out) {
    if (shoal::this_block().rank() == 0) *out = value;
    finish<Sync>(shoal::this_block());
}

/// max |x_i|; NaN if there is one.
template <class G, class X, class Scratch>
SHOAL_GLASS_FN auto largest(const G& g, X x, Scratch scratch) {
    using T = typename X::value_type;
    const int i = shoal::iamax(g, x, scratch);
    return i < 0 ? T(0) : shoal::core::abs(x(i));
}

/// Fixed tree over the values of the threads of a block; everyone gets the result.
template <class T, class Combine>
SHOAL_GLASS_FN T across_block(T value, Combine combine) {
    const auto g = shoal::this_block();
    T* const room = partials<T>();
    const int lane = g.rank() % 32;
    const int left = g.size() - (g.rank() - lane);
    // The last warp of a block may be a part of one: only lanes that exist take part.
    const int lanes = left < 32 ? left : 32;
    const unsigned mask = lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_down_sync(mask, value, step);
        if (lane + step < lanes) value = combine(value, other);
    }
    if (lane == 0) room[g.rank() / 32] = value;
    // The results of all warps, before anyone combines them.
    g.sync();
    T total = room[0];
    for (int w = 1; w < (g.size() + 31) / 32; ++w) total = combine(total, room[w]);
    // Everyone has read the room: it may be used again.
    g.sync();
    return total;
}

template <class T, class Combine>
SHOAL_GLASS_FN T across_warp(T value, Combine combine) {
    return shoal::detail::fold_lanes<16>(shoal::this_warp(), value, combine);
}

}  // namespace detail

inline namespace block {

/// y[0] := x' y
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot(std::uint32_t n, const T* x, T* y) {
    const int size = detail::rt(n);
    const T value =
        shoal::dot(shoal::this_block(), detail::line<detail::dynamic>(x, size),
                   detail::line<detail::dynamic>(static_cast<const T*>(y), size), detail::partials<T>());
    detail::leave<TRAILING_SYNC>(value, y);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot(const T* x, T* y) {
    dot<T, TRAILING_SYNC>(N, x, y);
}
/// out[0] := x' y
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_lowmem(std::uint32_t n, const T* x, const T* y, T* out) {
    const int size = detail::rt(n);
    detail::leave<TRAILING_SYNC>(shoal::dot(shoal::this_block(), detail::line<detail::dynamic>(x, size),
                                            detail::line<detail::dynamic>(y, size), detail::partials<T>()),
                                 out);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_fast(std::uint32_t n, const T* x, const T* y, T* out, T* /*s_scratch*/) {
    dot_lowmem<T, TRAILING_SYNC>(n, x, y, out);
}

/// x[0] := the sum of x
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce(std::uint32_t n, T* x) {
    const auto v = detail::line<detail::dynamic>(static_cast<const T*>(x), detail::rt(n));
    detail::leave<TRAILING_SYNC>(shoal::sum(shoal::this_block(), v, detail::partials<T>()), x);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce(T* x) {
    reduce<T, TRAILING_SYNC>(N, x);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce_lowmem(std::uint32_t n, T* x) {
    reduce<T, TRAILING_SYNC>(n, x);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce_fast(std::uint32_t n, T* x, T* /*s_scratch*/) {
    reduce<T, TRAILING_SYNC>(n, x);
}
/// The sum over the threads of the block of the value that each has; everyone gets it.
template <typename T>
SHOAL_GLASS_FN T reduce_fast(T value, T* /*s_scratch*/) {
    return detail::across_block(value, [](T a, T b) { return a + b; });
}
template <typename T>
SHOAL_GLASS_FN T reduce_fast_min(T value, T* /*s_scratch*/) {
    return detail::across_block(value, [](T a, T b) { return b < a ? b : a; });
}

/// x[0] := sqrt(x' x), without overflow
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void nrm2_lowmem(std::uint32_t n, T* x) {
    const auto v = detail::line<detail::dynamic>(static_cast<const T*>(x), detail::rt(n));
    detail::leave<TRAILING_SYNC>(shoal::nrm2(shoal::this_block(), v, detail::partials<T>()), x);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void nrm2_fast(std::uint32_t n, T* x, T* /*s_scratch*/) {
    nrm2_lowmem<T, TRAILING_SYNC>(n, x);
}
/// x[0] := the sum of |x_i|
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void asum(std::uint32_t n, T* x) {
    const auto v = detail::line<detail::dynamic>(static_cast<const T*>(x), detail::rt(n));
    detail::leave<TRAILING_SYNC>(shoal::asum(shoal::this_block(), v, detail::partials<T>()), x);
}
/// x[0] := the largest |x_i|
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void infnorm(std::uint32_t n, T* x) {
    const auto v = detail::line<detail::dynamic>(static_cast<const T*>(x), detail::rt(n));
    const T value = detail::largest(shoal::this_block(), v, detail::partials<T>());
    // Everyone has read its element, before the first is replaced.
    shoal::this_block().sync();
    detail::leave<TRAILING_SYNC>(value, x);
}

/// out_idx[0] := the index of the largest |x_i|, the first of equals; out_val[0] := x there, if asked for.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void iamax(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* out_val = nullptr) {
    const auto g = shoal::this_block();
    const int i = shoal::iamax(g, detail::line<detail::dynamic>(x, detail::rt(n)), detail::partials<T>());
    if (g.rank() == 0 && i >= 0) {
        *out_idx = static_cast<std::uint32_t>(i);
        if (out_val != nullptr) *out_val = x[i];
    }
    detail::finish<TRAILING_SYNC>(g);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void iamax_lowmem(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* out_val = nullptr) {
    iamax<T, TRAILING_SYNC>(n, x, out_idx, out_val);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void iamax_fast(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* /*s_scratch*/,
                               T* out_val = nullptr) {
    iamax<T, TRAILING_SYNC>(n, x, out_idx, out_val);
}

}  // namespace block

inline namespace vocabulary {

/// The sum of 32 partial results in a fixed tree, by the calling thread.
template <typename T>
SHOAL_GLASS_FN T reduced_tree32(const T (&p)[32]) {
    T part[32];
    SHOAL_UNROLL
    for (int i = 0; i < 32; ++i) part[i] = p[i];
    shoal::detail::fold<16>(part, [](T a, T b) { return a + b; });
    return part[0];
}

}  // namespace vocabulary

namespace warp {

template <typename T>
SHOAL_GLASS_FN T dot(std::uint32_t n, const T* x, const T* y) {
    return shoal::dot(shoal::this_warp(), detail::line<detail::dynamic>(x, detail::rt(n)),
                      detail::line<detail::dynamic>(y, detail::rt(n)));
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T dot(const T* x, const T* y) {
    return shoal::dot(shoal::this_warp(), detail::line<detail::ct<N>>(x, detail::ct<N>),
                      detail::line<detail::ct<N>>(y, detail::ct<N>));
}
/// The sum, least or largest of the values of the lanes; every lane gets it.
template <typename T>
SHOAL_GLASS_FN T reduce(T value) {
    return detail::across_warp(value, [](T a, T b) { return a + b; });
}
template <typename T>
SHOAL_GLASS_FN T reduce_min(T value) {
    return detail::across_warp(value, [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
SHOAL_GLASS_FN T reduce_max(T value) {
    return detail::across_warp(value, [](T a, T b) { return a < b ? b : a; });
}
template <typename T>
SHOAL_GLASS_FN T nrm2(std::uint32_t n, const T* x) {
    return shoal::nrm2(shoal::this_warp(), detail::line<detail::dynamic>(x, detail::rt(n)));
}
template <typename T>
SHOAL_GLASS_FN T asum(std::uint32_t n, const T* x) {
    return shoal::asum(shoal::this_warp(), detail::line<detail::dynamic>(x, detail::rt(n)));
}
template <typename T>
SHOAL_GLASS_FN T infnorm(std::uint32_t n, const T* x) {
    return detail::largest(shoal::this_warp(), detail::line<detail::dynamic>(x, detail::rt(n)),
                           shoal::no_scratch{});
}
template <typename T>
SHOAL_GLASS_FN std::uint32_t iamax(std::uint32_t n, const T* x) {
    return static_cast<std::uint32_t>(
        shoal::iamax(shoal::this_warp(), detail::line<detail::dynamic>(x, detail::rt(n))));
}

}  // namespace warp

namespace thread {

template <typename T>
SHOAL_GLASS_FN T dot(std::uint32_t n, const T* x, const T* y) {
    return shoal::dot(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n)),
                      detail::line<detail::dynamic>(y, detail::rt(n)));
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T dot(const T* x, const T* y) {
    return shoal::dot(shoal::this_thread(), detail::line<detail::ct<N>>(x, detail::ct<N>),
                      detail::line<detail::ct<N>>(y, detail::ct<N>));
}
template <typename T>
SHOAL_GLASS_FN T reduce(std::uint32_t n, const T* x) {
    return shoal::sum(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n)));
}
template <typename T>
SHOAL_GLASS_FN T nrm2(std::uint32_t n, const T* x) {
    return shoal::nrm2(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n)));
}
template <typename T>
SHOAL_GLASS_FN T asum(std::uint32_t n, const T* x) {
    return shoal::asum(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n)));
}
template <typename T>
SHOAL_GLASS_FN T infnorm(std::uint32_t n, const T* x) {
    return detail::largest(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n)),
                           shoal::no_scratch{});
}
template <typename T>
SHOAL_GLASS_FN std::uint32_t iamax(std::uint32_t n, const T* x) {
    return static_cast<std::uint32_t>(
        shoal::iamax(shoal::this_thread(), detail::line<detail::dynamic>(x, detail::rt(n))));
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE
