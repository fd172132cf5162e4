#pragma once

#include <shoal/banded/detail/bdsv_staged_sweeps.hpp>
#include <shoal/batched/bdsv_levels.cuh>
#include <shoal/batched/tuning.hpp>

namespace shoal::batched {

namespace detail {

/// Threads of a block of the kernel below: two warps, so that registers and shared memory are dealt out in small pieces.
inline constexpr int bdsv_threads = 64;

/// A system a group of `Width` lanes, each with scratch in shared memory.
template <int Width, bdsv_phase Phase, class A, class X>
__global__ void __launch_bounds__(bdsv_threads) run_bdsv(std::int64_t systems, A a, X x, int* info) {
    using T = typename A::view::value_type;
    constexpr int n = A::view::block_size;
    extern __shared__ __align__(16) unsigned char room[];
    const lockstep_tile<Width> g;
    const std::int64_t s = first_system(g);
    // Groups that have no system leave: nothing that follows needs them.
    if (s >= systems) return;
    T* const scratch = reinterpret_cast<T*>(room) +
                       shoal::detail::flat_thread() / Width * shoal::detail::staging<T, n>::size;
    knot_info found;
    if constexpr (Phase == bdsv_phase::factor) {
        found = shoal::detail::bdsv_factor_staged(g, a(s), scratch);
    } else if constexpr (Phase == bdsv_phase::solve) {
        shoal::detail::bdsv_sweeps_staged(g, a(s), x(s), scratch, shoal::detail::keep::yes);
    } else {
        found = shoal::detail::bdsv_staged(g, a(s), x(s), scratch);
    }
    if (info != nullptr && g.rank() == 0) info[s] = found.index(n);
}

/// A system a warp, by products. scratch: elements of a block vector for each warp, or 0.
template <bdsv_phase Phase, class A, class X>
__global__ void __launch_bounds__(bdsv_threads)
    run_bdsv_products(std::int64_t systems, A a, X x, int* info, int scratch) {
    constexpr int n = A::view::block_size;
    extern __shared__ __align__(16) unsigned char room[];
    const lockstep_tile<32> g;
    const std::int64_t s = first_system(g);
    if (s >= systems) return;
    knot_info found;
    if constexpr (Phase == bdsv_phase::factor) {
        found = shoal::detail::bdsv_factor_by_products(g, a(s));
    } else if constexpr (Phase == bdsv_phase::solve) {
        shoal::detail::bdsv_solve_by_products(g, a(s), x(s));
    } else if (scratch != 0) {
        found = shoal::detail::bdsv_by_products(
            g, a(s), x(s), reinterpret_cast<double*>(room) + shoal::detail::flat_thread() / 32 * scratch);
    } else {
        found = shoal::detail::bdsv_factor_by_products(g, a(s));
        if (found.good()) shoal::detail::bdsv_solve_by_products(g, a(s), x(s));
    }
    if (info != nullptr && g.rank() == 0) info[s] = found.index(n);
}

template <bdsv_phase Phase, class A, class X>
status start_bdsv_products(cudaStream_t stream, std::int64_t systems, const A& a, const X& x, int* info) {
    constexpr int warps = bdsv_threads / 32;
    const void* kernel = reinterpret_cast<const void*>(&run_bdsv_products<Phase, A, X>);
    std::int64_t bytes = 0;
    int scratch = 0;
    if constexpr (Phase == bdsv_phase::both) {
        int device = 0, most = 0;
        cudaError_t e = cudaGetDevice(&device);
        if (e == cudaSuccess)
            e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        // Always the same number for a kernel, so that calls of several threads do not take it from each other.
        if (e == cudaSuccess)
            e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
        if (e != cudaSuccess) return from_cuda(e);
        const std::int64_t wanted = std::int64_t{A::view::block_size} * a.knots();
        if (warps * wanted * std::int64_t{sizeof(double)} <= most) {
            scratch = static_cast<int>(wanted);
            bytes = warps * wanted * std::int64_t{sizeof(double)};
        }
    }
    A strips = a;
    X vectors = x;
    void* arguments[] = {&systems, &strips, &vectors, &info, &scratch};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, warps), dim3(bdsv_threads), arguments,
                                      static_cast<std::size_t>(bytes), stream));
}

