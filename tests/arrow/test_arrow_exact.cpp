#include "arrow/problem.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace shoal::arrow::testing {
namespace {

/// The dense permuted matrix, factored row by column in ascending order, every sum one chain of fused multiply-adds.
/// The root's sum is taken tail by tail, as documented. Column-major, lower triangle.
template <class T, int n>
std::vector<T> dense_factor(const storage<T, n>& k, const std::vector<std::int64_t>& order) {
    const auto full = arrow::dense<T, n>(k.size(), k.view());
    const std::int64_t total = k.unknowns();
    const std::int64_t root = total - n;
    const std::int64_t tail = static_cast<std::int64_t>(k.size().stages) * n;
    std::vector<T> a(full.size());
    const auto at = [&](std::int64_t i, std::int64_t j) -> T& {
        return a[static_cast<std::size_t>(i + total * j)];
    };
    for (std::int64_t j = 0; j < total; ++j) {
        for (std::int64_t i = j; i < total; ++i) {
            at(i, j) = full[static_cast<std::size_t>(order[static_cast<std::size_t>(i)] +
                                                     total * order[static_cast<std::size_t>(j)])];
        }
    }
    for (std::int64_t j = 0; j < total; ++j) {
        for (std::int64_t i = j; i < total; ++i) {
            T value = at(i, j);
            std::int64_t first = 0;
            if (j >= root) {
                for (int t = 0; t < k.size().tails; ++t) {
                    T part = 0;
                    for (std::int64_t m = t * tail; m < (t + 1) * tail; ++m) {
                        if (at(j, m) != 0) part = std::fma(-at(i, m), at(j, m), part);
                    }
                    value += part;
                }
                first = root;
            }
            for (std::int64_t m = first; m < j; ++m) {
                if (at(j, m) != 0 && at(i, m) != 0) value = std::fma(-at(i, m), at(j, m), value);
            }
            at(i, j) = value;
        }
        const T diagonal = std::sqrt(at(j, j));
        const T reciprocal = T(1) / diagonal;
        at(j, j) = diagonal;
        for (std::int64_t i = j + 1; i < total; ++i) at(i, j) *= reciprocal;
    }
    return a;
}

/// Forward and backward substitution with that factor, the columns in ascending and descending order.
template <class T, int n>
void dense_solve(extent size, const std::vector<T>& l, const std::vector<std::int64_t>& order,
                 std::vector<T>& b) {
    const std::int64_t total = unknowns(size, n);
    const std::int64_t root = total - n;
    const std::int64_t tail = static_cast<std::int64_t>(size.stages) * n;
    const auto at = [&](std::int64_t i, std::int64_t j) {
        return l[static_cast<std::size_t>(i + total * j)];
    };
    std::vector<T> x(b.size());
    const auto v = [&](std::int64_t i) -> T& { return x[static_cast<std::size_t>(i)]; };
    for (std::int64_t i = 0; i < total; ++i)
        v(i) = b[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    for (std::int64_t i = 0; i < total; ++i) {
        std::int64_t first = 0;
        if (i >= root) {
            for (int t = 0; t < size.tails; ++t) {
                T part = 0;
                for (std::int64_t m = t * tail; m < (t + 1) * tail; ++m) {
                    if (at(i, m) != 0) part = std::fma(-at(i, m), v(m), part);
                }
                v(i) += part;
            }
            first = root;
        }
        for (std::int64_t m = first; m < i; ++m) {
            if (at(i, m) != 0) v(i) = std::fma(-at(i, m), v(m), v(i));
        }
        v(i) *= T(1) / at(i, i);
    }
    for (std::int64_t i = total - 1; i >= 0; --i) {
        for (std::int64_t m = total - 1; m > i; --m) {
            if (at(m, i) != 0) v(i) = std::fma(-at(m, i), v(m), v(i));
        }
        v(i) *= T(1) / at(i, i);
    }
    for (std::int64_t i = 0; i < total; ++i)
        b[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = v(i);
}

template <class T, int n>
void expect_bits_of_dense(extent size, order which, std::uint64_t seed) {
    random_stream r(seed);
    const auto k = random_problem<T, n>(size, r);
    const auto b = random_vector<T>(k.unknowns(), r);
    host_solver<T, n> solver(size, {.which = which});
    const auto order = permutation(size, n, solver.steps());
    const auto l = dense_factor<T, n>(k, order);
    auto expected = b;
    dense_solve<T, n>(size, l, order, expected);

    ASSERT_EQ(solver.factor(k.view()), success);
    auto x = b;
    solver.solve(x.data());

    const auto total = static_cast<std::size_t>(k.unknowns());
    const auto position = [&](std::int64_t unknown) {
        return static_cast<std::size_t>(std::find(order.begin(), order.end(), unknown) - order.begin());
    };
    const auto expect_block = [&](const T* block, std::size_t row, std::size_t column, bool triangle) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = triangle ? j : 0; i < n; ++i) {
                ASSERT_EQ(block[i + n * j], l[row + i + total * (column + j)]) << i << ' ' << j;
            }
        }
    };
    for (int t = 0; t < size.tails; ++t) {
        for (const step& s : solver.steps().steps) {
            const int stage = stage_of(size.stages, s.node);
            const auto column = solver.factor_column(t, stage);
            const std::size_t at = position(k.stage_offset(t, stage));
            const auto row_of = [&](int node) {
                return node > size.stages ? total - n
                                          : position(k.stage_offset(t, stage_of(size.stages, node)));
            };
            expect_block(column.diagonal, at, at, true);
            expect_block(column.toward_root, row_of(s.at.b), at, false);
            ASSERT_EQ(column.toward_end != nullptr, s.at.a != 0);
            if (s.at.a != 0) expect_block(column.toward_end, row_of(s.at.a), at, false);
        }
    }
    expect_block(solver.factor_root(), total - n, total - n, true);
    for (std::size_t i = 0; i < total; ++i) ASSERT_EQ(x[i], expected[i]) << "unknown " << i;
}

