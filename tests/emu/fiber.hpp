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

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <shoal/group/concept.hpp>

namespace shoal::emu {

template <int W>
class fiber_tile_group {
    static_assert(W >= 1 && W <= 32 && std::has_single_bit(static_cast<unsigned>(W)),
                  "a tile has 1 to 32 lanes");

  public:
    static constexpr shoal::scope scope = W == 32 ? shoal::scope::warp : shoal::scope::tile;
    static constexpr int static_size = W;

    fiber_tile_group(detail::fiber_run& run, int member)
        : run_(&run), meeting_(&run.tile(member / W * W, W)), member_(member) {}

    int rank() const { return member_ % W; }
    static constexpr int size() { return W; }
    void sync(call_site where = call_site::here()) const { run_->sync(member_, *meeting_, where); }

    template <class T>
    T shuffle(T x, int source, call_site where = call_site::here()) const {
        return exchange(x, source, "shuffle", where);
    }
    template <class T>
    T shuffle_xor(T x, int lanes, call_site where = call_site::here()) const {
        return exchange(x, rank() ^ lanes, "shuffle_xor", where);
    }

    /// The smaller tile that the calling member belongs to.
    template <int V>
    fiber_tile_group<V> split() const {
        static_assert(V <= W);
        return {*run_, member_};
    }

  private:
    template <class T>
    T exchange(const T& x, int source, const char* what, call_site where) const {
        static_assert(std::is_trivially_copyable_v<T>);
        if (source < 0 || source >= W)
            throw std::out_of_range(text(what, " from lane ", source, " of ", W, " at ", where.name()));
        T y = x;
        run_->wait(member_, *meeting_, where, what, {&x, &y, source, sizeof(T)});
        return y;
    }

    detail::fiber_run* run_;
    detail::meeting* meeting_;
    int member_;
};

class fiber_block_group {
  public:
    static constexpr shoal::scope scope = shoal::scope::block;

    fiber_block_group(detail::fiber_run& run, int member) : run_(&run), member_(member) {}

    int rank() const { return member_; }
    int size() const { return run_->size(); }
    void sync(call_site where = call_site::here()) const { run_->sync(member_, run_->whole(), where); }

    /// The tile of W lanes that the calling member belongs to. The block's size must be a multiple of W.
    template <int W>
    fiber_tile_group<W> split() const {
        if (size() % W != 0) throw std::invalid_argument(text("a block of ", size(), " has no tiles of ", W));
        return {*run_, member_};
    }

  private:
    detail::fiber_run* run_;
    int member_;
};

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
