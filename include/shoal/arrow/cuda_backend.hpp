#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <shoal/arrow/cuda_options.hpp>
#include <shoal/arrow/types.hpp>

/// \file
/// The CUDA solver for host code with host memory: a drop-in for `host_solver` that any C++20 compiler can include. The
/// library `shoal::cuda_lib` holds it for double and n = 8, 12, 16.

namespace shoal::arrow {

/// Whether there is a CUDA device. `why` (if given): what the driver said otherwise.
bool cuda_available(std::string* why = nullptr);

/// K = L L^T and K x = b for block-arrow K in host memory, computed on the GPU.
///
/// Owns device memory, a stream and page-locked staging memory; `factor` and `solve` never allocate. They copy, compute
/// and wait: when they return, the result is there. One backend serves one call at a time; different ones are independent.
///
/// Cost over `cuda_solver`: the copies. K has 16 M N n^2 bytes in double; the bus moves about 50 GB/s from pinned arrays,
/// a third of that through the staging memory.
template <class T, int n>
class cuda_backend {
  public:
    /// On the current device. Throws std::invalid_argument for options that do not fit, several systems among them, and
    /// std::runtime_error when the device refuses.
    explicit cuda_backend(extent size, cuda_options options = {});
    cuda_backend(cuda_backend&&) noexcept;
    cuda_backend& operator=(cuda_backend&&) noexcept;
    ~cuda_backend();

    /// Page-locks the caller's arrays, so that `factor` copies straight out of them whenever it gets the same pointers.
    /// They must outlive the backend, or the next call of `pin`. Throws when the system refuses.
    void pin(matrix_view<const T> host);

    /// Factors K. \return the first bad pivot; see `info`
    info factor(matrix_view<const T> host);

    /// b := K^{-1} b in place, nrhs columns ld apart; ld = 0: no gap between columns.
    void solve(T* b, int nrhs = 1, std::int64_t ld = 0);

    const cuda_plan& plan() const;
    extent size() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace shoal::arrow
