#include "backend.hpp"

#include "read_problem.hpp"

#include <shoal/arrow/host_solver.hpp>
#include <shoal/mpc/quadrotor.hpp>

namespace shoal_fly {

namespace {

class host_backend final : public linear_backend {
  public:
    host_backend(shoal::arrow::extent size, shoal::executor& threads)
        : solver_(size, {.threads_of = &threads}) {}

    shoal::arrow::info factor(shoal::arrow::matrix_view<const double> K) override {
        return solver_.factor(K);
    }
    void solve(double* b) override { solver_.solve(b); }
    [[nodiscard]] std::string device() const override { return "cpu"; }

  private:
    shoal::arrow::host_solver<double, shoal::mpc::stage_size> solver_;
};

}  // namespace

std::unique_ptr<linear_backend> make_backend(const std::string& device, shoal::arrow::extent size,
                                             shoal::executor& threads) {
    if (device == "cpu") return std::make_unique<host_backend>(size, threads);
    if (device == "cuda") {
#if SHOAL_FLY_WITH_CUDA
        return make_cuda_backend(size);
#else
        throw input_error("--device cuda: this shoal-fly was built without CUDA");
#endif
    }
    throw input_error("--device must be cpu or cuda, not " + device);
}

}  // namespace shoal_fly
