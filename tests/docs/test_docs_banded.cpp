// What docs/banded.md shows.

#include <vector>

#include <gtest/gtest.h>

// [solve]
#include <shoal/banded.hpp>

/// A^-1 x in place of x; `a` has knots * 2 * 36 elements, and holds the factor afterwards.
template <class Group>
int solve(const Group& g, double* a, double* x, int knots) {
    const shoal::symmetric_strip<double, 6> A(a, knots);
    const shoal::knot_info bad = shoal::bdsv(g, A, shoal::block_vector<double, 6>(x, knots));
    return bad.knot;  // 0, or the first knot with a bad pivot, from 1
}
// [end]

// [batch]
#include <shoal/batched/bdsv.hpp>

/// The same for many systems, one behind the other, on the threads of the host.
shoal::status solve_all(double* a, double* x, int knots, std::int64_t systems, int* info) {
    namespace batched = shoal::batched;
    const batched::symmetric_strips<double, 6> A(shoal::symmetric_strip<double, 6>(a, knots));
    const batched::block_vectors<double, 6> b(shoal::block_vector<double, 6>(x, knots));
    return batched::bdsv(A, b, systems, info);
}
// [end]

namespace {

constexpr int n = 6;
constexpr int knots = 5;
constexpr int systems = 3;

/// D = 4 I, L = -I; x of ones.
void fill(std::vector<double>& a, std::vector<double>& b) {
    a.assign(systems * knots * 2 * n * n, 0);
    b.assign(systems * knots * n, 0);
    for (std::size_t row = 0; row < b.size(); ++row) {
        const std::size_t knot = row / n % knots;
        a[row * 2 * n + n + row % n] = 4;
        if (knot > 0) a[row * 2 * n + row % n] = -1;
        b[row] = 4.0 - (knot > 0 ? 1 : 0) - (knot + 1 < knots ? 1 : 0);
    }
}

TEST(docs_banded, one_system_and_many) {
    std::vector<double> a, b;
    fill(a, b);
    EXPECT_EQ(solve(shoal::this_thread(), a.data(), b.data(), knots), 0);
    for (std::size_t i = 0; i < knots * n; ++i) EXPECT_NEAR(b[i], 1, 1e-15);

    fill(a, b);
    a[(2 * n * n) * (knots + 2) + n] = -1;  // system 1, knot 2
    std::vector<int> info(systems, -1);
    ASSERT_TRUE(solve_all(a.data(), b.data(), knots, systems, info.data()).ok());
    EXPECT_EQ(info, (std::vector<int>{0, 2 * n + 1, 0}));
    for (std::size_t i = 0; i < b.size(); ++i)
        if (i / (knots * n) != 1) {
            EXPECT_NEAR(b[i], 1, 1e-15);
        }
}

}  // namespace
