#pragma once

// Memory and launches of the examples that run on a GPU.

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

namespace harness {

/// Which thread of the whole launch is calling.
__device__ inline int thread_index() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

/// An array on the device, which a kernel may use by address as long as this object lives.
template <class T>
class device_array {
    T* data_ = nullptr;
    std::size_t size_;

  public:
    explicit device_array(std::size_t size) : size_(size) {
        if (cudaMalloc(&data_, size * sizeof(T)) != cudaSuccess) data_ = nullptr;
        if (data_) cudaMemset(data_, 0xff, size * sizeof(T));  // NaN, which no result may be
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
        if (data_) cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }

    T* data() const { return data_; }

    std::vector<T> download() const {
        std::vector<T> to(size_);
        if (data_) cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
};

/// Milliseconds that launch() and what it launches take; negative where it did not run.
template <class Launch>
double device_milliseconds(const Launch& launch) {
    cudaEvent_t begin, end;
    if (cudaEventCreate(&begin) != cudaSuccess || cudaEventCreate(&end) != cudaSuccess) return -1;
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    float time = -1;
    const cudaError_t fault = cudaDeviceSynchronize();
    if (fault != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(fault));
    } else {
        cudaEventElapsedTime(&time, begin, end);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return time;
}

}  // namespace harness
