#pragma once

/// \file
/// Members on real threads, for ThreadSanitizer.
///
/// A barrier is a mutex and a condition variable per group and tile: `std::barrier` would hang where the
/// members diverge, and a mutex shared by all tiles would order accesses that the code under test does not order.
/// A shuffle orders nothing for ThreadSanitizer, as on a GPU it orders no memory accesses.

#include "emu/barrier_log.hpp"
#include "emu/call_site.hpp"
#include "emu/context.hpp"
#include "emu/divergence.hpp"
#include "emu/worker_pool.hpp"

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#ifdef SHOAL_EMU_TSAN
extern "C" {
void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace shoal::emu::detail {

/// What happens inside is no synchronisation in the eyes of ThreadSanitizer.
class unordered {
  public:
    unordered() {
#ifdef SHOAL_EMU_TSAN
        AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
    }
    ~unordered() {
#ifdef SHOAL_EMU_TSAN
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
        AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
#endif
    }
    unordered(const unordered&) = delete;
    unordered& operator=(const unordered&) = delete;
};

class thread_run {
  public:
    struct meeting {
        int first = 0;
        int count = 0;
        int arrived = 0;
        bool mixed = false;
        unsigned generation = 0;
        call_site where;
        const char* what = "";
        std::mutex mutex;
        std::condition_variable opened;
#ifdef SHOAL_EMU_TSAN
        char clocks[2] = {};
#endif
    };

    explicit thread_run(int size) : size_(size) {
        for (int r = 0; r < size; ++r) members_.push_back(std::make_unique<member>());
        whole_.count = size;
        for (int width = 1; width <= 32 && width <= size; width *= 2) {
            auto& list = tiles_[std::countr_zero(static_cast<unsigned>(width))];
            for (int first = 0; first + width <= size; first += width) {
                list.push_back(std::make_unique<meeting>());
                list.back()->first = first;
                list.back()->count = width;
            }
        }
    }

    int size() const {
        return size_;
    }
    meeting& whole() {
        return whole_;
    }
    meeting& tile(int first, int width) {
        return *tiles_[std::countr_zero(static_cast<unsigned>(width))]
                      [static_cast<std::size_t>(first / width)];
    }

    void sync(int rank, meeting& m, call_site where) {
        if (log_.skipping() && log_.skipped(where)) return;
#ifdef SHOAL_EMU_TSAN
        // Exactly what a barrier orders, no more: a member that wakes late takes the mutex after faster ones have
        // let go of it on their way to the next barrier, and would hide races with them. Nobody is two barriers
        // ahead, so two clocks suffice; the generation stands still until this member arrives.
        void* const clock = &m.clocks[m.generation % 2];
        __tsan_release(clock);
        {
            unordered here;
            wait(rank, m, where, "sync", nullptr, nullptr, 0, 0);
        }
        __tsan_acquire(clock);
#else
        wait(rank, m, where, "sync", nullptr, nullptr, 0, 0);
#endif
    }

    void exchange(int rank, meeting& m, call_site where, const char* what, const void* give, void* take,
                  int source, std::size_t bytes) {
        unordered here;
        wait(rank, m, where, what, give, take, source, bytes);
    }

    template <class Body>
    void start(Body body) {
        worker_pool::mine().run(size_, [&](int r) {
            try {
                body(r);
            } catch (const stopped&) {
                return;
            } catch (...) {
                std::lock_guard lock(failure_mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
            members_[static_cast<std::size_t>(r)]->returned = true;
            returned_.fetch_add(1, std::memory_order_relaxed);
            if (idle_.fetch_add(1, std::memory_order_relaxed) + 1 == size_ &&
                returned_.load(std::memory_order_relaxed) < size_)
                give_up();
        });
        if (failure_) std::rethrow_exception(failure_);
        if (broken_.load(std::memory_order_relaxed))
            throw divergence(size_, where_they_stopped<meeting>(members_));
        if (log_.listing() && last_.line) log_.ended_with(last_);
    }

  private:
    struct stopped {};
    struct member {
        meeting* at = nullptr;
        call_site where;
        const char* what = "";
        const void* give = nullptr;
        void* take = nullptr;
        int source = 0;
        std::size_t bytes = 0;
        bool returned = false;
    };

    void wait(int rank, meeting& m, call_site where, const char* what, const void* give, void* take,
              int source, std::size_t bytes) {
        std::unique_lock lock(m.mutex);
        *members_[static_cast<std::size_t>(rank)] = {&m, where, what, give, take, source, bytes, false};
        if (m.arrived++ == 0) {
            m.where = where;
            m.what = what;
        } else if (!(m.where == where) || std::strcmp(m.what, what) != 0) {
            m.mixed = true;
        }
        if (m.arrived == m.count && !m.mixed) {
            for (int i = 0; i < m.count; ++i) {
                const member& lane = *members_[static_cast<std::size_t>(m.first + i)];
                if (lane.take)
                    std::memcpy(lane.take, members_[static_cast<std::size_t>(m.first + lane.source)]->give,
                                lane.bytes);
            }
            m.arrived = 0;
            if (log_.listing()) list(m);
            ++m.generation;
            // Those who wait count as running from now on, before anyone can find everybody idle.
            idle_.fetch_sub(m.count - 1, std::memory_order_relaxed);
            m.opened.notify_all();
            return;
        }
        const unsigned generation = m.generation;
        if (idle_.fetch_add(1, std::memory_order_relaxed) + 1 == size_) {
            lock.unlock();
            give_up();
            throw stopped{};
        }
        m.opened.wait(lock,
                      [&] { return m.generation != generation || broken_.load(std::memory_order_relaxed); });
        if (m.generation == generation) throw stopped{};
    }

    void list(const meeting& m) {
        std::lock_guard lock(log_mutex_);
        if (std::strcmp(m.what, "sync") == 0) log_.met(m.where);
        last_ = std::strcmp(m.what, "sync") == 0 ? m.where : call_site{};
    }

    /// Nobody runs any more: wakes those who wait, to leave.
    void give_up() {
        broken_.store(true, std::memory_order_relaxed);
        const auto wake = [](meeting& m) {
            std::lock_guard lock(m.mutex);
            m.opened.notify_all();
        };
        wake(whole_);
        for (auto& list : tiles_)
            for (auto& m : list) wake(*m);
    }

    int size_;
    meeting whole_;
    std::vector<std::unique_ptr<meeting>> tiles_[6];
    std::vector<std::unique_ptr<member>> members_;
    // Relaxed: counting must not order the accesses of the code under test.
    std::atomic<int> idle_ = 0;
    std::atomic<int> returned_ = 0;
    std::atomic<bool> broken_ = false;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
    std::mutex log_mutex_;
    call_site last_;
    barrier_log& log_ = barrier_log::global();
};

}  // namespace shoal::emu::detail
