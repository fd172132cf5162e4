#pragma once

#include <shoal/batched/cluster.cuh>
#include <shoal/batched/launch.cuh>
#include <shoal/batched/pcg.hpp>

/// \file
/// pcg() by all threads of a thread-block cluster, the rows of the system dealt to the shared memories of its blocks in
/// stretches of a block's threads: a thread's rows are in its own block, and what it reads of others it reads there.

namespace shoal::batched::detail {

template <class A, class M, class B, class X, class T>
struct pcg_arguments {
    A a;
    M m;
    B b;
    X x;
    pcg_options<T> options;
    pcg_result<T>* results;
    int vectors;  ///< elements of shared memory before the matrices
};

/// Rows dealt to blocks, a power of two of them.
template <int Threads>
struct dealt_rows {
    int blocks;
    __device__ int owner(int i) const { return i / Threads & (blocks - 1); }
    /// Where row i lies among those of its owner.
    __device__ int place(int i) const { return i / (Threads * blocks) * Threads + i % Threads; }
    /// The row whose place this is in a block.
    __device__ int row(int block, int at) const {
        return (at / Threads * blocks + block) * Threads + at % Threads;
    }
    /// Room for this many rows in each block.
    SHOAL_FN static constexpr int room(int rows, int blocks) {
        return (rows + Threads * blocks - 1) / (Threads * blocks) * Threads;
    }
};

/// A block vector whose elements are dealt like rows.
template <class T, int n, int Threads>
struct dealt_vector {
    using value_type = T;
    static constexpr int block_size = n;
    static constexpr int static_knots = dynamic;
    static constexpr int static_size = dynamic;
    T* mine;
    int count;
    dealt_rows<Threads> deal;
    __device__ int size() const { return count * n; }
    __device__ int knots() const { return count; }
    __device__ T& operator()(int i) const { return *in_block(mine + deal.place(i), deal.owner(i)); }
};

/// Strips whose rows are dealt, an odd number of elements apart: neighbouring rows lie in different banks.
template <class T, int n, int Blocks, int Threads>
struct dealt_strip {
    using value_type = T;
    static constexpr int block_size = n;
    static constexpr int static_knots = dynamic;
    static constexpr bool symmetric = Blocks == 2;
    static constexpr int row_length = (Blocks * n) | 1;
    T* mine;
    int count;
    dealt_rows<Threads> deal;

    struct part {
        dealt_strip of;
        int first;
        int slot;
        __device__ T operator()(int i, int j) const {
            const int row = first + i;
            const T* const at = in_block(of.mine + of.deal.place(row) * row_length, of.deal.owner(row));
            return at[slot * n + j];
        }
    };
    struct transposed_part {
        part of;
        __device__ T operator()(int i, int j) const { return of(j, i); }
    };
    __device__ int knots() const { return count; }
    __device__ part left(int k) const { return {*this, k * n, 0}; }
    __device__ part main(int k) const { return {*this, k * n, 1}; }
    __device__ auto right(int k) const {
        if constexpr (symmetric) {
            return transposed_part{{*this, (k + 1) * n, 0}};
        } else {
            return part{*this, k * n, 2};
        }
    }

