#include "batched/batch_lane.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/blocked.hpp>

namespace shoal::support {
namespace {

TEST(batched_checks, a_message_holds_numbers_of_any_size) {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    EXPECT_STREQ(status(status_code::unsupported, "a ", 0, ", ", -7, ", ", least, "!").message(),
                 "a 0, -7, -9223372036854775808!");
    const std::string much(1000, 'x');
    const std::string cut = status(status_code::unsupported, much.c_str(), 5).message();
    EXPECT_GE(cut.size(), 200u);
    EXPECT_EQ(cut, much.substr(0, cut.size()));
}

// Shapes and strides of which no system, or only one, has a place of its own.
TEST(batched_checks, shapes_and_strides_that_cannot_be_right_are_refused) {
    using namespace shoal::batched;
    using padded = matrix<double, dynamic, dynamic, column_ld<dynamic>>;
    using padded_batch = matrices<double, dynamic, dynamic, column_ld<dynamic>>;
    constexpr int n = 3, systems = 10;
    const std::vector<double> before(400, 1.0);
    std::vector<double> a = before, b = before;
    std::vector<int> p(400, 7);
    const auto dense = [&](int rows, int cols) {
        return matrices<double>(matrix<double>(a.data(), rows, cols), n * n);
    };
    const auto with_leading = [&](int leading, std::int64_t stride) {
        return padded_batch(padded(a.data(), n, n, leading), stride);
    };
    const vectors<double, n> x(b.data());
    const vectors<int, n> pivots(p.data());
    const vectors<double> shorter(vector<double>(b.data(), 2), n);
    EXPECT_TRUE(refused(gesv(dense(n, n), pivots, shorter, systems), "B has 2 elements and A has 3 rows"));
    EXPECT_TRUE(refused(gesv(dense(n, n), vectors<int>(vector<int>(p.data(), 2), n), x, systems),
                        "pivots has 2 elements and A has 3 rows"));
    EXPECT_TRUE(refused(gesv(dense(3, 4), pivots, x, systems), "A is 3 x 4; a square matrix is needed"));
    EXPECT_TRUE(refused(potrf(lower(dense(4, 3)), systems), "batched::potrf: A is 4 x 3; a square"));
    EXPECT_TRUE(refused(gesv(dense(-3, -3), pivots, x, systems), "A has -3 rows; at least 0 are needed"));
    for (const int leading : {2, 0, -3}) {
        EXPECT_TRUE(refused(posv(lower(with_leading(leading, 9)), x, systems),
                            "A is 3 x 3 with leading dimension " + std::to_string(leading) + "; at least 3"));
    }
    constexpr const char* shared = "has elements in one place";
    EXPECT_TRUE(refused(gesv(with_leading(5, 9), pivots, x, systems), shared));
    EXPECT_TRUE(refused(gesv(matrices<double, n, n>(a.data(), 5), pivots, x, systems), shared));
    EXPECT_TRUE(refused(gesv(dense(n, n), vectors<int, n>(p.data(), 1), x, systems), shared));
    EXPECT_TRUE(refused(gesv(dense(n, n), pivots, vectors<double, n>(b.data(), 1), systems), shared));
    EXPECT_TRUE(refused(potrf(lower(interleaved_matrices<double, n, n>(a.data(), 5)), systems), shared));
    EXPECT_TRUE(
        refused(trsm(lower(dense(n, n)), interleaved_matrices<double, n, 2>(b.data(), 9), systems), shared));
    EXPECT_TRUE(refused(getrf(blocked_matrices<double, 4, n, n>(a.data(), 5), pivots, systems), shared));
    EXPECT_TRUE(refused(posv(lower(matrices<double, n, n>{}), x, systems), "A is null"));
    EXPECT_TRUE(refused(gesv(dense(n, n), pivots, vectors<double, n>{}, systems), "B is null"));
    EXPECT_EQ(a, before);
    EXPECT_EQ(b, before);
    // Systems beside each other in one wide matrix are no overlap, nor is what is only read.
    for (int s = 0; s < systems; ++s) {
        for (int k = 0; k < n; ++k) a[static_cast<std::size_t>(s * n + k + 30 * k)] = 4.0;
    }
    EXPECT_TRUE(accepted(potrf(lower(with_leading(30, n)), systems)));
    EXPECT_TRUE(accepted(posv(lower(matrices<const double, n, n>(a.data(), 1)), x, 1)));
}

}  // namespace
}  // namespace shoal::support
