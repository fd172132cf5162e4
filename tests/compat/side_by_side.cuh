#pragma once

/// \file
/// The drop-in header beside the ops that it stands on: the same start, one buffer each, and every element of the result
/// must have the same bits, on every number of threads.

#include "support/bits.hpp"
#include "support/random.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/compat/glass.cuh>
#include <shoal/shoal.cuh>

namespace shoal::support {

/// Elements of a buffer, and where a pair leaves what is not compared.
inline constexpr int room = 1024;
inline constexpr int spare = 768;

/// `Pair` has `theirs(T*)` and `ours(T*)`, the same work by the drop-in header and by the ops.
template <class Pair, class T>
__global__ void run_pair(T* theirs, T* ours) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T* const a = reinterpret_cast<T*>(bytes);
    T* const b = a + room;
    const auto g = shoal::this_block();
    for (int i = g.rank(); i < room; i += g.size()) {
        a[i] = theirs[i];
        b[i] = ours[i];
    }
    // Both buffers, before anyone works on them.
    g.sync();
    Pair::theirs(a);
    Pair::ours(b);
    // Whatever a pair left to be written, before it is copied out.
    g.sync();
    for (int i = g.rank(); i < room; i += g.size()) {
        theirs[i] = a[i];
        ours[i] = b[i];
    }
}

inline void demand(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

/// A buffer of random numbers, symmetric positive definite matrices of order n from each of `places` on.
template <class T>
std::vector<T> start(std::initializer_list<int> places = {}, int n = 0) {
    random_stream r(17);
    std::vector<T> x(room);
    for (auto& v : x) v = static_cast<T>(r.uniform(-1, 1));
    for (const int p : places)
        for (int j = 0; j < n; ++j)
            for (int i = j; i < n; ++i) {
                const auto at = [&](int row, int col) -> T& {
                    return x[static_cast<std::size_t>(p + row + col * n)];
                };
                if (i == j) at(i, i) += static_cast<T>(n + 1);
                at(j, i) = at(i, j);
            }
    return x;
}

/// Runs the pair on the given numbers of threads and compares all but the spare elements.
template <template <class> class Pair, class T>
void expect_same(const std::vector<T>& begin,
                 std::initializer_list<int> threads = {1, 7, 31, 32, 33, 64, 128}) {
    T* device = nullptr;
    demand(cudaMalloc(&device, 2 * room * sizeof(T)));
    std::vector<T> first;
    for (const int count : threads) {
        demand(cudaMemcpy(device, begin.data(), room * sizeof(T), cudaMemcpyHostToDevice));
        demand(cudaMemcpy(device + room, begin.data(), room * sizeof(T), cudaMemcpyHostToDevice));
        run_pair<Pair<T>><<<1, static_cast<unsigned>(count), 2 * room * sizeof(T)>>>(device, device + room);
        demand(cudaGetLastError());
        std::vector<T> got(2 * room);
        demand(cudaMemcpy(got.data(), device, 2 * room * sizeof(T), cudaMemcpyDeviceToHost));
        if (first.empty()) first = got;
        for (std::size_t i = 0; i < spare; ++i) {
            EXPECT_TRUE(same_result(got[i], got[room + i]))
                << "element " << i << " with " << count << " threads: " << show_bits(got[i]) << " is not "
                << show_bits(got[room + i]);
            EXPECT_TRUE(same_result(got[i], first[i]))
                << "element " << i << " changes with " << count << " threads";
        }
    }
    demand(cudaFree(device));
}

}  // namespace shoal::support
