#pragma once

/// \file
/// The scheduler of an emulated group: members are fibers of one thread, and each runs until it waits in a
/// collective call. Deterministic: the same order and seed give the same interleaving.

#include "emu/barrier_log.hpp"
#include "emu/call_site.hpp"
#include "emu/context.hpp"
#include "emu/divergence.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shoal::emu {

/// Which of the members that can run goes next. A missing barrier shows in an order in which the reader comes
/// before the writer (or the overwriter before the reader): run all three.
enum class order { forward, reverse, random };

inline const char* name(order o) {
    return o == order::forward ? "forward" : o == order::reverse ? "reverse" : "random";
}

namespace detail {

/// One barrier: of the whole group, or of one of its tiles.
struct meeting {
    int first = 0;
    int count = 0;
    int arrived = 0;
    bool mixed = false;  ///< members came from different places: never opens
    call_site where;
    const char* what = "";
};

class fiber_run {
  public:
    using meeting = detail::meeting;
    using member_function = void (*)(void* body, fiber_run& run, int rank);

    fiber_run(int size, order o, std::uint64_t seed, std::size_t stack_bytes)
        : size_(size), order_(o), random_(seed), stack_bytes_(stack_bytes), whole_{0,     size, 0,
                                                                                   false, {},   ""} {}

    int size() const { return size_; }
    meeting& whole() { return whole_; }

    /// The barrier that the lanes [first, first + width) share, whoever asks and how often.
    meeting& tile(int first, int width) {
        auto& list = tiles_[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(width)))];
        if (list.empty()) list.resize(static_cast<std::size_t>(size_ / width));
        meeting& m = list[static_cast<std::size_t>(first / width)];
        m.first = first;
        m.count = width;
        return m;
    }

    void sync(int rank, meeting& m, call_site where) {
        if (log_.skipping() && log_.skipped(where)) return;
        exchange(rank, m, where, "sync", nullptr, nullptr, 0, 0);
    }

    /// Waits for all members of `m`; the last to arrive deals out the values: what the member of rank `source` within
    /// the meeting gives goes to where this one takes it.
    void exchange(int rank, meeting& m, call_site where, const char* what, const void* give, void* take,
                  int source, std::size_t bytes) {
        auto& me = *members_[static_cast<std::size_t>(rank)];
        me.at = &m;
        me.where = where;
        me.what = what;
        me.give = give;
        me.take = take;
        me.source = source;
        me.bytes = bytes;
        if (m.arrived++ == 0) {
            m.where = where;
            m.what = what;
        } else if (!(m.where == where) || std::strcmp(m.what, what) != 0) {
            m.mixed = true;
        }
        if (m.arrived == m.count && !m.mixed) open(m);
        execution::switch_to(me.state, scheduler_);
    }

    /// Runs `body` on every member; throws `divergence`, or what a member threw.
    void start(void* body, member_function f) {
        body_ = body;
        function_ = f;
        fiber_run* const outer = std::exchange(current(), this);
        struct restore {
            fiber_run* outer;
            ~restore() { current() = outer; }
        } restore{outer};

        scheduler_.adopt_current();
        ready_.assign(static_cast<std::size_t>(size_ + 63) / 64, 0);
        for (int r = 0; r < size_; ++r) {
            members_.push_back(std::make_unique<member>(stack_pool::mine().take(stack_bytes_)));
            members_.back()->state.prepare(members_.back()->stack, &entry);
            make_ready(r);
        }
        for (int r = next(); r >= 0 && !failure_; r = next()) {
            running_ = r;
            ready_[static_cast<std::size_t>(r / 64)] &= ~(std::uint64_t{1} << (r % 64));
            execution::switch_to(scheduler_, members_[static_cast<std::size_t>(r)]->state);
        }
        // Members still waiting are abandoned where they are: bodies may be noexcept, so nothing can be thrown
        // through them, and their locals are not destroyed.
        const bool complete = returned_ == size_;
        std::vector<stop> stops =
            complete || failure_ ? std::vector<stop>{} : where_they_stopped<meeting>(members_);
        for (auto& m : members_) stack_pool::mine().give(std::move(m->stack));
        if (failure_) std::rethrow_exception(failure_);
        if (!complete) throw divergence(size_, std::move(stops));
        if (log_.listing() && last_.line) log_.ended_with(last_);
    }

  private:
    struct member {
        explicit member(fiber_stack s) : stack(std::move(s)) {}
        fiber_stack stack;
        execution state;
        meeting* at = nullptr;
        call_site where;
        const char* what = "";
        const void* give = nullptr;
        void* take = nullptr;
        int source = 0;
        std::size_t bytes = 0;
        bool returned = false;
    };

    static fiber_run*& current() {
        thread_local fiber_run* run = nullptr;
        return run;
    }

    static void entry() {
        fiber_run& run = *current();
        execution::started(run.scheduler_);
        member& me = *run.members_[static_cast<std::size_t>(run.running_)];
        try {
            run.function_(run.body_, run, run.running_);
        } catch (...) {
            run.failure_ = std::current_exception();
        }
        me.returned = true;
        ++run.returned_;
        execution::switch_to(me.state, run.scheduler_, execution::leave::last);
    }

    void make_ready(int r) { ready_[static_cast<std::size_t>(r / 64)] |= std::uint64_t{1} << (r % 64); }

    void open(meeting& m) {
        const auto lane = [&](int i) -> member& { return *members_[static_cast<std::size_t>(m.first + i)]; };
        for (int i = 0; i < m.count; ++i) {
            const member& to = lane(i);
            if (to.take) std::memcpy(to.take, lane(to.source).give, to.bytes);
        }
        for (int i = 0; i < m.count; ++i) {
            lane(i).at = nullptr;
            make_ready(m.first + i);
        }
        m.arrived = 0;
        if (log_.listing() && std::strcmp(m.what, "sync") == 0) {
            log_.met(m.where);
            last_ = m.where;
        } else {
            last_ = {};
        }
    }

    /// A member that can run, or -1.
    int next() {
        const int words = static_cast<int>(ready_.size());
        if (order_ == order::reverse) {
            for (int w = words - 1; w >= 0; --w)
                if (const auto bits = ready_[static_cast<std::size_t>(w)])
                    return w * 64 + 63 - std::countl_zero(bits);
            return -1;
        }
        const int from =
            order_ == order::random ? static_cast<int>(draw() % static_cast<unsigned>(size_)) : 0;
        const auto above = ~std::uint64_t{0} << (from % 64);
        if (const auto bits = ready_[static_cast<std::size_t>(from / 64)] & above)
            return from / 64 * 64 + std::countr_zero(bits);
        for (int k = 1; k <= words; ++k) {
            const int w = (from / 64 + k) % words;
            if (const auto bits = ready_[static_cast<std::size_t>(w)]) return w * 64 + std::countr_zero(bits);
        }
        return -1;
    }

    // splitmix64
    std::uint64_t draw() {
        std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    int size_;
    order order_;
    std::uint64_t random_;
    std::size_t stack_bytes_;
    meeting whole_;
    std::vector<meeting> tiles_[32];
    std::vector<std::unique_ptr<member>> members_;
    std::vector<std::uint64_t> ready_;
    execution scheduler_;
    void* body_ = nullptr;
    member_function function_ = nullptr;
    int running_ = 0;
    int returned_ = 0;
    std::exception_ptr failure_;
    call_site last_;
    barrier_log& log_ = barrier_log::global();
};

}  // namespace detail
}  // namespace shoal::emu
