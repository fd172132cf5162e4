#pragma once

#include <shoal/batched/pcg_cluster.cuh>

namespace shoal::batched {

namespace detail {

/// Copies strips to `to`, and shows them there. No barrier.
template <class G, class S>
__device__ auto staged_strips(const G& g, S a, typename S::value_type* to) {
    using T = typename S::value_type;
    constexpr int n = S::block_size;
    constexpr int width = S::row_length;
    using padded = padded_strip<const T, n, dynamic, width / n>;
    for (int e = g.rank(); e < a.knots() * n * width; e += g.size())
        to[e / width * padded::row_length + e % width] = a.data()[e];
    return padded(to, a.knots());
}

template <int Threads, pcg_residence Where, class A, class M, class B, class X, class T>
__global__ void __launch_bounds__(Threads) run_pcg(std::int64_t systems, pcg_arguments<A, M, B, X, T> p) {
    extern __shared__ __align__(16) unsigned char room[];
    T* const scratch = reinterpret_cast<T*>(room);
    const auto g = this_block<Threads>();
    const std::int64_t s = first_system(g);
    if (s >= systems) return;
    constexpr int n = A::view::block_size;
    const int knots = p.a.knots();
    const int size = n * knots;
    T* const matrices = scratch + p.vectors;
    const block_vector<T, n> x{scratch + pcg_scratch(n, knots), knots};
    const auto outside = p.x(s);
    for (int i = g.rank(); i < size; i += g.size()) x(i) = outside(i);
    const auto solve = [&](auto a, auto m) {
        // What was staged, before it is read.
        g.sync();
        return shoal::pcg(g, a, m, p.b(s), x, p.options, scratch);
    };
    pcg_result<T> done;
    if constexpr (Where == pcg_residence::vectors) {
        done = solve(p.a(s), p.m(s));
    } else {
        const auto a = staged_strips(g, p.a(s), matrices);
        if constexpr (Where == pcg_residence::preconditioner && has_strips<M>) {
            done =
                solve(a, M::of(staged_strips(g, p.m.strips(s), matrices + size * decltype(a)::row_length)));
        } else {
            done = solve(a, p.m(s));
        }
    }
    // Each member copies the elements that it updated.
    for (int i = g.rank(); i < size; i += g.size()) outside(i) = x(i);
    if (p.results != nullptr && g.rank() == 0) p.results[s] = done;
}

template <int Threads, pcg_residence Where, class A, class M, class B, class X, class T>
status start_pcg(cudaStream_t stream, std::int64_t systems, const pcg_arguments<A, M, B, X, T>& arguments,
                 std::int64_t bytes) {
    const void* kernel = reinterpret_cast<const void*>(&run_pcg<Threads, Where, A, M, B, X, T>);
    int device = 0, most = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    // Always the same number for a kernel, so that calls of several threads do not take it from each other.
    if (e == cudaSuccess) e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (e != cudaSuccess) return from_cuda(e);
    pcg_arguments<A, M, B, X, T> copy = arguments;
    void* pointers[] = {&systems, &copy};
    return from_cuda(cudaLaunchKernel(kernel, grid_for(systems, 1), dim3(Threads), pointers,
                                      static_cast<std::size_t>(bytes), stream));
}

}  // namespace detail

/// batched::pcg() in one kernel on `stream`, a block a system, or where that holds more of it a cluster of 2, 4 or 8 blocks:
/// everything in device memory. No scratch: the vectors lie in shared memory, and so do A and the preconditioner as far as
/// they fit, which best_pcg_fit() tells before; a horizon whose vectors do not fit is refused. Allocates nothing, waits for nothing, can be captured in a graph.
template <Operand A, class M, Operand B, Operand X, class T>
status pcg(cudaStream_t stream, A a, M m, B b, X x, std::int64_t systems, pcg_options<T> options,
           pcg_result<T>* results = nullptr) {
    if (const status bad = detail::check_pcg(a, m, b, x, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    int device = 0, major = 0, minor = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (e != cudaSuccess) return detail::from_cuda(e);
    constexpr int n = A::view::block_size;
    constexpr int blocks = A::view::symmetric ? 2 : 3;
    constexpr int preconditioner_blocks = [] {
        if constexpr (detail::has_strips<M>) {
            return decltype(M::strips)::view::symmetric ? 2 : 3;
        } else {
            return 0;
        }
    }();
    const pcg_fit fit = best_pcg_fit<T>(n, a.knots(), blocks, preconditioner_blocks, 10 * major + minor);
    // Whole 16 bytes, so that the matrices behind the vectors are aligned like them.
    const int vectors = (pcg_scratch(n, a.knots()) + n * a.knots() + 3) / 4 * 4;
    const detail::pcg_arguments<A, M, B, X, T> arguments{a, m, b, x, options, results, vectors};
    if (fit.cluster > 1) {
        switch (fit.residence()) {
            case pcg_residence::preconditioner:
                return detail::start_pcg_on_clusters<pcg_residence::preconditioner>(stream, systems,
                                                                                    arguments, fit);
            case pcg_residence::matrix:
                return detail::start_pcg_on_clusters<pcg_residence::matrix>(stream, systems, arguments, fit);
            default:
                return detail::start_pcg_on_clusters<pcg_residence::vectors>(stream, systems, arguments, fit);
        }
    }
    // More threads would be a row each, but barriers and sums take longer: 3.2 us an iteration instead of 3.0.
    constexpr int threads = 256;
    switch (fit.residence()) {
        case pcg_residence::preconditioner:
            return detail::start_pcg<threads, pcg_residence::preconditioner>(stream, systems, arguments,
                                                                             fit.bytes());
        case pcg_residence::matrix:
            return detail::start_pcg<threads, pcg_residence::matrix>(stream, systems, arguments, fit.bytes());
        case pcg_residence::vectors:
            return detail::start_pcg<threads, pcg_residence::vectors>(stream, systems, arguments,
                                                                      fit.bytes());
        default:
            return {status_code::unsupported,
                    "batched::pcg: the vectors do not fit the shared memory of a cluster; see "
                    "best_pcg_fit()"};
    }
}

}  // namespace shoal::batched
