#pragma once

#include <cstdint>

#include <shoal/banded/detail/bdsv_rows.hpp>
#include <shoal/banded/detail/tensor_levels.hpp>

/// \file
/// Parallel elimination by the warps of a block, in log2 N levels. With knots counted from 1, level s = 1, 2, 4, ...
/// eliminates the odd multiples of s, each between the neighbours a = j - s and b = j + s, which are left for later:
///
///     D_j = F_j F_j',   A_j = K_aj F_j^-T,   B_j = K_bj F_j^-T
///
/// F_j in the place of D_j, A_j' and B_j' in those of L_j and R_j. A knot that is still there takes what its eliminated neighbours owe it at the next
/// level: D_c -= B_{c-s} B_{c-s}' + A_{c+s} A_{c+s}', and K_{c,c-2s} = -B_{c-s} A_{c-s}'. No two warps write to the same
/// place, and a level needs one barrier. The work of a knot does not depend on the number of warps, and neither do the bits.

namespace shoal::detail {

/// Multiples of s among 1 .. N.
SHOAL_FN constexpr int knots_at(int knots, int s) {
    return knots / s;
}

/// What one warp does for one knot. Knots are counted from 0 here: at level s those with (k + 1) % s == 0 are left.
template <ShuffleGroup W, class A>
class level_step {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    using deal = row_deal<n, W::static_size>;
    static_assert(deal::parts >= 2, "the couplings to both neighbours take a part each");

  public:
    SHOAL_FN level_step(const W& warp, A a)
        : warp_(warp),
          a_(a),
          i_(warp.rank() % deal::width),
          part_(warp.rank() / deal::width),
          first_(part_ * deal::share),
          rows_(a, i_) {}

