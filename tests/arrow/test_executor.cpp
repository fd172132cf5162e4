#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/executor.hpp>

namespace {

TEST(executor, calls_each_index_once) {
    for (const int threads : {1, 2, 5}) {
        shoal::executor team(threads);
        EXPECT_EQ(team.threads(), threads);
        for (int count = 0; count < 100; ++count) {
            std::vector<int> calls(static_cast<std::size_t>(count), 0);
            team.parallel_for(count, [&](std::int64_t i, int worker) {
                EXPECT_GE(worker, 0);
                EXPECT_LT(worker, threads);
                ++calls[static_cast<std::size_t>(i)];
            });
            EXPECT_EQ(calls, std::vector<int>(calls.size(), 1));
        }
    }
}

TEST(executor, more_threads_than_cores) {
    // Most helpers come late, to a loop that is over or to the one after it.
    shoal::executor team(48);
    std::vector<int> calls(96, 0);
    for (int loop = 0; loop < 300; ++loop) {
        team.parallel_for(96, [&](std::int64_t i, int) { ++calls[static_cast<std::size_t>(i)]; });
    }
    EXPECT_EQ(calls, std::vector<int>(96, 300));
}

TEST(executor, workers_do_not_overlap) {
    shoal::executor team(4);
    std::vector<std::atomic<int>> inside(4);
    std::atomic<int> overlaps{0};
    team.parallel_for(400, [&](std::int64_t, int worker) {
        if (inside[static_cast<std::size_t>(worker)]++ != 0) ++overlaps;
        std::this_thread::yield();
        --inside[static_cast<std::size_t>(worker)];
    });
    EXPECT_EQ(overlaps, 0);
}

TEST(executor, loops_may_be_nested_and_started_from_several_threads) {
    shoal::executor team(3);
    std::atomic<int> calls{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c) {
        callers.emplace_back([&] {
            for (int r = 0; r < 50; ++r) {
                team.parallel_for(10, [&](std::int64_t, int) {
                    team.parallel_for(3, [&](std::int64_t, int) { ++calls; });
                });
            }
        });
    }
    for (std::thread& c : callers) c.join();
    EXPECT_EQ(calls, 3 * 50 * 10 * 3);
}

TEST(executor, an_exception_reaches_the_caller) {
    shoal::executor team(3);
    const auto fail = [](std::int64_t i, int) {
        if (i == 17) throw std::runtime_error("17");
    };
    EXPECT_THROW(team.parallel_for(40, fail), std::runtime_error);
    std::atomic<int> calls{0};
    team.parallel_for(40, [&](std::int64_t, int) { ++calls; });
    EXPECT_EQ(calls, 40);
}

TEST(executor, threads_are_shared_only_after_the_caller_asks) {
    EXPECT_EQ(shoal::num_threads(), 1);
    const auto before = shoal::shared_executor();
    shoal::set_num_threads(3);
    EXPECT_EQ(shoal::num_threads(), 3);
    EXPECT_EQ(before->threads(), 1);
    shoal::set_num_threads(0);
    EXPECT_GE(shoal::num_threads(), 1);
    shoal::set_num_threads(1);
    EXPECT_EQ(shoal::num_threads(), 1);
}

}  // namespace
