// The lane must fail where a case is wrong. Each defect below is one that a real op has had somewhere.

#include "support/lane.hpp"

#include <string>
#include <vector>

#include <gtest/gtest-spi.h>

namespace {

using namespace shoal::support;

enum class defect {
    none,
    no_inner_barrier,
    no_exit_barrier,
    scratch_in_use,
    writes_padding,
    writes_input,
    members_disagree,
    bits_by_size,
    divergent,
    returns_early,
    gives_nan,
};

/// y := x reversed, by way of scratch, with a defect.
struct reverse_case {
    piece x, y, seen, room, info;
    defect what;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto X = x.vector(buffer), Y = y.vector(buffer);
        const int n = Y.size();
        T* const s = room.data(buffer);
        if (what == defect::returns_early && g.rank() == 1) return;
        for (int i = g.rank(); i < n; i += g.size()) s[i] = X(i);
        if (what != defect::no_inner_barrier) g.sync();
        for (int i = g.rank(); i < n; i += g.size()) Y(i) = s[n - 1 - i];
        if (what == defect::bits_by_size && g.size() == 3 && g.rank() == 0) Y(0) += T(0x1p-20);
        if (what == defect::gives_nan && g.rank() == 0) Y(0) = poison<T>();
        if (what == defect::writes_padding && g.rank() == 0) buffer[y.at(n)] = T(0);
        if (what == defect::writes_input && g.rank() == 0) X(0) = T(1);
        if (what == defect::divergent) {
            if (g.rank() == 0) {
                g.sync();
            } else {
                g.sync();
            }
        } else if (what != defect::no_exit_barrier && what != defect::scratch_in_use) {
            g.sync();
        }
        info.mine(g, buffer) = what == defect::members_disagree ? T(g.rank()) : T(0);
        if (what == defect::scratch_in_use) trample(g, buffer, room);
        if (what != defect::scratch_in_use) observe(g, buffer, y, seen);
    }
};

/// Messages of all failures that running with this defect makes.
std::vector<std::string> failures_with(defect what) {
    testing::TestPartResultArray results;
    {
        testing::ScopedFakeTestPartResultReporter reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
        random_stream r(1);
        const int n = 70;
        const auto x = random_matrix<double>(n, 1, r);
        arena<double> a;
        const reverse_case c{a.input(x), a.output(n, 1), a.output(n, 1), a.scratch(n), a.per_member(), what};
        if (what == defect::scratch_in_use) a.forbid(c.seen, [](int, int) { return true; });
        run_on_all_groups(c, a, [&](const outcome<double>& out) {
            const auto expected = dense<double>::from(n, 1, [&](int i, int) { return x(n - 1 - i); });
            EXPECT_TRUE(within(relative_error(out(c.y), expected), 0));
            if (what != defect::scratch_in_use) {
                EXPECT_TRUE(bits_equal(out(c.seen), out(c.y)));
            }
            EXPECT_EQ(out.info(c.info), 0);
        });
    }
    std::vector<std::string> messages;
    for (int i = 0; i < results.size(); ++i) messages.push_back(results.GetTestPartResult(i).message());
    return messages;
}

bool all_contain(const std::vector<std::string>& messages, const std::string& text) {
    for (const auto& m : messages)
        if (m.find(text) == m.npos) return false;
    return !messages.empty();
}

TEST(lane, passes_what_is_right) {
    EXPECT_EQ(failures_with(defect::none).size(), 0u);
}

#ifdef SHOAL_EMU_TSAN
// Bodies with races are ThreadSanitizer's business here, not the comparison's.
#else
TEST(lane, sees_a_missing_inner_barrier) {
    EXPECT_FALSE(failures_with(defect::no_inner_barrier).empty());
}

TEST(lane, sees_a_missing_exit_barrier) {
    EXPECT_TRUE(all_contain(failures_with(defect::no_exit_barrier), "operand 2"));
}

TEST(lane, sees_scratch_given_back_too_early) {
    EXPECT_TRUE(all_contain(failures_with(defect::scratch_in_use), "operand 1"));
}

TEST(lane, sees_bits_that_depend_on_the_group) {
    EXPECT_TRUE(all_contain(failures_with(defect::bits_by_size), "on block(3)"));
}
#endif

TEST(lane, sees_writes_past_the_end) {
#ifdef SHOAL_EMU_ASAN
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(failures_with(defect::writes_padding), "use-after-poison");
#else
    EXPECT_TRUE(all_contain(failures_with(defect::writes_padding), "red zone"));
#endif
}

TEST(lane, sees_writes_to_inputs) {
    EXPECT_TRUE(all_contain(failures_with(defect::writes_input), "read-only operand 0"));
}

TEST(lane, sees_members_that_disagree) {
    EXPECT_TRUE(all_contain(failures_with(defect::members_disagree), "member 1 says"));
}

TEST(lane, sees_divergence) {
    EXPECT_TRUE(all_contain(failures_with(defect::divergent), "divergent barrier"));
    EXPECT_TRUE(all_contain(failures_with(defect::returns_early), "member 1: returned"));
}

// A maximum of errors taken with `>` would let this pass.
TEST(lane, sees_nan_results) {
    EXPECT_TRUE(all_contain(failures_with(defect::gives_nan), "error nan exceeds 0"));
}

/// A case for tiles and warps alone.
struct shuffle_case {
    piece y;
    template <class G>
    static constexpr bool supports = (shoal::group_size<G> > 1);

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const T x = g.shuffle(T(g.rank() + 1), 1);
        if (g.rank() == 0) buffer[y.at(0)] = x;
    }
};

TEST(lane, runs_only_what_a_case_supports) {
    arena<float> a;
    const shuffle_case c{a.output(1, 1)};
    int checked = 0;

    run_on_all_groups(c, a, [&](const outcome<float>& out) {
        ++checked;
        EXPECT_EQ(out.value(c.y), 2.0f);
    });

    EXPECT_EQ(checked, 1);
}

struct unsupported_case {
    template <class G>
    static constexpr bool supports = false;
    template <class G, class T>
    SHOAL_FN void operator()(const G&, T*) const {}
};

TEST(lane, a_case_that_never_runs_fails) {
    arena<float> a;
    a.output(1, 1);
    EXPECT_NONFATAL_FAILURE(run_on_all_groups(unsupported_case{}, a, [](const outcome<float>&) {}),
                            "supports no group");
}

/// Results that may differ are checked on every group.
struct size_case {
    piece y;
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        if (g.rank() == 0) buffer[y.at(0)] = T(g.size());
    }
};

TEST(lane, differing_results_are_all_checked) {
    arena<double> a;
    const size_case c{a.output(1, 1)};
    std::vector<double> sizes;

    run_on_all_groups(
        c, a, [&](const outcome<double>& out) { sizes.push_back(out.value(c.y)); }, across_groups::differs);

    int groups = 0;
    for_each_group([&](const std::string&, const auto&) { ++groups; });
    EXPECT_EQ(static_cast<int>(sizes.size()), groups);
    EXPECT_GE(groups, 5);
}

}  // namespace
