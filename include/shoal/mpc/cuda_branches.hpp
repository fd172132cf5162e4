#pragma once

#include <memory>
#include <vector>

#include <shoal/mpc/branches.hpp>
#include <shoal/mpc/ipm.hpp>
#include <shoal/mpc/problem.hpp>
#include <shoal/mpc/qp.hpp>

/// \file
/// The interior-point method and the branches of a controller on the GPU, for host code that any C++20 compiler can
/// include; the library `shoal::cuda_lib` holds them.
///
/// Linearisation, assembly, factorisation, solves, step lengths and the test of convergence run there, by the same bodies
/// as on the host; sums over all blocks are taken in another order, which is fixed as well. Iterations are launched ahead,
/// as graphs, and the host reads one struct of scalars where it expects the end of the solve. Errors of CUDA are thrown as
/// std::runtime_error.

namespace shoal::mpc {

/// `ipm_solver` for programs in host memory, solved on the GPU: uploads the program, solves, downloads the point.
class cuda_ipm_solver {
  public:
    explicit cuda_ipm_solver(qp_shape shape, ipm_settings options = {});
    cuda_ipm_solver(cuda_ipm_solver&&) noexcept;
    cuda_ipm_solver& operator=(cuda_ipm_solver&&) noexcept;
    ~cuda_ipm_solver();

    /// As `ipm_solver::solve`: starts at z = 0 and the equations' multipliers in `point.y`.
    ipm_result solve(const qp_data& data);

    ipm_settings settings;
    qp_point point;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

/// `host_branches` with everything on the GPU. A step brings in the state, the vehicles and the reference; what comes back
/// are scalars and the input. One object serves one call at a time.
class cuda_branches {
  public:
    cuda_branches(const flight_problem& problem, int scenarios, int stages);
    cuda_branches(cuda_branches&&) noexcept;
    cuda_branches& operator=(cuda_branches&&) noexcept;
    ~cuda_branches();

    /// Every branch along the reference, hovering; the root at the measured state.
    void start(const branch_task& task);
    /// One stage on: the shared input becomes the mean of what the scenarios wanted next.
    void shift(const branch_task& task);
    /// One program around the branches as they stand, and its step.
    program_outcome improve(const branch_task& task);
    /// The input that all scenarios share.
    void input(double* u);

    [[nodiscard]] const qp_shape& shape() const;
    /// (x, u) of every block, in the order of qp_shape::block; copied from the device by this call.
    [[nodiscard]] const std::vector<double>& trajectory() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace shoal::mpc
