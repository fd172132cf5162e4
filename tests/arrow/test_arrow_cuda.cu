#include "cuda_support.cuh"

#include <cstring>
#include <string>

namespace {

using namespace arrow_test;
using shoal::arrow::cuda_options;
using shoal::arrow::cuda_solver;
using shoal::arrow::root_wait;
using solver16 = cuda_solver<double, 16>;

std::string describe(extent e, const solver16& s) {
    return std::to_string(e.tails) + " x " + std::to_string(e.stages) + ": " + s.plan().text();
}

void check(extent e, const cuda_options& o, unsigned seed) {
    const system_data s = random_system(e, 16, seed);
    const std::vector<double> b = random_vector(s.unknowns(), seed + 1);
    const reference expected(s);
    const device_system<double> K(s);
    solver16 solver(e, o);

    const std::vector<double> x = run(solver, K, b);

    EXPECT_EQ(read(solver.device_info()), shoal::arrow::success) << describe(e, solver);
    EXPECT_LT(difference(x, expected.solve(b)), 2e-13) << describe(e, solver);
    EXPECT_LT(s.backward_error(x, b), 5e-16) << describe(e, solver);
}

TEST(ArrowCuda, SolvesEveryExtent) {
    for (int N : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 31, 33, 40, 64, 70}) {
        for (int M : {0, 1, 2, 3, 5, 9}) check({M, N}, {}, static_cast<unsigned>(100 * N + M));
    }
}

TEST(ArrowCuda, SolvesWithEverySchedule) {
    for (int chunks = 1; chunks <= 16; ++chunks) {
        for (int N : {chunks, chunks + 1, 2 * chunks, 37}) {
            if (N < chunks) continue;
            cuda_options o;
            o.chunks = chunks;
            check({3, N}, o, static_cast<unsigned>(N));
        }
    }
    for (auto which : {shoal::arrow::order::sequential, shoal::arrow::order::recursive}) {
        for (int N : {1, 2, 11, 16, 45}) {
            cuda_options o;
            o.which = which;
            check({2, N}, o, static_cast<unsigned>(N));
        }
    }
}

TEST(ArrowCuda, SolvesWithEveryShapeOfBlocks) {
    for (int warps : {2, 4, 8}) {
        for (int cluster : {1, 2, 4, 8}) {
            for (int chunks : {1, 4, 7, 8, 11, 16}) {
                cuda_options o;
                o.chunks = chunks;
                o.factor_warps = warps;
                o.factor_cluster = cluster;
                check({3, 35}, o, 5);
            }
        }
    }
    for (int warps : {2, 4, 8, 16}) {
        for (int cluster : {1, 2, 4}) {
            for (auto wait : {root_wait::in_kernel, root_wait::two_kernels}) {
                if (cluster > 1 && wait == root_wait::two_kernels) continue;
                for (int chunks : {1, 4, 7, 16}) {
                    if (chunks > warps * cluster) continue;
                    cuda_options o;
                    o.chunks = chunks;
                    o.solve_warps = warps;
                    o.solve_cluster = cluster;
                    o.wait = wait;
                    check({3, 50}, o, 6);
                }
            }
        }
    }
}

TEST(ArrowCuda, ManyTails) {
    check({200, 10}, {}, 1);
    check({1000, 12}, {}, 2);
    check({10000, 3}, {}, 3);
    cuda_options o;
    o.group = 7;
    check({100, 5}, o, 4);
}

// Numbers of tails at which the clusters just fit on the device, or just do not.
TEST(ArrowCuda, FullDevice) {
    for (int M : {31, 32, 33, 34, 64, 65, 66, 67, 131, 132, 133, 264, 265})
        check({M, 40}, {}, static_cast<unsigned>(M));
}

TEST(ArrowCuda, LongChains) {
    check({2, 700}, {}, 1);
    check({150, 300}, {}, 2);
    check({1, 20000}, {}, 3);  // generic kernels: its vectors do not fit on chip
}

TEST(ArrowCuda, LeavesTheMatrixAlone) {
    const system_data s = random_system({3, 9}, 16, 2);
    const device_system<double> K(s);
    solver16 solver({3, 9});

    run(solver, K, random_vector(s.unknowns(), 3));

    const auto same = [](const device_vector<double>& d, const std::vector<double>& h) {
        const std::vector<double> now = d.raw();
        return std::memcmp(now.data(), h.data(), h.size() * sizeof(double)) == 0;
    };
    EXPECT_TRUE(same(K.diagonal, s.diagonal));
    EXPECT_TRUE(same(K.lower, s.lower));
    EXPECT_TRUE(same(K.coupling, s.coupling));
    EXPECT_TRUE(same(K.root, s.root));
}

