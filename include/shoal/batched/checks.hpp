#pragma once

#include <shoal/batched/operands.hpp>
#include <shoal/core/status.hpp>

namespace shoal::batched::detail {

/// Refuses an operand that has elements but no memory.
template <Operand A>
constexpr status check_read(const A& a, std::int64_t systems, const char* null_message) {
    if (systems > 0 && !a.empty() && a.null()) return {status_code::invalid_argument, null_message};
    return {};
}

/// Refuses an operand that has elements but no memory, or one memory for several systems that each would write.
template <Operand A>
constexpr status check_write(const A& a, std::int64_t systems, const char* null_message,
                             const char* shared_message) {
    if (const status bad = check_read(a, systems, null_message); !bad.ok()) return bad;
    if (systems > 1 && !a.empty() && a.shared()) return {status_code::invalid_argument, shared_message};
    return {};
}

/// The first that is not ok.
constexpr status first_bad(status a) {
    return a;
}
template <class... Rest>
constexpr status first_bad(status a, Rest... rest) {
    return a.ok() ? first_bad(rest...) : a;
}

}  // namespace shoal::batched::detail
