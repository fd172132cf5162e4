#pragma once

/// \file
/// One system through every way into the tiled LU solver, on the host and, under nvcc, on the GPU as well: what comes out
/// must not depend on the way, nor on the device.

#include "support/bits.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/tiled_lu/tiled_lu.hpp>

#if defined(__CUDACC__)
#  include <cuda_runtime.h>
#endif

namespace tiled_lu_test {

namespace lu = shoal::tiled_lu;
using shoal::dynamic;

/// Where an operand lies: in one piece, interleaved with a stride known at compile time or at run time, in an array of
/// the thread.
enum class lies { packed, every_third, every_fifth, own };
enum class way {
    solve_inplace,
    solve,
    factor_then_inplace,
    factor_then_out,
    forward_then_backward,
    canonical,   // x is the last column of the inverse
    transposed,  // A^T x = b
    refined,     // static orders only; A stays
};

constexpr int stride_of(lies where) {
    return where == lies::every_third ? 3 : where == lies::every_fifth ? 5 : 1;
}

template <lies Where, int Count, class T>
SHOAL_FN auto seen(T* memory, T* own, int n) {
    if constexpr (Where == lies::packed) {
        return lu::strided<1>(memory);
    } else if constexpr (Where == lies::every_third) {
        return lu::strided<3>(memory);
    } else if constexpr (Where == lies::every_fifth) {
        return lu::strided(memory, 5);
    } else {
        for (int e = 0; e < n; ++e) own[e] = memory[e];
        return lu::local(own);
    }
}

template <lies Where, class T>
SHOAL_FN void give_back(T* memory, const T* own, int n) {
    if constexpr (Where == lies::own) {
        for (int e = 0; e < n; ++e) memory[e] = own[e];
    }
}

/// A x = b once. N is the order, or `dynamic`.
template <auto Config, int N, way How = way::solve_inplace, lies Matrix = lies::packed,
          lies Pivots = lies::packed, lies Side = lies::packed>
struct task {
    static constexpr int matrix_stride = stride_of(Matrix);
    static constexpr int pivot_stride = stride_of(Pivots);
    static constexpr int side_stride = stride_of(Side);
    static constexpr int room = N == dynamic ? 1 : N;

    template <class T>
    SHOAL_FN void operator()(T* a, int* p, T* b, T* x, int n, int* report) const {
        // A static order bounds the copies for the compiler too.
        if constexpr (N != dynamic) n = N;
        T own_a[room * room];
        T own_x[room];
        T own_b[room];
        int own_p[room];
        const auto elements = seen<Matrix, N>(a, own_a, n * n);
        const auto pivots = seen<Pivots, N>(p, own_p, n);
        const auto from = seen<Side, N>(b, own_b, n);
        const auto to = seen<Side, N>(x, own_x, n);
        const auto A = matrix(elements, n);
        int outside = -1;
        int info = -1;
        if constexpr (How == way::solve) {
            info = lu::solve<Config>(A, pivots, from, to, outside);
        } else if constexpr (How == way::refined) {
            T factors[room * room];
            T rest[room];
            outside = 0;
            info = lu::solve_refined<Config>(A, lu::of_order<room>(lu::local(factors)), pivots, from, to,
                                             lu::local(rest));
        } else {
            for (int i = 0; i < n; ++i) to[i] = from[i];
            if constexpr (How == way::solve_inplace) {
                info = lu::solve_inplace<Config>(A, pivots, to, outside);
            } else if constexpr (How == way::forward_then_backward) {
                info = lu::factorize_forward<Config>(A, pivots, to, outside);
                if (info == 0) lu::substitute_backward<Config>(A, pivots, to);
            } else {
                info = lu::factorize<Config>(A, pivots, outside);
                if constexpr (How == way::factor_then_inplace) {
                    if (info == 0) lu::substitute_inplace<Config>(A, pivots, to);
                } else if constexpr (How == way::factor_then_out) {
                    if (info == 0) lu::substitute<Config>(A, pivots, from, to);
                } else if constexpr (How == way::canonical) {
                    if (info == 0) lu::substitute_canonical<Config>(A, pivots, n - 1, to);
                } else {
                    if (info == 0) lu::substitute_transposed<Config>(A, pivots, from, to);
                }
            }
        }
        report[0] = info;
        report[1] = outside;
        give_back<Matrix>(a, own_a, n * n);
        give_back<Pivots>(p, own_p, n);
        give_back<Side>(x, own_x, n);
    }

