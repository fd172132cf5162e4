#pragma once

#include <shoal/tiled_lu/detail/rows.hpp>

namespace shoal::tiled_lu::detail {

/// Which triangle comes first. With S = L U, rows permuted: `plain` solves L U x = P b, `mirrored` U^T L^T P x = b.
enum class sense { plain, mirrored };

/// Forward and backward substitution with one tile after the other, W columns of x at a time.
///
/// x_i takes the terms of row i in ascending order forward and in descending order backward, each a fused
/// multiply-add: no tile, pass or residency changes a bit.
template <class Plan, sense Sense, int W, class M, class Rows, class X>
struct sweep {
    using T = typename M::value_type;
    using flat = typename Plan::flat;
    using grid = tile_grid<M::static_order, Plan::tile>;
    static constexpr bool mirrored = Sense == sense::mirrored;
    M s;
    Rows row;
    X x;
    int first = 0;

    /// What multiplies x_c in equation i, c != i.
    SHOAL_FN constexpr T coefficient(int i, int c) const noexcept {
        return mirrored ? s(row(c), i) : s(row(i), c);
    }

    template <int L, class E>
    SHOAL_FN constexpr void put(const T (&v)[L], int k0, E e) const noexcept {
        over<flat, E::limit>(0, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            all<W>([&](int w) SHOAL_INLINE_LAMBDA { x(k0 + i, first + w) = v[i * W + w]; });
        });
    }

    template <int L, class E, class Source>
    SHOAL_FN constexpr void get(T (&v)[L], int k0, E e, Source source) const noexcept {
        if constexpr (E::partial) {
            // Never used, which compilers cannot see.
            for (int i = 0; i < L; ++i) v[i] = T(0);
        }
        over<flat, E::limit>(0, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            all<W>([&](int w) SHOAL_INLINE_LAMBDA { v[i * W + w] = source(k0 + i, w); });
        });
    }

    template <int L>
    SHOAL_FN static constexpr void subtract(T (&v)[L], int i, T factor, const T* other) noexcept {
        all<W>([&](int w) SHOAL_INLINE_LAMBDA { v[i * W + w] = fma(-factor, other[w], v[i * W + w]); });
    }

    template <int L>
    SHOAL_FN constexpr void scale(T (&v)[L], int k0, int c) const noexcept {
        const T inverse = s(row(k0 + c), k0 + c);
        all<W>([&](int w) SHOAL_INLINE_LAMBDA { v[c * W + w] *= inverse; });
    }

    /// x_c, which other equations use.
    SHOAL_FN constexpr void solved(T (&value)[W], int c) const noexcept {
        all<W>([&](int w) SHOAL_INLINE_LAMBDA { value[w] = x(c, first + w); });
    }

    /// The forward equations of tile k0, those before it being solved; `source(i, w)` is what x_i starts from.
    template <class E, class Source>
    SHOAL_FN constexpr void forward_tile(int k0, E e, Source source) const noexcept {
        constexpr int L = E::limit;
        T v[L * W];
        get(v, k0, e, source);
        if constexpr (!Plan::single) {
            for (int c = 0; c < k0; ++c) {
                T value[W];
                solved(value, c);
                over<flat, L>(0, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
                    subtract(v, i, coefficient(k0 + i, c), value);
                });
            }
        }
        over<flat, L>(0, e.size(), [&](int c) SHOAL_INLINE_LAMBDA {
            if constexpr (mirrored) scale(v, k0, c);
            over<flat, L>(c + 1, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
                subtract(v, i, coefficient(k0 + i, k0 + c), v + c * W);
            });
        });
        put(v, k0, e);
    }

    /// The backward equations of tile k0, those behind it being solved.
    template <class E>
    SHOAL_FN constexpr void backward_tile(int k0, E e) const noexcept {
        constexpr int L = E::limit;
        T v[L * W];
        get(v, k0, e, [&](int i, int w) SHOAL_INLINE_LAMBDA { return x(i, first + w); });
        if constexpr (!Plan::single) {
            for (int c = s.order() - 1; c >= k0 + e.size(); --c) {
                T value[W];
                solved(value, c);
                over<flat, L>(0, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
                    subtract(v, i, coefficient(k0 + i, c), value);
                });
            }
        }
        over_down<flat, L>(0, e.size(), [&](int c) SHOAL_INLINE_LAMBDA {
            if constexpr (!mirrored) scale(v, k0, c);
            over<flat, L>(0, c, [&](int i) SHOAL_INLINE_LAMBDA {
                subtract(v, i, coefficient(k0 + i, k0 + c), v + c * W);
            });
        });
        put(v, k0, e);
    }

    template <class Source>
    SHOAL_FN constexpr void forward(Source source) const noexcept {
        grid{s.order()}.ascend(0, [&](int k0, auto e) SHOAL_INLINE_LAMBDA { forward_tile(k0, e, source); });
    }

    SHOAL_FN constexpr void backward() const noexcept {
        grid{s.order()}.descend(0, [&](int k0, auto e) SHOAL_INLINE_LAMBDA { backward_tile(k0, e); });
    }
};

}  // namespace shoal::tiled_lu::detail
