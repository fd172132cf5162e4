#pragma once

/// \file
/// The report made when the members of an emulated group do not meet in one collective call.

#include "emu/call_site.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shoal::emu {

/// Members that stopped at the same place. An empty `what` stands for members that had returned.
struct stop {
    call_site where;
    const char* what = "";
    int group_first = 0;  ///< first member of the group whose barrier it is, and its size
    int group_size = 0;
    std::vector<int> members;
};

class divergence : public std::runtime_error {
  public:
    divergence(int size, std::vector<stop> stops)
        : std::runtime_error(describe(size, stops)), stops_(std::move(stops)) {}

    const std::vector<stop>& stops() const { return stops_; }

  private:
    static std::string ranges(const std::vector<int>& m) {
        std::string text;
        for (std::size_t i = 0; i < m.size();) {
            std::size_t j = i;
            while (j + 1 < m.size() && m[j + 1] == m[j] + 1) ++j;
            if (!text.empty()) text += ", ";
            text += std::to_string(m[i]);
            if (j > i) text += "-" + std::to_string(m[j]);
            i = j + 1;
        }
        return text;
    }

    static std::string describe(int size, const std::vector<stop>& stops) {
        std::string text = "divergent barrier in a group of " + std::to_string(size);
        for (const auto& s : stops) {
            text += "\n  member " + ranges(s.members);
            if (!*s.what) {
                text += ": returned";
                continue;
            }
            text += std::string(": waiting in ") + s.what + " at " + s.where.text();
            if (s.group_size != size)
                text += " (tile of " + std::to_string(s.group_size) + " from member " +
                        std::to_string(s.group_first) + ")";
        }
        return text;
    }

    std::vector<stop> stops_;
};

}  // namespace shoal::emu
