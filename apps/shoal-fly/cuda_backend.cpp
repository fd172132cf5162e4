// Compiled where the program is built with CUDA.
#include "backend.hpp"
#include "read_problem.hpp"

#include <shoal/arrow/cuda_backend.hpp>
#include <shoal/mpc/cuda_branches.hpp>

namespace shoal_fly {

std::unique_ptr<flight_backend> make_cuda_backend(const shoal::mpc::flight_problem& problem, int scenarios,
                                                  int stages) {
    std::string why;
    if (!shoal::arrow::cuda_available(&why)) throw input_error("--device cuda: " + why);
    return std::make_unique<backend_of<shoal::mpc::cuda_branches>>(problem, scenarios, stages);
}

}  // namespace shoal_fly
