#pragma once

/// \file
/// Where the bodies of the tests of the drop-in header of TDLS run, and how good a solution is.

#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/core/macros.hpp>

namespace shoal::support {

template <class T>
struct memory {
    std::vector<T> numbers;
    std::vector<int> whole;
};

#if defined(__CUDACC__)
template <class T, class Body>
__global__ void run_body(Body body, T* numbers, int* whole) {
    body(numbers, whole);
}
#endif

/// body(numbers, whole numbers) on the host; in the GPU lane also in a thread of the device, which must give the same bits.
template <class T, class Body>
void run(const Body& body, memory<T>& m) {
#if defined(__CUDACC__)
    T* numbers = nullptr;
    int* whole = nullptr;
    const std::size_t numbers_size = m.numbers.size() * sizeof(T), whole_size = m.whole.size() * sizeof(int);
    ASSERT_EQ(cudaMalloc(&numbers, numbers_size), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&whole, whole_size), cudaSuccess);
    cudaMemcpy(numbers, m.numbers.data(), numbers_size, cudaMemcpyHostToDevice);
    cudaMemcpy(whole, m.whole.data(), whole_size, cudaMemcpyHostToDevice);
    run_body<<<1, 1>>>(body, numbers, whole);
    memory<T> found = m;
    ASSERT_EQ(cudaMemcpy(found.numbers.data(), numbers, numbers_size, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(found.whole.data(), whole, whole_size, cudaMemcpyDeviceToHost), cudaSuccess);
    cudaFree(numbers);
    cudaFree(whole);
#endif
    body(m.numbers.data(), m.whole.data());
#if defined(__CUDACC__)
    EXPECT_EQ(std::memcmp(found.numbers.data(), m.numbers.data(), numbers_size), 0)
        << "host and device differ";
    EXPECT_EQ(found.whole, m.whole);
#endif
}

/// Entries of A, b and whatever else are uniform in [-1, 1].
template <class T>
memory<T> random_memory(std::size_t numbers, std::size_t whole, unsigned seed) {
    random_stream random(seed);
    memory<T> m{std::vector<T>(numbers), std::vector<int>(whole)};
    for (T& number : m.numbers) number = static_cast<T>(random.uniform(-1, 1));
    return m;
}

/// ||b - A x|| / (||A|| ||x|| + ||b||) for rows of A.
template <class T>
double backward_error(int n, const T* a, const T* x, const T* b) {
    long double worst = 0, norm = 0, size = 0, side = 0;
    for (int i = 0; i < n; ++i) {
        long double r = b[i], row = 0;
        for (int j = 0; j < n; ++j) {
            r -= static_cast<long double>(a[i * n + j]) * x[j];
            row += std::fabs(a[i * n + j]);
        }
        worst = std::max(worst, std::fabs(r));
        norm = std::max(norm, row);
        size = std::max(size, static_cast<long double>(std::fabs(x[i])));
        side = std::max(side, static_cast<long double>(std::fabs(b[i])));
    }
    return static_cast<double>(worst / (norm * size + side));
}

}  // namespace shoal::support
