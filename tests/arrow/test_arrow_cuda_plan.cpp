// The planner of the CUDA solver: plain host code, tested without a GPU.
#include <string>

#include <gtest/gtest.h>

#include <shoal/arrow/cuda_plan.hpp>
#include <shoal/arrow/detail/failure.hpp>

using namespace shoal::arrow;

namespace {

const cuda_limits h200;

cuda_plan plan(extent e, cuda_options o = {}) {
    return make_cuda_plan(e, 16, cuda_path::tensor, o, h200);
}

/// What the kernels take for granted.
void expect_possible(const cuda_plan& p) {
    const std::string what = p.text();
    const auto& at = p.at;
    ASSERT_EQ(at.stages, p.size.stages) << what;
    ASSERT_EQ(at.split[0], 0) << what;
    ASSERT_EQ(at.split[at.chunks], at.stages) << what;
    int longest = 0;
    for (int c = 1; c <= at.chunks; ++c) {
        ASSERT_GT(at.split[c], at.split[c - 1]) << what;
        longest = std::max(longest, at.split[c] - at.split[c - 1] - 1);
    }
    const detail::factor16_layout factor(p.factor_warps, at.chunks);
    EXPECT_LT(factor.total * 8, h200.shared_per_block) << what;
    EXPECT_GE(p.factor_warps, 2) << what;
    EXPECT_LE(p.factor_warps, detail::max_factor_warps) << what;
    EXPECT_GE(p.group, 1) << what;
    for (const solve_shape* s : {&p.single, &p.several}) {
        if (s == &p.several && s->ring == 0) continue;  // one right-hand side after the other then
        EXPECT_EQ(s->longest, longest) << what;
        EXPECT_GE(s->ring, 1) << what;
        EXPECT_LE(s->ring + s->separator_slots, detail::max_solve_slots) << what;
        EXPECT_GE(s->separator_slots * s->warps, at.chunks) << what;
        EXPECT_LE(s->shared_bytes, h200.shared_per_block) << what;
        EXPECT_TRUE(s->cluster == 1 || s->resident) << what;
    }
    EXPECT_GE(p.single.warps * p.single.cluster, at.chunks) << what;
}

TEST(arrow_cuda_plan, every_extent_has_a_schedule) {
    for (int M : {0, 1, 2, 7, 20, 60, 72, 73, 100, 132, 133, 200, 264, 265, 1000, 10000}) {
        for (int N : {1, 2, 3, 5, 8, 16, 30, 47, 100, 160, 300}) {
            const cuda_plan p = plan({M, N});

            expect_possible(p);
            EXPECT_GT(p.factor_us, 0.0);
            EXPECT_GT(p.solve_us, 0.0);
        }
    }
}

TEST(arrow_cuda_plan, options_are_kept) {
    for (int chunks = 1; chunks <= 16; ++chunks) {
        for (int warps : {2, 4}) {
            for (int cluster : {1, 2, 4, 8}) {
                cuda_options o;
                o.chunks = chunks;
                o.factor_warps = warps;
                o.factor_cluster = cluster;
                o.group = 5;
                const cuda_plan p = plan({3, 40}, o);

                expect_possible(p);
                EXPECT_EQ(p.at.chunks, chunks);
                EXPECT_EQ(p.factor_warps, warps);
                EXPECT_EQ(p.factor_cluster, cluster);
                EXPECT_EQ(p.group, 5);
            }
        }
    }
    cuda_options o;
    o.which = order::sequential;
    EXPECT_EQ(plan({3, 40}, o).at.chunks, 1);
    o.which = order::recursive;
    EXPECT_EQ(plan({3, 12}, o).at.chunks, 12);
    o = {};
    o.wait = root_wait::two_kernels;
    EXPECT_FALSE(plan({3, 40}, o).single.resident);
}

TEST(arrow_cuda_plan, what_cannot_be_is_refused) {
    cuda_options o;
    o.factor_warps = 1;
    EXPECT_THROW(plan({3, 9}, o), std::invalid_argument);
    o.factor_warps = 16;
    EXPECT_THROW(plan({3, 9}, o), std::invalid_argument);
    EXPECT_THROW(plan({-1, 3}), std::invalid_argument);
    EXPECT_THROW(plan({1, 0}), std::invalid_argument);
    o = {};
    o.systems = 0;
    EXPECT_THROW(plan({1, 3}, o), std::invalid_argument);
    o.systems = 1 << 20;
    EXPECT_THROW(plan({1000, 3}, o), std::invalid_argument);
}

// The vectors of a chunk must fit in shared memory beside its ring.
TEST(arrow_cuda_plan, the_longest_chain_on_chip) {
    EXPECT_TRUE(tensor_fits({1, 1000}, {}, h200));
    EXPECT_TRUE(tensor_fits({100, 700}, {}, h200));
    EXPECT_FALSE(tensor_fits({1, 20000}, {}, h200));
}

TEST(arrow_cuda_plan, systems_are_scheduled_as_their_tails) {
    cuda_options o;
    o.systems = 10;
    const cuda_plan many = plan({20, 30}, o), one = plan({200, 30});
    EXPECT_EQ(many.systems, 10);
    EXPECT_EQ(many.at.chunks, one.at.chunks);
    EXPECT_EQ(many.factor_warps, one.factor_warps);
    EXPECT_EQ(many.single.warps, one.single.warps);
    EXPECT_EQ(many.group, 20) << "a root adds its own tails only";
    EXPECT_NE(many.text().find("systems=10"), std::string::npos);
}

TEST(arrow_cuda_plan, few_tails_take_many_multiprocessors) {
    EXPECT_GT(plan({20, 160}).factor_cluster, 1);
    EXPECT_EQ(plan({200, 160}).factor_cluster, 1);
}

TEST(arrow_cuda_plan, many_contributions_are_added_in_two_steps) {
    EXPECT_EQ(plan({60, 30}).group, 60);
    EXPECT_EQ(plan({200, 30}).group, 15);
    EXPECT_EQ(plan({10000, 3}).group, 100);
}

TEST(arrow_cuda_plan, many_tails_are_told_the_root) {
    cuda_options o;
    EXPECT_EQ(plan({200, 30}).sum, root_sum::every_tail);
    EXPECT_EQ(plan({1000, 3}).sum, root_sum::first_tail);
    o.systems = 100;
    EXPECT_EQ(plan({20, 3}, o).sum, root_sum::every_tail) << "a root adds its own tails only";
    o.sum = root_sum::first_tail;
    EXPECT_EQ(plan({20, 3}, o).sum, root_sum::first_tail);
    EXPECT_NE(plan({20, 3}, o).text().find("first tail adds"), std::string::npos);
}

// A record of 5248 bytes: whole lines of 128 bytes, and the gains begin at one.
static_assert(detail::record16 * 8 == 5248 && detail::inverse_doubles % 16 == 0);
// Every factor block fits.
static_assert(detail::factor16_layout(detail::max_factor_warps, detail::max_solve_warps).total * 8 + 256 <=
              cuda_limits{}.shared_per_block);
static_assert(detail::chunk_warps(8, 2, 8) == 4 && detail::chunk_warps(4, 1, 8) == 4);
static_assert(detail::failure_key(1, 0, 1, 1) > detail::failure_key(0, detail::last_round, 100, 16));
static_assert(detail::decode_failure(detail::failure_key(3, 2, 30, 7), 30) == info{3, 1, 7});

}  // namespace
