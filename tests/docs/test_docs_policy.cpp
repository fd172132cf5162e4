// The snippets of the page on policies.

#include <gtest/gtest.h>

#include <shoal/shoal.hpp>

namespace {

TEST(docs_policy, by_name) {
    double a[4] = {4, 2, 2, 5}, b[4] = {4, 2, 2, 5};
    const auto A = shoal::matrix<double, 2, 2>{a};
    const auto B = shoal::matrix<double, 2, 2>{b};
    // [policy]
    using shoal::potrf_algorithm;
    using shoal::potrf_policy;

    shoal::potrf(shoal::this_thread(), lower(A));  // the fastest that the group and the extents allow
    shoal::potrf<potrf_policy{.algorithm = potrf_algorithm::columns}>(shoal::this_thread(), lower(B));
    // [end]

    for (int e = 0; e < 4; ++e) EXPECT_EQ(a[e], b[e]);
}

}  // namespace
