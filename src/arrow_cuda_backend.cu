#include "arrow_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <cuda_runtime.h>

#include <shoal/arrow/cuda_backend.hpp>
#include <shoal/arrow/cuda_solver.cuh>

namespace shoal::arrow {

namespace {

void check(cudaError_t error, const char* what) {
    status{error}.or_throw(what);
}

/// One array of the caller on its way to the device: page-locked itself, or through a page-locked copy.
struct array {
    static constexpr std::size_t least_pinned = std::size_t{1} << 18;
    std::size_t bytes = 0;
    char* device = nullptr;
    char* staging = nullptr;
    const void* pinned = nullptr;

    void allocate(std::size_t size) {
        bytes = size;
        if (bytes == 0) return;
        check(cudaMalloc(&device, bytes), "cudaMalloc");
        check(cudaMallocHost(&staging, bytes), "cudaMallocHost");
    }
    void unpin() {
        if (pinned != nullptr) cudaHostUnregister(const_cast<void*>(pinned));
        pinned = nullptr;
    }
    void pin(const void* host) {
        if (pinned != nullptr && host == pinned) return;
        unpin();
        if (bytes < least_pinned) return;  // cheaper to stage, and it may share its pages with another array
        check(cudaHostRegister(const_cast<void*>(host), bytes, cudaHostRegisterDefault), "cudaHostRegister");
        pinned = host;
    }
    /// In pieces, so that the bus moves one while the next is staged.
    void to_device(const void* host, cudaStream_t stream) const {
        constexpr std::size_t piece = std::size_t{1} << 20;
        const char* from = static_cast<const char*>(host);
        if (pinned != nullptr && host == pinned) {
            check(cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice, stream), "copy to the device");
            return;
        }
        for (std::size_t at = 0; at < bytes; at += piece) {
            const std::size_t count = std::min(piece, bytes - at);
            std::memcpy(staging + at, from + at, count);
            check(cudaMemcpyAsync(device + at, staging + at, count, cudaMemcpyHostToDevice, stream),
                  "copy to the device");
        }
    }
    void free() {
        unpin();
        cudaFree(device);
        cudaFreeHost(staging);
    }
};

}  // namespace

bool cuda_available(std::string* why) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return true;
    if (why != nullptr) *why = error == cudaSuccess ? "no device" : cudaGetErrorString(error);
    return false;
}

template <class T, int n>
struct cuda_backend<T, n>::state {
    cuda_solver<T, n> solver;
    cudaStream_t stream = nullptr;
    std::array<array, 4> matrix;  // diagonal, lower, coupling, root
    array vector;
    info* found = nullptr;  // page-locked

    static const cuda_options& of_one_system(const cuda_options& options) {
        if (options.systems != 1) throw std::invalid_argument("arrow: a cuda_backend holds one system");
        return options;
    }

    state(extent size, const cuda_options& options) : solver(size, of_one_system(options)) {
        try {
            check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
            const auto M = static_cast<std::size_t>(size.tails), N = static_cast<std::size_t>(size.stages);
            const std::size_t block = sizeof(T) * n * n;
            matrix[0].allocate(M * N * block);
            matrix[1].allocate(M * (N - 1) * block);
            matrix[2].allocate(M * block);
            matrix[3].allocate(block);
            vector.allocate(static_cast<std::size_t>(unknowns(size, n)) * sizeof(T));
            check(cudaMallocHost(&found, sizeof *found), "cudaMallocHost");
        } catch (...) {
            release();
            throw;
        }
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
        if (stream != nullptr) cudaStreamSynchronize(stream);
        release();
    }
    void release() {
        for (array& a : matrix) a.free();
        vector.free();
        cudaFreeHost(found);
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
    T* device(std::size_t i) { return reinterpret_cast<T*>(matrix[i].device); }
};

template <class T, int n>
cuda_backend<T, n>::cuda_backend(extent size, cuda_options options) : state_(new state(size, options)) {}
template <class T, int n>
cuda_backend<T, n>::cuda_backend(cuda_backend&&) noexcept = default;
template <class T, int n>
cuda_backend<T, n>& cuda_backend<T, n>::operator=(cuda_backend&&) noexcept = default;
template <class T, int n>
cuda_backend<T, n>::~cuda_backend() = default;

template <class T, int n>
void cuda_backend<T, n>::pin(matrix_view<const T> host) {
    const void* pointers[4] = {host.diagonal, host.lower, host.coupling, host.root};
    for (std::size_t i = 0; i < 4; ++i) state_->matrix[i].pin(pointers[i]);
}

template <class T, int n>
info cuda_backend<T, n>::factor(matrix_view<const T> host) {
    state& s = *state_;
    const void* pointers[4] = {host.diagonal, host.lower, host.coupling, host.root};
    for (std::size_t i = 0; i < 4; ++i) s.matrix[i].to_device(pointers[i], s.stream);
    s.solver.factor(s.stream, {s.device(0), s.device(1), s.device(2), s.device(3)}).or_throw("factor");
    check(cudaMemcpyAsync(s.found, s.solver.device_info(), sizeof(info), cudaMemcpyDeviceToHost, s.stream),
          "info");
    check(cudaStreamSynchronize(s.stream), "factor");
    return *s.found;
}

template <class T, int n>
void cuda_backend<T, n>::solve(T* b, int nrhs, std::int64_t ld) {
    state& s = *state_;
    const std::int64_t stride = ld == 0 ? unknowns(s.solver.size(), n) : ld;
    T* x = reinterpret_cast<T*>(s.vector.device);
    for (int column = 0; column < nrhs; ++column) {
        s.vector.to_device(b + column * stride, s.stream);
        s.solver.solve(s.stream, x).or_throw("solve");
        check(cudaMemcpyAsync(s.vector.staging, x, s.vector.bytes, cudaMemcpyDeviceToHost, s.stream),
              "solution");
        check(cudaStreamSynchronize(s.stream), "solve");
        std::memcpy(b + column * stride, s.vector.staging, s.vector.bytes);
    }
}

template <class T, int n>
const cuda_plan& cuda_backend<T, n>::plan() const {
    return state_->solver.plan();
}
template <class T, int n>
extent cuda_backend<T, n>::size() const {
    return state_->solver.size();
}

template class cuda_backend<double, 8>;
template class cuda_backend<double, 12>;
template class cuda_backend<double, 16>;

namespace detail {

struct device_arrow::state {
    cuda_solver<double, 16> solver;
};

device_arrow::device_arrow(extent size) : state_(new state{cuda_solver<double, 16>(size)}) {}
device_arrow::~device_arrow() = default;

cudaError_t device_arrow::factor(cudaStream_t stream, matrix_view<const double> K) {
    return state_->solver.factor(stream, K).error;
}
cudaError_t device_arrow::solve(cudaStream_t stream, double* b) {
    return state_->solver.solve(stream, b).error;
}
const info* device_arrow::device_info() const {
    return state_->solver.device_info();
}

}  // namespace detail

}  // namespace shoal::arrow
