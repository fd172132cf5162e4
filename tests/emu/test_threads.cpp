#include "emu/threads.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/group/collectives.hpp>

namespace {

using namespace shoal;
using emu::thread_block;
using emu::thread_tile;

static_assert(Group<emu::thread_block_group> && !ShuffleGroup<emu::thread_block_group>);
static_assert(ShuffleGroup<emu::thread_tile_group<8>>);

template <class G>
void rotate(const G& g, std::vector<int>& x) {
    const auto r = static_cast<std::size_t>(g.rank());
    const int right = x[(r + 1) % x.size()];
    g.sync();
    x[r] = right;
    g.sync();
}

TEST(thread_block, barriers_order_memory) {
    for (int n : {1, 2, 3, 33, 64}) {
        std::vector<int> x(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = i;

        thread_block(n).run([&](const auto& g) {
            for (int k = 0; k < 20; ++k) rotate(g, x);
        });

        for (int i = 0; i < n; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], (i + 20) % n);
    }
}

template <int W>
void shuffles() {
    std::vector<int> wrong(W);
    thread_tile<W>().run([&](const auto& g) {
        auto& w = wrong[static_cast<std::size_t>(g.rank())];
        for (int k = 0; k < W; ++k) {
            w += g.shuffle(10.5 * g.rank(), k) != 10.5 * k;
            w += g.shuffle(g.rank(), (g.rank() + k) % W) != (g.rank() + k) % W;
            w += g.shuffle_xor(static_cast<float>(g.rank()), k) != static_cast<float>(g.rank() ^ k);
        }
    });
    EXPECT_EQ(wrong, std::vector<int>(W));
}

TEST(thread_tile, shuffles) {
    shuffles<1>();
    shuffles<2>();
    shuffles<4>();
    shuffles<16>();
    shuffles<32>();
}

TEST(thread_block, tiles_are_independent) {
    std::vector<int> rounds(4);
    thread_block(16).run([&](const auto& g) {
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

TEST(thread_block, library_reductions) {
    const auto add = [](double a, double b) { return a + b; };
    std::vector<double> sums(33);
    double scratch[32];
    thread_block(33).run([&](const auto& g) {
        sums[static_cast<std::size_t>(g.rank())] = reduce<50>(
            g, 50, 0.0, [](double s, int i) { return s + i; }, add, scratch);
    });
    EXPECT_EQ(sums, std::vector<double>(33, 49 * 25.0));
}

TEST(thread_block, divergence_is_reported) {
    const auto message = [](const auto& body) -> std::string {
        try {
            thread_block(6).run(body);
        } catch (const emu::divergence& e) {
            return e.what();
        }
        return "";
    };

    const auto places = message([](const auto& g) {
        if (g.rank() < 2) {
            g.sync();
        } else {
            g.sync();
        }
    });
    const auto returned = message([](const auto& g) {
        g.sync();
        if (g.rank() != 2) g.sync();
    });

    EXPECT_NE(places.find("member 0-1: waiting in sync at"), places.npos) << places;
    EXPECT_NE(places.find("member 2-5: waiting in sync at"), places.npos) << places;
    EXPECT_NE(returned.find("member 2: returned"), returned.npos) << returned;
}

TEST(thread_block, exceptions_arrive) {
    EXPECT_THROW(thread_block(8).run([](const auto& g) {
        if (g.rank() == 3) throw std::domain_error("member 3");
        g.sync();
    }),
                 std::domain_error);
    EXPECT_THROW(thread_tile<4>().run([](const auto& g) { g.shuffle(1, 4); }), std::out_of_range);
}

#ifdef SHOAL_EMU_TSAN
// What the barriers of the emulator must not hide. Each body runs in a process of its own.
template <class Body>
void race_is_found(Body body) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    setenv("TSAN_OPTIONS", "halt_on_error=1:exitcode=66", 1);
    EXPECT_EXIT(
        {
            body();
            std::_Exit(0);
        },
        testing::ExitedWithCode(66), "data race");
}

TEST(thread_block_death, missing_barrier) {
    race_is_found([] {
        std::vector<int> x(8);
        thread_block(8).run([&](const auto& g) {
            g.sync();
            const auto r = static_cast<std::size_t>(g.rank());
            x[r] = x[(r + 1) % 8] + 1;
            g.sync();
        });
    });
}

TEST(thread_block_death, a_tile_barrier_does_not_serve_the_block) {
    race_is_found([] {
        std::vector<int> x(8);
        thread_block(8).run([&](const auto& g) {
            const auto r = static_cast<std::size_t>(g.rank());
            x[r] = g.rank();
            g.template split<4>().sync();
            const volatile int right = x[(r + 1) % 8];
            (void)right;
        });
    });
}

TEST(thread_block_death, a_shuffle_is_no_barrier) {
    race_is_found([] {
        std::vector<int> x(8);
        thread_tile<8>().run([&](const auto& g) {
            const auto r = static_cast<std::size_t>(g.rank());
            x[r] = g.shuffle(g.rank(), 0);
            g.shuffle(1, 0);
            const volatile int right = x[(r + 1) % 8];
            (void)right;
        });
    });
}
#endif

}  // namespace
