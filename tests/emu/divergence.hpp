#pragma once

/// \file
/// The report made when the members of an emulated group do not meet in one collective call.

#include "emu/call_site.hpp"

#include <cstring>
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

/// Where the members of a group wait, in order of the first that waits there.
template <class Meeting, class Members>
std::vector<stop> where_they_stopped(const Members& members) {
    std::vector<stop> stops;
    std::vector<const Meeting*> at;
    for (std::size_t r = 0; r < members.size(); ++r) {
        const auto& m = *members[r];
        const Meeting* const here = m.returned ? nullptr : m.at;
        const auto same = [&](std::size_t i) {
            return at[i] == here &&
                   (!here || (stops[i].where == m.where && std::strcmp(stops[i].what, m.what) == 0));
        };
        std::size_t i = 0;
        while (i < stops.size() && !same(i)) ++i;
        if (i == stops.size()) {
            stops.push_back(here ? stop{m.where, m.what, here->first, here->count, {}} : stop{});
            at.push_back(here);
        }
        stops[i].members.push_back(static_cast<int>(r));
    }
    return stops;
}

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
