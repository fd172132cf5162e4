#pragma once

/// \file
/// Threads that are kept between runs: under ThreadSanitizer making one costs more than most test bodies.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace shoal::emu::detail {

class worker_pool {
  public:
    /// job(0) .. job(n - 1), each on a thread of its own, all at once; returns when all have. `job` must not throw.
    void run(int n, const std::function<void(int)>& job) {
        while (static_cast<int>(workers_.size()) < n) workers_.push_back(std::make_unique<worker>());
        for (int r = 0; r < n; ++r) workers_[static_cast<std::size_t>(r)]->give(&job, r);
        for (int r = 0; r < n; ++r) workers_[static_cast<std::size_t>(r)]->finish();
    }

    static worker_pool& mine() {
        thread_local worker_pool pool;
        return pool;
    }

  private:
    class worker {
      public:
        worker() : thread_([this] { work(); }) {}
        ~worker() {
            {
                std::lock_guard lock(mutex_);
                stop_ = true;
            }
            changed_.notify_all();
            thread_.join();
        }
        worker(const worker&) = delete;
        worker& operator=(const worker&) = delete;

        void give(const std::function<void(int)>* job, int rank) {
            {
                std::lock_guard lock(mutex_);
                job_ = job;
                rank_ = rank;
            }
            changed_.notify_all();
        }
        void finish() {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return !job_; });
        }

      private:
        void work() {
            std::unique_lock lock(mutex_);
            for (;;) {
                changed_.wait(lock, [&] { return job_ || stop_; });
                if (stop_) return;
                const auto* job = job_;
                const int rank = rank_;
                lock.unlock();
                (*job)(rank);
                lock.lock();
                job_ = nullptr;
                changed_.notify_all();
            }
        }

        std::mutex mutex_;
        std::condition_variable changed_;
        const std::function<void(int)>* job_ = nullptr;
        int rank_ = 0;
        bool stop_ = false;
        std::thread thread_;
    };

    std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace shoal::emu::detail
