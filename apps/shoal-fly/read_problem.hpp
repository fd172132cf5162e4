#pragma once

#include <stdexcept>
#include <string>

#include <shoal/mpc/problem.hpp>

namespace shoal_fly {

/// Why the input cannot be flown, in one line.
struct input_error : std::runtime_error {
    /// Control characters, which paths and keys may hold, are shown as spaces.
    explicit input_error(std::string what);
};

/// Reads a problem file; throws input_error for anything but a complete, known and possible problem.
shoal::mpc::flight_problem read_problem(const std::string& path);

}  // namespace shoal_fly
