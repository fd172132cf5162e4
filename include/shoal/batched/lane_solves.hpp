#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <shoal/batched/blocked.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/fast/host_lu.hpp>
#include <shoal/lapack/gesv.hpp>

namespace shoal::batched::detail {

/// How many systems follow each other in memory element by element, from a multiple of that number on: all, W, or 1.
template <class A>
inline constexpr std::int64_t neighbours = 1;
template <class T, int Rows, int Cols>
inline constexpr std::int64_t neighbours<interleaved_matrices<T, Rows, Cols>> = std::int64_t{1} << 40;
template <class T, int N>
inline constexpr std::int64_t neighbours<interleaved_vectors<T, N>> = std::int64_t{1} << 40;
template <class T, int W, int Rows, int Cols>
inline constexpr std::int64_t neighbours<blocked_matrices<T, W, Rows, Cols>> = W;
template <class T, int W, int N>
inline constexpr std::int64_t neighbours<blocked_vectors<T, W, N>> = W;

/// Whether the elements of one system follow each other in memory, but for what a leading dimension leaves between columns.
template <class A>
inline constexpr bool connected = false;
template <class T, int Rows, int Cols, int Leading>
inline constexpr bool connected<matrices<T, Rows, Cols, column_ld<Leading>>> = true;
template <class T, int Rows, int Cols, int Leading>
inline constexpr bool connected<pointer_matrices<T, Rows, Cols, column_ld<Leading>>> = true;
template <class T, int N>
inline constexpr bool connected<vectors<T, N, 1>> = true;

/// x := A^-1 x of systems that are only read, on host threads.
template <class A, class X>
struct host_solves {
    using T = std::remove_const_t<typename A::view::value_type>;
    static constexpr int n = A::view::static_rows;
    using isa = fast::isa_native;
    static constexpr int W = fast::host_lu_lanes<isa, T>;
    /// Above this the systems of all lanes leave the first cache.
    static constexpr bool in_lanes = !std::is_same_v<isa, fast::isa_generic> && n <= fast::largest_rows;

    A a;
    X x;

    /// One system, in a copy.
    int solve_one(std::int64_t s) const {
        T copy[static_cast<std::size_t>(n * n)];
        int pivots[static_cast<std::size_t>(n)];
        const auto from = a(s);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) copy[i + j * n] = from(i, j);
        }
        // Dynamic extents: rows are interchanged by address.
        const auto to = x(s);
        return shoal::gesv(this_thread(), matrix<T>(copy, n, n), vector<int>(pivots, n), to);
    }

    /// One system into its lane. Lanes without a system solve the last one again.
    void gather(std::int64_t s, T* matrices, T* vectors) const {
        const auto from = a(s);
        const auto right = x(s);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) matrices[(i + j * n) * W] = from(i, j);
        }
        for (int i = 0; i < n; ++i) vectors[i * W] = right(i);
    }

    /// W systems from `first` on, gathered, solved, and the solutions put back.
    void solve_block(std::int64_t first, int systems, int* info) const {
        alignas(64) T matrices[static_cast<std::size_t>(n * n * W)];
        alignas(64) T vectors[static_cast<std::size_t>(n * W)];
        std::int32_t found[static_cast<std::size_t>(W)];
        using solver = fast::host_lu<isa, T>;
        const bool whole = systems == W && neighbours<A> % W == 0 && neighbours<X> % W == 0;
        if (whole) {
            // A line of memory at a time: with strides of a power of two, lines do not stay to be read again.
            const auto from = a(first);
            const auto right = x(first);
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) std::copy_n(&from(i, j), W, matrices + (i + j * n) * W);
            }
            for (int i = 0; i < n; ++i) std::copy_n(&right(i), W, vectors + i * W);
        } else if (connected<A> && connected<X> && a(first).step() == n) {
            const T* from[static_cast<std::size_t>(W)];
            const T* right[static_cast<std::size_t>(W)];
            for (int l = 0; l < W; ++l) {
                const std::int64_t s = first + std::min(l, systems - 1);
                from[l] = a(s).data();
                right[l] = x(s).data();
            }
            solver::template interleave<n * n>(from, matrices);
            solver::template interleave<n>(right, vectors);
        } else {
            for (int l = 0; l < W; ++l) gather(first + std::min(l, systems - 1), matrices + l, vectors + l);
        }
        solver::solve(std::integral_constant<int, n>{}, matrices, vectors, found);
        bool good = true;
        for (int l = 0; l < W; ++l) good = good && found[l] == 0;
        if (whole && good) {
            const auto to = x(first);
            for (int i = 0; i < n; ++i) std::copy_n(vectors + i * W, W, &to(i));
        } else {
            for (int l = 0; l < systems; ++l) {
                if (found[l] == solver::by_itself) {
                    found[l] = solve_one(first + l);
                } else if (found[l] == 0) {
                    const auto to = x(first + l);
                    for (int i = 0; i < n; ++i) to(i) = vectors[i * W + l];
                }
            }
        }
        if (info != nullptr) std::copy_n(found, systems, info + first);
    }

    status run(executor& threads, std::int64_t systems, int* info) const {
        if constexpr (in_lanes) {
            const std::int64_t blocks = (systems + W - 1) / W;
            threads.parallel_for(blocks, [&](std::int64_t b, int) {
                solve_block(b * W, static_cast<int>(std::min<std::int64_t>(W, systems - b * W)), info);
            });
        } else {
            threads.parallel_for(systems, [&](std::int64_t s, int) {
                const int k = solve_one(s);
                if (info != nullptr) info[s] = k;
            });
        }
        return {};
    }
};

}  // namespace shoal::batched::detail