    /// Takes what level s / 2 left for knot c, and eliminates c where it is its turn.
    /// \return 0 or the first bad pivot
    SHOAL_FN int factor(int c, int s) const {
        const bool turn = (c + 1) / s % 2 != 0;
        const int before = c - s / 2, behind = c + s / 2;
        // Everything is asked for before anything is waited for: rows of B before c, of A behind it, and of the other two.
        T u[deal::share], b[n], a[n], x[n], e[n] = {};
        rows_.main(c, first_, u);
        load_column(before, 2, s > 1 && i_ < n, b);
        load_column(behind, 0, s > 1 && behind < a_.knots() && i_ < n, a);
        // A knot that stays does not read the couplings that its neighbours are replacing.
        const bool to_a = turn && part_ == 0 && c - s >= 0 && i_ < n;
        const bool to_b = turn && part_ == 1 && c + s < a_.knots() && i_ < n;
        if (s == 1) {
            SHOAL_UNROLL
            for (int j = 0; j < n; ++j)
                e[j] = to_a ? T(a_.left(c)(j, i_)) : to_b ? T(a_.left(c + 1)(i_, j)) : T(0);
        } else {
            load_column(part_ == 0 ? before : behind, part_ == 0 ? 0 : 2, to_a || to_b, x);
            subtract_square(b, u);
            subtract_square(a, u);
        }
        if (!turn) {
            SHOAL_UNROLL
            for (int j = 0; j < deal::share; ++j)
                if (i_ < n && first_ + j <= i_) a_.main(c)(i_, first_ + j) = u[j];
            return 0;
        }
        if (s > 1) {
            // Part 0: row i of K_ac = -A B' with the knot before; part 1: of K_bc = -B A' with the one behind.
            SHOAL_UNROLL
            for (int j = 0; j < n; ++j) {
                e[j] = T(0);
                SHOAL_UNROLL
                for (int l = 0; l < n; ++l) {
                    const T y = warp_.shuffle(part_ == 0 ? b[l] : a[l], part_ * deal::width + j);
                    e[j] = core::fma(-x[l], y, e[j]);
                }
            }
        }
        T d[n];
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            d[j] = warp_.shuffle(u[j % deal::share], j / deal::share * deal::width + i_);
        shuffled_columns<W, T, n> columns(warp_);
        const int bad = eliminate_rows<n>(warp_, i_, d, e, columns, [](int, T) SHOAL_INLINE_LAMBDA {});
        // Each lane replaces what it has read: its share of row i of D_c,
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j)
            if (j / deal::share == part_ && i_ < n && j <= i_) a_.main(c)(i_, j) = d[j];
        // and column i of A' or B'.
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l)
            if (to_a || to_b) element(c, part_ == 0 ? 0 : 2, l) = e[l];
        return bad;
    }

    /// The forward sweep for knot c at level s.
    template <class X>
    SHOAL_FN void forward(int c, int s, X x) const {
        T y = mine() ? T(x(c * n + i_)) : T(0);
        if (s > 1) {
            subtract_product(c - s / 2, 2, x, y);
            if (c + s / 2 < a_.knots()) subtract_product(c + s / 2, 0, x, y);
        }
        if ((c + 1) / s % 2 != 0) {
            T f[n];
            rows_.main(c, 0, f);
            const T reciprocal = core::pivot_reciprocal(i_ < n ? T(a_.main(c)(i_, i_)) : T(1));
            SHOAL_UNROLL
            for (int p = 0; p + 1 < n; ++p) {
                const T solved = warp_.shuffle(y * reciprocal, p);
                if (i_ > p) y = core::fma(-f[p], solved, y);
            }
            y *= reciprocal;
        }
        if (mine()) x(c * n + i_) = y;
    }

    /// The backward sweep for knot c, which level s eliminated.
    template <class X>
    SHOAL_FN void backward(int c, int s, X, X x) const {
        T y = mine() ? T(x(c * n + i_)) : T(0);
        if (c - s >= 0) subtract_transposed(c, 0, c - s, x, y);
        if (c + s < a_.knots()) subtract_transposed(c, 2, c + s, x, y);
        T f[n];
        SHOAL_UNROLL
        for (int j = 0; j < n; ++j) f[j] = i_ < n && j > i_ ? T(a_.main(c)(j, i_)) : T(0);
        const T reciprocal = core::pivot_reciprocal(i_ < n ? T(a_.main(c)(i_, i_)) : T(1));
        SHOAL_UNROLL
        for (int p = n - 1; p > 0; --p) {
            const T solved = warp_.shuffle(y * reciprocal, p);
            if (i_ < p) y = core::fma(-f[p], solved, y);
        }
        if (mine()) x(c * n + i_) = y * reciprocal;
    }

  private:
    /// Element (l, i) of the block in slot 0 (L, then A') or 2 (R, then B') of knot k.
    SHOAL_FN auto& element(int k, int which, int l) const {
        return a_.left(k).data()[which * n + l * rows_.row_step + i_];
    }
    /// Column i of it, which is row i of A or B; zeros unless it is there.
    SHOAL_FN void load_column(int k, int which, bool there, T (&x)[n]) const {
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) x[l] = there ? T(element(k, which, l)) : T(0);
    }
    /// The other parts hold the same rows, but elements of x belong to this one.
    SHOAL_FN bool mine() const { return part_ == 0 && i_ < n; }
    /// u -= this part's columns of row i of M M', m: row i of M.
    SHOAL_FN void subtract_square(const T (&m)[n], T (&u)[deal::share]) const {
        SHOAL_UNROLL
        for (int j = 0; j < deal::share; ++j) {
            SHOAL_UNROLL
            for (int l = 0; l < n; ++l) u[j] = core::fma(-m[l], warp_.shuffle(m[l], first_ + j), u[j]);
        }
    }
    template <class X>
    SHOAL_FN void subtract_product(int k, int which, X x, T& y) const {
        T row[n], z[n];
        load_column(k, which, mine(), row);
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) z[l] = x(k * n + l);
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) y = core::fma(-row[l], z[l], y);
    }
    template <class X>
    SHOAL_FN void subtract_transposed(int c, int which, int from, X x, T& y) const {
        T m[n], z[n];
        rows_.load(a_.left(c).data() + which * n + i_ * rows_.row_step, 0, mine() ? n - 1 : -1, m);
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) z[l] = x(from * n + l);
        SHOAL_UNROLL
        for (int l = 0; l < n; ++l) y = core::fma(-m[l], z[l], y);
    }

    const W& warp_;
    A a_;
    int i_, part_, first_;
    strip_rows<A> rows_;
};

/// Whether knots are eliminated on the tensor cores.
template <class A>
inline constexpr bool levels_by_products = std::is_same_v<typename A::value_type, double>;

