// A tree of three chains that meet in one root: assemble it block by block, factor it, solve with it.
#include <cstdio>
#include <vector>

#include <shoal/arrow/host_solver.hpp>
#include <shoal/arrow/residual.hpp>
#include <shoal/arrow/storage.hpp>

int main() {
    constexpr int n = 3;  // unknowns of a stage
    const shoal::arrow::extent size{.tails = 3, .stages = 20};

    // Springs between neighbours: stage k + 1 is coupled to stage k, the first stages to the root. Starts as the identity.
    shoal::arrow::storage<double, n> K(size);
    for (int i = 0; i < size.tails; ++i) {
        for (int r = 0; r < n; ++r) {
            for (int k = 0; k < size.stages; ++k) {
                K.diagonal(i, k)(r, r) = 2.01;
                if (k + 1 < size.stages) K.lower(i, k)(r, r) = -1;
            }
            K.coupling(i)(r, r) = -1;
        }
    }
    for (int r = 0; r < n; ++r) K.root()(r, r) = size.tails + 0.01;

    // Making the solver plans and takes memory; factor and solve can then be repeated without allocating.
    shoal::arrow::host_solver<double, n> solver(size);
    if (const auto info = solver.factor(K); !info.good()) {
        std::printf("tail %d, block %d, pivot %d\n", info.tail, info.block, info.pivot);
        return 1;
    }
    const std::vector<double> b(static_cast<std::size_t>(solver.unknowns()), 1.0);
    std::vector<double> x = b;
    solver.solve(x.data());

    std::vector<double> work(x.size());
    const shoal::arrow::storage<double, n>& constant = K;
    const double error =
        shoal::arrow::backward_error<double, n>(size, constant.view(), x.data(), b.data(), work.data());
    std::printf("%lld unknowns, backward error %.1e\n", static_cast<long long>(solver.unknowns()), error);
    return error < 1e-15 ? 0 : 1;
}
