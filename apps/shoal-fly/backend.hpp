#pragma once

#include <memory>
#include <string>

#include <shoal/arrow/types.hpp>
#include <shoal/batched/executor.hpp>

namespace shoal_fly {

/// The linear solver behind the controller. The one place that knows which devices there are is backend.cpp.
class linear_backend {
  public:
    virtual ~linear_backend() = default;
    /// K in host memory.
    virtual shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) = 0;
    /// b in host memory, in place.
    virtual void solve(double* b) = 0;
    /// What the flight ran on, for the summary.
    [[nodiscard]] virtual std::string device() const = 0;
};

/// Throws input_error where this program, or this machine, has no such device.
std::unique_ptr<linear_backend> make_backend(const std::string& device, shoal::arrow::extent size,
                                             shoal::executor& threads);

/// Defined where the program is built with CUDA. Throws input_error where no device answers.
std::unique_ptr<linear_backend> make_cuda_backend(shoal::arrow::extent size);

}  // namespace shoal_fly
