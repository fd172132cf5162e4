#include "emu/barrier_log.hpp"
#include "emu/fiber.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/group/collectives.hpp>

namespace {

using namespace shoal;
using emu::fiber_block;
using emu::fiber_tile;
using emu::order;

static_assert(Group<emu::fiber_block_group> && !ShuffleGroup<emu::fiber_block_group>);
static_assert(ShuffleGroup<emu::fiber_tile_group<8>> && emu::fiber_tile_group<8>::scope == scope::tile);
static_assert(emu::fiber_tile_group<32>::scope == scope::warp);
static_assert(group_size<emu::fiber_tile_group<4>> == 4 && group_size<emu::fiber_block_group> == -1);

// ThreadSanitizer gives every fiber a state of its own, which is slow to make.
#ifdef SHOAL_EMU_TSAN
constexpr int many = 64;
#else
constexpr int many = 1024;
#endif

constexpr order orders[] = {order::forward, order::reverse, order::random};

std::vector<int> order_of(const fiber_block& block) {
    std::vector<int> ran;
    block.run([&](const auto& g) { ran.push_back(g.rank()); });
    return ran;
}

TEST(fiber_block, orders) {
    std::vector<int> up(100);
    std::iota(up.begin(), up.end(), 0);
    const std::vector<int> down(up.rbegin(), up.rend());

    const auto mixed = order_of(fiber_block(100, order::random, 7));

    EXPECT_EQ(order_of(fiber_block(100, order::forward)), up);
    EXPECT_EQ(order_of(fiber_block(100, order::reverse)), down);
    EXPECT_NE(mixed, up);
    EXPECT_NE(mixed, down);
    EXPECT_EQ(order_of(fiber_block(100, order::random, 7)), mixed);
    EXPECT_NE(order_of(fiber_block(100, order::random, 8)), mixed);
    EXPECT_TRUE(std::is_permutation(mixed.begin(), mixed.end(), up.begin()));
}

// What a warp reads late, another may have overwritten: such faults show because warps go one after the other, both ways.
TEST(fiber_block, a_warp_runs_to_the_barrier_of_its_block_before_the_next_begins) {
    for (const auto o : {order::forward, order::reverse}) {
        std::vector<int> warps;

        fiber_block(96, o).run([&](const fiber_block::group& g) {
            const auto warp = g.split<32>();
            for (int round = 0; round < 2; ++round) {
                for (int k = 0; k < 3; ++k) EXPECT_EQ(warp.shuffle(g.rank(), k), g.rank() / 32 * 32 + k);
                warps.push_back(g.rank() / 32);
                g.sync();
            }
        });

        std::vector<int> expected;
        for (int round = 0; round < 2; ++round) {
            for (const int w : {0, 1, 2})
                expected.insert(expected.end(), 32, o == order::forward ? w : 2 - w);
        }
        EXPECT_EQ(warps, expected) << name(o);
    }
}

TEST(fiber_block, members_know_rank_and_size) {
    for (int n : {1, 2, 3, 31, 32, 33, 64, 65, many}) {
        std::vector<int> met(static_cast<std::size_t>(n));

        fiber_block(n).run([&](const auto& g) { met[static_cast<std::size_t>(g.rank())] += g.size(); });

        EXPECT_EQ(met, std::vector<int>(static_cast<std::size_t>(n), n));
    }
}

// A sum through shared memory needs its barriers: with them every order is right, without each wrong somewhere.
enum class barriers { all, none };

template <class G>
void rotate(const G& g, std::vector<int>& x, barriers b) {
    const auto r = static_cast<std::size_t>(g.rank());
    const int right = x[(r + 1) % x.size()];
    if (b == barriers::all) g.sync();
    x[r] = right;
    g.sync();
}

TEST(fiber_block, barriers_order_memory) {
    for (int n : {2, 3, 33, many})
        for (auto o : orders) {
            std::vector<int> x(static_cast<std::size_t>(n));
            std::iota(x.begin(), x.end(), 0);

            fiber_block(n, o).run([&](const auto& g) {
                for (int k = 0; k < 3; ++k) rotate(g, x, barriers::all);
            });

            for (int i = 0; i < n; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], (i + 3) % n);
        }
}

TEST(fiber_block, missing_barrier_shows) {
    bool seen = false;
    for (auto o : orders) {
        std::vector<int> x{0, 1, 2, 3};

        fiber_block(4, o).run([&](const auto& g) { rotate(g, x, barriers::none); });

        seen |= x != std::vector<int>{1, 2, 3, 0};
    }
    EXPECT_TRUE(seen);
}

template <class G>
void hand_over(const G& g, std::vector<int>& x, std::vector<int>& y) {
    const auto r = static_cast<std::size_t>(g.rank());
    x[r] = g.rank() + 1;
    g.sync();
    y[r] = x[(r + 1) % 4];
}
constexpr int hand_over_line = __LINE__ - 3;

