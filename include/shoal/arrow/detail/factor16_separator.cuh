#pragma once

/// \file
/// A separator, x_1 or the root in factor16.cuh, eliminated by one warp out of shared memory.

#include <type_traits>

#include <shoal/arrow/detail/factor16_steps.cuh>

namespace shoal::arrow::detail {

/// The record of a separator (or of the root, which has no gains), still to be finished and written.
struct pending {
    finished16<2> e;
    double* record = nullptr;
    int swapped = 0;
    bool has_left = false, has_right = false;

    __device__ __forceinline__ void flush(int lane) {
        if (record == nullptr) return;
        double* gains = record + inverse_doubles + 2 * lane;
        if (has_right) e.store_gain(0, gains + swapped * full_doubles, true);
        if (has_left) e.store_gain(1, gains + (1 - swapped) * full_doubles, true);
        e.store_inverse(record, lane, true);
        record = nullptr;
    }
};

/// What belongs to the elimination of separator c, of neighbours a (0: none) and b: addresses alone, so that they are ready
/// before the level begins.
struct separator_job {
    const double *left = nullptr, *right = nullptr;  // what c has received
    // Couplings and neighbours. The fill's rows are those of the neighbour that is eliminated last.
    double *from[2] = {}, *to[2] = {};
    double *fill = nullptr, *record = nullptr;
    int swapped = 0;
    bool has_left = false, is_root = false;

    separator_job() = default;
    /// left_last: b is eliminated before a. record of the root: W alone.
    __device__ __forceinline__ separator_job(separators sep, int c, int a, int b, bool left_last, bool root,
                                             double* r)
        : left(sep.from_left(c)),
          right(sep.from_right(c)),
          fill(left_last ? sep.to_left(b) : sep.to_right(a)),
          record(r),
          swapped(a > 0 && !left_last ? 1 : 0),
          has_left(a > 0),
          is_root(root) {
        double *to_b = sep.from_left(b), *to_a = sep.from_right(a), *from_b = sep.to_right(c),
               *from_a = sep.to_left(c);
        to[0] = swapped != 0 ? to_a : to_b, to[1] = swapped != 0 ? to_b : to_a;
        from[0] = swapped != 0 ? from_a : from_b, from[1] = swapped != 0 ? from_b : from_a;
    }
};

/// Does the job; the record stays pending. \return 0, or the bad row
__device__ __forceinline__ int eliminate_separator(const tail16& t, const separator_job& job, pending& done) {
    const int lane = t.lane;
    done.has_left = job.has_left;
    done.has_right = !job.is_root;
    done.swapped = job.swapped;
    fragment T;
    pivot_watch watch;
    const auto none = [](int) {};
    // Which neighbours there are makes two bodies: those of one neighbour lie on the way to the root.
    const auto work = [&](auto& e) {
        load_lower(e.D, job.left, lane);
        load_lower(T, job.right, lane);
        load_full(e.K[0], job.from[0], lane);
        add_lower(e.D, T);
        if constexpr (std::is_same_v<decltype(e), elimination16<2>&>) load_full(e.K[1], job.from[1], lane);
        e.run(t.scratch, lane, watch, none, none);
        done.e.Wt = e.Wt;
        done.e.K[0] = e.K[0];
        if constexpr (std::is_same_v<decltype(e), elimination16<2>&>) done.e.K[1] = e.K[1];
    };
    if (job.has_left) {
        elimination16<2> e;
        work(e);
    } else {
        elimination16<1> e;
        work(e);
    }
    if (watch.trouble()) [[unlikely]] {
        fragment D;
        const elimination_scratch s = t.scratch;
        const int couplings = job.has_left ? 2 : 1;
        load_lower(D, job.left, lane);
        load_lower(T, job.right, lane);
        add_lower(D, T);
        store_lower(s.D(), D, lane);
        load_full(T, job.from[0], lane);
        store_full(s.K(0), T, lane);
        if (job.has_left) {
            load_full(T, job.from[1], lane);
            store_full(s.K(1), T, lane);
        }
        double* gains = job.is_root ? s.K(1) : job.record + inverse_doubles;
        return careful_step(s, couplings, job.to[0], job.to[1], job.fill, gains + job.swapped * full_doubles,
                            gains + (1 - job.swapped) * full_doubles, job.record, lane);
    }
    done.record = job.record;
    load_lower(T, job.to[0], lane);
    add_gram(T, done.e.K[0]);
    store_lower(job.to[0], T, lane);
    if (job.has_left) {
        fragment fill;
        set_zero(fill);
        add_outer(fill, done.e.K[1], done.e.K[0]);
        load_lower(T, job.to[1], lane);
        add_gram(T, done.e.K[1]);
        store_lower(job.to[1], T, lane);
        store_full(job.fill, fill, lane);
    }
    return 0;
}

}  // namespace shoal::arrow::detail
