#pragma once

#include <cmath>

#include <shoal/blas/axpy.hpp>
#include <shoal/blas/copy.hpp>
#include <shoal/blas/scan.hpp>
#include <shoal/compat/glass/reductions.cuh>

/// \file
/// Extreme values and where they are, prefix sums, softmax, and vectors with a stride.

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

/// Bytes that the `_fast` searches may be given; they have room of their own.
template <typename T>
__host__ __device__ constexpr std::size_t iamax_fast_scratch_bytes(std::uint32_t threads) {
    return (std::size_t{threads} + 31) / 32 * 2 * sizeof(T);
}
template <typename T>
__host__ __device__ constexpr std::size_t argreduce_scratch_bytes(std::uint32_t threads) {
    return iamax_fast_scratch_bytes<T>(threads);
}

}  // namespace vocabulary

namespace detail {

/// The first index whose value no other one precedes in the given order; n >= 1. A NaN is found only in front.
template <class G, class T, class Before, class Scratch>
SHOAL_GLASS_FN int extreme(const G& g, int n, const T* x, Before before, Scratch scratch) {
    const auto best = [=](T a, T b) { return before(b, a) ? b : a; };
    const T value = shoal::reduce<dynamic>(
        g, n, x[0], [=](T part, int i) { return best(part, x[i]); }, best, scratch);
    const T index = shoal::reduce<dynamic>(
        g, n, static_cast<T>(n),
        [=](T part, int i) { return x[i] == value && static_cast<T>(i) < part ? static_cast<T>(i) : part; },
        [](T a, T b) { return a < b ? a : b; }, scratch);
    return index < static_cast<T>(n) ? static_cast<int>(index) : 0;
}

template <bool Sync, class T, class Before>
SHOAL_GLASS_FN void find(std::uint32_t n, const T* x, std::uint32_t* index, T* value, Before before) {
    const auto g = shoal::this_block();
    const int i = n > 0 ? extreme(g, rt(n), x, before, partials<T>()) : -1;
    if (g.rank() == 0 && i >= 0) {
        *index = static_cast<std::uint32_t>(i);
        if (value != nullptr) *value = x[i];
    }
    finish<Sync>(g);
}

/// max x_i and the sum of exp(x_i - max), n >= 1.
template <class T>
struct exponential_sum {
    T largest;
    T sum;
};
template <class G, class T>
SHOAL_GLASS_FN exponential_sum<T> sum_exponentials(const G& g, int n, const T* x) {
    const auto larger = [](T a, T b) { return a < b ? b : a; };
    T* const room = partials<T>();
    const T top = shoal::reduce<dynamic>(
        g, n, x[0], [=](T part, int i) { return larger(part, x[i]); }, larger, room);
    const T sum = shoal::reduce<dynamic>(
        g, n, T(0), [=](T part, int i) { return part + ::exp(x[i] - top); }, [](T a, T b) { return a + b; },
        room);
    return {top, sum};
}

template <class T>
SHOAL_GLASS_FN auto strided_line(T* x, std::uint32_t n, std::uint32_t step) {
    return shoal::vector<T, dynamic, dynamic>(x, rt(n), static_cast<std::int64_t>(step));
}

template <bool Exclusive, bool Sync, class T>
SHOAL_GLASS_FN void prefix_sum(std::uint32_t n, T* x) {
    // A block has at most so many threads, and the vector at most one element for each.
    __shared__ T work[1024];
    const auto g = block_members<Sync>();
    if constexpr (Exclusive) {
        shoal::exclusive_scan(g, line<dynamic>(x, rt(n)), work);
    } else {
        shoal::inclusive_scan(g, line<dynamic>(x, rt(n)), work);
    }
}

}  // namespace detail