TEST(fiber_block, a_barrier_can_be_skipped) {
    const auto right = [] {
        bool all = true;
        for (auto o : orders) {
            std::vector<int> x(4), y(4);
            fiber_block(4, o).run([&](const auto& g) { hand_over(g, x, y); });
            all &= y == std::vector<int>{2, 3, 4, 1};
        }
        return all;
    };
    auto& log = emu::barrier_log::global();
    const std::string line = std::to_string(hand_over_line);

    EXPECT_TRUE(right());
    log.skip("emu/test_fiber.cpp:" + line);
    EXPECT_FALSE(right());
    log.skip("emu/another_fiber.cpp:" + line);
    EXPECT_TRUE(right());
    log.skip("emu/test_fiber.cpp:" + std::to_string(hand_over_line + 1));
    EXPECT_TRUE(right());
    log.skip("");
    EXPECT_TRUE(right());
}

template <class Run>
emu::divergence caught(Run run) {
    try {
        run();
    } catch (const emu::divergence& e) {
        return e;
    }
    ADD_FAILURE() << "no divergence was reported";
    return emu::divergence(0, {});
}

TEST(divergence, two_places) {
    for (auto o : orders) {
        const int first = __LINE__ + 4;
        const auto e = caught([&] {
            fiber_block(6, o).run([](const auto& g) {
                if (g.rank() < 2) {
                    g.sync();
                } else {
                    g.sync();
                }
            });
        });

        ASSERT_EQ(e.stops().size(), 2u);
        EXPECT_EQ(e.stops()[0].where.line, first);
        EXPECT_EQ(e.stops()[1].where.line, first + 2);
        EXPECT_EQ(e.stops()[0].members, (std::vector<int>{0, 1}));
        EXPECT_EQ(e.stops()[1].members, (std::vector<int>{2, 3, 4, 5}));
        const std::string text = e.what();
        EXPECT_NE(text.find("member 0-1: waiting in sync at"), text.npos) << text;
        EXPECT_NE(text.find("test_fiber.cpp:" + std::to_string(first)), text.npos) << text;
        EXPECT_NE(text.find("test_fiber.cpp:" + std::to_string(first + 2)), text.npos) << text;
    }
}

TEST(divergence, some_returned) {
    for (auto o : orders) {
        const auto e = caught([&] {
            fiber_block(4, o).run([](const auto& g) {
                g.sync();
                if (g.rank() != 2) g.sync();
            });
        });

        ASSERT_EQ(e.stops().size(), 2u);
        EXPECT_EQ(e.stops()[0].members, (std::vector<int>{0, 1, 3}));
        EXPECT_STREQ(e.stops()[1].what, "");
        EXPECT_EQ(e.stops()[1].members, (std::vector<int>{2}));
        EXPECT_NE(std::string(e.what()).find("member 2: returned"), std::string::npos);
    }
}

TEST(divergence, shuffle_against_sync) {
    const auto e = caught([] {
        fiber_tile<8>().run([](const auto& g) {
            if (g.rank() == 0) {
                g.sync();
            } else {
                g.shuffle(1.0, 0);
            }
        });
    });

    ASSERT_EQ(e.stops().size(), 2u);
    EXPECT_STREQ(e.stops()[0].what, "sync");
    EXPECT_STREQ(e.stops()[1].what, "shuffle");
}

TEST(divergence, one_tile_of_a_block) {
    const auto e = caught([] {
        fiber_block(16).run([](const auto& g) {
            const auto t = g.template split<4>();
            if (g.rank() != 9) t.sync();
            g.sync();
        });
    });

    bool named = false;
    for (const auto& s : e.stops()) named |= s.group_first == 8 && s.group_size == 4 && s.members.size() == 3;
    EXPECT_TRUE(named) << e.what();
    EXPECT_NE(std::string(e.what()).find("(tile of 4 from member 8)"), std::string::npos) << e.what();
}

// Abandoned members must not disturb later runs.
TEST(divergence, runs_after_a_report) {
    for (int k = 0; k < 20; ++k) {
        caught([] {
            fiber_block(50).run([](const auto& g) {
                if (g.rank() % 2) g.sync();
            });
        });
        int sum = 0;
        fiber_block(50, order::random).run([&](const auto& g) {
            g.sync();
            sum += g.rank();
        });
        EXPECT_EQ(sum, 49 * 25);
    }
}

TEST(fiber_block, exceptions_arrive) {
    for (auto o : orders)
        EXPECT_THROW(fiber_block(8, o).run([](const auto& g) {
            if (g.rank() == 3) throw std::domain_error("member 3");
            g.sync();
        }),
                     std::domain_error);
    EXPECT_THROW(fiber_block(0), std::invalid_argument);
    EXPECT_THROW(fiber_block(33).run([](const auto& g) { g.template split<32>(); }), std::invalid_argument);
}

