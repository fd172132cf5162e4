#pragma once

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace shoal::arrow {

/// What a launch reported. Numerical failure is not reported here: see `cuda_solver::device_info`.
struct [[nodiscard]] status {
    cudaError_t error = cudaSuccess;

    constexpr bool ok() const { return error == cudaSuccess; }
    const char* message() const { return cudaGetErrorString(error); }
    /// For code that wants exceptions.
    void or_throw(const char* what) const {
        if (!ok()) throw std::runtime_error(std::string("arrow: ") + what + ": " + message());
    }
};

}  // namespace shoal::arrow
