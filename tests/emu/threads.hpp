#pragma once

/// \file
/// Groups for tests whose members are real threads: `thread_block` and `thread_tile<W>`. Same interface as the
/// fibers; run under ThreadSanitizer, they find accesses that no barrier orders, whatever the interleaving was.
/// Keep them small: a member is a thread.

#include "emu/thread_run.hpp"

#include <bit>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <shoal/group/concept.hpp>

namespace shoal::emu {

template <int W>
class thread_tile_group {
    static_assert(W >= 1 && W <= 32 && std::has_single_bit(static_cast<unsigned>(W)),
                  "a tile has 1 to 32 lanes");

  public:
    static constexpr shoal::scope scope = W == 32 ? shoal::scope::warp : shoal::scope::tile;
    static constexpr int static_size = W;

    thread_tile_group(detail::thread_run& run, int member)
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
    thread_tile_group<V> split() const {
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
        run_->exchange(member_, *meeting_, where, what, &x, &y, source, sizeof(T));
        return y;
    }

    detail::thread_run* run_;
    detail::thread_run::meeting* meeting_;
    int member_;
};

class thread_block_group {
  public:
    static constexpr shoal::scope scope = shoal::scope::block;

    thread_block_group(detail::thread_run& run, int member) : run_(&run), member_(member) {}

    int rank() const { return member_; }
    int size() const { return run_->size(); }
    void sync(call_site where = call_site::here()) const { run_->sync(member_, run_->whole(), where); }

    /// The tile of W lanes that the calling member belongs to. The block's size must be a multiple of W.
    template <int W>
    thread_tile_group<W> split() const {
        if (size() % W != 0) throw std::invalid_argument(text("a block of ", size(), " has no tiles of ", W));
        return {*run_, member_};
    }

  private:
    detail::thread_run* run_;
    int member_;
};

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
