#pragma once

#include <cstdint>
#include <type_traits>

#include <shoal/fast/host_lu.hpp>

namespace shoal::batched::detail {

/// How `lanes` systems of one order are solved in step on the host; see fast::host_lu. No lanes: one by one.
template <class T>
struct lane_kernels {
    int lanes;
    void (*solve)(T* a, T* x, std::int32_t* info);
    void (*interleave)(const T* const* from, std::ptrdiff_t count, T* to);
    void (*move)(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, int count);
};

/// Those of one instruction set, in whose functions' names it stands.
template <class Isa, class T, int n>
struct lane_bodies {
    using solver = fast::host_lu<Isa, T>;
    static void solve(T* a, T* x, std::int32_t* info) {
        // Beyond order 8 a constant gains nothing.
        using order = std::conditional_t<n <= 8, std::integral_constant<int, n>, int>;
        if constexpr (n <= 8) {
            solver::solve(order{}, a, x, info);
        } else {
            lane_bodies<Isa, T, 0>::solve_any(n, a, x, info);
        }
    }
    static void solve_any(int order, T* a, T* x, std::int32_t* info) { solver::solve(order, a, x, info); }
    static void interleave(const T* const* from, std::ptrdiff_t count, T* to) {
        solver::interleave(from, count, to);
    }
    static void move(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, int count) {
        solver::move(from, from_step, to, to_step, count);
    }
    static constexpr lane_kernels<T> table() {
        if constexpr (std::is_same_v<Isa, fast::isa_generic>) {
            return {0, nullptr, nullptr, nullptr};
        } else {
            return {solver::W, &solve, &lane_bodies<Isa, T, 0>::interleave, &lane_bodies<Isa, T, 0>::move};
        }
    }
};

/// Orders that the compiled library has.
inline constexpr int largest_compiled_order = 16;

#if defined(SHOAL_HOST_COMPILED)
/// In the library: for the widest vectors that this machine has. `n` is 2 .. largest_compiled_order.
template <class T>
const lane_kernels<T>& compiled_lane_kernels(int n);
#endif

/// Above order 32 the systems of all lanes leave the caches, and one by one is as fast.
template <class T, int n>
const lane_kernels<T>& lane_kernels_for() {
    static constexpr lane_kernels<T> none{0, nullptr, nullptr, nullptr};
    static constexpr lane_kernels<T> native = lane_bodies<fast::isa_native, T, n>::table();
    if constexpr (n > fast::largest_rows) {
        return none;
    } else {
#if defined(SHOAL_HOST_COMPILED)
        if constexpr (n >= 2 && n <= largest_compiled_order) return compiled_lane_kernels<T>(n);
#endif
        return native;
    }
}

}  // namespace shoal::batched::detail
