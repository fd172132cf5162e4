#pragma once

#include <shoal/core/macros.hpp>

namespace shoal {

/// Why a host call did not do its work.
enum class status_code {
    ok,
    invalid_argument,  ///< an argument cannot be right: nothing was started
    unsupported,       ///< right, but not possible here (size, memory, device): nothing was started
    device_error,      ///< the driver refused
};

/// What the launch layer returns: a code and a message that names the argument. Holds no memory: messages are literals
/// or belong to the driver. Numerical failure is not a status, but the info of a system.
class [[nodiscard]] status {
  public:
    constexpr status() = default;
    constexpr status(status_code code, const char* message) : code_(code), message_(message) {}

    constexpr bool ok() const { return code_ == status_code::ok; }
    constexpr status_code code() const { return code_; }
    /// Empty when all is well.
    constexpr const char* message() const { return message_; }

  private:
    status_code code_ = status_code::ok;
    const char* message_ = "";
};

}  // namespace shoal
