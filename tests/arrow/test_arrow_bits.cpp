#include "arrow/problem.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <gtest/gtest.h>

namespace {

std::atomic<int> allocations{0};

}  // namespace

// Counts every allocation of the program. Not inlined: the compiler would see free() meet operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* p = std::malloc(bytes)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

namespace shoal::arrow::testing {
namespace {

/// x of K x = b, and the factor's bits on the way.
template <class T, int n>
std::vector<T> solution(host_solver<T, n>& solver, const storage<T, n>& k, std::vector<T> b, int nrhs = 1) {
    EXPECT_EQ(solver.factor(k.view()), success);
    solver.solve(b.data(), nrhs);
    return b;
}

template <class T>
void expect_same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    ASSERT_EQ(x.size(), y.size());
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(T)), 0);
}

constexpr int n = 8;
using solver_type = host_solver<double, n>;

TEST(arrow_bits, do_not_depend_on_the_number_of_threads) {
    random_stream r(1);
    for (const order which : {order::sequential, order::recursive}) {
        for (const extent size : {extent{0, 5}, extent{1, 40}, extent{2, 17}, extent{7, 9}}) {
            const auto k = random_problem<double, n>(size, r);
            const auto b = random_vector<double>(5 * k.unknowns(), r);
            solver_type one(size, {.which = which, .threads = 1});
            const auto expected = solution(one, k, b, 5);
            for (const int threads : {2, 3, 8}) {
                solver_type several(size, {.which = which, .threads = threads});
                for (int repeat = 0; repeat < 3; ++repeat) {
                    expect_same_bits(solution(several, k, b, 5), expected);
                }
            }
        }
    }
}

TEST(arrow_bits, do_not_depend_on_the_instruction_set) {
    random_stream r(2);
    const extent size{3, 6};
    const auto k = random_problem<double, 16>(size, r);
    const auto b = random_vector<double>(5 * k.unknowns(), r);
    host_solver<double, 16> best(size, {.which = order::recursive});
    const auto expected = solution(best, k, b, 5);
    for (const auto set : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
        host_solver<double, 16> other(size, {.which = order::recursive, .instructions = set});
        expect_same_bits(solution(other, k, b, 5), expected);
    }
}

TEST(arrow_bits, do_not_depend_on_how_many_right_hand_sides_go_together) {
    random_stream r(3);
    const extent size{2, 11};
    const auto k = random_problem<double, n>(size, r);
    solver_type solver(size);
    const auto total = k.unknowns();
    // More than one pass, with a remainder after the groups of four, and room between the columns.
    const int nrhs = 39;
    const std::int64_t ld = total + 3;
    auto b = random_vector<double>(ld * nrhs, r);
    const auto before = b;
    ASSERT_EQ(solver.factor(k.view()), success);

    solver.solve(b.data(), nrhs, ld);

    for (int c = 0; c < nrhs; ++c) {
        std::vector<double> alone(before.begin() + c * ld, before.begin() + c * ld + total);
        solver.solve(alone.data());
        ASSERT_EQ(std::memcmp(alone.data(), b.data() + c * ld, sizeof(double) * alone.size()), 0)
            << "column " << c;
        for (std::int64_t i = total; i < ld; ++i) {
            ASSERT_EQ(b[static_cast<std::size_t>(c * ld + i)], before[static_cast<std::size_t>(c * ld + i)]);
        }
    }
}

TEST(arrow_bits, C14_what_memory_held_before_has_no_influence) {
    random_stream r(4);
    for (const order which : {order::sequential, order::recursive}) {
        const extent size{3, 7};
        const auto k = random_problem<double, n>(size, r);
        const auto b = random_vector<double>(k.unknowns(), r);
        solver_type solver(size, {.which = which});
        const auto expected = solution(solver, k, b);
        for (const double poison : {std::numeric_limits<double>::quiet_NaN(), 1e30}) {
            std::fill(solver.memory().begin(), solver.memory().end(), poison);
            std::fill(solver.scratch().begin(), solver.scratch().end(), poison);
            expect_same_bits(solution(solver, k, b), expected);
        }
    }
}

TEST(arrow_bits, factor_and_solve_do_not_allocate) {
    random_stream r(5);
    for (const order which : {order::sequential, order::recursive}) {
        for (const int threads : {1, 2}) {
            const extent size{1, 12};
            auto k = random_problem<double, n>(size, r);
            auto b = random_vector<double>(40 * k.unknowns(), r);
            solver_type solver(size, {.which = which, .threads = threads});
            const int before = allocations;

            const info good = solver.factor(k.view());
            solver.solve(b.data(), 40);
            k.diagonal(0, 3)(2, 2) = -1;
            const info bad = solver.factor(k.view());

            EXPECT_EQ(allocations, before);
            EXPECT_TRUE(good.good());
            EXPECT_FALSE(bad.good());
        }
    }
}

TEST(arrow_bits, the_matrix_is_only_read) {
    random_stream r(6);
    auto k = random_problem<double, n>({2, 5}, r);
    const auto before = k;
    solver_type solver({2, 5});
    ASSERT_EQ(solver.factor(k.view()), success);
    k.diagonal(1, 2)(0, 0) = -5;
    ASSERT_EQ(solver.factor(k.view()), (info{1, 3, 1}));
    k.diagonal(1, 2)(0, 0) = storage<double, n>(before).diagonal(1, 2)(0, 0);
    EXPECT_EQ(std::memcmp(k.view().diagonal, before.view().diagonal, sizeof(double) * 10 * n * n), 0);
    EXPECT_EQ(std::memcmp(k.view().lower, before.view().lower, sizeof(double) * 8 * n * n), 0);
}

}  // namespace
}  // namespace shoal::arrow::testing
