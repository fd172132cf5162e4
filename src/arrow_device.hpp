#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include <shoal/arrow/types.hpp>

/// \file
/// `cuda_solver<double, 16>` for other files of this library, which need not compile its kernels again.

namespace shoal::arrow::detail {

class device_arrow {
  public:
    explicit device_arrow(extent size);
    ~device_arrow();

    cudaError_t factor(cudaStream_t stream, matrix_view<const double> K);
    cudaError_t solve(cudaStream_t stream, double* b);
    [[nodiscard]] const info* device_info() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace shoal::arrow::detail
