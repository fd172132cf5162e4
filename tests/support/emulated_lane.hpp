#pragma once

/// \file
/// Test bodies on one thread, emulated tiles and emulated blocks. Under ThreadSanitizer the members are real threads
/// instead of fibers: fibers cannot race.

#include "emu/barrier_log.hpp"
#include "emu/fiber.hpp"
#include "emu/threads.hpp"
#include "support/arena.hpp"
#include "support/judge.hpp"

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/group/thread.hpp>

#ifdef SHOAL_EMU_ASAN
#  include <sanitizer/asan_interface.h>
#endif

namespace shoal::support {

/// One thread, with the interface of the emulators.
struct thread_runner {
    using group = shoal::thread_group;
    static constexpr int size() { return 1; }
    template <class Body>
    void run(Body&& body) const {
        body(shoal::this_thread());
    }
};

/// Calls `f(name, runner)` for every group that tests run on: `runner.run(body)` executes `body(group)` on all its
/// `runner.size()` members; `typename decltype(runner)::group` is the group's type.
template <class F>
void for_each_group(F&& f) {
    f(std::string("thread"), thread_runner{});
#ifdef SHOAL_EMU_TSAN
    f(std::string("tile of 4 threads"), emu::thread_tile<4>());
    f(std::string("warp of threads"), emu::thread_tile<32>());
    std::vector<int> sizes{3, 33};
    if (full_lists()) sizes.insert(sizes.end(), {2, 64});
    for (int n : sizes) f(emu::text("block of ", n, " threads"), emu::thread_block(n));
#else
    constexpr emu::order orders[] = {emu::order::forward, emu::order::reverse, emu::order::random};
    for (auto o : orders) {
        f(emu::text("tile<4>, ", emu::name(o)), emu::fiber_tile<4>(o));
#  ifndef SHOAL_EMU_ASAN
        // Every width is a copy of the op to compile, and sanitized code compiles slowly: two widths serve there.
        f(emu::text("tile<2>, ", emu::name(o)), emu::fiber_tile<2>(o));
        f(emu::text("tile<8>, ", emu::name(o)), emu::fiber_tile<8>(o));
        f(emu::text("tile<16>, ", emu::name(o)), emu::fiber_tile<16>(o));
#  endif
        f(emu::text("warp, ", emu::name(o)), emu::fiber_tile<32>(o));
    }
    std::vector<int> sizes{1, 2, 3, 31, 32, 33, 64};
    if (full_lists()) sizes.insert(sizes.end(), {96, 128, 256, 1024});
    for (int n : sizes)
        for (auto o : orders) {
            f(emu::text("block(", n, "), ", emu::name(o)), emu::fiber_block(n, o));
            if (n == 1) break;
        }
#endif
}

namespace detail {

/// Tells the barrier log which test runs.
class test_listener : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo& t) override {
        emu::barrier_log::global().enter(emu::text(t.test_suite_name(), ".", t.name()));
    }
};

inline const bool listening = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new test_listener);
    return true;
}();

/// The working copy of an arena. With AddressSanitizer, even reading what is no part of an operand is an error.
template <class T>
class working_copy {
  public:
    explicit working_copy(const arena<T>& a) : arena_(a), data_(a.initial(), a.initial() + a.size()) {
        guard();
    }
    ~working_copy() { release(); }
    working_copy(const working_copy&) = delete;
    working_copy& operator=(const working_copy&) = delete;

    T* data() { return data_.data(); }

    void release() {
#ifdef SHOAL_EMU_ASAN
        __asan_unpoison_memory_region(data_.data(), data_.size() * sizeof(T));
#endif
    }

  private:
    void guard() {
#ifdef SHOAL_EMU_ASAN
        for (int e = 0; e < arena_.size();) {
            int end = e;
            while (end < arena_.size() && arena_.untouchable(end)) ++end;
            __asan_poison_memory_region(data_.data() + e, static_cast<std::size_t>(end - e) * sizeof(T));
            e = end > e ? end : e + 1;
        }
#endif
    }

    const arena<T>& arena_;
    std::vector<T> data_;
};

}  // namespace detail

/// Runs `c(group, buffer)` on every group; see lane.hpp.
template <class Case, class T, class Check>
void run_on_all_groups(const Case& c, const arena<T>& a, const Check& check,
                       across_groups bits = across_groups::same_bits) {
    detail::judge<T, Check> judge(a, check, bits);
    for_each_group([&](const std::string& name, const auto& runner) {
        using runner_type = std::remove_cvref_t<decltype(runner)>;
        if constexpr (detail::supports<Case, typename runner_type::group>()) {
            if (judge.enough()) return;
            detail::working_copy<T> buffer(a);
            try {
                runner.run([&](const auto& g) { c(g, buffer.data()); });
            } catch (const std::exception& e) {
                return judge.failed(name, e.what());
            }
            buffer.release();
            judge.run(name, buffer.data(), runner.size());
        }
    });
    judge.finish();
}

}  // namespace shoal::support