inline namespace block {

/// out_idx[0] := the index of the largest (smallest) x_i, the first of equals; out_val[0] := x there, if asked for.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void argmax(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* out_val = nullptr) {
    detail::find<TRAILING_SYNC>(n, x, out_idx, out_val, [](T a, T b) { return a > b; });
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void argmin(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* out_val = nullptr) {
    detail::find<TRAILING_SYNC>(n, x, out_idx, out_val, [](T a, T b) { return a < b; });
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void argmax_fast(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* /*s_scratch*/,
                                T* out_val = nullptr) {
    argmax<T, TRAILING_SYNC>(n, x, out_idx, out_val);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void argmin_fast(std::uint32_t n, const T* x, std::uint32_t* out_idx, T* /*s_scratch*/,
                                T* out_val = nullptr) {
    argmin<T, TRAILING_SYNC>(n, x, out_idx, out_val);
}

/// x_i := x_0 + ... + x_i in place, or without x_i itself; n <= 1024.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void prefix_sum_inclusive(std::uint32_t n, T* x) {
    detail::prefix_sum<false, TRAILING_SYNC>(n, x);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void prefix_sum_exclusive(std::uint32_t n, T* x) {
    detail::prefix_sum<true, TRAILING_SYNC>(n, x);
}

/// x_i := exp(x_i) / sum_j exp(x_j) in place, without overflow.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void softmax(std::uint32_t n, T* x) {
    const auto g = shoal::this_block();
    const int size = detail::rt(n);
    if (size > 0) {
        const auto e = detail::sum_exponentials(g, size, static_cast<const T*>(x));
        for (int i = g.rank(); i < size; i += g.size()) x[i] = ::exp(x[i] - e.largest) / e.sum;
    }
    detail::finish<TRAILING_SYNC>(g);
}
/// out[0] := log(sum_j exp(x_j)), without overflow; n >= 1.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void logsumexp(std::uint32_t n, const T* x, T* out) {
    const auto e = detail::sum_exponentials(shoal::this_block(), detail::rt(n), x);
    detail::leave<TRAILING_SYNC>(e.largest + ::log(e.sum), out);
}

/// Elements `incx` and `incy` apart.
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void copy_strided(std::uint32_t n, const T* x, std::uint32_t incx, T* y, std::uint32_t incy) {
    shoal::copy(detail::block_members<TRAILING_SYNC>(), detail::strided_line(x, n, incx),
                detail::strided_line(y, n, incy));
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void axpy_strided(std::uint32_t n, T alpha, const T* x, std::uint32_t incx, T* y,
                                 std::uint32_t incy) {
    shoal::axpy(detail::block_members<TRAILING_SYNC>(), alpha, detail::strided_line(x, n, incx),
                detail::strided_line(y, n, incy));
}
/// out[0] := x' y
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_strided(std::uint32_t n, const T* x, std::uint32_t incx, const T* y,
                                std::uint32_t incy, T* out) {
    detail::leave<TRAILING_SYNC>(shoal::dot(shoal::this_block(), detail::strided_line(x, n, incx),
                                            detail::strided_line(y, n, incy), detail::partials<T>()),
                                 out);
}
template <typename T, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_strided_coalesced(std::uint32_t n, const T* x, std::uint32_t incx, const T* y,
                                          std::uint32_t incy, T* out) {
    dot_strided<T, TRAILING_SYNC>(n, x, incx, y, incy, out);
}

}  // namespace block

namespace warp {

/// The largest (smallest) of the values of the lanes and the index that came with it, the lower one of equals; every lane
/// gets both.
template <typename T>
SHOAL_GLASS_FN void argmax_pair(T& value, std::uint32_t& index) {
    SHOAL_UNROLL
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const T other = shoal::this_warp().shuffle_xor(value, lanes);
        const std::uint32_t from = shoal::this_warp().shuffle_xor(index, lanes);
        const bool take = other > value || (other == value && from < index);
        value = take ? other : value;
        index = take ? from : index;
    }
}
template <typename T>
SHOAL_GLASS_FN void argmin_pair(T& value, std::uint32_t& index) {
    SHOAL_UNROLL
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const T other = shoal::this_warp().shuffle_xor(value, lanes);
        const std::uint32_t from = shoal::this_warp().shuffle_xor(index, lanes);
        const bool take = other < value || (other == value && from < index);
        value = take ? other : value;
        index = take ? from : index;
    }
}

}  // namespace warp
}  // namespace SHOAL_GLASS_NAMESPACE
