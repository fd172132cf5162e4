#pragma once

#include <shoal/banded/detail/bdsv_sweeps.hpp>

/// \file
/// The register bodies with scratch of their own, as launchers give it to them: knots come from global memory through a
/// ring of slots, several of them under way at once, and what lanes tell each other goes through memory, where one access
/// brings 16 bytes to all of them; a shuffle of a double is two instructions.

namespace shoal::detail {

/// Scratch of a group, in elements of T.
template <class T, int n>
struct staging {
    static constexpr int slots = 3;
    static constexpr int piece = 16 / static_cast<int>(sizeof(T));
    static constexpr int block_part = (n + piece - 1) / piece * piece;
    /// Rows [ L | D ], each block at a multiple of 16 bytes, and an odd number of these from row to row: neighbours lie in
    /// different banks.
    static constexpr int row = 2 * block_part + piece;
    static constexpr int slot = n * row;
    /// A column of F over one of E. Two are in use at a time.
    static constexpr int column = 2 * block_part;
    static constexpr int size = slots * slot + 2 * column;
};

/// The ring: knot k lies in slot k mod `slots`.
template <ShuffleGroup G, class A>
class knot_ring {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    using room = staging<T, n>;

  public:
    SHOAL_FN knot_ring(const G& g, A a, T* scratch) : g_(g), a_(a), scratch_(scratch), aligned_(false) {
#if defined(SHOAL_DEVICE_CODE)
        aligned_ = n % room::piece == 0 && A::row_length % room::piece == 0 &&
                   (reinterpret_cast<std::uintptr_t>(a.data()) & 15U) == 0;
#endif
    }
    /// Row i of [ L_k | D_k ].
    SHOAL_FN T* row(int k, int i) const {
        return scratch_ + k % room::slots * room::slot + i * room::row;
    }

    /// Starts to bring knot k, if there is one, and closes the group of copies.
    SHOAL_FN void fetch(int k) const {
        if (k >= 0 && k < a_.knots()) {
#if defined(SHOAL_DEVICE_CODE)
            if (aligned_) {
                copy<room::piece>(k);
            } else {
                copy<1>(k);
            }
#else
            // What has no meaning is not read.
            for (int e = g_.rank(); e < 2 * n * n; e += g_.size()) {
                const int i = e / (2 * n), j = e % (2 * n);
                if (j <= n + i && (k > 0 || j >= n)) row(k, i)[place(j)] = from(k, i)[j];
            }
#endif
        }
#if defined(SHOAL_DEVICE_CODE)
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }
    /// All copies but those of the last `Pending` groups have arrived, for every member.
    template <int Pending>
    SHOAL_FN void wait() const {
#if defined(SHOAL_DEVICE_CODE)
        asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
        // What other members copied.
        g_.sync();
    }

  private:
    SHOAL_FN static constexpr int place(int j) {
        return j < n ? j : room::block_part + j - n;
    }
    SHOAL_FN typename A::value_type* from(int k, int i) const {
        return const_cast<T*>(a_.left(k).data()) + i * A::row_length;
    }
#if defined(SHOAL_DEVICE_CODE)
    template <int Count>
    SHOAL_FN void copy(int k) const {
        constexpr int per_row = 2 * n / Count;
        constexpr int bytes = Count * static_cast<int>(sizeof(T));
        SHOAL_UNROLL
        for (int first = 0; first < per_row * n; first += G::static_size) {
            const int e = first + g_.rank();
            if (e < per_row * n) {
                const int i = e / per_row, j = e % per_row * Count;
                const auto to = static_cast<unsigned>(__cvta_generic_to_shared(row(k, i) + place(j)));
                if constexpr (bytes == 16) {
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from(k, i) + j)
                                 : "memory");
                } else {
                    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from(k, i) + j),
                                 "n"(bytes)
                                 : "memory");
                }
            }
        }
    }
