#pragma once

#include <cstdint>

#include <shoal/banded/knot_info.hpp>
#include <shoal/banded/strip.hpp>
#include <shoal/group/collectives.hpp>

/// \file
/// Block-tridiagonal elimination in the registers of a tile or a warp, a row a lane.
///
/// A block row takes W lanes, W the power of two that holds n rows. A group of S lanes has S / W such parts, which all
/// hold the same rows: the column-by-column work costs no more for being done several times, and of the product E E',
/// which is most of the shuffles, each part does a share of the columns.
///
///     lane W p + i holds   d: row i of D_k         e: row i of L_{k+1}         u: its share of row i of D_{k+1}
///
/// What a knot needs is loaded while the knot before it is eliminated.

namespace shoal::detail {

/// The largest block that is ever eliminated in registers.
inline constexpr int largest_row_block = 16;

/// How the rows of n x n blocks are dealt to S lanes.
template <int n, int S>
struct row_deal {
    SHOAL_FN static constexpr int lanes() {
        int w = 1;
        while (w < n) w *= 2;
        return w;
    }
    static constexpr int width = lanes();
    static constexpr int parts = S / width;
    static constexpr int share = parts > 0 ? (n + parts - 1) / parts : n;
};

/// Whether blocks of n x n are eliminated in the registers of a group G: a row for each lane.
template <class G, int n>
SHOAL_FN constexpr bool suits_row_blocks() {
    if constexpr (ShuffleGroup<G>) {
        return G::static_size > 1 && n <= G::static_size && n <= largest_row_block;
    } else {
        return false;
    }
}

/// A pivot whose root can be taken without a branch and without a wait. core::pivot_rsqrt() branches for subnormal numbers
/// in double precision, and across a branch no work of the column before can fill the wait for the root. Here a pivot
/// that may be subnormal, which the element that it is made from tells early, comes multiplied by 2^54. The bits are those
/// of core::pivot_rsqrt(), of subnormal pivots those of a number that was not rounded to one. Of a bad pivot the root is
/// of no meaning. Measured: 0.86 us a knot of 6 doubles with the branch, 0.65 without.
template <class T>
struct scaled_pivot {
    T value;     ///< the pivot, times 2^54 if `tiny`
    T multiple;  ///< root of what `value` is multiplied by
    bool tiny;

    /// The scale for a pivot that is this element less a square. A difference of doubles that is positive is at least 2^-106
    /// of the larger one.
    SHOAL_FN static scaled_pivot of([[maybe_unused]] T element) {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (sizeof(T) == 8) {
            const bool small = __double2hiint(element) < 0x08000000;
            return {element * (small ? 0x1p54 : 1.0), small ? 0x1p27 : 1.0, small};
        }
#endif
        return {element, T(1), false};
    }
    SHOAL_FN T pivot() const {
        if constexpr (sizeof(T) == 8) {
            return value * (tiny ? T(0x1p-54) : T(1));
        } else {
            return value;
        }
    }
    SHOAL_FN core::pivot_root<T> root() const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (sizeof(T) == 8) {
            T y;
            asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(value));
            const T e = __fma_rn(value, -__dmul_rn(y, y), 1.0);
            const T z = __dmul_rn(y, multiple);
            const T r = __fma_rn(__fma_rn(e, 0.375, 0.5), __dmul_rn(z, e), z);
            const T d = pivot();
            const T s = d * r;
            return {core::fma(core::fma(-s, s, d), T(0.5) * r, s), r};
        } else {
            return core::pivot_rsqrt(value);
        }
#else
        return core::pivot_rsqrt(value);
#endif
    }
};

/// One lane's way to its row of the blocks. Memory is touched in pieces of 16 bytes where the strips allow it.
template <class A>
struct strip_rows {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    static constexpr int piece = 16 / static_cast<int>(sizeof(T));
    static constexpr bool in_pieces = n % piece == 0;
    A a;
    int i;         ///< row, n or more in lanes that have none
    bool aligned;  ///< same for all rows of all blocks