/// f(step, c, s) for the knots that are left at level s, shared by the warps of a block.
template <class G, class A, class F>
SHOAL_FN void each_at_level(const G& g, A a, int s, F f) {
    const auto warp = g.template split<32>();
    using step_type =
        std::conditional_t<levels_by_products<A>, tensor_level_step<std::remove_cvref_t<decltype(warp)>, A>,
                           level_step<std::remove_cvref_t<decltype(warp)>, A>>;
    const step_type step(warp, a);
    const int warps = g.size() / 32;
    // First those whose turn it is, odd multiples of s: they take longest. No knot is visited twice.
    const int count = knots_at(a.knots(), s);
    const int odd = (count + 1) / 2;
    for (int v = g.rank() / 32; v < count; v += warps) {
        const int multiple = v < odd ? 2 * v + 1 : 2 * (v - odd) + 2;
        f(step, multiple * s - 1);
    }
}

/// The first bad pivot, of the first level that has one, from what the levels found. scratch: an element a knot.
template <ShuffleGroup W, class T>
SHOAL_FN knot_info first_bad_of_levels(const W& warp, int knots, const T* scratch) {
    // A lane looks at every 32nd knot: one after the other would be a load's latency a knot.
    constexpr std::int64_t none = 0x7fffffffffffffff;
    std::int64_t first = none;
    for (int c = warp.rank(); c < knots; c += 32) {
        const std::int64_t level = (c + 1) & -(c + 1);
        const std::int64_t place = level * knots + c;
        if (scratch[c] != T(0) && place < first) first = place;
    }
    SHOAL_UNROLL
    for (int lanes = 1; lanes < 32; lanes *= 2) {
        const std::int64_t other = warp.shuffle_xor(first, lanes);
        first = other < first ? other : first;
    }
    if (first == none) return {};
    const int c = static_cast<int>(first % knots);
    return {c + 1, static_cast<int>(scratch[c])};
}

/// The factor in levels, and the forward sweep on the way where there is a right-hand side: it goes from x to y. scratch:
/// an element a knot.
template <class G, class A, class X, class Y, class T>
SHOAL_FN knot_info bdsv_factor_levels(const G& g, A a, X x, Y y, T* scratch) {
    const int knots = a.knots();
    for (int s = 1; s <= knots; s *= 2) {
        each_at_level(g, a, s, [&](const auto& step, int c) SHOAL_INLINE_LAMBDA {
            int bad = 0;
            if constexpr (std::is_same_v<X, std::nullptr_t>) {
                bad = step.factor(c, s);
            } else {
                bad = step.factor(c, s, x, y);
            }
            if (g.rank() % 32 == 0 && (c + 1) / s % 2 != 0) scratch[c] = static_cast<T>(bad);
        });
        // The level, before the next reads it.
        g.sync();
    }
    const knot_info found = first_bad_of_levels(g.template split<32>(), knots, scratch);
    // Everyone has read the scratch: it may be used again.
    if constexpr (syncs_on_exit<G>) g.sync();
    return found;
}

/// The backward sweep: x from y.
template <class G, class A, class Y, class X>
SHOAL_FN void bdsv_backward_levels(const G& g, A a, Y y, X x) {
    const int knots = a.knots();
    int s = 1;
    while (2 * s <= knots) s *= 2;
    for (; s >= 1; s /= 2) {
        each_at_level(g, a, s, [&](const auto& step, int c) SHOAL_INLINE_LAMBDA {
            if ((c + 1) / s % 2 != 0) step.backward(c, s, y, x);
        });
        // The level, before the next reads it; after the last, the elements of x that other members wrote.
        if (s > 1) g.sync();
    }
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// x := A^-1 x from it.
template <class G, class A, class X>
SHOAL_FN void bdsv_solve_levels(const G& g, A a, X x) {
    const int knots = a.knots();
    int s = 1;
    for (; s <= knots; s *= 2) {
        each_at_level(g, a, s, [&](const auto& step, int c) SHOAL_INLINE_LAMBDA { step.forward(c, s, x); });
        // The level, before the next reads it.
        g.sync();
    }
    bdsv_backward_levels(g, a, x, x);
}

/// bdsv() in levels. scratch: an element a knot, and with products a block vector.
template <class G, class A, class X, class T>
SHOAL_FN knot_info bdsv_levels(const G& g, A a, X x, T* scratch) {
    if constexpr (levels_by_products<A>) {
        const block_vector<T, A::block_size> y(scratch + a.knots(), a.knots());
        const knot_info found = bdsv_factor_levels(with_exit_sync(g), a, x, y, scratch);
        if (found.good()) bdsv_backward_levels(g, a, y, x);
        return found;
    } else {
        const knot_info found = bdsv_factor_levels(with_exit_sync(g), a, nullptr, nullptr, scratch);
        if (found.good()) bdsv_solve_levels(g, a, x);
        return found;
    }
}

}  // namespace shoal::detail
