#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/launch.hpp>

namespace {

using shoal::thread_group;

TEST(batched_launch, calls_each_system_once) {
    for (const int threads : {1, 2, 5}) {
        shoal::executor e(threads);
        for (const std::int64_t systems : {0, 1, 2, 31, 1000}) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(systems));
            const auto status =
                shoal::batched::launch(e, systems, [&](const thread_group& g, std::int64_t s) {
                    EXPECT_EQ(g.size(), 1);
                    ++calls[static_cast<std::size_t>(s)];
                });
            EXPECT_TRUE(status.ok());
            for (const auto& c : calls) EXPECT_EQ(c.load(), 1);
        }
    }
}

TEST(batched_launch, keeps_the_info_of_each_system) {
    std::vector<int> info(100, 99);
    const auto body = [](const thread_group&, std::int64_t s) {
        return s % 3 == 0 ? static_cast<int>(s) : 0;
    };
    EXPECT_TRUE(shoal::batched::launch(100, body, info.data()).ok());
    for (int s = 0; s < 100; ++s) EXPECT_EQ(info[static_cast<std::size_t>(s)], s % 3 == 0 ? s : 0);
    EXPECT_TRUE(shoal::batched::launch(100, body).ok());
}

TEST(batched_launch, uses_the_threads_that_were_set) {
    shoal::set_num_threads(3);
    EXPECT_EQ(shoal::num_threads(), 3);
    std::atomic<int> calls{0};
    EXPECT_TRUE(shoal::batched::launch(1000, [&](const thread_group&, std::int64_t) { ++calls; }).ok());
    EXPECT_EQ(calls.load(), 1000);
    shoal::set_num_threads(1);
}

TEST(batched_launch, refuses_impossible_numbers_before_anything_runs) {
    const auto never = [](const thread_group&, std::int64_t) { ADD_FAILURE() << "was called"; };
    const auto negative = shoal::batched::launch(-1, never);
    EXPECT_EQ(negative.code(), shoal::status_code::invalid_argument);
    EXPECT_EQ(std::string(negative.message()), "batched: systems is negative: -1");
    const auto huge = shoal::batched::launch((std::int64_t{1} << 40) + 1, never);
    EXPECT_EQ(huge.code(), shoal::status_code::invalid_argument);
    EXPECT_EQ(std::string(huge.message()), "batched: systems is larger than 2^40: 1099511627777");
}

}  // namespace