    SHOAL_FN strip_rows(A strips, int row) : a(strips), i(row), aligned(false) {
#if defined(SHOAL_DEVICE_CODE)
        aligned = in_pieces && (reinterpret_cast<std::uintptr_t>(a.data()) & 15U) == 0;
#endif
    }

    struct alignas(16) chunk {
        T v[static_cast<std::size_t>(piece)];
    };

    /// x[j - first] := row(j) for first <= j < first + Count and j <= last. What stands behind `last` is zero or of no
    /// meaning: to choose would be to wait for the loads here, instead of where they are used.
    template <int Count>
    SHOAL_FN void load(const T* row, int first, int last, T (&x)[Count]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces && Count % piece == 0) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < Count / piece; ++q) {
                    chunk c{};
                    if (first + q * piece <= last)
                        c = *reinterpret_cast<const chunk*>(row + first + q * piece);
                    SHOAL_UNROLL
                    for (int h = 0; h < piece; ++h) x[q * piece + h] = c.v[h];
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < Count; ++j) x[j] = first + j <= last ? row[first + j] : T(0);
    }
    /// Row i of L_k; zeros where there is none.
    SHOAL_FN void left(int k, T (&x)[n]) const {
        load(a.left(k).data() + i * row_step, 0, k > 0 && k < a.knots() && i < n ? n - 1 : -1, x);
    }
    /// Columns first .. first + Count - 1 of row i of the lower triangle of D_k; zeros where there is nothing.
    template <int Count>
    SHOAL_FN void main(int k, int first, T (&x)[Count]) const {
        load(a.main(k).data() + i * row_step, first, k < a.knots() && i < n ? i : -1, x);
    }
    /// row(j) := x[j] for j <= last: chunk q by part q mod `parts`. Conditions, not branches, which lanes would take apart.
    SHOAL_FN void store(T* row, int last, int part, int parts, const T (&x)[n]) const {
#if defined(SHOAL_DEVICE_CODE)
        if constexpr (in_pieces) {
            if (aligned) {
                SHOAL_UNROLL
                for (int q = 0; q < n / piece; ++q) {
                    const int mine = q % parts == part ? last : -1;
                    const int end = q * piece + piece - 1;
                    chunk c;
                    SHOAL_UNROLL
                    for (int h = 0; h < piece; ++h) c.v[h] = x[q * piece + h];
                    if (end <= mine) *reinterpret_cast<chunk*>(row + q * piece) = c;
                    SHOAL_UNROLL
                    for (int h = 0; h + 1 < piece; ++h)
                        if (q * piece + h <= mine && mine < end) row[q * piece + h] = x[q * piece + h];
                }
                return;
            }
        }
#endif
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            if (j % parts == part && j <= last) row[j] = x[j];
    }
    static constexpr int row_step = A::row_length;
};

/// How a group without scratch gets its rows, straight from memory a knot ahead, and the elements of finished columns, by
/// shuffles.
template <ShuffleGroup G, class A>
class direct_medium {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;

  public:
    SHOAL_FN direct_medium(const G& g, A a)
        : g_(g), rows_(a, g.rank() % deal::width), first_(g.rank() / deal::width * deal::share) {}

    /// Row i of D_0.
    SHOAL_FN void begin(T (&d)[n]) {
        rows_.main(0, 0, d);
        ask(1);
    }
    /// Row i of L_k, and this part's share of row i of D_k. Called for k = 1, 2, ...
    SHOAL_FN void take(int k, T (&e)[n], T (&u)[deal::share]) {
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) e[j] = e_[j];
        SHOAL_UNROLL
        for (int j = 0; j < deal::share; ++j) u[j] = u_[j];
        ask(k + 1);
    }
    /// Column p of the factor is finished: lp of this row of F, ep of this row of E.
    SHOAL_FN void publish(int, T lp, T ep) {
        lp_ = lp;
        ep_ = ep;
    }
    /// Elements from .. n - 1 of column p of F.
    SHOAL_FN void column_of_f(int, int from, T (&l)[n]) {
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            if (j >= from) l[j] = g_.shuffle(lp_, j);
    }
    /// This part's share of column p of E.
    SHOAL_FN void column_of_e(int, T (&c)[deal::share]) {
        SHOAL_UNROLL
        for (int j = 0; j < deal::share; ++j) c[j] = g_.shuffle(ep_, first_ + j);
    }

  private:
    SHOAL_FN void ask(int k) {
        rows_.left(k, e_);
        rows_.main(k, first_, u_);
    }
    const G& g_;
    strip_rows<A> rows_;
    int first_;
    T e_[n], u_[deal::share];
    T lp_ = 0, ep_ = 0;
};

