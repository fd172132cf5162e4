#pragma once

#include <memory>
#include <stdexcept>
#include <type_traits>

#include <shoal/arrow/cuda_plan.hpp>
#include <shoal/arrow/cuda_status.cuh>
#include <shoal/arrow/detail/generic_solver.cuh>
#include <shoal/arrow/detail/tensor_solver.cuh>

namespace shoal::arrow {

/// The current device, as the planner wants it.
inline cuda_limits current_limits() {
    cuda_limits l;
    int device = 0;
    status{cudaGetDevice(&device)}.or_throw("device");
    const auto read = [&](int& to, cudaDeviceAttr what) {
        status{cudaDeviceGetAttribute(&to, what, device)}.or_throw("device");
    };
    read(l.multiprocessors, cudaDevAttrMultiProcessorCount);
    read(l.shared_per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    read(l.shared_per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    l.tensor = detail::tensor_solver::available();
    return l;
}

/// K = L L^T and K x = b for block-arrow K (M N + 1 blocks of n x n, see types.hpp), on the GPU.
///
/// Owns all device memory. `factor` and `solve` run on the caller's stream, can be captured in a CUDA graph, never
/// allocate and never synchronise; they return when they are launched. On one device the same input gives the same bits
/// every time. One solver serves one stream at a time; different solvers are independent.
///
/// Block size: any n <= 32; the tuned path is n = 16 in double on compute capability 9 and up.
///
/// Cost: between 7/3 and 19/3 N n^3 operations a tail for `factor`, 6 to 10 N n^2 for `solve`: see `plan()`.
///
/// \tparam T float or double
/// \tparam n block size
template <class T, int n>
class cuda_solver {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    static constexpr bool has_tensor = std::is_same_v<T, double> && n == 16;

  public:
    /// Chooses the schedule and allocates, on the current device. Throws std::invalid_argument for options that do not
    /// fit, std::runtime_error when the device refuses.
    explicit cuda_solver(extent size, cuda_options options = {}) {
        const cuda_limits limits = current_limits();
        cuda_path path = options.path;
        if (path == cuda_path::automatic) {
            path = has_tensor && limits.tensor ? cuda_path::tensor : cuda_path::generic;
        }
        if (path == cuda_path::tensor && !(has_tensor && limits.tensor)) {
            throw std::invalid_argument(
                "arrow: the tensor path is for n = 16 in double on compute capability 9 and up");
        }
        // Chains too long for the vectors of a chunk to fit on chip take the generic kernels, unless a shape was asked for.
        const bool free_choice = options.path == cuda_path::automatic && options.chunks == 0 &&
                                 options.factor_warps == 0 && options.factor_cluster == 0 &&
                                 options.solve_warps == 0 && options.solve_cluster == 0;
        if (path == cuda_path::tensor && free_choice && !tensor_fits(size, options, limits)) {
            path = cuda_path::generic;
        }
        plan_ = make_cuda_plan(size, n, path, options, limits);
        if constexpr (has_tensor) {
            if (path == cuda_path::tensor) {
                make_tensor_solver(n, options, limits);
                plan_.single.resident = tensor_->one_kernel();
                return;
            }
        }
        generic_ = std::make_unique<detail::generic_solver_host<T, n>>(plan_);
    }

    /// Factors K (device pointers, blocks aligned to 16 bytes; K is only read). What it found is written to `device_info`.
    /// Several systems (`cuda_options::systems`): each of the four arrays holds them one after the other. One that is not
    /// positive definite does not disturb the others.
    status factor(cudaStream_t stream, matrix_view<const T> K) {
        if constexpr (has_tensor) {
            if (tensor_) return tensor_->factor(stream, K);
        }
        return generic_->factor(stream, K);
    }

    /// b := K^{-1} b in place (device pointer), nrhs columns ld apart; ld = 0: no gap between columns. A column has the
    /// n (M N + 1) unknowns of every system, one after the other.
    /// After a bad factorisation b is garbage, and nothing hangs.
    /// A solve right behind a solve reads the factor while the one before ends: calls must take effect in the order in which
    /// they are made or captured.
    status solve(cudaStream_t stream, T* b, int nrhs = 1, std::int64_t ld = 0) {
        const std::int64_t stride = ld == 0 ? plan_.systems * unknowns(plan_.size, n) : ld;
        if constexpr (has_tensor) {
            if (tensor_) return tensor_->solve(stream, b, nrhs, stride);
        }
        return generic_->solve(stream, b, nrhs, stride);
    }

    /// `factor` and `solve` in one call, without a gap between them: the solve's kernels begin while the factorisation ends.
    status factor_solve(cudaStream_t stream, matrix_view<const T> K, T* b, int nrhs = 1,
                        std::int64_t ld = 0) {
        const status s = factor(stream, K);
        return s.ok() ? solve(stream, b, nrhs, ld) : s;
    }

    /// On the device, one per system; written by every `factor`. `success` when all pivots were good.
    const info* device_info() const {
        if constexpr (has_tensor) {
            if (tensor_) return tensor_->device_info();
        }
        return generic_->device_info();
    }

    /// What was chosen; `plan().text()` prints it.
    const cuda_plan& plan() const { return plan_; }
    extent size() const { return plan_.size; }

  private:
    /// The driver may place fewer clusters at once than the number of multiprocessors promises; blocks on their own then.
    void make_tensor_solver(int block_size, const cuda_options& options, const cuda_limits& limits) {
        try {
            tensor_ = std::make_unique<detail::tensor_solver>(plan_, options);
        } catch (const std::invalid_argument&) {
            if (options.solve_cluster != 0 || plan_.single.cluster == 1) throw;
            cuda_options single_blocks = options;
            single_blocks.solve_cluster = 1;
            plan_ = make_cuda_plan(plan_.size, block_size, cuda_path::tensor, single_blocks, limits);
            tensor_ = std::make_unique<detail::tensor_solver>(plan_, single_blocks);
        }
    }

    cuda_plan plan_;
    std::unique_ptr<detail::tensor_solver> tensor_;
    std::unique_ptr<detail::generic_solver_host<T, n>> generic_;
};

}  // namespace shoal::arrow
