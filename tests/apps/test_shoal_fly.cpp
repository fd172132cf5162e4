#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

// SHOAL_FLY names the program under test; CTest sets it.

namespace {

namespace fs = std::filesystem;

struct outcome {
    int code;
    std::string out, err;
};

std::string slurp(const fs::path& p) {
    std::ifstream in(p);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

class ShoalFly : public testing::Test {
  protected:
    void SetUp() override {
        const char* program = std::getenv("SHOAL_FLY");
        ASSERT_NE(program, nullptr) << "set SHOAL_FLY to the program";
        program_ = program;
        std::string name = (fs::temp_directory_path() / "shoal-fly-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override {
        if (!directory_.empty()) fs::remove_all(directory_);
    }

    outcome run(const std::string& arguments) const {
        const fs::path out = directory_ / "stdout", err = directory_ / "stderr";
        const std::string command =
            "'" + program_ + "' " + arguments + " >'" + out.string() + "' 2>'" + err.string() + "'";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
    }

    /// The file of the data directory with one piece of its text replaced.
    std::string edited(const std::string& from, const std::string& to) const {
        std::string text = slurp(std::string(SHOAL_DATA_DIR) + "/quadrotor_published.json");
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        if (at != std::string::npos) text.replace(at, from.size(), to);
        return written(text);
    }

    std::string written(const std::string& text) const {
        const fs::path p = directory_ / "problem.json";
        std::ofstream(p) << text;
        return p.string();
    }

    std::string good() const { return std::string(SHOAL_DATA_DIR) + "/quadrotor_published.json"; }
    std::string out() const { return " --out '" + (directory_ / "flight").string() + "' "; }

    void expect_refused(const std::string& arguments, const std::string& reason) const {
        const outcome o = run(arguments + out());
        EXPECT_EQ(o.code, 2) << arguments << '\n' << o.err;
        EXPECT_NE(o.err.find(reason), std::string::npos) << arguments << '\n' << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_TRUE(!o.err.empty() && o.err.back() == '\n') << o.err;
        EXPECT_EQ(o.out, "") << arguments;
        EXPECT_FALSE(fs::exists(directory_ / "flight" / "flight.json")) << arguments;
    }

    std::string program_;
    fs::path directory_;
};

}  // namespace

TEST_F(ShoalFly, FliesAndReports) {
    const outcome o = run("--problem '" + good() + "' --scenarios 3 --stages 15 --threads 1" + out());

    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("reached the goal              yes"), std::string::npos) << o.out;
    EXPECT_NE(o.err.find("m to go"), std::string::npos) << "no progress";
    const std::string json = slurp(directory_ / "flight" / "flight.json");
    for (const char* key :
         {"\"summary\"", "\"reached_goal\":true", "\"smallest_clearance\":", "\"steps_per_second\":",
          "\"share_in_linear_solver\":", "\"largest_relative_residual\":", "\"device\":\"cpu\"",
          "\"scenarios\":3", "\"stages\":15", "\"branches\"", "\"states\"", "\"inputs\"",
          "\"factor_seconds\"", "\"solve_seconds\"", "\"iterations\""})
        EXPECT_NE(json.find(key), std::string::npos) << key;
}

TEST_F(ShoalFly, StopsAfterTheStepsThatWereAskedForAndStaysQuiet) {
    const outcome o = run("--problem '" + good() +
                          "' --scenarios 2 --stages 10 --steps 3 --seed 5 --threads 1 --quiet" + out());

    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    EXPECT_NE(o.out.find("reached the goal              no"), std::string::npos) << o.out;
    EXPECT_NE(slurp(directory_ / "flight" / "flight.json").find("\"steps\":3"), std::string::npos);
}

TEST_F(ShoalFly, RefusesImpossibleArguments) {
    const std::string problem = "--problem '" + good() + "' ";
    expect_refused("", "--problem");
    expect_refused("--problem nowhere.json", "cannot open nowhere.json");
    expect_refused(problem + "--scenarios -1", "--scenarios must lie from 1");
    expect_refused(problem + "--scenarios 0", "--scenarios must lie from 1");
    expect_refused(problem + "--scenarios nan", "--scenarios");
    expect_refused(problem + "--scenarios 2.5", "--scenarios");
    expect_refused(problem + "--scenarios 99999999999999999999", "--scenarios");
    expect_refused(problem + "--stages 0", "--stages must lie from 1");
    expect_refused(problem + "--stages", "--stages");
    expect_refused(problem + "--scenarios 50000 --stages 50000", "must not exceed");
    expect_refused(problem + "--steps 0", "--steps must lie from 1");
    expect_refused(problem + "--seed -3", "--seed must lie from 0");
    expect_refused(problem + "--threads -2", "--threads must lie from 0");
    expect_refused(problem + "--device tpu", "--device must be cpu or cuda");
    expect_refused(problem + "--speed 3", "--speed");
    expect_refused(problem + "leftover", "leftover was not expected");
    expect_refused("--bogus", "--bogus was not expected");
    expect_refused("--problem 'no\nwhere'", "cannot open no where");
}

TEST_F(ShoalFly, RefusesADirectoryThatCannotBeWritten) {
    const outcome o =
        run("--problem '" + good() + "' --steps 1 --scenarios 1 --stages 5 --out /proc/nowhere");
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("cannot write"), std::string::npos) << o.err;
}