    /// Copies this block's rows of strips in global memory. No barrier.
    template <class S>
    __device__ void take(const S& a, int block) const {
        const int rows = dealt_rows<Threads>::room(n * count, deal.blocks);
        constexpr int width = Blocks * n;
        for (int e = static_cast<int>(threadIdx.x); e < rows * width; e += Threads) {
            const int at = e / width;
            const int row = deal.row(block, at);
            if (row < n * count)
                mine[at * row_length + e % width] =
                    a.data()[static_cast<std::int64_t>(row) * width + e % width];
        }
    }
};

/// Threads of each block of a cluster.
inline constexpr int cluster_threads = pcg_cluster_threads;

template <pcg_residence Where, class A, class M, class B, class X, class T>
__global__ void __launch_bounds__(cluster_threads)
    run_pcg_on_clusters(std::int64_t systems, pcg_arguments<A, M, B, X, T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr int n = A::view::block_size;
    using deal_type = dealt_rows<cluster_threads>;
    using vector_type = dealt_vector<T, n, cluster_threads>;
    const cluster_group<cluster_threads> g;
    const deal_type deal{g.blocks()};
    const std::int64_t s =
        static_cast<std::int64_t>(blockIdx.y) * (gridDim.x / static_cast<unsigned>(deal.blocks)) +
        blockIdx.x / static_cast<unsigned>(deal.blocks);
    // A cluster that has no system leaves as a whole.
    if (s >= systems) return;
    const int knots = p.a.knots();
    const int size = n * knots;
    const int room = deal_type::room(size, deal.blocks);
    T* const own = reinterpret_cast<T*>(memory);
    const auto vector_at = [&](int i) { return vector_type{own + i * room, knots, deal}; };
    T* const matrices = own + p.vectors;
    const vector_type x = vector_at(4);
    const auto outside = p.x(s);
    for (int i = g.rank(); i < size; i += g.size()) x(i) = outside(i);
    const auto solve = [&](auto a, auto m) {
        // What was staged, before it is read.
        g.sync();
        return shoal::detail::pcg_in(g, a, m, p.b(s), x, p.options, vector_at(0), vector_at(1), vector_at(2),
                                     vector_at(3), in_block(own + 5 * room, 0));
    };
    pcg_result<T> done;
    if constexpr (Where == pcg_residence::vectors) {
        done = solve(p.a(s), p.m(s));
    } else {
        using strips_type = dealt_strip<T, n, A::view::symmetric ? 2 : 3, cluster_threads>;
        const strips_type a{matrices, knots, deal};
        a.take(p.a(s), g.block());
        if constexpr (Where == pcg_residence::preconditioner && has_strips<M>) {
            using inverse_type =
                dealt_strip<T, n, decltype(M::strips)::view::symmetric ? 2 : 3, cluster_threads>;
            const inverse_type m{matrices + room * strips_type::row_length, knots, deal};
            m.take(p.m.strips(s), g.block());
            done = solve(a, M::of(m));
        } else {
            done = solve(a, p.m(s));
        }
    }
    // Each member copies the elements that it updated.
    for (int i = g.rank(); i < size; i += g.size()) outside(i) = x(i);
    if (p.results != nullptr && g.rank() == 0) p.results[s] = done;
    // Others may still read what lies here.
    g.sync();
}

template <pcg_residence Where, class A, class M, class B, class X, class T>
status start_pcg_on_clusters(cudaStream_t stream, std::int64_t systems,
                             pcg_arguments<A, M, B, X, T> arguments, const pcg_fit& fit) {
    const void* kernel = reinterpret_cast<const void*>(&run_pcg_on_clusters<Where, A, M, B, X, T>);
    int device = 0, most = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    // Always the same number for a kernel, so that calls of several threads do not take it from each other.
    if (e == cudaSuccess) e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (e != cudaSuccess) return from_cuda(e);
    const int room =
        dealt_rows<cluster_threads>::room(A::view::block_size * arguments.a.knots(), fit.cluster);
    arguments.vectors = (5 * room + shoal::detail::partials + 3) / 4 * 4;
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(fit.cluster);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    constexpr std::int64_t across = 1 << 27;
    const std::int64_t wide = systems < across ? systems : across;
    cudaLaunchConfig_t config{};
    config.gridDim =
        dim3(static_cast<unsigned>(wide * fit.cluster), static_cast<unsigned>((systems + wide - 1) / wide));
    config.blockDim = dim3(cluster_threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(fit.bytes());
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    void* pointers[] = {&systems, &arguments};
    return from_cuda(cudaLaunchKernelExC(&config, kernel, pointers));
}

}  // namespace shoal::batched::detail
