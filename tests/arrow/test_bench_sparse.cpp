// What the arrow bench gives to general sparse solvers: the same matrix, its exact zeros left out, and orders whose fill is
// the one that the structure promises.

#include "../../bench/arrow/sparse.hpp"
#include "../../bench/support/arrow_matrices.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/arrow/dense.hpp>

namespace {

using namespace shoal_bench;
using shoal::arrow::extent;

constexpr extent shapes[] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {2, 8}};

shoal::arrow::matrix_view<const double> view(const arrow_matrix& a) {
    return {a.diagonal.data(), a.lower.data(), a.coupling.data(), a.root.data()};
}

/// The whole matrix, column-major, from the triangle that the rows hold.
std::vector<double> expand(const sparse_matrix& m) {
    const auto rows = static_cast<std::size_t>(m.rows());
    std::vector<double> full(rows * rows);
    for (std::size_t r = 0; r < rows; ++r) {
        for (int at = m.row_start[r]; at < m.row_start[r + 1]; ++at) {
            const auto c = static_cast<std::size_t>(m.column[static_cast<std::size_t>(at)]);
            full[r + rows * c] = full[c + rows * r] = m.value[static_cast<std::size_t>(at)];
        }
    }
    return full;
}

TEST(BenchSparse, BothTrianglesAreTheMatrix) {
    for (const char* type : {"random", "published", "late"}) {
        for (const extent e : shapes) {
            const arrow_matrix a = make_arrow(type, e, 3);

            const std::vector<double> whole = shoal::arrow::dense<double, block_size>(e, view(a));

            EXPECT_EQ(expand(to_sparse<block_size>(e, view(a), half::lower)), whole);
            EXPECT_EQ(expand(to_sparse<block_size>(e, view(a), half::upper)), whole);
        }
    }
}

TEST(BenchSparse, RowsAscendAndHoldNoZeros) {
    for (const extent e : shapes) {
        const arrow_matrix a = make_arrow("late", e, 3);

        for (const half which : {half::lower, half::upper}) {
            const sparse_matrix m = to_sparse<block_size>(a.size, view(a), which);

            EXPECT_EQ(std::count(m.value.begin(), m.value.end(), 0.0), 0);
            ASSERT_EQ(m.row_start.back(), m.entries());
            for (std::size_t r = 0; r + 1 < m.row_start.size(); ++r) {
                const auto from = m.column.begin() + m.row_start[r],
                           to = m.column.begin() + m.row_start[r + 1];
                EXPECT_TRUE(std::is_sorted(from, to, std::less_equal<>()));
                ASSERT_NE(from, to);
                EXPECT_EQ(which == half::lower ? *(to - 1) : *from, static_cast<int>(r));
            }
        }
    }
}

/// Blocks of the factor below the diagonal when K is eliminated in this order.
int factor_blocks(const arrow_matrix& a, const std::vector<int>& order) {
    const sparse_matrix m = to_sparse<block_size>(a.size, view(a), half::lower);
    const std::size_t blocks = order.size() / block_size;
    std::vector<std::size_t> step(blocks);
    for (std::size_t p = 0; p < blocks; ++p)
        step[static_cast<std::size_t>(order[p * block_size]) / block_size] = p;
    std::vector<std::set<std::size_t>> below(blocks);
    for (std::size_t r = 0; r < static_cast<std::size_t>(m.rows()); ++r) {
        for (int at = m.row_start[r]; at < m.row_start[r + 1]; ++at) {
            const std::size_t i = step[r / block_size];
            const std::size_t j =
                step[static_cast<std::size_t>(m.column[static_cast<std::size_t>(at)]) / block_size];
            if (i != j) below[std::min(i, j)].insert(std::max(i, j));
        }
    }
    int count = 0;
    for (std::size_t p = 0; p < blocks; ++p) {
        count += static_cast<int>(below[p].size());
        for (const std::size_t i : below[p])
            for (const std::size_t j : below[p])
                if (i < j) below[i].insert(j);
    }
    return count;
}

TEST(BenchSparse, OrdersHaveTheFillOfTheStructure) {
    for (const int N : {1, 2, 3, 8, 13}) {
        const arrow_matrix a = make_arrow("random", {2, N}, 3);
        const std::vector<int> chain = chain_order<block_size>(a.size),
                               nested = nested_order<block_size>(a.size);
        std::vector<int> sorted[] = {chain, nested};
        int levels = 0;
        while ((1 << levels) < N) ++levels;

        for (std::vector<int>& s : sorted) {
            std::sort(s.begin(), s.end());
            for (std::size_t i = 0; i < s.size(); ++i) ASSERT_EQ(s[i], static_cast<int>(i));
            EXPECT_EQ(static_cast<std::int64_t>(s.size()), shoal::arrow::unknowns(a.size, block_size));
        }
        EXPECT_EQ(factor_blocks(a, chain), 2 * N);
        EXPECT_EQ(factor_blocks(a, nested), 2 * (2 * (N - 1) - levels + 1));
    }
}

}  // namespace
