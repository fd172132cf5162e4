#pragma once

#include <shoal/group/concept.hpp>

namespace shoal {

/// One thread, on host or device: the group of one member, whose barrier is empty.
struct thread_group {
    static constexpr shoal::scope scope = shoal::scope::thread;
    static constexpr int static_size = 1;
    SHOAL_FN static constexpr int rank() { return 0; }
    SHOAL_FN static constexpr int size() { return 1; }
    SHOAL_FN static constexpr void sync() {}
    template <class T>
    SHOAL_FN static constexpr T shuffle(T x, int) {
        return x;
    }
    template <class T>
    SHOAL_FN static constexpr T shuffle_xor(T x, int) {
        return x;
    }
};

/// The calling thread.
SHOAL_FN constexpr thread_group this_thread() {
    return {};
}

}  // namespace shoal
