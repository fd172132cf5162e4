#pragma once

/// \file
/// Barrier mutation: which barriers the emulated groups met, and one barrier to leave out.
///
/// - `SHOAL_EMU_LIST=FILE`: when the program ends, one line per barrier and context is appended to FILE:
///   `file:line <tab> meetings <tab> inner meetings <tab> context`. A meeting is inner unless it was the last one
///   of its run. The context is the running test, told through `barrier_log::enter`.
/// - `SHOAL_EMU_SKIP=file:line`: all members run through that `sync()` without waiting. The file
///   may be the end of a path.
///
/// `tools/mutate-barriers` drives both.

#include "emu/call_site.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace shoal::emu {

class barrier_log {
  public:
    static barrier_log& global() {
        static barrier_log log;
        return log;
    }

    /// Names what runs from now on.
    void enter(std::string context) { context_ = std::move(context); }

    bool listing() const { return list_ != nullptr; }
    bool skipping() const { return skip_line_ != 0; }

    bool skipped(const call_site& at) const {
        return at.line == skip_line_ && std::string_view(at.file).ends_with(skip_file_);
    }

    void met(const call_site& at) { ++counts_[{at.name(), context_}].meetings; }
    void ended_with(const call_site& at) { ++counts_[{at.name(), context_}].last; }

    /// Makes `sync()` at `at` ("file:line") a no-op; empty: none.
    void skip(std::string_view at) {
        const auto colon = at.rfind(':');
        skip_line_ = colon == at.npos ? 0 : std::atoi(std::string(at.substr(colon + 1)).c_str());
        skip_file_ = at.substr(0, colon);
    }

    barrier_log(const barrier_log&) = delete;
    barrier_log& operator=(const barrier_log&) = delete;

    ~barrier_log() {
        if (!list_) return;
        std::string lines;
        for (const auto& [key, n] : counts_)
            lines += text(key.first, '\t', n.meetings, '\t', n.meetings - n.last, '\t', key.second, '\n');
        if (std::FILE* f = std::fopen(list_, "a")) {
            std::fwrite(lines.data(), 1, lines.size(), f);
            std::fclose(f);
        } else {
            std::fprintf(stderr, "SHOAL_EMU_LIST: cannot write %s\n", list_);
        }
    }

  private:
    struct count {
        long meetings = 0;
        long last = 0;
    };

    barrier_log() : list_(std::getenv("SHOAL_EMU_LIST")) {
        if (list_ && !*list_) list_ = nullptr;
        if (const char* s = std::getenv("SHOAL_EMU_SKIP")) skip(s);
    }

    const char* list_;
    std::string skip_file_;
    int skip_line_ = 0;
    std::string context_;
    std::map<std::pair<std::string, std::string>, count> counts_;
};

}  // namespace shoal::emu
