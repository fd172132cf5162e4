#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <shoal/batched/executor.hpp>
#include <shoal/mpc/branches.hpp>

namespace shoal_fly {

/// The branches behind the controller, on whichever device: see shoal::mpc::host_branches for what the functions do. The
/// one place that knows which devices there are is backend.cpp.
class flight_backend {
  public:
    virtual ~flight_backend() = default;
    virtual void start(const shoal::mpc::branch_task& task) = 0;
    virtual void shift(const shoal::mpc::branch_task& task) = 0;
    virtual shoal::mpc::program_outcome improve(const shoal::mpc::branch_task& task) = 0;
    virtual void input(double* u) = 0;
    [[nodiscard]] virtual const shoal::mpc::qp_shape& shape() const = 0;
    [[nodiscard]] virtual const std::vector<double>& trajectory() const = 0;
};

/// Holds branches of one kind and passes everything on to them.
template <class Branches>
class backend_of : public flight_backend {
  public:
    template <class... Arguments>
    explicit backend_of(Arguments&&... arguments) : branches_(std::forward<Arguments>(arguments)...) {}
    void start(const shoal::mpc::branch_task& task) override { branches_.start(task); }
    void shift(const shoal::mpc::branch_task& task) override { branches_.shift(task); }
    shoal::mpc::program_outcome improve(const shoal::mpc::branch_task& task) override {
        return branches_.improve(task);
    }
    void input(double* u) override { branches_.input(u); }
    [[nodiscard]] const shoal::mpc::qp_shape& shape() const override { return branches_.shape(); }
    [[nodiscard]] const std::vector<double>& trajectory() const override { return branches_.trajectory(); }

  private:
    Branches branches_;
};

/// Throws input_error where this program, or this machine, has no such device.
std::unique_ptr<flight_backend> make_backend(const std::string& device,
                                             const shoal::mpc::flight_problem& problem, int scenarios,
                                             int stages, shoal::executor& threads);

/// Defined where the program is built with CUDA. Throws input_error where no device answers.
std::unique_ptr<flight_backend> make_cuda_backend(const shoal::mpc::flight_problem& problem, int scenarios,
                                                  int stages);

}  // namespace shoal_fly
