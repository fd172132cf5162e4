#include "cuda_support.cuh"

#include <shoal/arrow/cuda_backend.hpp>

namespace {

using namespace arrow_test;

template <int n>
void check_backend(extent e) {
    const system_data s = random_system(e, n, 4), other = random_system(e, n, 5);
    const std::int64_t count = s.unknowns();
    shoal::arrow::cuda_backend<double, n> backend(e);
    for (const bool pinned : {false, true}) {
        for (const system_data* K : {&s, &other}) {
            const matrix_view<const double> view{K->diagonal.data(), K->lower.data(), K->coupling.data(),
                                                 K->root.data()};
            if (pinned) backend.pin(view);
            const std::vector<double> b = random_vector(2 * count, 6);
            std::vector<double> x = b;

            EXPECT_EQ(backend.factor(view), shoal::arrow::success);
            backend.solve(x.data(), 2);

            const reference expected(*K);
            for (int j = 0; j < 2; ++j) {
                const std::vector<double> column(b.begin() + j * count, b.begin() + (j + 1) * count);
                const std::vector<double> got(x.begin() + j * count, x.begin() + (j + 1) * count);
                EXPECT_LT(difference(got, expected.solve(column)), 2e-13) << n << " column " << j;
            }
        }
    }
}

TEST(ArrowCudaBackend, SolvesHostArrays) {
    ASSERT_TRUE(shoal::arrow::cuda_available());
    check_backend<8>({3, 6});
    check_backend<12>({3, 6});
    check_backend<16>({3, 6});
    check_backend<16>({40, 30});
    check_backend<16>({1, 1});
}

TEST(ArrowCudaBackend, ReportsTheFirstBadPivot) {
    system_data s = random_system({4, 9}, 16, 7);
    s.D(2, 3)[17 * 5] = -1.0;
    shoal::arrow::cuda_backend<double, 16> backend({4, 9});

    EXPECT_EQ(backend.factor({s.diagonal.data(), s.lower.data(), s.coupling.data(), s.root.data()}),
              (info{2, 4, 6}));
}

TEST(ArrowCudaBackend, HoldsOneSystem) {
    shoal::arrow::cuda_options several;
    several.systems = 2;
    EXPECT_THROW((shoal::arrow::cuda_backend<double, 16>({4, 9}, several)), std::invalid_argument);
}

}  // namespace
