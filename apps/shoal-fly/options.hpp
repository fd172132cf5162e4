#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <shoal/mpc/problem.hpp>

namespace shoal_fly {

struct options {
    std::string problem;
    std::string out = "out";
    std::string device = "cpu";
    std::optional<int> scenarios, stages;
    std::optional<std::uint64_t> seed;
    int steps = 0;    ///< 0: as many as the time limit allows
    int threads = 0;  ///< 0: one per core
    bool quiet = false;
};

enum class parse_outcome { fly, help_shown };

/// Throws input_error for anything but a complete and possible command line.
parse_outcome parse(int argc, char** argv, options& out);

}  // namespace shoal_fly
