#pragma once

/// \file
/// The interior of a chunk in factor16.cuh, eliminated by one warp in its registers.

#include <shoal/arrow/detail/factor16_steps.cuh>

namespace shoal::arrow::detail {

/// eliminate_chunk, slowly.
static __device__ __noinline__ void careful_chunk(tail16 t, int c, bool left_last, int a, int b,
                                                  separators out) {
    const elimination_scratch s = t.scratch;
    const int couplings = c > 1 ? 2 : 1, lane = t.lane;
    const auto load_diagonal = [&](double* to, int j) {
        fragment X;
        load_symmetric(X, t.diagonal(j), t.at);
        negate_lower(X);
        store_lower(to, X, lane);
    };
    fragment X;
    __syncwarp();  // whatever else reads there
    load_diagonal(s.next(), a + 1);
    set_zero(X);
    store_lower(s.sum(), X, lane);
    if (couplings == 2) {
        load_block(X, t.coupling(a), t.at);
        negate(X);
        store_full(s.K(1), X, lane);
    }
#pragma unroll 1
    for (int j = a + 1; j < b; ++j) {
        load_lower(X, s.next(), lane);
        store_lower(s.D(), X, lane);
        load_diagonal(s.next(), j + 1);
        load_block_transposed(X, t.coupling(j), t.at);
        negate(X);
        store_full(s.K(0), X, lane);
        double* record = t.record(j);
        t.report(0, j,
                 careful_step(s, couplings, s.next(), s.sum(), s.K(1), record + inverse_doubles,
                              record + inverse_doubles + full_doubles, record, lane));
    }
    load_lower(X, s.next(), lane);
    store_lower(out.from_left(c), X, lane);
    if (couplings == 2) {
        load_lower(X, s.sum(), lane);
        store_lower(out.from_right(c - 1), X, lane);
        load_full(X, s.K(1), lane);
        if (left_last) {
            store_full(out.to_left(c), X, lane);
        } else {
            store_full_transposed(out.to_right(c - 1), X, lane);
        }
    }
}

/// Eliminates the interior a + 1 .. b - 1 of chunk c of `chunks`. NK: 2 if the chunk has a separator on its left (all but the
/// first), else 1. after(): once the separators have what they get; the last record is written behind it.
template <int NK, class After>
__device__ __forceinline__ void eliminate_chunk(const tail16& t, int c, int chunks, int a, int b,
                                                separators out, After after) {
    const int lane = t.lane;
    // The left neighbour is eliminated first exactly when the right one is not.
    const bool left_last = (c & 1) != 0 && c < chunks;
    elimination16<NK> e;
    fragment sum;
    set_zero(sum);
    if (a + 1 == b) {  // no interior
        load_symmetric(e.D, t.diagonal(b), t.at);
        negate_lower(e.D);
        store_lower(out.from_left(c), e.D, lane);
        if constexpr (NK == 2) {
            store_lower(out.from_right(c - 1), sum, lane);
            if (left_last) {
                load_block(e.K[1], t.coupling(a), t.at);
            } else {
                load_block_transposed(e.K[1], t.coupling(a), t.at);
            }
            negate(e.K[1]);
            store_full(left_last ? out.to_left(c) : out.to_right(c - 1), e.K[1], lane);
        }
        after();
        return;
    }
    // Blocks of stage j come through slot j % 3, three steps ahead.
    const double *diagonal = t.diagonal(a + 1) + 2 * lane, *coupling = t.coupling(a + 1) + 2 * lane;
    const auto fetch = [&](double* slot, int j) {
        SHOAL_UNROLL
        for (int i = 0; i < 4; ++i) {
            // Columns 4 i .. 4 i + 3: the sectors above the diagonal are nobody's business.
            if (j <= b && (lane & 7) >> 1 >= i) copy_16_bytes(slot + 2 * lane + 64 * i, diagonal + 64 * i);
        }
        SHOAL_UNROLL
        for (int i = 0; i < 4; ++i) {
            if (j < b) copy_16_bytes(slot + full_doubles + 2 * lane + 64 * i, coupling + 64 * i);
        }
        end_copy_group();
        diagonal -= 256;
        coupling -= 256;
    };
    double *now = t.scratch.input(0), *next = t.scratch.input(1), *later = t.scratch.input(2);
    fetch(now, a + 1);
    fetch(next, a + 2);
    fetch(later, a + 3);
    if constexpr (NK == 2) load_block(e.K[1], t.coupling(a), t.at);
    pivot_watch watch;
    // The step before this one: what it adds to its neighbours, and its record, are made while this one waits for its
    // pivots. Zero before the first.
    finished16<NK> last;
    set_zero(last.Wt);
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) set_zero(last.K[k]);
    double* record = t.record(a + 1);
    const int gains = inverse_doubles + 2 * lane;
    wait_for_copy_groups<2>();
    __syncwarp();
    fragment D;  // of the next stage
    load_symmetric(D, now, t.at);
    negate_lower(D);
    if constexpr (NK == 2) negate(e.K[1]);
#pragma unroll 1
    for (int j = a + 1; j < b; ++j) {
        const bool really = j > a + 1;
        e.D = D;
        wait_for_copy_groups<1>();  // stage j + 1, read behind the first barrier of the step
        e.run(
            t.scratch, lane, watch,
            [&](int p) {
                if (p == 0) {
                    add_gram_tile(e.D, last.K[0]);
                    if constexpr (NK == 2) add_outer(e.K[1], last.K[1], last.K[0]);
                    load_block_transposed(e.K[0], now + full_doubles, t.at);
                    load_symmetric(D, next, t.at);
                    negate(e.K[0]);
                    negate_lower(D);
                }
                if (p == 1) {
                    if constexpr (NK == 2) add_gram(sum, last.K[1]);
                    fetch(now, j + 3);
                }
                if (p == 2) {
                    last.store_gain(0, record + gains, really);
                    if constexpr (NK == 1) last.store_inverse(record, lane, really);
                }
                if (p == 3) {
                    if constexpr (NK == 2) {
                        last.store_gain(1, record + gains + full_doubles, really);
                        last.store_inverse(record, lane, really);
                    }
                    record += really ? record16 : 0;
                }
            },
            [&](int p) {  // of what the next step begins with, as much as is known
                const fragment& X = e.K[0];
                if (p == 1) {
                    fast::tensor_16x8x8(D.v[0][0][0], D.v[0][0][1], D.v[1][0][0], D.v[1][0][1], X.v[0][0][0],
                                        X.v[1][0][0], X.v[0][0][1], X.v[1][0][1], X.v[0][0][0], X.v[0][0][1]);
                }
                if (p > 1) add_panel(D, 0, {{X.v[0][1][p & 1], X.v[1][1][p & 1]}}, X.v[0][1][p & 1]);
            });
        last.Wt = e.Wt;
        SHOAL_UNROLL
        for (int k = 0; k < NK; ++k) last.K[k] = e.K[k];
        if constexpr (NK == 2) set_zero(e.K[1]);
        double* free = now;
        now = next;
        next = later;
        later = free;
    }
    wait_for_copy_groups<0>();
    if (watch.trouble()) [[unlikely]] {
        careful_chunk(t, c, left_last, a, b, out);
        after();
        return;
    }
    add_gram_tile(D, last.K[0]);
    store_lower(out.from_left(c), D, lane);
    if constexpr (NK == 2) {
        fragment fill;
        set_zero(fill);
        if (left_last) {
            add_outer(fill, last.K[1], last.K[0]);
        } else {
            add_outer(fill, last.K[0], last.K[1]);
        }
        store_full(left_last ? out.to_left(c) : out.to_right(c - 1), fill, lane);
        add_gram(sum, last.K[1]);
        store_lower(out.from_right(c - 1), sum, lane);
    }
    after();
    SHOAL_UNROLL
    for (int k = 0; k < NK; ++k) last.store_gain(k, record + gains + k * full_doubles, true);
    last.store_inverse(record, lane, true);
}

}  // namespace shoal::arrow::detail