TEST(ArrowCuda, SeveralRightHandSides) {
    for (extent e : {extent{3, 20}, extent{300, 4}, extent{0, 3}}) {
        const system_data s = random_system(e, 16, 11);
        const reference expected(s);
        const device_system<double> K(s);
        const std::int64_t count = s.unknowns(), ld = count + 5;
        solver16 solver(e);
        for (int nrhs : {1, 2, 3, 4, 5, 9}) {
            const std::vector<double> b = random_vector(ld * nrhs, static_cast<unsigned>(nrhs));

            const std::vector<double> x = run(solver, K, b, nrhs, ld);

            for (int j = 0; j < nrhs; ++j) {
                const auto at = b.begin() + j * ld;
                const auto xat = x.begin() + j * ld;
                const std::vector<double> column(at, at + count), got(xat, xat + count);
                EXPECT_LT(difference(got, expected.solve(column)), 2e-13)
                    << e.tails << " column " << j << " of " << nrhs;
                EXPECT_TRUE(std::equal(at + count, at + ld, xat + count)) << "padding of column " << j;
            }
        }
    }
}

TEST(ArrowCuda, ReportsTheFirstBadPivot) {
    const extent e{5, 26};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (int chunks : {1, 4, 8, 13}) {
        cuda_options o;
        o.chunks = chunks;
        solver16 solver(e, o);
        for (int tail : {0, 4}) {
            for (int k : {0, 1, 6, 7, 12, 13, 24, 25}) {
                for (int row : {0, 1, 5, 8, 15}) {
                    for (double value : {nan, -100.0, 0.0, std::numeric_limits<double>::infinity()}) {
                        system_data s = random_system(e, 16, 3);
                        if (value == 0.0) {
                            // A zero pivot in exact arithmetic: nothing couples to this unknown.
                            for (int r = 0; r < 16; ++r)
                                (r < row ? s.D(tail, k)[r * 16 + row] : s.D(tail, k)[row * 16 + r]) = 0;
                            for (int r = 0; r < 16; ++r) {
                                if (k > 0) s.E(tail, k - 1)[r * 16 + row] = 0;
                                if (k + 1 < e.stages) s.E(tail, k)[row * 16 + r] = 0;
                                if (k == 0) s.C(tail)[row * 16 + r] = 0;
                            }
                        } else {
                            s.D(tail, k)[row * 17] = value;
                        }
                        const device_system<double> K(s);

                        EXPECT_OK(solver.factor(nullptr, K.view()));

                        EXPECT_EQ(read(solver.device_info()), (info{tail, k + 1, row + 1}))
                            << chunks << " chunks, value " << value;
                    }
                }
            }
        }
        system_data s = random_system(e, 16, 3);
        s.root[17 * 7] = -1e6;
        EXPECT_OK(solver.factor(nullptr, device_system<double>(s).view()));
        EXPECT_EQ(read(solver.device_info()), (info{-1, 0, 8}));
        s.D(3, 4)[17 * 2] = nan;
        s.D(2, 9)[17 * 9] = nan;
        EXPECT_OK(solver.factor(nullptr, device_system<double>(s).view()));
        EXPECT_EQ(read(solver.device_info()), (info{2, 10, 10})) << "the lowest tail is told";
        // The next factorisation forgets it, and a solve after a bad one ends.
        device_vector<double> x(random_vector(s.unknowns(), 4));
        EXPECT_OK(solver.solve(nullptr, x.data()));
        EXPECT_OK(solver.factor(nullptr, device_system<double>(random_system(e, 16, 8)).view()));
        EXPECT_EQ(read(solver.device_info()), shoal::arrow::success);
    }
}

TEST(ArrowCuda, SameBitsEveryTime) {
    for (extent e : {extent{7, 30}, extent{150, 12}, extent{400, 6}}) {
        const system_data s = random_system(e, 16, 21);
        const device_system<double> K(s);
        const std::vector<double> b = random_vector(s.unknowns(), 22);
        solver16 solver(e);
        const std::vector<double> first = run(solver, K, b);
        for (int i = 0; i < 10; ++i) {
            solver16 fresh(e);
            EXPECT_EQ(first, run(i % 2 == 0 ? solver : fresh, K, b)) << e.tails << " tails, run " << i;
        }
    }
}

