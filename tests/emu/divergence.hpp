#pragma once

/// \file
/// The report made when the members of an emulated group do not meet in one collective call.

#include "emu/call_site.hpp"

#include <sstream>
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
        std::ostringstream s;
        for (std::size_t i = 0; i < m.size();) {
            std::size_t j = i;
            while (j + 1 < m.size() && m[j + 1] == m[j] + 1) ++j;
            s << (i == 0 ? "" : ", ") << m[i];
            if (j > i) s << "-" << m[j];
            i = j + 1;
        }
        return s.str();
    }

    static std::string describe(int size, const std::vector<stop>& stops) {
        std::ostringstream s;
        s << "divergent barrier in a group of " << size;
        for (const auto& at : stops) {
            s << "\n  member " << ranges(at.members);
            if (!*at.what) {
                s << ": returned";
                continue;
            }
            s << ": waiting in " << at.what << " at " << at.where.name();
            if (at.group_size != size)
                s << " (tile of " << at.group_size << " from member " << at.group_first << ")";
        }
        return s.str();
    }

    std::vector<stop> stops_;
};

}  // namespace shoal::emu
