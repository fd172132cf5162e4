#pragma once

#include <cstdint>

#include <shoal/arrow/plan.hpp>
#include <shoal/fast/host_block.hpp>
#include <shoal/fast/host_sweep.hpp>

/// \file
/// The work of one host thread on one tail: eliminate a range of steps, and sweep right-hand sides through them.
///
/// A step gathers what earlier steps leave for it and writes nothing but its own record of the factor. So steps of one
/// level, and different tails, may run at once, the sums have one order whoever computes them, and no memory is
/// needed beyond the factor.

namespace shoal::arrow::detail {

/// Record of a step: L | B | A (with two neighbours) | reciprocals of the diagonal of L. The upper triangle of L's block
/// holds L' without the diagonal: sweeps in both directions then read columns.
template <class T, int n>
struct record {
    static constexpr std::int64_t block = n * n;
    /// Records start on cache lines.
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t reciprocals = (n + line - 1) / line * line;

    SHOAL_FN static constexpr std::int64_t offset(const step& s, int index) {
        return s.blocks_before * block + index * reciprocals;
    }
    static constexpr std::int64_t size(const plan& p) {
        const std::int64_t raw = p.factor_blocks() * block + p.stages * reciprocals;
        return (raw + line - 1) / line * line;
    }
};

/// One tail: the plan's steps, the blocks of the matrix that belong to this tail, and its records.
template <class T>
struct tail_job {
    const step* steps;
    const update* updates;
    int stages;
    const T* diagonal;
    const T* lower;
    const T* coupling;
    T* factor;
};

/// L, B, A and reciprocals of a step.
template <class T>
struct pieces {
    T* l;
    T* b;
    T* a;
    T* r;
    SHOAL_FN T* of(side which) const { return which == side::root ? b : a; }
};

template <class T, int n>
SHOAL_FN pieces<T> pieces_of(const tail_job<T>& job, int index) {
    using rec = record<T, n>;
    const step& s = job.steps[index];
    T* l = job.factor + rec::offset(s, index);
    const bool two = s.neighbours() == 2;
    return {l, l + rec::block, two ? l + 2 * rec::block : nullptr, l + (two ? 3 : 2) * rec::block};
}

/// Asks for the cache lines of `count` numbers ahead of their use. Tails are walked from their last stage to their
/// first, a direction in which the hardware does not look ahead from one block to the next.
template <class T>
SHOAL_FN void look_ahead(const T* p, std::int64_t count) {
#if defined(__GNUC__)
    constexpr int line = 64 / sizeof(T);
    for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(p + i);
#endif
}

/// The matrix blocks that step `index` will read and the record that it will write. At 100 tails of 160 stages this
/// halves the time of a factorisation; asking for the records of earlier steps as well gains nothing more.
template <class T, int n>
SHOAL_FN void look_ahead_at(const tail_job<T>& job, int index) {
    constexpr int size = n * n;
    const step& next = job.steps[index];
    const std::int64_t stage = stage_of(job.stages, next.node);
    look_ahead(job.diagonal + stage * size, size);
    if (stage > 0) look_ahead(job.lower + (stage - 1) * size, size);
    look_ahead(pieces_of<T, n>(job, index).l, (1 + next.neighbours()) * size);
}

/// A node of the sequential and the recursive order gets at most two updates a level.
inline constexpr int most_updates = 64;

/// Eliminates steps first .. last - 1. Returns the first bad pivot; `block` is the node then.
template <class Isa, class T, int n>
SHOAL_FN info eliminate(const tail_job<T>& job, int first, int last) {
    constexpr int size = n * n;
    for (int index = first; index < last; ++index) {
        const step& s = job.steps[index];
        const auto own = pieces_of<T, n>(job, index);
        const std::int64_t stage = stage_of(job.stages, s.node);
        if (index + 1 < last) look_ahead_at<T, n>(job, index + 1);
        const T* sources[most_updates];
        const int count = s.last_update - s.first_update;
        for (int u = 0; u < count; ++u) {
            const update& from = job.updates[s.first_update + u];
            sources[u] = pieces_of<T, n>(job, from.step).of(from.which);
        }
        const int bad =
            fast::block_potrf<Isa, T, n>(own.l, own.r, job.diagonal + stage * size, sources, count);
        if (bad != 0) return {-1, s.node, bad};
        if (s.b_fill >= 0) {
            const auto f = pieces_of<T, n>(job, s.b_fill);
            fast::block_trsm_right<Isa, T, n>(own.b, nullptr, f.b, f.a, own.l, own.r);
        } else if (s.node == job.stages) {
            fast::block_trsm_right<Isa, T, n>(own.b, job.coupling, nullptr, nullptr, own.l, own.r);
        } else {
            fast::block_transpose<Isa, T, n>(own.b, job.lower + (stage - 1) * size);
            fast::block_trsm_right<Isa, T, n>(own.b, own.b, nullptr, nullptr, own.l, own.r);
        }
        if (own.a != nullptr) {
            if (s.a_fill >= 0) {
                const auto f = pieces_of<T, n>(job, s.a_fill);
                fast::block_trsm_right<Isa, T, n>(own.a, nullptr, f.a, f.b, own.l, own.r);
            } else {
                fast::block_trsm_right<Isa, T, n>(own.a, job.lower + stage * size, nullptr, nullptr, own.l,
                                                  own.r);
            }
        }
        fast::block_mirror<Isa, T, n>(own.l);
    }
    return success;
}

/// U := -F F' (lower triangle): what the tail gives to the root block.
template <class Isa, class T, int n>
SHOAL_FN void root_update(const tail_job<T>& job, T* u) {
    fast::block_negative_square<Isa, T, n>(u, pieces_of<T, n>(job, job.stages - 1).b);
}

/// y := L^-1 b over steps first .. last - 1 of a tail, for R columns; `b` is the tail's part of the vectors.
template <class Isa, class T, int n, int R>
SHOAL_FN void forward(const tail_job<T>& job, int first, int last, T* b, std::int64_t ld) {
    for (int index = first; index < last; ++index) {
        const step& s = job.steps[index];
        const auto own = pieces_of<T, n>(job, index);
        T* y = b + static_cast<std::int64_t>(stage_of(job.stages, s.node)) * n;
        for (int u = s.first_update; u < s.last_update; ++u) {
            const update& from = job.updates[u];
            const T* x = b + static_cast<std::int64_t>(stage_of(job.stages, job.steps[from.step].node)) * n;
            fast::block_subtract_product<Isa, T, n, R>(y, ld, pieces_of<T, n>(job, from.step).of(from.which),
                                                       x, ld);
        }
        fast::block_forward<Isa, T, n, R>(y, ld, own.l, own.r);
    }
}

/// z := -F y, what the tail gives to the root's right-hand side; n x R with leading dimension n.
template <class Isa, class T, int n, int R>
SHOAL_FN void root_product(const tail_job<T>& job, const T* b, std::int64_t ld, T* z) {
    for (int i = 0; i < n * R; ++i) z[i] = T(0);
    // x_1 is stage 0, the first of the tail's part.
    fast::block_subtract_product<Isa, T, n, R>(z, n, pieces_of<T, n>(job, job.stages - 1).b, b, ld);
}

/// x := L^-T (y - F' x_0) over steps last - 1 .. first of a tail, for R columns. The sums run over the later columns of
/// the factor in descending order, as in a backward substitution with the whole factor.
template <class Isa, class T, int n, int R>
SHOAL_FN void backward(const tail_job<T>& job, int first, int last, T* b, const T* root, std::int64_t ld) {
    for (int index = last - 1; index >= first; --index) {
        const step& s = job.steps[index];
        const auto own = pieces_of<T, n>(job, index);
        T* y = b + static_cast<std::int64_t>(stage_of(job.stages, s.node)) * n;
        const T* xb =
            s.node == job.stages ? root : b + static_cast<std::int64_t>(stage_of(job.stages, s.at.b)) * n;
        const T* xa = b + static_cast<std::int64_t>(stage_of(job.stages, s.at.a)) * n;
        if (s.later == side::end) fast::block_subtract_transposed<Isa, T, n, R>(y, ld, own.a, xa, ld);
        fast::block_subtract_transposed<Isa, T, n, R>(y, ld, own.b, xb, ld);
        if (s.later == side::root && own.a != nullptr) {
            fast::block_subtract_transposed<Isa, T, n, R>(y, ld, own.a, xa, ld);
        }
        fast::block_backward<Isa, T, n, R>(y, ld, own.l, own.r);
    }
}

}  // namespace shoal::arrow::detail
