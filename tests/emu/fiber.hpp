#pragma once

/// \file
/// Groups for tests whose members are fibers of one thread: `fiber_block` and `fiber_tile<W>`.
///
///     emu::fiber_block block(33, emu::order::reverse);
///     block.run([&](const auto& g) { potrf(g, lower(A)); });      // executed by all 33 members
///
/// A member runs until it waits in `sync()` or a shuffle, then another one runs, in forward, reverse or random
/// order. What a body gets wrong is reported by exception: members that wait in different calls, or wait while
/// others have returned (`emu::divergence`, which names the calls and the members), shuffles from lanes that do not
/// exist. A body that throws ends the run, and the exception arrives at the caller.
///
/// A shuffle makes all lanes meet, so on fibers it also orders their memory accesses; on a GPU it does not.

#include "emu/fiber_run.hpp"
#include "emu/groups.hpp"

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace shoal::emu {

template <int W>
using fiber_tile_group = detail::tile_group<detail::fiber_run, W>;
using fiber_block_group = detail::block_group<detail::fiber_run>;

/// n members at block scope.
class fiber_block {
  public:
    using group = fiber_block_group;

    explicit fiber_block(int n, order o = order::forward, std::uint64_t seed = 1,
                         std::size_t stack_bytes = detail::default_stack_bytes)
        : n_(n), order_(o), seed_(seed), stack_bytes_(stack_bytes) {
        if (n < 1) throw std::invalid_argument("a block has at least one member");
    }

    int size() const { return n_; }

    template <class Body>
    void run(Body&& body) const {
        using type = std::remove_reference_t<Body>;
        detail::fiber_run run(n_, order_, seed_, stack_bytes_);
        run.start(const_cast<void*>(static_cast<const void*>(&body)),
                  [](void* b, detail::fiber_run& r, int rank) {
                      (*static_cast<type*>(b))(fiber_block_group(r, rank));
                  });
    }

  private:
    int n_;
    order order_;
    std::uint64_t seed_;
    std::size_t stack_bytes_;
};

/// One tile of W lanes; `fiber_tile<32>` is a warp.
template <int W>
class fiber_tile {
  public:
    using group = fiber_tile_group<W>;

    explicit fiber_tile(order o = order::forward, std::uint64_t seed = 1,
                        std::size_t stack_bytes = detail::default_stack_bytes)
        : lanes_(W, o, seed, stack_bytes) {}

    static constexpr int size() { return W; }

    template <class Body>
    void run(Body&& body) const {
        lanes_.run([&](const fiber_block_group& g) { body(g.split<W>()); });
    }

  private:
    fiber_block lanes_;
};

}  // namespace shoal::emu
