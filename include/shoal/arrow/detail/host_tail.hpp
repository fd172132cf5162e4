#pragma once

#include <cstdint>

#include <shoal/arrow/plan.hpp>
#include <shoal/fast/host_block.hpp>

/// \file
/// The work of one host thread on one tail: eliminate a range of steps, and sweep right-hand sides through them.
///
/// A step gathers what earlier steps leave for it and writes nothing but its own record of the factor. So steps of one
/// level, and different tails, may run at once, the sums have one order whoever computes them, and no memory is
/// needed beyond the factor.

namespace shoal::arrow::detail {

/// Record of a step: L (lower triangle) | B | A (with two neighbours) | reciprocals of the diagonal of L.
template <class T, int n>
struct record {
    static constexpr std::int64_t block = n * n;
    /// Records start on cache lines.
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t reciprocals = (n + line - 1) / line * line;

    static constexpr std::int64_t offset(const step& s, int index) {
        return s.blocks_before * block + index * reciprocals;
    }
    static constexpr std::int64_t size(const plan& p) {
        const std::int64_t raw = p.factor_blocks() * block + p.stages * reciprocals;
        return (raw + line - 1) / line * line;
    }
};

/// What the sweeps over a tail need to know.
template <class T>
struct tail_job {
    const plan* steps;
    matrix_view<const T> matrix;  ///< blocks of this tail first (not of tail 0); the root is not used
    T* factor;                    ///< records of this tail
};

/// L, B, A and reciprocals of a step.
template <class T>
struct pieces {
    T* l;
    T* b;
    T* a;
    T* r;
    T* of(side which) const { return which == side::root ? b : a; }
};

template <class T, int n, class P>
SHOAL_FN pieces<P> pieces_of(const plan& p, P* factor, int index) {
    using rec = record<T, n>;
    const step& s = p.steps[static_cast<std::size_t>(index)];
    P* l = factor + rec::offset(s, index);
    P* end = l + (1 + s.neighbours()) * rec::block;
    return {l, l + rec::block, s.neighbours() == 2 ? l + 2 * rec::block : nullptr, end};
}

/// Eliminates steps first .. last - 1. Returns the first bad pivot (block is the node, 0 when all is well).
template <class T, int n>
SHOAL_FN info eliminate(const tail_job<T>& job, int first, int last) {
    constexpr int size = n * n;
    const plan& p = *job.steps;
    for (int index = first; index < last; ++index) {
        const step& s = p.steps[static_cast<std::size_t>(index)];
        const auto own = pieces_of<T, n>(p, job.factor, index);
        const int stage = stage_of(p.stages, s.node);
        const T* d = job.matrix.diagonal + static_cast<std::int64_t>(stage) * size;
        // The whole block is copied, so that nothing of the record keeps what was in memory before.
        for (int i = 0; i < size; ++i) own.l[i] = d[i];
        for (int u = s.first_update; u < s.last_update; ++u) {
            const update& from = p.updates[static_cast<std::size_t>(u)];
            fast::block_subtract_square<T, n>(own.l,
                                              pieces_of<T, n>(p, job.factor, from.step).of(from.which));
        }
        const int bad = fast::block_potrf<T, n>(own.l, own.r);
        if (bad != 0) return {-1, s.node, bad};
        if (s.b_fill >= 0) {
            const auto f = pieces_of<T, n>(p, job.factor, s.b_fill);
            for (int i = 0; i < size; ++i) own.b[i] = T(0);
            fast::block_subtract_nt<T, n>(own.b, f.b, f.a);
        } else if (s.node == p.stages) {
            for (int i = 0; i < size; ++i) own.b[i] = job.matrix.coupling[i];
        } else {
            fast::block_transpose<T, n>(own.b,
                                        job.matrix.lower + static_cast<std::int64_t>(stage - 1) * size);
        }
        fast::block_trsm_right<T, n>(own.b, own.l, own.r);
        if (s.neighbours() == 2) {
            if (s.a_fill >= 0) {
                const auto f = pieces_of<T, n>(p, job.factor, s.a_fill);
                for (int i = 0; i < size; ++i) own.a[i] = T(0);
                fast::block_subtract_nt<T, n>(own.a, f.a, f.b);
            } else {
                const T* e = job.matrix.lower + static_cast<std::int64_t>(stage) * size;
                for (int i = 0; i < size; ++i) own.a[i] = e[i];
            }
            fast::block_trsm_right<T, n>(own.a, own.l, own.r);
        }
    }
    return success;
}

/// U := -F F' (lower triangle): what the tail takes from the root block.
template <class T, int n>
SHOAL_FN void root_update(const tail_job<T>& job, T* u) {
    for (int i = 0; i < n * n; ++i) u[i] = T(0);
    fast::block_subtract_square<T, n>(u, pieces_of<T, n>(*job.steps, job.factor, job.steps->stages - 1).b);
}

/// y := L^-1 b over steps first .. last - 1 of a tail, for R columns; `b` is the tail's part of the vectors.
template <class T, int n, int R>
SHOAL_FN void forward(const tail_job<T>& job, int first, int last, T* b, std::int64_t ld) {
    const plan& p = *job.steps;
    const auto at = [&](int node) { return b + static_cast<std::int64_t>(stage_of(p.stages, node)) * n; };
    for (int index = first; index < last; ++index) {
        const step& s = p.steps[static_cast<std::size_t>(index)];
        const auto own = pieces_of<T, n>(p, job.factor, index);
        for (int u = s.first_update; u < s.last_update; ++u) {
            const update& from = p.updates[static_cast<std::size_t>(u)];
            fast::block_subtract_product<T, n, R>(at(s.node),
                                                  pieces_of<T, n>(p, job.factor, from.step).of(from.which),
                                                  at(p.steps[static_cast<std::size_t>(from.step)].node), ld);
        }
        fast::block_forward<T, n, R>(at(s.node), own.l, own.r, ld);
    }
}

/// z := - F y, what the tail takes from the root's right-hand side, n x R with leading dimension n.
template <class T, int n, int R>
SHOAL_FN void root_product(const tail_job<T>& job, const T* b, std::int64_t ld, T* z) {
    const auto own = pieces_of<T, n>(*job.steps, job.factor, job.steps->stages - 1);
    for (int c = 0; c < R; ++c) {
        for (int i = 0; i < n; ++i) z[i + n * c] = T(0);
        fast::block_subtract_product<T, n, 1>(z + n * c, own.b, b + ld * c, 0);
    }
}

/// x := L^-T (y - F' x_0) over steps last - 1 .. first of a tail, for R columns. The sums run over the later columns of
/// the factor in descending order, as in a backward substitution with the whole factor.
template <class T, int n, int R>
SHOAL_FN void backward(const tail_job<T>& job, int first, int last, T* b, const T* root, std::int64_t ld) {
    const plan& p = *job.steps;
    const auto at = [&](int node) { return b + static_cast<std::int64_t>(stage_of(p.stages, node)) * n; };
    for (int index = last - 1; index >= first; --index) {
        const step& s = p.steps[static_cast<std::size_t>(index)];
        const auto own = pieces_of<T, n>(p, job.factor, index);
        T* x = at(s.node);
        const T* xb = s.node == p.stages ? root : at(s.at.b);
        if (s.later == side::end) fast::block_subtract_transposed<T, n, R>(x, own.a, at(s.at.a), ld);
        fast::block_subtract_transposed<T, n, R>(x, own.b, xb, ld);
        if (s.later == side::root && s.neighbours() == 2) {
            fast::block_subtract_transposed<T, n, R>(x, own.a, at(s.at.a), ld);
        }
        fast::block_backward<T, n, R>(x, own.l, own.r, ld);
    }
}

}  // namespace shoal::arrow::detail
