#include "backend.hpp"

#include "read_problem.hpp"

#include <shoal/arrow/host_solver.hpp>

namespace shoal_fly {

namespace {

using namespace shoal::mpc;
using solver = shoal::arrow::host_solver<double, stage_size>;

/// The solver first: the branches refer to it.
struct holds_solver {
    solver linear;
};

class host_backend final : private holds_solver, public backend_of<host_branches<solver>> {
  public:
    host_backend(const flight_problem& problem, int scenarios, int stages, shoal::executor& threads)
        : holds_solver{solver({scenarios, stages}, {.threads_of = &threads})},
          backend_of(problem, scenarios, stages, linear, threads) {}
};

}  // namespace

std::unique_ptr<flight_backend> make_backend(const std::string& device, const flight_problem& problem,
                                             int scenarios, int stages, shoal::executor& threads) {
    if (device == "cpu") return std::make_unique<host_backend>(problem, scenarios, stages, threads);
    if (device == "cuda") {
#if SHOAL_FLY_WITH_CUDA
        return make_cuda_backend(problem, scenarios, stages);
#else
        throw input_error("--device cuda: this shoal-fly was built without CUDA");
#endif
    }
    throw input_error("--device must be cpu or cuda, not " + device);
}

}  // namespace shoal_fly
