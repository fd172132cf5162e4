// Several independent arrows in one call.
#include "cuda_support.cuh"

namespace {

using namespace arrow_test;
using shoal::arrow::cuda_options;
using shoal::arrow::cuda_path;
using shoal::arrow::cuda_solver;

/// `count` random systems of one extent, one after the other.
struct batch {
    std::vector<system_data> systems;
    std::vector<double> diagonal, lower, coupling, root;

    batch(extent e, int n, int count, unsigned seed) {
        for (int i = 0; i < count; ++i)
            systems.push_back(random_system(e, n, seed + static_cast<unsigned>(i)));
    }
    void gather() {
        for (auto* v : {&diagonal, &lower, &coupling, &root}) v->clear();
        for (const system_data& s : systems) {
            diagonal.insert(diagonal.end(), s.diagonal.begin(), s.diagonal.end());
            lower.insert(lower.end(), s.lower.begin(), s.lower.end());
            coupling.insert(coupling.end(), s.coupling.begin(), s.coupling.end());
            root.insert(root.end(), s.root.begin(), s.root.end());
        }
    }
};

template <class T>
std::vector<info> infos(const cuda_solver<T, 16>& s, int count) {
    std::vector<info> all(static_cast<std::size_t>(count));
    EXPECT_EQ(cudaSuccess,
              cudaMemcpy(all.data(), s.device_info(), all.size() * sizeof(info), cudaMemcpyDeviceToHost));
    return all;
}

template <class T>
void check(extent e, int count, cuda_options o, double tolerance, int nrhs = 1) {
    batch all(e, 16, count, 40);
    all.gather();
    o.systems = count;
    cuda_solver<T, 16> solver(e, o);
    const std::string what = solver.plan().text();
    const device_vector<T> D(all.diagonal), E(all.lower), C(all.coupling), R(all.root);
    const std::int64_t one = shoal::arrow::unknowns(e, 16), ld = one * count + 3;
    const std::vector<double> b = random_vector(ld * nrhs, 9);
    device_vector<T> x(b);

    EXPECT_OK(solver.factor_solve(nullptr, {D.data(), E.data(), C.data(), R.data()}, x.data(), nrhs, ld));
    ASSERT_CUDA(cudaDeviceSynchronize());

    EXPECT_EQ(infos(solver, count),
              std::vector<info>(static_cast<std::size_t>(count), shoal::arrow::success));
    const std::vector<double> got = x.get();
    for (int i = 0; i < count; ++i) {
        const reference expected(all.systems[static_cast<std::size_t>(i)]);
        for (int j = 0; j < nrhs; ++j) {
            const auto from = j * ld + i * one;
            const std::vector<double> mine(b.begin() + from, b.begin() + from + one),
                solution(got.begin() + from, got.begin() + from + one);
            EXPECT_LT(difference(solution, expected.solve(mine)), tolerance)
                << what << " system " << i << " column " << j;
        }
    }
}

TEST(ArrowCudaBatch, SolvesEverySystem) {
    for (extent e : {extent{0, 2}, extent{1, 1}, extent{3, 7}, extent{5, 30}}) {
        for (int count : {1, 2, 7}) check<double>(e, count, {}, 2e-13, e.stages == 7 ? 5 : 1);
    }
    check<double>({20, 12}, 30, {}, 2e-13);  // the solve's blocks do not fit on the device at once
    check<double>({1, 5}, 1000, {}, 2e-13);
    check<double>({150, 3}, 3, {}, 2e-13);  // groups of tails in every system
    cuda_options o;
    o.group = 2;
    check<double>({5, 6}, 4, o, 2e-13);
    o = {};
    o.chunks = 8;
    o.factor_warps = o.factor_cluster = 2;
    check<double>({4, 21}, 5, o, 2e-13);
}

TEST(ArrowCudaBatch, GenericKernels) {
    cuda_options o;
    o.path = cuda_path::generic;
    for (extent e : {extent{0, 2}, extent{3, 7}}) {
        check<double>(e, 3, o, 2e-13, 2);
        check<float>(e, 3, o, 5e-5, 2);
    }
}

// What is wrong with one system is told of it alone, and the others are solved.
TEST(ArrowCudaBatch, FailuresStayInTheirSystem) {
    const extent e{4, 11};
    const int count = 5;
    for (auto path : {cuda_path::tensor, cuda_path::generic}) {
        batch all(e, 16, count, 60);
        all.systems[1].D(2, 3)[17 * 4] = std::numeric_limits<double>::quiet_NaN();
        all.systems[3].root[17 * 7] = -1e6;
        all.gather();
        cuda_options o;
        o.path = path;
        o.systems = count;
        cuda_solver<double, 16> solver(e, o);
        const device_vector<double> D(all.diagonal), E(all.lower), C(all.coupling), R(all.root);
        const std::int64_t one = shoal::arrow::unknowns(e, 16);
        const std::vector<double> b = random_vector(one * count, 9);
        device_vector<double> x(b);

        EXPECT_OK(solver.factor_solve(nullptr, {D.data(), E.data(), C.data(), R.data()}, x.data()));
        ASSERT_CUDA(cudaDeviceSynchronize());

        EXPECT_EQ(
            infos(solver, count),
            (std::vector<info>{
                shoal::arrow::success, {2, 4, 5}, shoal::arrow::success, {-1, 0, 8}, shoal::arrow::success}));
        const std::vector<double> got = x.get();
        for (int i : {0, 2, 4}) {
            const std::vector<double> mine(b.begin() + i * one, b.begin() + (i + 1) * one),
                solution(got.begin() + i * one, got.begin() + (i + 1) * one);
            EXPECT_LT(difference(solution, reference(all.systems[static_cast<std::size_t>(i)]).solve(mine)),
                      2e-13)
                << i;
        }
    }
}

TEST(ArrowCudaBatch, RefusesWhatCannotBe) {
    cuda_options o;
    o.systems = 0;
    EXPECT_THROW((cuda_solver<double, 16>({1, 3}, o)), std::invalid_argument);
    o.systems = 1 << 20;
    EXPECT_THROW((cuda_solver<double, 16>({1000, 3}, o)), std::invalid_argument);
}

}  // namespace
