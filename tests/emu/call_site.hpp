#pragma once

/// \file
/// Where a collective call was written: the identity of a barrier.
///
/// `std::source_location` is not offered by every supported compiler; the builtins below are, and as default
/// arguments they name the caller's line in the same way.

#include "emu/text.hpp"

#include <cstring>
#include <string>

namespace shoal::emu {

struct call_site {
    const char* file = "";
    int line = 0;

    static constexpr call_site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }

    std::string name() const { return text(file, ":", line); }

    // The same header included in two translation units may give two copies of its name.
    friend bool operator==(const call_site& a, const call_site& b) {
        return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
    }
};

}  // namespace shoal::emu