#endif
    const G& g_;
    A a_;
    T* scratch_;
    bool aligned_;
};

/// Count elements of scratch from a multiple of 16 bytes on.
template <int Count, class T>
SHOAL_FN void read_pieces(const T* from, T* to) {
    constexpr int piece = 16 / static_cast<int>(sizeof(T));
    struct alignas(16) chunk {
        T v[static_cast<std::size_t>(piece)];
    };
    SHOAL_UNROLL
    for (int q = 0; q < Count / piece; ++q) {
        const chunk c = *reinterpret_cast<const chunk*>(from + q * piece);
        SHOAL_UNROLL
        for (int h = 0; h < piece; ++h) to[q * piece + h] = c.v[h];
    }
    SHOAL_UNROLL
    for (int j = Count / piece * piece; j < Count; ++j) to[j] = from[j];
}

/// The medium of bdsv_factor_rows() with scratch.
template <ShuffleGroup G, class A>
class staged_medium {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;
    using room = staging<T, n>;

  public:
    SHOAL_FN staged_medium(const G& g, A a, T* scratch)
        : g_(g),
          ring_(g, a, scratch),
          columns_(scratch + room::slots * room::slot),
          knots_(a.knots()),
          i_(g.rank() % deal::width),
          first_(g.rank() / deal::width * deal::share) {}

    SHOAL_FN void begin(T (&d)[n]) {
        SHOAL_UNROLL
        for (int k = 0; k < room::slots; ++k) ring_.fetch(k);
        ring_.template wait<room::slots - 1>();
        clear(d);
        if (knots_ > 0 && i_ < n) read_pieces<n>(ring_.row(0, i_) + room::block_part, d);
    }
    SHOAL_FN void take(int k, T (&e)[n], T (&u)[deal::share]) {
        ring_.template wait<room::slots - 2>();
        clear(e);
        clear(u);
        if (k < knots_ && i_ < n) {
            read_pieces<n>(ring_.row(k, i_), e);
            SHOAL_UNROLL
            for (int j = 0; j < deal::share; ++j)
                if (first_ + j < n) u[j] = ring_.row(k, i_)[room::block_part + first_ + j];
        }
        // The slot of the knot before: it was read by all before this barrier.
        ring_.fetch(k + room::slots - 1);
    }
    SHOAL_FN void publish(int p, T lp, T ep) {
        T* const to = columns_ + p % 2 * room::column;
        if (g_.rank() < n) {
            to[i_] = lp;
            to[room::block_part + i_] = ep;
        }
        // The column, before it is read. Its place was read two columns ago.
        g_.sync();
    }
    SHOAL_FN void column_of_f(int p, int from, T (&l)[n]) {
        const T* const column = columns_ + p % 2 * room::column;
        SHOAL_UNROLL
        for (int q = 0; q < n; q += room::piece) {
            if (q + room::piece <= n) {
                if (q + room::piece > from) read_pieces<room::piece>(column + q, &l[q]);
            } else {
                SHOAL_UNROLL
                for (int j = 0; j < n; ++j)
                    if (j >= q && j >= from) l[j] = column[j];
            }
        }
    }
    SHOAL_FN void column_of_e(int p, T (&c)[deal::share]) {
        const T* const from = columns_ + p % 2 * room::column + room::block_part + first_;
        if constexpr (deal::share % room::piece == 0 && n % deal::share == 0) {
            read_pieces<deal::share>(from, c);
        } else {
            SHOAL_UNROLL
            for (int j = 0; j < deal::share; ++j) c[j] = first_ + j < n ? from[j] : T(0);
        }
    }

  private:
    template <int Count>
    SHOAL_FN static void clear(T (&x)[Count]) {
        SHOAL_UNROLL
        for (int j = 0; j < Count; ++j) x[j] = T(0);
    }
    const G& g_;
    knot_ring<G, A> ring_;
    T* columns_;
    int knots_, i_, first_;
};

}  // namespace shoal::detail
