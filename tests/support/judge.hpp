#pragma once

/// \file
/// What both lanes demand of a run.

#include "emu/text.hpp"
#include "support/arena.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace shoal::support {

/// Whether all groups must give the same bits. `differs` is for paths that are documented to reorder sums: then every
/// group's result is checked.
enum class across_groups { same_bits, differs };

inline bool asked_for(const char* variable) {
    const char* s = std::getenv(variable);
    return s && *s && std::string_view(s) != "0";
}
/// Whether the long lists were asked for.
inline bool full_lists() {
    return asked_for("SHOAL_TEST_FULL");
}
/// Whether a group of each kind is enough, as under a tool that makes every launch slow.
inline bool few_groups() {
    return asked_for("SHOAL_TEST_FEW");
}

namespace detail {

template <class Case, class G>
constexpr bool supports() {
    if constexpr (requires { Case::template supports<G>; }) {
        return Case::template supports<G>;
    } else {
        return true;
    }
}

/// Judges the buffers of one case, group after group.
template <class T, class Check>
class judge {
  public:
    judge(const arena<T>& a, const Check& check, across_groups bits)
        : arena_(a), check_(check), bits_(bits) {}

    /// The first failures say it all.
    bool enough() const { return failures_ >= 3; }

    void failed(const std::string& group, const std::string& why) {
        ++failures_;
        ADD_FAILURE() << "on " << group << ": " << why;
    }

    void run(const std::string& group, const T* got, int members) {
        if (const auto v = arena_.violation(got, members); !v.empty()) return failed(group, v);
        if (!reference_.empty() && bits_ == across_groups::same_bits) {
            if (const auto d = arena_.difference(reference_.data(), got); !d.empty())
                failed(group, emu::text(d, " as on ", reference_group_));
            return;
        }
        if (reference_.empty()) {
            reference_.assign(got, got + arena_.size());
            reference_group_ = group;
        }
        testing::ScopedTrace trace(__FILE__, __LINE__, emu::text("on ", group));
        check_(outcome<T>(got));
    }

    void finish() const {
        if (reference_.empty() && failures_ == 0) ADD_FAILURE() << "the case supports no group of this lane";
    }

  private:
    const arena<T>& arena_;
    const Check& check_;
    across_groups bits_;
    int failures_ = 0;
    std::vector<T> reference_;
    std::string reference_group_;
};

}  // namespace detail
}  // namespace shoal::support