// Kernels that begin while the one before ends: a solve behind a solve brings the factor before that one is done, a solve
// behind a factorisation must not.
TEST(ArrowCuda, CallsInARow) {
    for (extent e : {extent{5, 30}, extent{150, 9}}) {
        for (auto sum : {shoal::arrow::root_sum::every_tail, shoal::arrow::root_sum::first_tail}) {
            cuda_options o;
            o.sum = sum;
            solver16 solver(e, o);
            const std::int64_t count = shoal::arrow::unknowns(e, 16);
            const system_data systems[] = {random_system(e, 16, 1), random_system(e, 16, 2)};
            const device_system<double> first(systems[0]), second(systems[1]);
            const std::vector<double> b = random_vector(12 * count, 5);
            device_vector<double> x(b);
            ASSERT_CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < 12; ++i) {
                if (i % 3 == 0) EXPECT_OK(solver.factor(nullptr, i % 2 == 0 ? first.view() : second.view()));
                EXPECT_OK(solver.solve(nullptr, x.data() + i * count));
            }
            ASSERT_CUDA(cudaDeviceSynchronize());
            const std::vector<double> all = x.get();
            const reference expected[] = {reference(systems[0]), reference(systems[1])};
            for (int i = 0; i < 12; ++i) {
                const std::vector<double> column(b.begin() + i * count, b.begin() + (i + 1) * count),
                    got(all.begin() + i * count, all.begin() + (i + 1) * count);
                EXPECT_LT(difference(got, expected[i / 3 % 2].solve(column)), 2e-13)
                    << describe(e, solver) << ", solve " << i;
            }
        }
    }
}

TEST(ArrowCuda, ReplaysInAGraph) {
    for (extent e : {extent{6, 30}, extent{600, 5}}) {
        solver16 solver(e);
        device_system<double> K(random_system(e, 16, 1));
        device_vector<double> x(random_vector(shoal::arrow::unknowns(e, 16), 1));
        cudaStream_t stream;
        ASSERT_CUDA(cudaStreamCreate(&stream));
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        EXPECT_OK(solver.factor(stream, K.view()));
        EXPECT_OK(solver.solve(stream, x.data()));
        ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
        ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
        for (unsigned replay = 0; replay < 3; ++replay) {
            const system_data s = random_system(e, 16, 50 + replay);
            const std::vector<double> b = random_vector(s.unknowns(), 60 + replay);
            K.assign(s);
            x.assign(b);

            ASSERT_CUDA(cudaGraphLaunch(executable, stream));
            ASSERT_CUDA(cudaStreamSynchronize(stream));

            EXPECT_LT(difference(x.get(), reference(s).solve(b)), 2e-13) << "replay " << replay;
        }
        ASSERT_CUDA(cudaGraphExecDestroy(executable));
        ASSERT_CUDA(cudaGraphDestroy(graph));
        ASSERT_CUDA(cudaStreamDestroy(stream));
    }
}

TEST(ArrowCuda, AnyScaleAndGrading) {
    const extent e{3, 14};
    for (double power : {-120.0, -40.0, -10.0, 10.0, 40.0, 120.0}) {
        system_data s = random_system(e, 16, 31);
        const double scale = std::pow(10.0, power);
        for (auto* v : {&s.diagonal, &s.lower, &s.coupling, &s.root}) {
            for (double& x : *v) x *= scale;
        }
        const std::vector<double> b = random_vector(s.unknowns(), 32);
        const device_system<double> K(s);
        solver16 solver(e);

        const std::vector<double> x = run(solver, K, b);

        EXPECT_EQ(read(solver.device_info()), shoal::arrow::success) << power;
        EXPECT_LT(s.backward_error(x, b), 5e-16) << power;
    }
    // D K D with powers of two from 2^-40 to 2^40: the condition number explodes, the equilibrated solution does not.
    const system_data plain = random_system(e, 16, 33);
    system_data graded = plain;
    std::vector<double> d(16);
    for (int i = 0; i < 16; ++i) d[static_cast<std::size_t>(i)] = std::ldexp(1.0, (i * 37) % 81 - 40);
    for (auto* v : {&graded.diagonal, &graded.lower, &graded.coupling, &graded.root}) {
        for (std::size_t i = 0; i < v->size(); ++i) (*v)[i] *= d[i % 16] * d[i / 16 % 16];
    }
    std::vector<double> b = random_vector(plain.unknowns(), 34), scaled = b;
    for (std::size_t i = 0; i < b.size(); ++i) scaled[i] *= d[i % 16];
    const device_system<double> K(graded);
    solver16 solver(e);

    std::vector<double> x = run(solver, K, scaled);

    EXPECT_EQ(read(solver.device_info()), shoal::arrow::success);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= d[i % 16];
    EXPECT_LT(difference(x, reference(plain).solve(b)), 1e-12);
}

