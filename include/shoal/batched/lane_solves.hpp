#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <shoal/batched/blocked.hpp>
#include <shoal/batched/lane_kernels.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/lapack/gesv.hpp>

namespace shoal::batched::detail {

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
    /// Lanes of the widest vectors there are.
    static constexpr int most = 64 / static_cast<int>(sizeof(T));

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

    /// One system into its lane.
    void gather(std::int64_t s, T* matrices, T* vectors, int lanes) const {
        const auto from = a(s);
        const auto right = x(s);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) matrices[(i + j * n) * lanes] = from(i, j);
        }
        for (int i = 0; i < n; ++i) vectors[i * lanes] = right(i);
    }

    /// As many systems as there are lanes from `first` on, or what is left of them: gathered, solved, and the solutions put
    /// back. Lanes without a system solve the last one again.
    void solve_block(const lane_kernels<T>& kernels, std::int64_t first, int systems, int* info) const {
        alignas(64) T matrices[static_cast<std::size_t>(n * n * most)];
        alignas(64) T vectors[static_cast<std::size_t>(n * most)];
        std::int32_t found[static_cast<std::size_t>(most)];
        const int lanes = kernels.lanes;
        const bool whole = systems == lanes && neighbours<A> % lanes == 0 && neighbours<X> % lanes == 0;
        if constexpr (neighbours < A >> 1 && neighbours < X >> 1) {
            if (whole) {
                const auto from = a(first);
                const auto right = x(first);
                kernels.move(from.data(), from.step(), matrices, lanes, n * n);
                kernels.move(right.data(), right.increment(), vectors, lanes, n);
            }
        }
        const bool squares = in_squares(first);
        if constexpr (connected<A> && connected<X>) {
            if (squares) {
                const T* from[static_cast<std::size_t>(most)] = {};
                const T* right[static_cast<std::size_t>(most)] = {};
                for (int l = 0; l < lanes; ++l) {
                    const std::int64_t s = first + std::min(l, systems - 1);
                    from[l] = a(s).data();
                    right[l] = x(s).data();
                }
                kernels.interleave(from, n * n, matrices);
                kernels.interleave(right, n, vectors);
            }
        }
        if (!whole && !squares) {
            for (int l = 0; l < lanes; ++l)
                gather(first + std::min(l, systems - 1), matrices + l, vectors + l, lanes);
        }
        kernels.solve(matrices, vectors, found);
        bool good = true;
        for (int l = 0; l < lanes; ++l) good = good && found[l] == 0;
        if constexpr (neighbours < A >> 1 && neighbours < X >> 1) {
            if (whole && good) {
                const auto to = x(first);
                kernels.move(vectors, lanes, to.data(), to.increment(), n);
            }
        }
        for (int l = 0; l < systems && !(whole && good); ++l) {
            if (found[l] == fast::solve_by_itself) {
                found[l] = solve_one(first + l);
            } else if (found[l] == 0) {
                const auto to = x(first + l);
                for (int i = 0; i < n; ++i) to(i) = vectors[i * lanes + l];
            }
        }
        if (info != nullptr) std::copy_n(found, systems, info + first);
    }

    /// Whether systems lie so that squares of their elements can be loaded.
    bool in_squares(std::int64_t first) const {
        if constexpr (connected<A> && connected<X>) {
            return a(first).step() == n;
        } else {
            return first < 0;
        }
    }

    status run(executor& threads, std::int64_t systems, int* info) const {
        const lane_kernels<T>& kernels = lane_kernels_for<T, n>();
        const int lanes = kernels.lanes;
        if (lanes > 0) {
            threads.parallel_for((systems + lanes - 1) / lanes, [&](std::int64_t b, int) {
                const std::int64_t first = b * lanes;
                solve_block(kernels, first, static_cast<int>(std::min<std::int64_t>(lanes, systems - first)),
                            info);
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
