#pragma once

#include <sstream>
#include <string>

namespace shoal::emu {

/// All parts in one string. (Sums of a literal and a temporary string raise false overlap warnings in g++ 12 at -O3.)
template <class... Part>
std::string text(const Part&... part) {
    std::ostringstream s;
    (s << ... << part);
    return s.str();
}

}  // namespace shoal::emu
