#pragma once

#include <shoal/fast/block_pivot.hpp>
#include <shoal/fast/ldlt_rows.hpp>

namespace shoal::fast {

namespace detail {

/// What is still to be factored, from column k on: element (i, k + c) with k + c <= i is row[c] of lane i.
template <class T, int N, int Width, ShuffleGroup G>
struct trailing_rows {
    static constexpr int S = G::static_size;
    const G& lanes;
    int k;
    T (&row)[Width];
    /// Column r of the symmetric matrix, an element a lane, once beside(r) was asked.
    T across;

    /// The lane of row k + c. Columns behind the last are carried along, and belong to any.
    SHOAL_FN int lane_of(int c) const { return (k + c) % S; }
    SHOAL_FN T here() const { return lanes.shuffle(row[0], k); }
    SHOAL_FN auto below() const {
        const bool live = lanes.rank() > k && lanes.rank() < N;
        return largest(live, row[0]);
    }
    SHOAL_FN auto beside(int r) {
        const int i = lanes.rank();
        across = row[0];
        SHOAL_UNROLL
        for (int c = 0; c < Width; ++c) {
            // Above the diagonal of column r stands row r.
            const T other = lanes.shuffle(row[c], r);
            if (i == k + c && i < r) across = other;
            if (k + c == r && i >= r) across = row[c];
        }
        return largest(i >= k && i < N && i != r, across).key;
    }
    SHOAL_FN T diagonal(int r) const { return lanes.shuffle(across, r); }

    /// Rows and columns `last` and p, which beside() was asked for, change places; `last` is k or, with two columns in the
    /// pivot block, k + 1.
    SHOAL_FN void swap(int last, int p) {
        const int i = lanes.rank();
        const bool two = last > k;
        const T held = two ? row[Width > 1 ? 1 : 0] : row[0];
        const T corner = lanes.shuffle(across, p);
        const T moved = i == last ? corner : i == p ? held : across;
        const T first = lanes.shuffle(row[0], !two ? i : i == last ? p : i == p ? last : i);
        SHOAL_UNROLL
        for (int c = 1; c < Width; ++c) {
            const int j = k + c;
            const T other = lanes.shuffle(held, j < p ? j : last);
            if (j > last && i == p && j <= p) row[c] = other;
            if (j == p && i > p) row[c] = held;
        }
        row[0] = two ? first : moved;
        if (two) row[Width > 1 ? 1 : 0] = moved;
    }

  private:
    struct keyed {
        decltype(core::magnitude_key(T())) key;
        int row;
    };
    SHOAL_FN keyed largest(bool live, T x) const {
        const auto key = live ? core::magnitude_key(x) : 0;
        const int leader = leading_member(lanes, key, live ? lanes.rank() : S + lanes.rank(),
                                          largest_leading_word(lanes, key));
        return {lanes.shuffle(key, leader), leader};
    }
};

/// Steps as long as more than `Width` - 8 columns are left, then those with fewer. `store(j, x)` puts x in column j of the
/// calling lane's row, `pivot(k, p)` notes an interchange.
template <int N, int Width, class T, ShuffleGroup G, class Store, class Pivot>
SHOAL_FN void pivoted_steps(const G& lanes, T (&row)[Width], int k, int& info, Store store, Pivot pivot) {
    constexpr int narrower = Width > 8 ? Width - 8 : 0;
    const int i = lanes.rank();
    while (N - k > narrower) {
        trailing_rows<T, N, Width, G> rest{lanes, k, row, T(0)};
        const block_pivot step = choose_block_pivot(k, rest);
        if (info == 0 && step.bad) info = k + 1;
        const int last = k + step.width - 1;
        if (step.row != last) rest.swap(last, step.row);
        const T u = row[0];
        const T d = lanes.shuffle(u, k);
        if (step.width == 1) {
            pivot(k, step.row);
            // A column of zeros stays as it is.
            const bool eliminate = !step.bad || d != T(0);
            const T l = eliminate ? over_pivot(u, d) : u;
            SHOAL_UNROLL
            for (int c = 1; c < Width; ++c) {
                const T next = core::fma(-l, lanes.shuffle(u, rest.lane_of(c)), row[c]);
                row[c - 1] = eliminate ? next : row[c];
            }
            if (i >= k) store(k, i == k ? u : l);
        } else if constexpr (Width > 1) {
            pivot(k, -step.row - 1);
            pivot(k + 1, -step.row - 1);
            const T w = row[1];
            // D^-1, scaled by its off-diagonal so that nothing overflows.
            const T off = lanes.shuffle(u, last);
            const T upper = d / off;
            const T lower = lanes.shuffle(w, last) / off;
            const T scale = T(1) / core::fma(upper, lower, T(-1)) / off;
            const T left = scale * core::fma(lower, u, -w);
            const T right = scale * core::fma(upper, w, -u);
            SHOAL_UNROLL
            for (int c = 2; c < Width; ++c) {
                const T half = core::fma(-left, lanes.shuffle(u, rest.lane_of(c)), row[c]);
                row[c - 2] = core::fma(-right, lanes.shuffle(w, rest.lane_of(c)), half);
            }
            if (i >= k) store(k, i <= last ? u : left);
            if (i >= last) store(last, i == last ? w : right);
        }
        k += step.width;
    }
    if constexpr (narrower > 0) {
        T fewer[narrower];
        SHOAL_UNROLL
        for (int c = 0; c < narrower; ++c) fewer[c] = row[c];
        pivoted_steps<N>(lanes, fewer, k, info, store, pivot);
    }
}

}  // namespace detail

/// P A P' = L D L' with Bunch-Kaufman pivoting in the lower triangle of A, of static order N with a lane for each row, in
/// registers: by a tile or a warp, or by every warp of a block for itself (`suits_ldlt_rows`).
///
/// A lane's row moves to the left as columns are finished, so that steps can share their code: their registers are known
/// by numbers. The lanes of the pivot search are the rows.
///
/// \return as ldlt(), whose bits and pivots these are
/// Barriers: in a block one; the exit barrier is the caller's. No scratch. Registers: a row. Shuffles: about N^2 / 2, and as
/// many for each search beyond the first column and each interchange.
template <Group G, MatrixView M, VectorView P>
SHOAL_FN int ldlt_pivoted_rows(const G& g, M a, P pivots) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    const auto lanes = lanes_of(g);
    const int lane = lanes.rank();
    T row[N];
    detail::load_lower_row(g, a, lane, row);
    const bool writes = G::scope != scope::block || g.rank() < warp_lanes;
    int info = 0;
    detail::pivoted_steps<N>(
        lanes, row, 0, info,
        [&](int j, T x) SHOAL_INLINE_LAMBDA {
            if (writes && lane < N) a(lane, j) = x;
        },
        [&](int k, int p) SHOAL_INLINE_LAMBDA {
            if (writes && lane == 0) pivots(k) = p;
        });
    return info;
}

}  // namespace shoal::fast
