#pragma once

#include <shoal/tiled_lu/detail/sweep.hpp>

namespace shoal::tiled_lu::detail {

/// No right-hand side goes along.
struct no_side {};

/// What a step does to its column of tiles: moves tiles, brings rows below the diagonal tile up to date, chooses pivots,
/// and changes rows. `factorisation` shows the whole.
///
/// With the search over the whole column, the rows below are kept up to date one column of the tile after the other:
/// entries left of column c are multipliers, entry c is the candidate, those behind are as before the step.
template <auto Config, class M, class P, class Y>
struct panel {
    using T = typename M::value_type;
    static constexpr int order = M::static_order;
    using Plan = plan<Config, T, order>;
    using flat = typename Plan::flat;
    using grid = tile_grid<order, Plan::tile>;
    using rows = row_map<Plan, order, P>;
    static constexpr bool with_side = !std::is_same_v<Y, no_side>;
    static constexpr bool mirrored = layout_of<Config, M> == storage::col_major;

    M s;
    rows row;
    Y y;
    int n;

    /// c(a, b) -= l(a, q) * S(b0 + q, j0 + b) in ascending q.
    template <int LC, int LL, class EI, class EJ, class EK>
    SHOAL_FN constexpr void subtract_product(T (&c)[LC], EI ei, EJ ej, const T (&l)[LL], int b0, EK ek,
                                             int j0) const noexcept {
        constexpr int J = EJ::limit;
        constexpr int K = EK::limit;
        over<flat, K>(0, ek.size(), [&](int q) SHOAL_INLINE_LAMBDA {
            const int from = row(b0 + q);
            over<flat, J>(0, ej.size(), [&](int b) SHOAL_INLINE_LAMBDA {
                const T u = s(from, j0 + b);
                over<flat, EI::limit>(0, ei.size(), [&](int a) SHOAL_INLINE_LAMBDA {
                    c[a * J + b] = fma(-l[a * K + q], u, c[a * J + b]);
                });
            });
        });
    }

    template <int L, class EI, class EJ>
    SHOAL_FN constexpr void load(T (&c)[L], int i0, EI ei, int j0, EJ ej) const noexcept {
        if constexpr (EI::partial || EJ::partial) {
            // Nobody reads the rest of a partial tile, but compilers cannot see that and warn.
            for (int e = 0; e < L; ++e) c[e] = T(0);
        }
        over<flat, EI::limit>(0, ei.size(), [&](int a) SHOAL_INLINE_LAMBDA {
            const int from = row(i0 + a);
            over<flat, EJ::limit>(0, ej.size(),
                                  [&](int b) SHOAL_INLINE_LAMBDA { c[a * EJ::limit + b] = s(from, j0 + b); });
        });
    }

    template <int L, class EI, class EJ>
    SHOAL_FN constexpr void store(const T (&c)[L], int i0, EI ei, int j0, EJ ej) const noexcept {
        over<flat, EI::limit>(0, ei.size(), [&](int a) SHOAL_INLINE_LAMBDA {
            const int to = row(i0 + a);
            over<flat, EJ::limit>(0, ej.size(),
                                  [&](int b) SHOAL_INLINE_LAMBDA { s(to, j0 + b) = c[a * EJ::limit + b]; });
        });
    }

    /// Tile (i0, j0) with everything that the tiles before column or row `before` owe it.
    template <int L, class EI, class EJ>
    SHOAL_FN constexpr void load_updated(T (&c)[L], int i0, EI ei, int j0, EJ ej, int before) const noexcept {
        load(c, i0, ei, j0, ej);
        for (int b0 = 0; b0 < before; b0 += Plan::tile) {
            using EB = whole<Plan::tile>;
            T l[EI::limit * EB::limit];
            load(l, i0, ei, b0, EB{});
            subtract_product(c, ei, ej, l, b0, EB{}, j0);
        }
    }

    /// r[j] takes the updates of the columns of D before it, whose multipliers are in r.
    template <int LR, int LD>
    SHOAL_FN static constexpr void settle(T (&r)[LR], const T (&d)[LD], int j) noexcept {
        over<flat, LR>(0, j, [&](int q) SHOAL_INLINE_LAMBDA { r[j] = fma(-r[q], d[q * LR + j], r[j]); });
    }

    /// The multipliers of columns 0 .. c - 1, from entries as before the step.
    template <int LR, int LD>
    SHOAL_FN static constexpr void make_multipliers(T (&r)[LR], const T (&d)[LD], int c) noexcept {
        over<flat, LR>(0, c, [&](int j) SHOAL_INLINE_LAMBDA {
            settle(r, d, j);
            r[j] *= d[j * LR + j];
        });
    }

    /// The candidate that row i below the tile offers for column c.
    template <int L, class E>
    SHOAL_FN constexpr T candidate(const T (&d)[L], int k0, E, int i, int c) const noexcept {
        constexpr int LR = E::limit;
        const int from = row(i);
        T r[LR] = {};  // all that is read is written, but g++ behind nvcc -O3 cannot see that and warns
        if constexpr (!Plan::whole_column) {
            over<flat, LR>(0, c + 1, [&](int j) SHOAL_INLINE_LAMBDA { r[j] = s(from, k0 + j); });
            make_multipliers(r, d, c);
            settle(r, d, c);
            return r[c];
        } else {
            if (c == 0) return s(from, k0);
            over<flat, LR>(0, c + 1, [&](int j) SHOAL_INLINE_LAMBDA { r[j] = s(from, k0 + j); });
            over<flat, LR>(c - 1, c, [&](int j) SHOAL_INLINE_LAMBDA {
                r[j] *= d[j * LR + j];
                s(from, k0 + j) = r[j];
            });
            settle(r, d, c);
            s(from, k0 + c) = r[c];
            return r[c];
        }
    }

