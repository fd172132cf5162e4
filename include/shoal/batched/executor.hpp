#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Host threads. Nothing in Shoal starts a thread unless the caller asked for it: with `set_num_threads`, or
/// by making an `executor`.

namespace shoal {

/// A fixed set of threads that share loops. The caller of `parallel_for` is one of them.
///
/// Threads start in the constructor and end in the destructor. A loop allocates nothing. Loops may be started
/// from several threads at once, and from inside a loop: one gets the workers, the others run on their
/// callers alone.
class executor {
  public:
    /// `threads` counts the caller; 0 means one per core. Throws std::system_error where a thread cannot be started.
    explicit executor(int threads) {
        threads_ = threads > 0 ? threads : cores();
        shares_ = std::make_unique<share[]>(static_cast<std::size_t>(threads_));
        helpers_.reserve(static_cast<std::size_t>(threads_ - 1));
        try {
            for (int w = 1; w < threads_; ++w) helpers_.emplace_back([this, w] { help(w); });
        } catch (...) {
            end_helpers();
            throw;
        }
    }
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    ~executor() { end_helpers(); }

    /// How many threads share a loop, the caller included.
    int threads() const { return threads_; }

    /// f(i, worker) for i = 0 .. count - 1, each once, in no fixed order; returns when all are done.
    ///
    /// `worker` is in 0 .. threads() - 1, and two calls with equal `worker` never overlap within one loop. If
    /// calls throw, one of the exceptions leaves `parallel_for`, and which of the other calls ran is
    /// unspecified.
    template <class F>
    void parallel_for(std::int64_t count, F&& f) {
        if (count <= 0) return;
        std::unique_lock<std::mutex> turn(turn_, std::defer_lock);
        if (helpers_.empty() || count == 1 || inside_own_loop() || !turn.try_lock()) {
            for (std::int64_t i = 0; i < count; ++i) f(i, 0);
            return;
        }
        using body = std::remove_reference_t<F>;
        body_ = [](void* context, std::int64_t i, int worker) { (*static_cast<body*>(context))(i, worker); };
        context_ = const_cast<std::remove_const_t<body>*>(std::addressof(f));
        count_ = count;
        // Eight pieces a share: late starters and slow cores cost an eighth of one.
        piece_ = std::max<std::int64_t>(1, count / (8 * threads_));
        for (int w = 0; w < threads_; ++w)
            shares_[static_cast<std::size_t>(w)].next.store(share_begin(w), std::memory_order_relaxed);
        // Publishes the fields above to the helpers that come in.
        inside_.fetch_and(~closed, std::memory_order_acq_rel);
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
        work(0);
        // All pieces are taken. Who is inside must leave before the fields, or the caller's frame, may change; who has
        // not come by now finds the door closed: on a busy machine nobody waits for a thread that has no core.
        inside_.fetch_or(closed, std::memory_order_acq_rel);
        wait_while(inside_, [](unsigned now) { return now != closed; });
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    /// A loop that this thread is inside, and those around it.
    struct loop_of {
        const executor* who;
        const loop_of* outer;
    };

    /// What of a loop a thread does, unless others come to its help: a counter each, since one for all would be fought for.
    struct alignas(64) share {
        std::atomic<std::int64_t> next{0};
    };
    std::int64_t share_begin(int worker) const {
        return count_ / threads_ * worker + std::min<std::int64_t>(worker, count_ % threads_);
    }

    void end_helpers() {
        stop_.store(true, std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
        for (std::thread& helper : helpers_) helper.join();
    }

    /// Whether this thread is inside a loop of this executor.
    bool inside_own_loop() const {
        const loop_of* loop = busy_;
        while (loop != nullptr && loop->who != this) loop = loop->outer;
        return loop != nullptr;
    }

    static int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

    // Loops follow each other within microseconds in a solver, a sleep and a wake-up take tens: look for a
    // while first.
    template <class A, class Predicate>
    static void wait_while(const std::atomic<A>& value, Predicate again) {
        for (int look = 0; look < 4000; ++look) {
            if (!again(value.load(std::memory_order_acquire))) return;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        for (A seen = value.load(std::memory_order_acquire); again(seen);
             seen = value.load(std::memory_order_acquire)) {
            value.wait(seen, std::memory_order_acquire);
        }
    }

    void help(int worker) {
        for (unsigned seen = 0; true;) {
            wait_while(round_, [seen](unsigned now) { return now == seen; });
            seen = round_.load(std::memory_order_acquire);
            if (stop_.load(std::memory_order_relaxed)) return;
            if ((inside_.fetch_add(1, std::memory_order_acq_rel) & closed) == 0) work(worker);
            if (inside_.fetch_sub(1, std::memory_order_acq_rel) == closed + 1) inside_.notify_one();
        }
    }

    void work(int worker) {
        const loop_of loop{this, busy_};
        busy_ = &loop;
        for (int v = 0; v < threads_; ++v) {
            const int owner = worker + v < threads_ ? worker + v : worker + v - threads_;
            const std::int64_t end = share_begin(owner + 1);
            std::atomic<std::int64_t>& next = shares_[static_cast<std::size_t>(owner)].next;
            while (next.load(std::memory_order_relaxed) < end) {
                const std::int64_t i = next.fetch_add(piece_, std::memory_order_relaxed);
                run_piece(i, std::min(end, i + piece_), worker);
            }
        }
        busy_ = loop.outer;
    }

    void run_piece(std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t i = begin; i < end; ++i) {
            try {
                body_(context_, i, worker);
            } catch (...) {
                const std::lock_guard<std::mutex> hold(failing_);
                failure_ = std::current_exception();
            }
        }
    }

    static constexpr unsigned closed = 1U << 31U;  // of inside_; the other bits count the helpers in the loop

    inline static thread_local const loop_of* busy_ = nullptr;

    std::mutex turn_;
    std::mutex failing_;
    std::exception_ptr failure_;
    void (*body_)(void*, std::int64_t, int) = nullptr;
    void* context_ = nullptr;
    std::int64_t count_ = 0;
    std::int64_t piece_ = 1;
    int threads_ = 1;
    std::unique_ptr<share[]> shares_;
    alignas(64) std::atomic<unsigned> round_{0};
    alignas(64) std::atomic<unsigned> inside_{closed};
    std::atomic<bool> stop_{false};
    std::vector<std::thread> helpers_;  // last: they use everything above
};

namespace detail {

struct shared_threads {
    std::mutex change;
    std::shared_ptr<executor> current = std::make_shared<executor>(1);
};
inline shared_threads& shared() {
    static shared_threads instance;
    return instance;
}

}  // namespace detail

/// The executor that everything uses which was given none. It has one thread, the caller, until
/// `set_num_threads`.
inline std::shared_ptr<executor> shared_executor() {
    const std::lock_guard<std::mutex> hold(detail::shared().change);
    return detail::shared().current;
}

/// How many threads loops may use from now on, the caller included; 0 means one per core. Starts the threads.
///
/// Solvers and loops that run at this moment, or that were made before, keep the threads they have.
inline void set_num_threads(int threads) {
    auto fresh = std::make_shared<executor>(threads);
    const std::lock_guard<std::mutex> hold(detail::shared().change);
    detail::shared().current.swap(fresh);
}

/// The number set by `set_num_threads`; 1 at first.
inline int num_threads() {
    return shared_executor()->threads();
}

}  // namespace shoal
