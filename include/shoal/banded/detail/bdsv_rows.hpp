#pragma once

#include <shoal/banded/detail/row_blocks.hpp>
#include <shoal/banded/knot_info.hpp>

namespace shoal::detail {

/// How the elements of finished columns reach the other lanes of a group without scratch: by shuffles.
template <ShuffleGroup G, class T, int n>
class shuffled_columns {
    using deal = row_deal<n, G::static_size>;

  public:
    SHOAL_FN explicit shuffled_columns(const G& g) : g_(g) {}

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
        const int first = g_.rank() / deal::width * deal::share;
        SHOAL_UNROLL
        for (int j = 0; j < deal::share; ++j) c[j] = g_.shuffle(ep_, first + j);
    }

  private:
    const G& g_;
    T lp_ = 0, ep_ = 0;
};

/// The same, and rows straight from memory, a knot ahead.
template <ShuffleGroup G, class A>
class direct_medium : public shuffled_columns<G, typename A::value_type, A::block_size> {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    using deal = row_deal<n, G::static_size>;

  public:
    SHOAL_FN direct_medium(const G& g, A a)
        : shuffled_columns<G, T, n>(g),
          rows_(a, g.rank() % deal::width),
          first_(g.rank() / deal::width * deal::share) {}

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

  private:
    SHOAL_FN void ask(int k) {
        rows_.left(k, e_);
        rows_.main(k, first_, u_);
    }
    strip_rows<A> rows_;
    int first_;
    T e_[n], u_[deal::share];
};

/// One block: d, row i of D, becomes that of F, and e that of E = L F^-T. `each(p, ep)` is called when column p is done.
/// \return 0 or the first bad pivot, counted from 1
template <int n, ShuffleGroup G, class T, class Medium, class Each>
SHOAL_FN int eliminate_rows(const G& g, int i, T (&d)[n], T (&e)[n], Medium& medium, Each each) {
    using scaled = scaled_pivot<T>;
    int bad = 0;
    T l[n];
    // The next pivot and the element left of it are known to every lane: no exchange waits between two roots.
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
        each(p, ep);
    }
    return bad;
}

/// A = F F' as bdsv_factor(), in registers, without a branch that depends on the numbers. Barriers: one a
/// knot, and the exit barrier.
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
    T d[n], e[n], u[share], c[share];
    medium.begin(d);
    knot_info found;
    for (int k = 0; k < knots; ++k) {
        medium.take(k + 1, e, u);
        const int bad = eliminate_rows<n>(g, i, d, e, medium, [&](int p, T ep) SHOAL_INLINE_LAMBDA {
            medium.column_of_e(p, c);
            SHOAL_UNROLL
            for (int j = 0; j < share; ++j) u[j] = core::fma(-ep, c[j], u[j]);
        });
        // All parts have read these rows, of which each replaces some elements.
        g.sync();
        // As in potrf(): the columns before a bad pivot are final, what is behind stays as it was.
        const int last = bad == 0 ? n - 1 : bad - 2;
        if (i < n && found.good()) {
            rows.store(a.main(k).data() + i * rows.row_step, last < i ? last : i, part, deal::parts, d);
            if (k + 1 < knots)
                rows.store(a.left(k + 1).data() + i * rows.row_step, last, part, deal::parts, e);
        }
        // What follows a bad pivot is computed all the same, and kept from memory: tiles of a warp stay in step.
        if (bad != 0 && found.good()) found = {k + 1, bad};
        if (k + 1 == knots) break;
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