// Stages tied together by stiff constraints with little else to hold them: K = delta^{-1} A^T A + H, as an interior-point
// method makes it. Right-hand sides are K x for a moderate x: the solution stays moderate while K^{-1} is huge.
TEST(ArrowCuda, IllConditioned) {
    for (double stiffness : {1e4, 1e8, 1e11}) {
        const extent e{6, 30};
        const int n = 16, rows = 12;
        system_data s(e, n);
        std::mt19937_64 g(77);
        std::normal_distribution<double> nd;
        std::vector<double> full(static_cast<std::size_t>(n * n));
        const auto fill = [&](double* A, double weak) {
            for (int i = 0; i < n; ++i) A[i * 17] += weak;
        };
        for (int i = 0; i < e.tails; ++i) {
            for (int k = 0; k < e.stages; ++k) fill(s.D(i, k), 1e-2);
        }
        fill(s.root.data(), 1e-2);
        for (int i = 0; i < e.tails; ++i) {
            for (int k = -1; k + 1 < e.stages; ++k) {
                // rows: x_next[0..12) = T x_this; x_this: stage k, or the root for k = -1.
                std::vector<double> T(static_cast<std::size_t>(rows * n));
                for (int r = 0; r < rows; ++r) {
                    for (int c = 0; c < n; ++c)
                        T[static_cast<std::size_t>(r * n + c)] = 0.15 * nd(g) + (r == c ? 1.0 : 0.0);
                }
                double* here = k < 0 ? s.root.data() : s.D(i, k);
                double* next = s.D(i, k + 1);
                for (int r = 0; r < rows; ++r) {
                    next[r * 17] += stiffness;
                    for (int c = 0; c < n; ++c) {
                        const double t = T[static_cast<std::size_t>(r * n + c)];
                        // E (row: next, column: here), C (row: root, column: x_1)
                        (k < 0 ? s.C(i)[r * n + c] : s.E(i, k)[c * n + r]) -= stiffness * t;
                        for (int c2 = c; c2 < n; ++c2)
                            here[c * n + c2] += stiffness * t * T[static_cast<std::size_t>(r * n + c2)];
                    }
                }
            }
        }
        const std::vector<double> truth = random_vector(s.unknowns(), 78);
        const auto product = s.times(truth);
        const std::vector<double> consistent(product.begin(), product.end()),
            random = random_vector(s.unknowns(), 79);
        const reference cholesky(s);
        ASSERT_EQ(cholesky.what(), shoal::arrow::success);
        const device_system<double> K(s);
        for (int chunks : {1, 4, 8, 15}) {
            cuda_options o;
            o.chunks = chunks;
            solver16 solver(e, o);
            for (const auto& b : {consistent, random}) {
                std::vector<double> x = run(solver, K, b);
                const double error = s.backward_error(x, b);
                // One step of refinement.
                const auto Kx = s.times(x);
                std::vector<double> r(b.size());
                for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<double>(b[i] - Kx[i]);
                const std::vector<double> dx = run(solver, K, r);
                for (std::size_t i = 0; i < x.size(); ++i) x[i] += dx[i];

                EXPECT_EQ(read(solver.device_info()), shoal::arrow::success);
                EXPECT_LT(error, 10.0 * std::max(s.backward_error(cholesky.solve(b), b), 1e-16))
                    << stiffness << " with " << chunks << " chunks";
                EXPECT_LT(s.backward_error(x, b), 2e-16)
                    << stiffness << " with " << chunks << " chunks, refined";
            }
        }
    }
}

TEST(ArrowCuda, RefusesWhatCannotBe) {
    EXPECT_THROW(solver16({-1, 3}), std::invalid_argument);
    EXPECT_THROW(solver16({1, 0}), std::invalid_argument);
    cuda_options o;
    o.factor_warps = 32;
    EXPECT_THROW(solver16({3, 9}, o), std::invalid_argument);
}

}  // namespace