template <int Width, bdsv_phase Phase, class A, class X>
status start_bdsv(cudaStream_t stream, std::int64_t systems, const A& a, const X& x, int* info) {
    using T = typename A::view::value_type;
    constexpr int n = A::view::block_size;
    if constexpr (bdsv_staged(n)) {
        constexpr int groups = bdsv_threads / Width;
        constexpr auto bytes = static_cast<int>(sizeof(T)) * groups * shoal::detail::staging<T, n>::size;
        const void* kernel = reinterpret_cast<const void*>(&run_bdsv<Width, Phase, A, X>);
        // Always the same number for a kernel, so that calls of several threads do not take it from each other.
        const cudaError_t e =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e != cudaSuccess) return from_cuda(e);
        A strips = a;
        X vectors = x;
        void* arguments[] = {&systems, &strips, &vectors, &info};
        return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, groups), dim3(bdsv_threads), arguments,
                                          bytes, stream));
    } else if constexpr (n <= shoal::detail::largest_row_block) {
        return start<lockstep_tile<Width>, 1>(stream, systems, bdsv_system<Phase, A, X>{a, x}, info, 0);
    } else {
        // This body leaves its loops early in a system that fails, and works in memory.
        return start<tile_group<32>, 1>(stream, systems, bdsv_system<Phase, A, X>{a, x}, info, 0);
    }
}

/// Whether products are what a call without a policy takes: where they were the fastest at every batch and every number of
/// knots measured. It depends on nothing else, lest the bits of a system depend on its batch.
template <bdsv_phase Phase, bdsv_policy Policy, class T, int n>
inline constexpr bool bdsv_takes_products = Policy.algorithm == bdsv_algorithm::products ||
                                            (Policy.algorithm == bdsv_algorithm::automatic &&
                                             Phase != bdsv_phase::solve && std::is_same_v<T, double> &&
                                             n > (Phase == bdsv_phase::both ? 12 : 15) &&
                                             n <= shoal::detail::largest_row_block);

template <bdsv_phase Phase, bdsv_policy Policy = bdsv_policy{}, class A, class X>
status bdsv_on_stream(cudaStream_t stream, const A& a, const X& x, std::int64_t systems, int* info) {
    if (const status bad = check_bdsv<Phase>(a, x, systems); !bad.ok()) return bad;
    if (systems == 0 || (a.empty() && info == nullptr)) return {};
    if constexpr (bdsv_takes_products<Phase, Policy, typename A::view::value_type, A::view::block_size>) {
        static_assert(std::is_same_v<typename A::view::value_type, double> &&
                          A::view::block_size <= shoal::detail::largest_row_block,
                      "batched::bdsv: the products algorithm needs doubles and blocks up to 16");
        return start_bdsv_products<Phase>(stream, systems, a, x, info);
    } else if constexpr (Policy.algorithm == bdsv_algorithm::levels) {
        return start_bdsv_levels<Phase>(stream, systems, a, x, info);
    } else {
        static_assert(
            Policy.algorithm == bdsv_algorithm::automatic || Policy.algorithm == bdsv_algorithm::rows,
            "batched::bdsv: the algorithm is automatic, rows, products or levels");
        if (systems <= small_batch) return start_bdsv<32, Phase>(stream, systems, a, x, info);
        return start_bdsv<bdsv_width(A::view::block_size), Phase>(stream, systems, a, x, info);
    }
}

}  // namespace detail

/// batched::bdsv() in one kernel on `stream`: strips, vectors and `info` in device memory. Allocates nothing, waits for
/// nothing, can be captured in a graph.
///
/// Without a policy, blocks of 13 to 16 doubles (to factor alone, of 16) are eliminated by products, other blocks up to
/// 16 in registers, a system by a tile or a warp, which does not show in the bits; larger blocks by a warp in memory. What
/// is taken depends on the type and the block size alone.
///
/// - `bdsv<bdsv_policy{.algorithm = bdsv_algorithm::rows}>(stream, ..)`: the bits of a dense potrf() and its solves at every
///   block size; what was final before a bad pivot stays.
/// - `bdsv_algorithm::products`: doubles and blocks up to 16, a warp a system, on the tensor cores, with other roundings; the
///   factor serves either bdsv_solve(), and after a bad pivot it is of no use.
/// - `bdsv_algorithm::levels`: strips [L | D | R] and blocks up to 16, a cluster of up to eight blocks a system, for a
///   handful of systems with many knots. R is written too, and the factor belongs to a bdsv_solve() with the same policy.
template <bdsv_policy Policy = bdsv_policy{}, Operand A, Operand X>
status bdsv(cudaStream_t stream, A a, X x, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_stream<detail::bdsv_phase::both, Policy>(stream, a, x, systems, info);
}

/// batched::bdsv_factor() on `stream`; see bdsv().
template <bdsv_policy Policy = bdsv_policy{}, Operand A>
status bdsv_factor(cudaStream_t stream, A a, std::int64_t systems, int* info = nullptr) {
    return detail::bdsv_on_stream<detail::bdsv_phase::factor, Policy>(stream, a, detail::any_vectors<A>{},
                                                                      systems, info);
}

/// batched::bdsv_solve() on `stream`; see bdsv().
template <bdsv_policy Policy = bdsv_policy{}, Operand A, Operand X>
status bdsv_solve(cudaStream_t stream, A factor, X x, std::int64_t systems) {
    return detail::bdsv_on_stream<detail::bdsv_phase::solve, Policy>(stream, factor, x, systems, nullptr);
}

}  // namespace shoal::batched
