// Whether a matrix fits the shared memory of a block, told before a launch.

#include <limits>

#include <gtest/gtest.h>

#include <shoal/batched/fits.hpp>

namespace {

static_assert(!shoal::fits<float, 570, 570, 90>);
static_assert(shoal::fits<float, 241, 241, 90>);
static_assert(!shoal::fits<float, 242, 242, 90>);

TEST(fits, G03_a_size_too_big_is_told_with_both_numbers_and_a_way_out) {
    const auto fit = shoal::fits_shared<float>(570, 570, 90);

    EXPECT_FALSE(fit.ok());
    EXPECT_EQ(fit.needed, 1299600);
    EXPECT_EQ(fit.available, 232448);
    EXPECT_EQ(fit.largest, 241);
    EXPECT_EQ(fit.message("potrf of 570 x 570 float"),
              "potrf of 570 x 570 float needs 1299600 bytes of shared memory and a block has 232448: keep it "
              "in global "
              "memory, where every op works on it as well, or take an order up to 241");
}

TEST(fits, what_fits_has_no_message) {
    const auto fit = shoal::fits_shared<double>(32, 32, 80, 2);

    EXPECT_TRUE(fit.ok());
    EXPECT_EQ(fit.needed, 16384);
    EXPECT_EQ(fit.message("two matrices"), "");
}

TEST(fits, a_product_of_large_extents_does_not_wrap) {
    EXPECT_EQ(shoal::fits_shared<double>(70000, 70000, 90).needed, std::int64_t{39200000000});
    constexpr int large = std::numeric_limits<int>::max();
    EXPECT_FALSE(shoal::fits_shared<double>(large, large, 90, large).ok());
    EXPECT_FALSE(shoal::fits_shared<double>(large, large, 90).ok());
}

TEST(fits, extents_and_counts_below_one_do_not_fit) {
    for (const auto fit : {shoal::fits_shared<float>(1, 1, 90, 0), shoal::fits_shared<float>(-3, 4, 90),
                           shoal::fits_shared<float>(3, 0, 90)}) {
        EXPECT_FALSE(fit.ok());
        EXPECT_EQ(fit.message("this"), "this: extents and the number of matrices must be at least 1");
    }
}

}  // namespace