/// A = F F' as bdsv_factor(), in registers, without a branch that depends on the numbers. Barriers: the exit barrier.
template <ShuffleGroup G, class A, class Medium>
SHOAL_FN knot_info bdsv_factor_rows(const G& g, A a, Medium medium) {
    using T = typename A::value_type;
    constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;
    constexpr int share = deal::share;
    const int part = g.rank() / deal::width;
    const int i = g.rank() % deal::width;
    const int knots = a.knots();
    const strip_rows<A> rows(a, i);
    T d[n], e[n], u[share], l[n], c[share];
    medium.begin(d);
    knot_info found;
    for (int k = 0; k < knots; ++k) {
        medium.take(k + 1, e, u);
        int bad = 0;
        // The next pivot and the element left of it are known to every lane: no exchange waits between two roots.
        using scaled = scaled_pivot<T>;
        scaled pivot = scaled::of(g.shuffle(d[0], 0)), corner = pivot;
        T below = 0;
        if constexpr (n > 1) {
            corner = scaled::of(g.shuffle(d[1], 1));
            below = g.shuffle(d[0], 1);
        }
        auto r = pivot.root();
        SHOAL_UNROLL
        for (int p = 0; p < n; ++p) {
            if (bad == 0 && !core::good_pivot(pivot.pivot())) bad = p + 1;
            const T lp = d[p] * r.reciprocal;
            const T ep = e[p] * r.reciprocal;
            d[p] = i == p ? r.root : lp;
            e[p] = ep;
            medium.publish(p, lp, ep);
            if (p + 1 < n) {
                const T l_next = below * r.reciprocal;
                const T l_scaled = below * corner.multiple * r.reciprocal;
                pivot = corner;
                pivot.value = core::fma(-l_scaled, l_scaled, corner.value);
                r = pivot.root();
                d[p + 1] = core::fma(-lp, l_next, d[p + 1]);
                e[p + 1] = core::fma(-ep, l_next, e[p + 1]);
            }
            medium.column_of_f(p, p + 2, l);
            if (p + 2 < n) {
                d[p + 2] = core::fma(-lp, l[p + 2], d[p + 2]);
                e[p + 2] = core::fma(-ep, l[p + 2], e[p + 2]);
                corner = scaled::of(g.shuffle(d[p + 2], p + 2));
                below = g.shuffle(d[p + 1], p + 2);
            }
            SHOAL_UNROLL
            for (int j = p + 3; j < n; ++j) {
                d[j] = core::fma(-lp, l[j], d[j]);
                e[j] = core::fma(-ep, l[j], e[j]);
            }
            medium.column_of_e(p, c);
            SHOAL_UNROLL
            for (int j = 0; j < share; ++j) u[j] = core::fma(-ep, c[j], u[j]);
        }
        // As in potrf(): the columns before a bad pivot are final, what is behind stays as it was.
        const int last = bad == 0 ? n - 1 : bad - 2;
        if (i < n && found.good()) {
            rows.store(a.main(k).data() + i * rows.row_step, last < i ? last : i, part, deal::parts, d);
            if (k + 1 < knots)
                rows.store(a.left(k + 1).data() + i * rows.row_step, last, part, deal::parts, e);
        }
        // What follows a bad pivot is computed all the same, and kept from memory: tiles of a warp stay in step.
        if (bad != 0 && found.good()) found = {k + 1, bad};
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) d[j] = g.shuffle(u[j % share], j / share * deal::width + i);
    }
    // The factor that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}
template <ShuffleGroup G, class A>
SHOAL_FN knot_info bdsv_factor_rows(const G& g, A a) {
    return bdsv_factor_rows(g, a, direct_medium<G, A>(g, a));
}

}  // namespace shoal::detail