    template <class E>
    SHOAL_FN static auto matrix(E elements, int n) {
        if constexpr (N == dynamic) {
            return lu::of_order(elements, n);
        } else {
            return lu::of_order<N>(elements);
        }
    }
};

/// What a solve leaves behind, gaps closed.
template <class T>
struct result {
    std::vector<T> a;
    std::vector<int> pivots;
    std::vector<T> x;
    int info = 0;
    int outside = 0;
};

/// The factors row by row as L U has them, and which row of A each is.
template <class T>
struct ordered_factors {
    std::vector<T> lu;
    std::vector<int> row;
};
template <class T>
ordered_factors<T> in_order(const result<T>& r, bool physical) {
    const auto n = r.pivots.size();
    ordered_factors<T> f{std::vector<T>(n * n), std::vector<int>(n)};
    for (std::size_t i = 0; i < n; ++i) f.row[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < n; ++i) {
        const auto p = static_cast<std::size_t>(r.pivots[i]);
        if (physical)
            std::swap(f.row[i], f.row[p]);
        else
            f.row[i] = r.pivots[i];
        for (std::size_t j = 0; j < n; ++j) f.lu[i * n + j] = r.a[(physical ? i : p) * n + j];
    }
    return f;
}

template <class T>
std::vector<T> spread(const std::vector<T>& v, int stride) {
    // Red zones before and after, and whatever lies between the elements.
    std::vector<T> wide(v.size() * static_cast<std::size_t>(stride) + 16, shoal::support::poison<T>());
    for (std::size_t e = 0; e < v.size(); ++e) wide[8 + e * static_cast<std::size_t>(stride)] = v[e];
    return wide;
}
template <class T>
std::vector<T> gathered(const std::vector<T>& wide, std::size_t count, int stride) {
    std::vector<T> v(count);
    std::vector<T> rest = wide;
    for (std::size_t e = 0; e < count; ++e) {
        v[e] = wide[8 + e * static_cast<std::size_t>(stride)];
        rest[8 + e * static_cast<std::size_t>(stride)] = shoal::support::poison<T>();
    }
    for (const T& r : rest) {
        if (!shoal::support::same_bits(r, shoal::support::poison<T>())) {
            ADD_FAILURE() << "written outside the operand";
            break;
        }
    }
    return v;
}

#if defined(__CUDACC__)
template <class Task, class T>
__global__ void one_thread(Task work, T* a, int* p, T* b, T* x, int n, int* report) {
    work(a, p, b, x, n, report);
}

template <class T>
T* to_device(const std::vector<T>& v) {
    T* d = nullptr;
    EXPECT_EQ(cudaMalloc(&d, v.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    return d;
}
template <class T>
void to_host(std::vector<T>& v, T* d) {
    EXPECT_EQ(cudaMemcpy(v.data(), d, v.size() * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaFree(d), cudaSuccess);
}
#endif

/// Runs the task on poisoned outputs; under nvcc on the GPU too, demanding the same bits.
template <class Task, class T>
result<T> run(Task work, const std::vector<T>& a, const std::vector<T>& b) {
    const auto n = b.size();
    auto wide_a = spread(a, Task::matrix_stride);
    auto wide_b = spread(b, Task::side_stride);
    auto wide_x = spread(std::vector<T>(n, shoal::support::poison<T>()), Task::side_stride);
    auto wide_p = spread(std::vector<int>(n, -77), Task::pivot_stride);
    std::vector<int> report(2, -1);
#if defined(__CUDACC__)
    auto device_a = wide_a, device_x = wide_x;
    auto device_p = wide_p, device_report = report;
    T* const da = to_device(device_a);
    T* const db = to_device(wide_b);
    T* const dx = to_device(device_x);
    int* const dp = to_device(device_p);
    int* const dr = to_device(device_report);
    one_thread<<<1, 1>>>(work, da + 8, dp + 8, db + 8, dx + 8, static_cast<int>(n), dr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    to_host(device_a, da);
    to_host(device_x, dx);
    to_host(device_p, dp);
    to_host(device_report, dr);
    EXPECT_EQ(cudaFree(db), cudaSuccess);
#endif
    const auto b_before = wide_b;
    work(wide_a.data() + 8, wide_p.data() + 8, wide_b.data() + 8, wide_x.data() + 8, static_cast<int>(n),
         report.data());
    for (std::size_t e = 0; e < wide_b.size(); ++e)
        EXPECT_TRUE(shoal::support::same_bits(b_before[e], wide_b[e]));
#if defined(__CUDACC__)
    EXPECT_EQ(report, device_report) << "host and device differ";
    EXPECT_EQ(wide_p, device_p) << "host and device differ";
    if (report[0] == 0) {
        for (std::size_t e = 0; e < wide_a.size(); ++e)
            EXPECT_TRUE(shoal::support::same_result(wide_a[e], device_a[e]))
                << "element " << e << " of the factors";
        for (std::size_t e = 0; e < wide_x.size(); ++e)
            EXPECT_TRUE(shoal::support::same_result(wide_x[e], device_x[e])) << "element " << e << " of x";
    }
#endif
    return {gathered(wide_a, n * n, Task::matrix_stride), gathered(wide_p, n, Task::pivot_stride),
            gathered(wide_x, n, Task::side_stride), report[0], report[1]};
}

}  // namespace tiled_lu_test
