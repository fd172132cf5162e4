#pragma once

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/move_block.hpp>
#include <shoal/banded/pcg.hpp>
#include <shoal/compat/glass/views.cuh>

/// \file
/// Block-tridiagonal systems: row-major strips [ L | D | R ], vectors with a block of padding at each end.

namespace SHOAL_GLASS_NAMESPACE {

inline namespace vocabulary {

/// Which block of a strip.
enum class BandSlot : std::uint32_t { LEFT, MAIN, RIGHT };

template <typename T, std::uint32_t BlockSize>
__host__ __device__ constexpr std::size_t bdsv_scratch_bytes() {
    return std::size_t{2} * BlockSize * BlockSize * sizeof(T);
}
template <typename T, std::uint32_t state_size, std::uint32_t knot_points>
__host__ __device__ constexpr std::size_t pcg_scratch_bytes(std::uint32_t threads) {
    return (std::size_t{5} * (knot_points + 2) * state_size + (threads + 31) / 32) * sizeof(T);
}

}  // namespace vocabulary

namespace detail {

template <int N, int Knots, class T>
using strips = shoal::strip<T, N, Knots>;
template <int N, int Knots, class T>
using padded = shoal::padded_vector<T, N, Knots>;

template <int D, int Width, bool Transpose, class G, class T>
SHOAL_GLASS_FN void store_block(const G& g, T* strip, BandSlot slot, const T* from, T scale) {
    const shoal::matrix<T, D, D, shoal::row_ld<Width>> to(strip + static_cast<int>(slot) * D);
    shoal::move_block(g, scale, operand<D, D, Transpose, true>(from, D, D), to);
}
template <int D, int Width, bool Transpose, class G, class T>
SHOAL_GLASS_FN void load_block(const G& g, T* to, const T* strip, BandSlot slot, T scale) {
    const shoal::matrix<const T, D, D, shoal::row_ld<Width>> from(strip + static_cast<int>(slot) * D);
    shoal::move_block(g, scale, from, operand<D, D, Transpose, true>(to, D, D));
}

/// Set where a pivot was bad, otherwise left as it is.
template <bool Check>
SHOAL_GLASS_FN void report(shoal::knot_info found, int* fail) {
    if constexpr (Check) {
        const auto g = shoal::this_block();
        if (!found.good() && fail != nullptr && g.rank() == 0) *fail = 1;
        // The flag, before anyone reads it.
        g.sync();
    }
}

}  // namespace detail

inline namespace block {

template <typename T, std::uint32_t NumBlockRows, std::uint32_t BlockSize, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void bdmv(T* s_output, const T* s_matrix, const T* s_vector) {
    constexpr int n = detail::ct<BlockSize>;
    constexpr int knots = detail::ct<NumBlockRows>;
    shoal::bdmv(detail::block_members<TRAILING_SYNC>(), detail::strips<n, knots, const T>(s_matrix),
                detail::padded<n, knots, const T>(s_vector), detail::padded<n, knots, T>(s_output));
}
template <typename T, std::uint32_t NumBlockRows, std::uint32_t BlockSize, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void bdmv(T* s_output_1, T* s_output_2, const T* s_matrix, const T* s_vector) {
    constexpr int n = detail::ct<BlockSize>;
    constexpr int knots = detail::ct<NumBlockRows>;
    shoal::bdmv(detail::block_members<TRAILING_SYNC>(), detail::strips<n, knots, const T>(s_matrix),
                detail::padded<n, knots, const T>(s_vector), detail::padded<n, knots, T>(s_output_1),
                detail::padded<n, knots, T>(s_output_2));
}

/// Of the scratch the first two elements are used.
template <typename T, std::uint32_t NumBlockRows, std::uint32_t BlockSize, bool CHECK = false>
SHOAL_GLASS_FN void bdsv_factor(T* s_matrix, T* s_scratch, int* s_fail = nullptr) {
    const auto found = shoal::bdsv_factor(
        shoal::this_block(), detail::strips<detail::ct<BlockSize>, detail::ct<NumBlockRows>, T>(s_matrix),
        s_scratch);
    detail::report<CHECK>(found, s_fail);
}
template <typename T, std::uint32_t NumBlockRows, std::uint32_t BlockSize>
SHOAL_GLASS_FN void bdsv_solve(const T* s_matrix, T* s_vector, T* /*s_scratch*/) {
    constexpr int n = detail::ct<BlockSize>;
    constexpr int knots = detail::ct<NumBlockRows>;
    shoal::bdsv_solve(shoal::this_block(), detail::strips<n, knots, const T>(s_matrix),
                      detail::padded<n, knots, T>(s_vector));
}
template <typename T, std::uint32_t NumBlockRows, std::uint32_t BlockSize, bool CHECK = false>
SHOAL_GLASS_FN void bdsv(T* s_matrix, T* s_vector, T* s_scratch, int* s_fail = nullptr) {
    constexpr int n = detail::ct<BlockSize>;
    constexpr int knots = detail::ct<NumBlockRows>;
    const auto found = shoal::bdsv(shoal::this_block(), detail::strips<n, knots, T>(s_matrix),
                                   detail::padded<n, knots, T>(s_vector), s_scratch);
    detail::report<CHECK>(found, s_fail);
}

template <typename T, std::uint32_t d, std::uint32_t band_width = 3 * d, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void store_block(T* dst_strip, BandSlot slot, const T* src, T scale = T(1)) {
    detail::store_block<detail::ct<d>, detail::ct<band_width>, TRANSPOSE>(
        detail::block_members<TRAILING_SYNC>(), dst_strip, slot, src, scale);
}
template <typename T, std::uint32_t d, std::uint32_t band_width = 3 * d, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void load_block(T* dst, const T* src_strip, BandSlot slot, T scale = T(1)) {
    detail::load_block<detail::ct<d>, detail::ct<band_width>, TRANSPOSE>(
        detail::block_members<TRAILING_SYNC>(), dst, src_strip, slot, scale);
}

/// x and b are padded like every vector here; S is the matrix and Pinv the preconditioner, both in strips. Ends on a barrier
/// whatever TRAILING_SYNC says.
template <typename T, std::uint32_t state_size, std::uint32_t knot_points, bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void pcg(T* x, const T* S, const T* Pinv, const T* b, T* s_mem, std::uint32_t max_iters,
                        T rel_tol, T abs_tol, std::uint32_t* iters) {
    constexpr int n = detail::ct<state_size>;
    constexpr int knots = detail::ct<knot_points>;
    constexpr int needed = shoal::pcg_scratch(n, knots);
    constexpr bool fits = needed * sizeof(T) <= pcg_scratch_bytes<T, state_size, knot_points>(1);
    // The partial sums of tiny systems are more than the documented scratch holds.
    __shared__ T spare[fits ? 1 : needed];
    const auto g = shoal::this_block();
    const auto done = shoal::pcg(g, detail::strips<n, knots, const T>(S),
                                 shoal::strip_preconditioner<detail::strips<n, knots, const T>>{
                                     detail::strips<n, knots, const T>(Pinv)},
                                 detail::padded<n, knots, const T>(b), detail::padded<n, knots, T>(x),
                                 shoal::pcg_options<T>{static_cast<int>(max_iters), rel_tol, abs_tol},
                                 fits ? s_mem : spare);
    if (iters != nullptr && g.rank() == 0) *iters = static_cast<std::uint32_t>(done.iterations);
    // The count, before anyone reads it.
    g.sync();
}

}  // namespace block

namespace warp {
template <typename T, std::uint32_t d, std::uint32_t band_width = 3 * d, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void store_block(T* dst_strip, BandSlot slot, const T* src, T scale = T(1)) {
    detail::store_block<detail::ct<d>, detail::ct<band_width>, TRANSPOSE>(
        detail::warp_members<TRAILING_SYNC>(), dst_strip, slot, src, scale);
}
template <typename T, std::uint32_t d, std::uint32_t band_width = 3 * d, bool TRANSPOSE = false,
          bool TRAILING_SYNC = true>
SHOAL_GLASS_FN void load_block(T* dst, const T* src_strip, BandSlot slot, T scale = T(1)) {
    detail::load_block<detail::ct<d>, detail::ct<band_width>, TRANSPOSE>(
        detail::warp_members<TRAILING_SYNC>(), dst, src_strip, slot, scale);
}
}  // namespace warp

}  // namespace SHOAL_GLASS_NAMESPACE
