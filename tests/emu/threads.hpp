#pragma once

/// \file
/// Groups for tests whose members are real threads: `thread_block` and `thread_tile<W>`. Same interface as the
/// fibers; run under ThreadSanitizer, they find accesses that no barrier orders, whatever the interleaving was.
/// Keep them small: a member is a thread.

#include "emu/groups.hpp"
#include "emu/thread_run.hpp"

#include <stdexcept>

namespace shoal::emu {

template <int W>
using thread_tile_group = detail::tile_group<detail::thread_run, W>;
using thread_block_group = detail::block_group<detail::thread_run>;

/// n threads at block scope.
class thread_block {
  public:
    using group = thread_block_group;

    explicit thread_block(int n) : n_(n) {
        if (n < 1) throw std::invalid_argument("a block has at least one member");
    }

    int size() const { return n_; }

    template <class Body>
    void run(Body&& body) const {
        detail::thread_run run(n_);
        run.start([&](int rank) { body(thread_block_group(run, rank)); });
    }

  private:
    int n_;
};

/// One tile of W threads.
template <int W>
class thread_tile {
  public:
    using group = thread_tile_group<W>;

    static constexpr int size() { return W; }

    template <class Body>
    void run(Body&& body) const {
        thread_block(W).run([&](const thread_block_group& g) { body(g.split<W>()); });
    }
};

}  // namespace shoal::emu