    /// Completes the multipliers below the tile.
    template <int L, class E>
    SHOAL_FN constexpr void finish_below(const T (&d)[L], int k0, E e) const noexcept {
        constexpr int LR = E::limit;
        for (int i = k0 + e.size(); i < n; ++i) {
            const int at = row(i);
            if constexpr (Plan::whole_column) {
                over<flat, LR>(e.size() - 1, e.size(),
                               [&](int j) SHOAL_INLINE_LAMBDA { s(at, k0 + j) *= d[j * LR + j]; });
            } else {
                T r[LR];
                over<flat, LR>(0, e.size(), [&](int j) SHOAL_INLINE_LAMBDA { r[j] = s(at, k0 + j); });
                make_multipliers(r, d, e.size());
                over<flat, LR>(0, e.size(), [&](int j) SHOAL_INLINE_LAMBDA { s(at, k0 + j) = r[j]; });
            }
        }
    }

    /// Notes that rows k and p change places, and moves what does so in memory.
    SHOAL_FN constexpr void interchange(int k, int p) const noexcept {
        row.interchange(k, p);
        if constexpr (Plan::physical && !Plan::single) {
            if (k != p) {
                for (int j = 0; j < n; ++j) {
                    const T upper = s(k, j);
                    s(k, j) = s(p, j);
                    s(p, j) = upper;
                }
            }
        }
        if constexpr (with_side && !mirrored) {
            using select = std::bool_constant<Plan::in_registers>;
            exchange<select, order == dynamic ? 0 : order>(
                k, p, order, [&](int i) SHOAL_INLINE_LAMBDA -> T& { return y(i, 0); });
        }
    }

    /// Row c of the tile leaves it for row p below, which comes with what it lacks.
    template <int L, class E>
    SHOAL_FN constexpr void fetch_row(T (&d)[L], int k0, E e, int c, int p) const noexcept {
        constexpr int LR = E::limit;
        T r[LR];
        T leaving[LR];
        const int from = row(p);
        over<flat, LR>(0, e.size(), [&](int j) SHOAL_INLINE_LAMBDA {
            r[j] = s(from, k0 + j);
            leaving[j] = d[c * LR + j];
        });
        if constexpr (!Plan::whole_column) {
            make_multipliers(r, d, c);
            settle(r, d, c);
        }
        over<flat, LR>(c + 1, e.size(), [&](int j) SHOAL_INLINE_LAMBDA {
            over<flat, LR>(0, c, [&](int q) SHOAL_INLINE_LAMBDA { r[j] = fma(-r[q], d[q * LR + j], r[j]); });
        });
        interchange(k0 + c, p);
        // The memory of the row that leaves is as before the step.
        if constexpr (Plan::whole_column) {
            const int to = row(p);
            over<flat, LR>(0, c + 1, [&](int j) SHOAL_INLINE_LAMBDA { s(to, k0 + j) = leaving[j]; });
        }
        over<flat, LR>(0, e.size(), [&](int j) SHOAL_INLINE_LAMBDA { d[c * LR + j] = r[j]; });
    }

    /// The row that gives the pivot of column c, and how large that is.
    struct choice {
        T size;
        int row;
        bool missing;
    };

    template <int L, class E>
    SHOAL_FN constexpr choice choose(const T (&d)[L], int k0, E e, int c) const noexcept {
        constexpr int LR = E::limit;
        const T in_place = magnitude(d[c * LR + c]);
        choice best{in_place, k0 + c, false};
        over<flat, LR>(c + 1, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            const T size = magnitude(d[i * LR + c]);
            if (beats(size, best.size)) {
                best.size = size;
                best.row = k0 + i;
            }
        });
        best.missing = !(best.size >= Plan::acceptable);
        if constexpr (Plan::whole_column) {
            if constexpr (!E::last) {
                for (int i = k0 + e.size(); i < n; ++i) {
                    const T size = magnitude(candidate(d, k0, e, i, c));
                    if (beats(size, best.size)) {
                        best.size = size;
                        best.row = i;
                    }
                }
            }
            if (in_place >= Plan::relative * best.size && in_place >= Plan::floor) {
                best.size = in_place;
                best.row = k0 + c;
            }
        } else {
            if (in_place >= Plan::relative * best.size && in_place >= Plan::acceptable) {
                best.size = in_place;
                best.row = k0 + c;
            }
            if constexpr (!E::last) {
                bool enough = !best.missing;
                for (int i = k0 + e.size(); i < n && !enough; ++i) {
                    const T size = magnitude(candidate(d, k0, e, i, c));
                    if (beats(size, best.size)) {
                        best.size = size;
                        best.row = i;
                    }
                    enough = Config.oot_first_acceptable && !(best.size < Plan::acceptable);
                }
            }
        }
        // Nothing lies below the last, smaller tile: there a pivot that is none is a failure and no search.
        if (e.size() < Config.tile_size && !Plan::physical && best.size < Plan::floor) best.missing = false;
        return best;
    }
};

}  // namespace shoal::tiled_lu::detail
