// The barrier log and tools/mutate-barriers, on this very program: the tests named `subject` are what the tool runs.

#include "emu/fiber.hpp"
#include "support/emulated_lane.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <shoal/group/collectives.hpp>

namespace {

using namespace shoal;
namespace fs = std::filesystem;

/// Notices each barrier of `broadcast`.
TEST(subject, broadcast) {
    EXPECT_EQ(std::getenv("SHOAL_SUBJECT_FAILS"), nullptr);
    for (auto o : {emu::order::forward, emu::order::reverse, emu::order::random}) {
        std::vector<int> got;
        int scratch[1] = {-1};
        emu::fiber_block(5, o).run([&](const auto& g) {
            for (int source = 0; source < 5; ++source)
                got.push_back(broadcast(g, g.rank(), source, scratch) - source);
        });
        EXPECT_EQ(got, std::vector<int>(25));
    }
}

/// Meets the barriers of `reduce`, and cannot miss them: one member alone.
TEST(subject, reduces_alone) {
    double scratch[32];
    emu::fiber_block(1).run([&](const auto& g) {
        const auto add = [](double a, double b) { return a + b; };
        EXPECT_EQ(reduce<4>(
                      g, 4, 0.0, [](double s, int i) { return s + i; }, add, scratch),
                  6.0);
    });
}

struct done {
    int code;
    std::string output;
};

done shell(const std::string& command) {
    done d{-1, ""};
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) return d;
    std::array<char, 4096> piece;
    while (const auto n = std::fread(piece.data(), 1, piece.size(), pipe)) d.output.append(piece.data(), n);
    const int status = pclose(pipe);
    d.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return d;
}

/// A directory with a copy of this program in it.
class mutation : public testing::Test {
  protected:
    mutation() : room_(fs::temp_directory_path() / emu::text("shoal_mutation_", getpid())) {
        fs::create_directories(room_);
        fs::copy_file("/proc/self/exe", room_ / "test_subject", fs::copy_options::overwrite_existing);
    }
    ~mutation() override { fs::remove_all(room_); }

    done tool(const std::string& environment, const std::string& arguments) const {
        return shell(emu::text(environment, " python3 '", SHOAL_SOURCE_DIR,
                               "/tools/mutate-barriers' --jobs 1 ", arguments, " '", room_.string(), "'"));
    }

    fs::path room_;
};

TEST_F(mutation, the_log_counts_meetings_by_test) {
    const auto list = room_ / "list";
    const auto ran = shell(emu::text("SHOAL_EMU_LIST='", list.string(), "' '",
                                     (room_ / "test_subject").string(), "' --gtest_filter='subject.*'"));
    ASSERT_EQ(ran.code, 0) << ran.output;

    // Three orders, five rounds, two barriers; the last of all is no inner one.
    int first = 0, last = 0, alone = 0, lines = 0;
    std::ifstream in(list);
    for (std::string line; std::getline(in, line); ++lines) {
        std::string site, test;
        int meetings = 0, inner = 0;
        std::istringstream(line) >> site >> meetings >> inner >> test;
        EXPECT_NE(site.find("include/shoal/group/collectives.hpp:"), site.npos) << line;
        first += test == "subject.broadcast" && meetings == 15 && inner == 15;
        last += test == "subject.broadcast" && meetings == 15 && inner == 12;
        alone += test == "subject.reduces_alone" && meetings == 1;
    }
    EXPECT_EQ(first, 1);
    EXPECT_EQ(last, 1);
    EXPECT_EQ(alone, 2);
    EXPECT_EQ(lines, 4);
}

TEST_F(mutation, killed_and_survived_are_told_apart) {
    const auto r = tool("GTEST_FILTER='subject.*'", "--op collectives");

    int killed = 0, survived = 0;
    std::istringstream lines(r.output);
    for (std::string line; std::getline(lines, line);) {
        killed += line.find("killed    subject.broadcast") != line.npos;
        survived += line.find("SURVIVED  ") != line.npos;
    }
    EXPECT_EQ(r.code, 1) << r.output;
    EXPECT_EQ(killed, 2) << r.output;
    EXPECT_EQ(survived, 2) << r.output;
}

TEST_F(mutation, barriers_that_no_test_meets_survive) {
    const auto r = tool("GTEST_FILTER=subject.broadcast", "--op collectives");

    EXPECT_EQ(r.code, 1) << r.output;
    EXPECT_NE(r.output.find("SURVIVED  no test meets it"), r.output.npos) << r.output;
}

TEST_F(mutation, headers_without_barriers_are_fine) {
    const auto r = tool("GTEST_FILTER='subject.*'", "--op layout");

    EXPECT_EQ(r.code, 0) << r.output;
}

TEST_F(mutation, tests_that_fail_anyway_are_an_error) {
    EXPECT_EQ(tool("SHOAL_SUBJECT_FAILS=1 GTEST_FILTER='subject.*'", "--op collectives").code, 2);
    EXPECT_EQ(tool("GTEST_FILTER='subject.*'", "--op no_such_op").code, 2);
}

}  // namespace
