#include "cuda_support.cuh"

#include <string>

namespace {

using namespace arrow_test;
using shoal::arrow::cuda_options;
using shoal::arrow::cuda_path;
using shoal::arrow::cuda_solver;

template <class T, int n>
void check_generic(double tolerance) {
    for (extent e : {extent{0, 2}, extent{1, 1}, extent{2, 2}, extent{3, 7}, extent{2, 19}, extent{9, 5},
                     extent{1, 70}}) {
        for (int chunks : {0, 1, 5, 32}) {
            if (chunks > e.stages || (chunks != 0 && e.tails == 9)) continue;
            const system_data s = random_system(e, n, static_cast<unsigned>(e.stages + n));
            const std::int64_t count = s.unknowns(), ld = count + 3;
            const std::vector<double> b = random_vector(ld * 3, 5);
            const reference expected(s);
            const device_system<T> K(s);
            cuda_options o;
            o.path = cuda_path::generic;
            o.chunks = chunks;
            cuda_solver<T, n> solver(e, o);

            const std::vector<double> x = run(solver, K, b, 3, ld);

            EXPECT_EQ(read(solver.device_info()), shoal::arrow::success);
            for (int j = 0; j < 3; ++j) {
                const std::vector<double> column(b.begin() + j * ld, b.begin() + j * ld + count);
                const std::vector<double> got(x.begin() + j * ld, x.begin() + j * ld + count);
                EXPECT_LT(difference(got, expected.solve(column)), tolerance)
                    << e.tails << " x " << e.stages << ", n = " << n << ", column " << j << ", chunks "
                    << chunks;
            }
            EXPECT_EQ(x, run(solver, K, b, 3, ld)) << "the same bits again";
        }
    }
}

TEST(ArrowCudaGeneric, Double) {
    check_generic<double, 4>(2e-13);
    check_generic<double, 6>(2e-13);
    check_generic<double, 8>(2e-13);
    check_generic<double, 12>(2e-13);
    check_generic<double, 16>(2e-13);
    check_generic<double, 24>(2e-13);
    check_generic<double, 32>(2e-13);
}

TEST(ArrowCudaGeneric, Float) {
    check_generic<float, 4>(5e-5);
    check_generic<float, 6>(5e-5);
    check_generic<float, 8>(5e-5);
    check_generic<float, 12>(5e-5);
    check_generic<float, 16>(5e-5);
    check_generic<float, 24>(5e-5);
    check_generic<float, 32>(5e-5);
}

TEST(ArrowCudaGeneric, OddSizes) {
    check_generic<double, 1>(2e-13);
    check_generic<double, 5>(2e-13);
}

template <class T, int n>
void check_bad_pivots() {
    const extent e{4, 11};
    cuda_options o;
    o.path = cuda_path::generic;
    cuda_solver<T, n> solver(e, o);
    for (int k = 0; k < e.stages; ++k) {
        for (int row = 0; row < n; row += 3) {
            for (double value : {std::numeric_limits<double>::quiet_NaN(), -50.0}) {
                system_data s = random_system(e, n, 3);
                s.D(2, k)[row * (n + 1)] = value;

                EXPECT_OK(solver.factor(nullptr, device_system<T>(s).view()));

                EXPECT_EQ(read(solver.device_info()), (info{2, k + 1, row + 1})) << n;
            }
        }
    }
    system_data s = random_system(e, n, 3);
    s.root[static_cast<std::size_t>(n + 1)] = -1e6;
    EXPECT_OK(solver.factor(nullptr, device_system<T>(s).view()));
    EXPECT_EQ(read(solver.device_info()), (info{-1, 0, 2}));
    EXPECT_OK(solver.factor(nullptr, device_system<T>(random_system(e, n, 4)).view()));
    EXPECT_EQ(read(solver.device_info()), shoal::arrow::success);
}

TEST(ArrowCudaGeneric, ReportsTheFirstBadPivot) {
    check_bad_pivots<double, 6>();
    check_bad_pivots<double, 32>();
    check_bad_pivots<float, 12>();
}

TEST(ArrowCudaGeneric, ManyTails) {
    const extent e{1000, 5};
    const system_data s = random_system(e, 6, 1);
    const std::vector<double> b = random_vector(s.unknowns(), 2);
    const device_system<double> K(s);
    cuda_solver<double, 6> solver(e);

    const std::vector<double> x = run(solver, K, b);

    EXPECT_LT(difference(x, reference(s).solve(b)), 2e-13);
}

}  // namespace
