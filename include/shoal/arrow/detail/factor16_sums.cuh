#pragma once

/// \file
/// What the tails contribute to their root in factor16.cuh, added in a fixed order by whoever began last.

#include <shoal/arrow/detail/factor16_steps.cuh>

namespace shoal::arrow::detail {

/// Adds count grams in the order first, first + step, ... into the lower tiles of X, each once it is there.
__device__ __forceinline__ void sum_grams(fragment& X, const double* grams, int first, int count, int step,
                                          int lane) {
    double2 s0 = {0, 0}, s1 = {0, 0}, s2 = {0, 0};
    constexpr int batch = 4;  // grams on the way at once
#pragma unroll 1
    for (int i = first; i < count; i += batch * step) {
        double2 gram[batch][3];
        const auto load = [&](int k) {
            const double* z = grams + static_cast<long long>(i + k * step) * lower_doubles + 2 * lane;
            SHOAL_UNROLL
            for (int tile = 0; tile < 3; ++tile) gram[k][tile] = load_announced(z + 64 * tile);
        };
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            gram[k][0] = gram[k][1] = gram[k][2] = make_double2(0.0, 0.0);
            if (i + k * step < count) load(k);
        }
        SHOAL_UNROLL
        for (int k = 0; k < batch; ++k) {
            while (__any_sync(~0u, is_absent(gram[k][0]) | is_absent(gram[k][1]) | is_absent(gram[k][2])))
                load(k);
            s0.x += gram[k][0].x, s0.y += gram[k][0].y;
            s1.x += gram[k][1].x, s1.y += gram[k][1].y;
            s2.x += gram[k][2].x, s2.y += gram[k][2].y;
        }
    }
    X.v[0][0][0] = s0.x, X.v[0][0][1] = s0.y;
    X.v[1][0][0] = s1.x, X.v[1][0][1] = s1.y;
    X.v[1][1][0] = s2.x, X.v[1][1][1] = s2.y;
    X.v[0][1][0] = X.v[0][1][1] = 0.0;
}
/// X to place `to` of the launch's set, absent() to the same place of the other set.
__device__ __forceinline__ void send_gram(double* set, double* other_set, long long to, const fragment& X,
                                          int lane) {
    const long long at = to * lower_doubles + 2 * lane;
    const auto tile = [&](int i, const double(&v)[2]) {
        store_announcing(set + at + 64 * i, make_double2(present(v[0]), present(v[1])));
    };
    tile(0, X.v[0][0]);
    tile(1, X.v[1][0]);
    tile(2, X.v[1][1]);
    SHOAL_UNROLL
    for (int i = 0; i < 3; ++i) store_announcing(other_set + at + 64 * i, make_double2(absent(), absent()));
}

/// Which sums are a block's task. Who draws the last number may wait for the others: they have begun, and their parts do
/// not depend on it. The order of the sums does not depend on who makes them.
struct sum_tasks {
    unsigned in_group, in_system;  // numbers drawn

    __device__ __forceinline__ void begin(const factor16_args& p, int tail, int system) {
        const int group = (tail - system * p.tails) / p.group;
        in_group = draw(p.begun + p.systems + system * p.groups() + group, members(p, group));
        in_system = draw(p.begun + system, p.tails);
    }
    /// Bit 0: the sum of the group. Bit 1: of the groups.
    __device__ __forceinline__ unsigned tasks(const factor16_args& p, int tail, int system) const {
        const int last = members(p, (tail - system * p.tails) / p.group) - 1;
        return (in_group == static_cast<unsigned>(last) ? 1u : 0u) |
               (p.groups() > 1 && in_system == static_cast<unsigned>(p.tails - 1) ? 2u : 0u);
    }

  private:
    static __device__ __forceinline__ int members(const factor16_args& p, int group) {
        return min(p.group, p.tails - group * p.group);
    }
};

/// Sends the tail's gram from warp `reducer`. The other warps: the sum of a group's grams, then of the groups', if that
/// is this block's task (bits of `tasks`). \return whether this block has the total, in X of warp `reducer`.
/// meanwhile(): work of that warp that nobody waits for.
template <class F>
__device__ __forceinline__ bool reduce_grams(const factor16_args& p, int tail, int system, unsigned tasks,
                                             unsigned launch, fragment& X, double* shared, int lane, int warp,
                                             int warps, int reducer, F meanwhile) {
    const int local = tail - system * p.tails, group = local / p.group, groups = p.groups();
    const long long all = static_cast<long long>(p.systems) * p.tails,
                    all_groups = static_cast<long long>(p.systems) * groups;
    const long long odd = launch & 1u;
    double *set = p.grams + odd * all * lower_doubles, *other_set = p.grams + (1 - odd) * all * lower_doubles;
    if (warp == reducer) {
        send_gram(set, other_set, tail, X, lane);
        meanwhile();
    }
    const double* grams = set + (static_cast<long long>(system) * p.tails + group * p.group) * lower_doubles;
    int members = min(p.group, p.tails - group * p.group);
    set = p.group_grams + odd * all_groups * lower_doubles;
    other_set = p.group_grams + (1 - odd) * all_groups * lower_doubles;
    const int place =
        (warp > reducer ? warp : warp + warps) - reducer - 1;  // 0 .. warps - 2; reducer: warps - 1
    // A sum lies in its warp's own scratch: the reducer may still be at work in its own.
    const auto sum_of = [&](int at) {
        const int w = reducer + 1 + at;
        return elimination_scratch{shared + (w < warps ? w : w - warps) * eliminate_scratch}.D();
    };
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        if ((tasks >> pass & 1u) != 0) {
            if (warp != reducer) {
                sum_grams(X, grams, place, members, warps - 1, lane);
                store_lower(sum_of(place), X, lane);
            }
            __syncthreads();  // the warps' sums before they are added
            if (warp == reducer) {
                fragment T[max_factor_warps - 1];
                SHOAL_UNROLL
                for (int w = 0; w + 1 < max_factor_warps; ++w) {
                    set_zero(T[w]);
                    if (w + 1 < warps) load_lower(T[w], sum_of(w), lane);
                }
                X = T[0];
                SHOAL_UNROLL
                for (int w = 1; w + 1 < max_factor_warps; ++w) add_lower(X, T[w]);
                if (pass == 0 && groups > 1) {
                    send_gram(set, other_set, static_cast<long long>(system) * groups + group, X, lane);
                }
            }
            if (pass == 1 || groups == 1) return true;
            __syncthreads();  // the sums have been added before there are others
        }
        grams = set + static_cast<long long>(system) * groups * lower_doubles;
        members = groups;
    }
    return false;
}

}  // namespace shoal::arrow::detail
