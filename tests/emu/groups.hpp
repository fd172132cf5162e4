#pragma once

/// \file
/// The groups that the emulators hand to a body. `Run` schedules the members and has their meetings: `fiber_run` or
/// `thread_run`.

#include "emu/call_site.hpp"
#include "emu/text.hpp"

#include <bit>
#include <stdexcept>
#include <type_traits>

#include <shoal/group/concept.hpp>

namespace shoal::emu::detail {

template <class Run, int W>
class tile_group {
    static_assert(W >= 1 && W <= 32 && std::has_single_bit(static_cast<unsigned>(W)),
                  "a tile has 1 to 32 lanes");

  public:
    static constexpr shoal::scope scope = W == 32 ? shoal::scope::warp : shoal::scope::tile;
    static constexpr int static_size = W;

    tile_group(Run& run, int member) : run_(&run), meeting_(&run.tile(member / W * W, W)), member_(member) {}

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
    tile_group<Run, V> split() const {
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

    Run* run_;
    typename Run::meeting* meeting_;
    int member_;
};

template <class Run>
class block_group {
  public:
    static constexpr shoal::scope scope = shoal::scope::block;

    block_group(Run& run, int member) : run_(&run), member_(member) {}

    int rank() const { return member_; }
    int size() const { return run_->size(); }
    void sync(call_site where = call_site::here()) const { run_->sync(member_, run_->whole(), where); }

    /// The tile of W lanes that the calling member belongs to. The block's size must be a multiple of W.
    template <int W>
    tile_group<Run, W> split() const {
        if (size() % W != 0) throw std::invalid_argument(text("a block of ", size(), " has no tiles of ", W));
        return {*run_, member_};
    }

  private:
    Run* run_;
    int member_;
};

}  // namespace shoal::emu::detail