template <class T, int n>
void expect_bits_of_dense() {
    std::uint64_t seed = n;
    for (const order which : {order::sequential, order::recursive}) {
        for (const extent size :
             {extent{0, 3}, extent{1, 1}, extent{1, 2}, extent{2, 3}, extent{3, 6}, extent{1, 13}}) {
            SCOPED_TRACE(::testing::Message() << "n " << n << " M " << size.tails << " N " << size.stages
                                              << " order " << static_cast<int>(which));
            expect_bits_of_dense<T, n>(size, which, ++seed);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

// The factor and the solution have the bits of an unblocked Cholesky of the permuted dense matrix, whatever the kernels
// do inside.
TEST(arrow_exact, double_4) {
    expect_bits_of_dense<double, 4>();
}
TEST(arrow_exact, double_6) {
    expect_bits_of_dense<double, 6>();
}
TEST(arrow_exact, double_8) {
    expect_bits_of_dense<double, 8>();
}
TEST(arrow_exact, double_12) {
    expect_bits_of_dense<double, 12>();
}
TEST(arrow_exact, double_16) {
    expect_bits_of_dense<double, 16>();
}
TEST(arrow_exact, double_24) {
    expect_bits_of_dense<double, 24>();
}
TEST(arrow_exact, double_32) {
    expect_bits_of_dense<double, 32>();
}
TEST(arrow_exact, float_4) {
    expect_bits_of_dense<float, 4>();
}
TEST(arrow_exact, float_8) {
    expect_bits_of_dense<float, 8>();
}
TEST(arrow_exact, float_16) {
    expect_bits_of_dense<float, 16>();
}
TEST(arrow_exact, float_32) {
    expect_bits_of_dense<float, 32>();
}
TEST(arrow_exact, sizes_without_a_compiled_kernel) {
    expect_bits_of_dense<double, 1>();
    expect_bits_of_dense<double, 3>();
    expect_bits_of_dense<float, 7>();
}

}  // namespace
}  // namespace shoal::arrow::testing