TEST_F(ShoalFly, RefusesTextThatIsNoProblem) {
    for (const char* text : {"", "{", "[]", "3", "{\"name\": \"x\",}", "{} {}", "{\"name\": NaN}", "\xff\xfe",
                             "null", "{\"name\"\n:\n\n}"})
        expect_refused("--problem '" + written(text) + "'", "problem.json");
    expect_refused("--problem '" + written("{}") + "'", "name is missing");
    expect_refused("--problem '" + directory_.string() + "'", "cannot read");
}

TEST_F(ShoalFly, RefusesImpossibleProblems) {
    const std::array<std::array<std::string, 3>, 32> cases{{
        {"\"mass\": 1.0", "\"mass\": -1.0", "vehicle.mass must be positive, not -1"},
        {"\"mass\": 1.0", "\"mass\": 1e999", "problem.json"},
        {"\"mass\": 1.0", "\"mass\": NaN", "problem.json"},
        {"\"mass\": 1.0", "\"mass\": \"1\"", "vehicle.mass must be a number"},
        {"\"mass\": 1.0", "\"mass\": null", "vehicle.mass must be a number"},
        {"\"mass\": 1.0,", "", "vehicle.mass is missing"},
        {"\"mass\": 1.0", "\"mass\": 1.0, \"mass\": 2.0", "problem.json: key mass appears twice"},
        {"\"mass\": 1.0", "\"mass\": 1.0, \"a\\nb\\u0000c\": 3", "unknown key vehicle.a b c"},
        {"\"mass\": 1.0", "\"mass\": 1.0, \"colour\": 3", "unknown key vehicle.colour"},
        {"\"gravity\"", "\"gravitation\"", "gravity is missing"},
        {"\"mass\": 1.0", "\"mass\": 30.0", "cannot hover"},
        {"\"radius\": 0.0", "\"radius\": -0.1", "vehicle.radius"},
        {"\"radius\": 0.0", "\"radius\": 5.0", "start touches obstacle 0"},
        {"\"spin\": -1", "\"spin\": 0", "spin must be 1 or -1"},
        {"\"spin\": -1", "\"spin\": 1", "cannot hover"},
        {"\"mass_relative_std\": 0.1", "\"mass_relative_std\": -0.1", "mass_relative_std"},
        {"\"seed\": 7", "\"seed\": -7", "uncertainty.seed must be an integer"},
        {"\"seed\": 7", "\"seed\": 7.5", "uncertainty.seed must be an integer"},
        {"\"scenarios\": 100", "\"scenarios\": -1", "defaults.scenarios must be an integer"},
        {"\"stages\": 30", "\"stages\": 0", "defaults.stages must be an integer"},
        {"\"horizon_seconds\": 3.0", "\"horizon_seconds\": 0", "horizon_seconds"},
        {"\"horizon_seconds\": 3.0", "\"horizon_seconds\": 1e-9", "control steps; 1 to"},
        {"\"horizon_seconds\": 3.0", "\"horizon_seconds\": 1e300", "control steps; 1 to"},
        {"\"time_limit\": 10.0", "\"time_limit\": 1e300", "control steps; 1 to"},
        {"\"terminal_factor\": 10.0", "\"terminal_factor\": -1", "weights"},
        {"\"attitude_limit\": 1.2", "\"attitude_limit\": 2", "attitude_limit"},
        {"\"time_limit\": 10.0", "\"time_limit\": 0", "success"},
        {"\"obstacles\": [", "\"obstacles\": 3, \"others\": [", "obstacles must be an array"},
        {"\"obstacles\": [", "\"obstacles\": [{\"centre\": [2.0, 0.9], \"radius\": 1},",
         "array of three numbers"},
        {"\"obstacles\": [", "\"obstacles\": [{\"centre\": [2.0, 0.9, 1.1], \"radius\": 0.2},",
         "goal touches obstacle 0"},
        {"\"obstacles\": [", "\"obstacles\": [{\"centre\": [5, 5, 5], \"radius\": -0.2},",
         "obstacle 0 needs"},
        {"\"start\": {", "\"start\": [1, 2], \"begin\": {", "start must be an object"},
    }};
    for (const auto& [from, to, reason] : cases)
        expect_refused("--problem '" + edited(from, to) + "'", reason);
}

TEST_F(ShoalFly, RefusesAGoalThatNoWayLeadsTo) {
    std::string cage;
    for (const char* centre :
         {"0.5, 0, 0", "-0.5, 0, 0", "0, 0.5, 0", "0, -0.5, 0", "0, 0, 0.5", "0, 0, -0.5"})
        cage += std::string("{\"centre\": [") + centre + "], \"radius\": 0.45},";
    expect_refused("--problem '" + edited("\"obstacles\": [", "\"obstacles\": [" + cage) + "'",
                   "no way from start to goal");
}

TEST_F(ShoalFly, HelpIsNoFailure) {
    const outcome o = run("--help");
    EXPECT_EQ(o.code, 0);
    EXPECT_NE(o.out.find("--scenarios"), std::string::npos);
    const outcome version = run("--version");
    EXPECT_EQ(version.code, 0);
    EXPECT_NE(version.out.find("shoal-fly "), std::string::npos);
}

TEST_F(ShoalFly, TheGoalIsNotReachedBeforeTheVehicleIsThere) {
    const outcome o = run("--problem '" + edited("\"hold_seconds\": 0.5", "\"hold_seconds\": 0") +
                          "' --scenarios 1 --stages 10 --steps 2 --threads 1 --quiet" + out());
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("reached the goal              no"), std::string::npos) << o.out;
}
