// Compiled where the program is built with CUDA.
#include "backend.hpp"
#include "read_problem.hpp"

#include <shoal/arrow/cuda_backend.hpp>
#include <shoal/mpc/quadrotor.hpp>

namespace shoal_fly {

namespace {

class cuda_linear_backend final : public linear_backend {
  public:
    explicit cuda_linear_backend(shoal::arrow::extent size) : solver_(size) {}

    /// The controller hands over the same arrays in every step: page-locked, they go to the device without a copy between.
    shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) override {
        solver_.pin(K);
        return solver_.factor(K);
    }
    void solve(double* b) override { solver_.solve(b); }
    [[nodiscard]] std::string device() const override { return "cuda"; }

  private:
    shoal::arrow::cuda_backend<double, shoal::mpc::stage_size> solver_;
};

}  // namespace

std::unique_ptr<linear_backend> make_cuda_backend(shoal::arrow::extent size) {
    std::string why;
    if (!shoal::arrow::cuda_available(&why)) throw input_error("--device cuda: " + why);
    return std::make_unique<cuda_linear_backend>(size);
}

}  // namespace shoal_fly