template <int W>
void shuffles() {
    for (auto o : orders) {
        int wrong = 0;
        fiber_tile<W>(o).run([&](const auto& g) {
            for (int k = 0; k < W; ++k) {
                wrong += g.shuffle(10.5 * g.rank(), k) != 10.5 * k;
                wrong += g.shuffle(g.rank(), (g.rank() + k) % W) != (g.rank() + k) % W;
                wrong += g.shuffle_xor(static_cast<float>(g.rank()), k) != static_cast<float>(g.rank() ^ k);
            }
        });
        EXPECT_EQ(wrong, 0) << W;
    }
}

TEST(fiber_tile, shuffles) {
    shuffles<1>();
    shuffles<2>();
    shuffles<4>();
    shuffles<8>();
    shuffles<16>();
    shuffles<32>();
}

TEST(fiber_tile, lanes_outside_are_refused) {
    EXPECT_THROW(fiber_tile<4>().run([](const auto& g) { g.shuffle(1, 4); }), std::out_of_range);
    EXPECT_THROW(fiber_tile<4>().run([](const auto& g) { g.shuffle(1, -1); }), std::out_of_range);
    EXPECT_THROW(fiber_tile<4>().run([](const auto& g) { g.shuffle_xor(1, 4); }), std::out_of_range);
}

// Tiles run apart from each other: one may go through many barriers before another starts.
TEST(fiber_block, tiles_are_independent) {
    for (auto o : orders) {
        std::vector<int> rounds(4);
        fiber_block(16, o).run([&](const auto& g) {
            const auto t = g.template split<4>();
            const int tile = g.rank() / 4;
            for (int k = 0; k < 3 * (tile + 1); ++k) {
                t.sync();
                if (t.rank() == 0) ++rounds[static_cast<std::size_t>(tile)];
            }
            g.sync();
        });
        EXPECT_EQ(rounds, (std::vector<int>{3, 6, 9, 12}));
    }
}

TEST(fiber_block, nested_tiles) {
    for (auto o : orders) {
        int wrong = 0;
        fiber_block(64, o).run([&](const auto& g) {
            const auto w = g.template split<32>();
            const auto t = w.template split<8>();
            wrong += t.shuffle(g.rank(), 5) != g.rank() / 8 * 8 + 5;
            wrong += w.shuffle(g.rank(), 31) != g.rank() / 32 * 32 + 31;
            w.sync();
            t.sync();
            g.sync();
        });
        EXPECT_EQ(wrong, 0);
    }
}

// The barrier's identity is the line in the op, through the wrappers too.
template <class G>
void op(const G& g) {
    g.sync();
}
constexpr int op_line = __LINE__ - 2;

TEST(fiber_block, wrapped_groups_keep_the_line) {
    const auto e = caught([] {
        fiber_block(3).run([](const auto& g) {
            if (g.rank() == 0) op(defer_sync(g));
            if (g.rank() == 1) op(with_exit_sync(defer_sync(g)));
        });
    });

    ASSERT_EQ(e.stops().size(), 2u) << e.what();
    EXPECT_EQ(e.stops()[0].where.line, op_line);
    EXPECT_EQ(e.stops()[0].members, (std::vector<int>{0, 1}));
}

TEST(fiber_tile, library_reductions) {
    for (auto o : orders) {
        const auto add = [](double a, double b) { return a + b; };
        std::vector<double> sums;
        fiber_tile<8>(o).run([&](const auto& g) {
            sums.push_back(reduce<50>(
                g, 50, 0.0, [](double s, int i) { return s + i; }, add, no_scratch{}));
        });
        double scratch[32];
        fiber_block(33, o).run([&](const auto& g) {
            sums.push_back(reduce<50>(
                g, 50, 0.0, [](double s, int i) { return s + i; }, add, scratch));
        });
        EXPECT_EQ(sums, std::vector<double>(8 + 33, 49 * 25.0));
    }
}

// Deep recursion with the stack size asked for, and the guard page when it does not suffice.
int deep(int n) {
    volatile char room[1024] = {};
    room[n % 1024] = 1;
    return n == 0 ? room[0] : deep(n - 1) + room[1023 - n % 2];
}

TEST(fiber_block, stack_size_is_settable) {
    int sum = 0;
    fiber_block(3, order::forward, 1, std::size_t{8} << 20).run([&](const auto& g) {
        sum += deep(2000);
        g.sync();
    });
    EXPECT_EQ(sum, 3);
}

TEST(fiber_block_death, overflow_is_caught_by_the_guard_page) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(fiber_block(2, order::forward, 1, 16384).run([](const auto&) { deep(1000); }), "");
}

TEST(fiber_block, many_members_through_many_barriers) {
    long sum = 0;
    fiber_block(many, order::random).run([&](const auto& g) {
        for (int k = 0; k < 100; ++k) {
            if (g.rank() == k % many) sum += k;
            g.sync();
        }
    });
    EXPECT_EQ(sum, 4950);
}

}  // namespace
