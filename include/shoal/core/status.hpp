#pragma once

#include <concepts>

#include <shoal/core/macros.hpp>

namespace shoal {

/// Why a host call did not do its work.
enum class status_code {
    ok,
    invalid_argument,  ///< an argument cannot be right: nothing was started
    unsupported,       ///< right, but not possible here (size, memory, device): nothing was started
    device_error,      ///< the driver refused
};

/// What the launch layer returns: a code and a message that names the argument, what was given and what is needed. Takes
/// no memory from the heap. Numerical failure is not a status, but the info of a system.
class [[nodiscard]] status {
  public:
    constexpr status() = default;
    /// The message is made of the parts, texts and integers, one behind the other; it ends where there is no more room.
    template <class... Parts>
    constexpr status(status_code code, const Parts&... parts) : code_(code) {
        (append(parts), ...);
    }

    constexpr bool ok() const { return code_ == status_code::ok; }
    constexpr status_code code() const { return code_; }
    /// Empty when all is well.
    constexpr const char* message() const { return text_; }

  private:
    constexpr void append(const char* text) {
        for (; *text != '\0' && length_ < room - 1; ++text) text_[length_++] = *text;
    }
    constexpr void append(std::integral auto number) {
        if (number < 0) append("-");
        constexpr int most_digits = 20;
        char digits[most_digits + 1] = {};
        int first = most_digits;
        // The remainder has the sign of the number: negating the smallest one would overflow.
        for (auto rest = number; first == most_digits || rest != 0;
             rest = static_cast<decltype(rest)>(rest / 10)) {
            const int digit = static_cast<int>(rest % 10);
            digits[--first] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
        }
        append(digits + first);
    }

    static constexpr int room = 240;
    status_code code_ = status_code::ok;
    int length_ = 0;
    char text_[room] = {};
};

}  // namespace shoal
