#pragma once

#include <cstdint>

#include <shoal/fast/lanes.hpp>

namespace shoal::fast {

/// V vectors of W rows by C columns in registers, of a matrix with leading dimension `ld`.
template <class Isa, class T, int W, int V, int C>
struct tile {
    using row = lanes<Isa, T, W>;
    row x[C][V];

    SHOAL_FN void load(const T* a, std::int64_t ld) {
        each<C>([&](auto c) SHOAL_INLINE_LAMBDA {
            each<V>([&](auto v) SHOAL_INLINE_LAMBDA { x[c][v] = row::load(a + c * ld + v * W); });
        });
    }
    SHOAL_FN void clear() {
        each<C>([&](auto c) SHOAL_INLINE_LAMBDA {
            each<V>([&](auto v) SHOAL_INLINE_LAMBDA { x[c][v] = row::broadcast(T(0)); });
        });
    }
    SHOAL_FN void store(T* a, std::int64_t ld) const {
        each<C>([&](auto c) SHOAL_INLINE_LAMBDA {
            each<V>([&](auto v) SHOAL_INLINE_LAMBDA { x[c][v].store(a + c * ld + v * W); });
        });
    }
    /// Tile -= P Q, P with the tile's rows and leading dimension ldp, Q(k, c) at q + k * step + c * ldq; k ascending.
    SHOAL_FN void subtract(const T* p, std::int64_t ldp, const T* q, std::int64_t step, std::int64_t ldq,
                           int depth) {
        for (int k = 0; k < depth; ++k) {
            row a[V];
            each<V>([&](auto v) SHOAL_INLINE_LAMBDA { a[v] = row::load(p + k * ldp + v * W); });
            each<C>([&](auto c) SHOAL_INLINE_LAMBDA {
                const row b = row::broadcast(q[k * step + c * ldq]);
                each<V>([&](auto v)
                            SHOAL_INLINE_LAMBDA { x[c][v] = row::subtract_product(a[v], b, x[c][v]); });
            });
        }
    }
    /// Tile -= P Q', Q with the tile's columns as rows; P and Q have `depth` columns and leading dimension ld.
    SHOAL_FN void subtract_nt(const T* p, const T* q, int ld, int depth) { subtract(p, ld, q, ld, 1, depth); }
    /// Tile := tile L^-T, L the C x C lower triangle at `l`, r the reciprocals of its diagonal.
    SHOAL_FN void solve_nt(const T* l, int ld, const T* r) {
        each<C>([&](auto c) SHOAL_INLINE_LAMBDA {
            each<c>([&](auto k) SHOAL_INLINE_LAMBDA {
                const row b = row::broadcast(l[k * ld + c]);
                each<V>([&](auto v)
                            SHOAL_INLINE_LAMBDA { x[c][v] = row::subtract_product(x[k][v], b, x[c][v]); });
            });
            const row s = row::broadcast(r[c]);
            each<V>([&](auto v) SHOAL_INLINE_LAMBDA { x[c][v] = row::product(x[c][v], s); });
        });
    }
};

/// Rows begin .. begin + W V - 1 as V vectors of W rows: the first of the ranges that cover rows first .. n - 1. The
/// range starts at a vector of the widest kind, at or before `first`. Four such columns fit the registers.
template <class Isa, class T, int n, int first>
struct row_range {
    static constexpr int wide = widest<Isa, T>(n);
    static constexpr int begin = first < n / wide * wide ? first / wide * wide : first;
    static constexpr int width = widest<Isa, T>(n - begin);
    static constexpr int vectors = (n - begin) / width >= 2 ? 2 : 1;
    static constexpr int end = begin + width * vectors;
    template <int C>
    using tile_type = tile<Isa, T, width, vectors, C>;
};

}  // namespace shoal::fast
