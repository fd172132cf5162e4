#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <shoal/batched/executor.hpp>
#include <shoal/core/status.hpp>
#include <shoal/group/thread.hpp>

namespace shoal::batched {

/// What a batch calls for one system: `body(group, system)`, which returns its info or nothing.
template <class Body, class G>
concept SystemBody = requires(const Body& body, const G& g, std::int64_t system) {
    body(g, system);
};

namespace detail {

template <class Body, class G>
inline constexpr bool reports =
    !std::same_as<void, decltype(std::declval<const Body&>()(std::declval<const G&>(), std::int64_t{}))>;

/// What every launcher refuses before anything runs.
constexpr status check_systems(std::int64_t systems) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (systems < 0 || systems > most) {
        return {status_code::invalid_argument, "batched: systems is ",
                systems < 0 ? "negative" : "larger than 2^40", ": ", systems};
    }
    return {};
}

}  // namespace detail

/// body(this_thread(), s) for s = 0 .. systems - 1, each once, shared by the threads of the executor; returns when all
/// are done.
///
/// Calls of different systems may overlap, so a body writes only what belongs to its system. A body's value is its
/// info: it goes to info[s] unless `info` is null, and a failure of one system leaves the others as they are. No
/// systems: nothing is called, and pointers may be null. Allocates nothing.
template <SystemBody<thread_group> Body>
status launch(executor& threads, std::int64_t systems, const Body& body, int* info = nullptr) {
    if (const status bad = detail::check_systems(systems); !bad.ok()) return bad;
    threads.parallel_for(systems, [&](std::int64_t s, int) {
        if constexpr (detail::reports<Body, thread_group>) {
            const int k = body(this_thread(), s);
            if (info != nullptr) info[s] = k;
        } else {
            body(this_thread(), s);
        }
    });
    return {};
}

/// The same on the threads that `set_num_threads` gave: one, the caller, at first.
template <SystemBody<thread_group> Body>
status launch(std::int64_t systems, const Body& body, int* info = nullptr) {
    return launch(*shared_executor(), systems, body, info);
}

}  // namespace shoal::batched
