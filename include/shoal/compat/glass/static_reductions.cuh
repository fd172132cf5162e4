#pragma once

#include <shoal/compat/glass/searches.cuh>

/// \file
/// The sums and searches of vectors whose size is a template argument: the same functions as those of run-time size.

namespace SHOAL_GLASS_NAMESPACE {
inline namespace block {

template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_lowmem(const T* x, const T* y, T* out) {
    dot_lowmem<T, TRAILING_SYNC>(N, x, y, out);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void dot_fast(const T* x, const T* y, T* out, T* s_scratch) {
    dot_fast<T, TRAILING_SYNC>(N, x, y, out, s_scratch);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce_lowmem(T* x) {
    reduce_lowmem<T, TRAILING_SYNC>(N, x);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void reduce_fast(T* x, T* s_scratch) {
    reduce_fast<T, TRAILING_SYNC>(N, x, s_scratch);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void nrm2_lowmem(T* x) {
    nrm2_lowmem<T, TRAILING_SYNC>(N, x);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void nrm2_fast(T* x, T* s_scratch) {
    nrm2_fast<T, TRAILING_SYNC>(N, x, s_scratch);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void asum(T* x) {
    asum<T, TRAILING_SYNC>(N, x);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void infnorm(T* x) {
    infnorm<T, TRAILING_SYNC>(N, x);
}
template <typename T, std::uint32_t N, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void iamax(const T* x, std::uint32_t* out_idx, T* out_val = nullptr) {
    iamax<T, TRAILING_SYNC>(N, x, out_idx, out_val);
}

}  // namespace block

namespace warp {

/// x[0] := the sum of x, which every lane gets as well.
template <typename T>
SHOAL_GLASS_FN T reduce(std::uint32_t n, T* x) {
    const auto g = shoal::this_warp();
    const T total = shoal::sum(g, detail::line<detail::dynamic>(static_cast<const T*>(x), detail::rt(n)));
    // Everyone has read its elements, before the first is replaced.
    g.sync();
    if (g.rank() == 0) *x = total;
    g.sync();
    return total;
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T reduce(T* x) {
    return reduce<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T nrm2(const T* x) {
    return nrm2<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T asum(const T* x) {
    return asum<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T infnorm(const T* x) {
    return infnorm<T>(N, x);
}

}  // namespace warp

namespace thread {

template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T reduce(const T* x) {
    return reduce<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T nrm2(const T* x) {
    return nrm2<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T asum(const T* x) {
    return asum<T>(N, x);
}
template <typename T, std::uint32_t N>
SHOAL_GLASS_FN T infnorm(const T* x) {
    return infnorm<T>(N, x);
}

}  // namespace thread
}  // namespace SHOAL_GLASS_NAMESPACE
