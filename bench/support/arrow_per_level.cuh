#pragma once

/// \file
/// The published shape of the factorisation, as a baseline: one launch per level, the state in global memory, the same
/// elimination step. N / 2 chunks of one interior stage, then the separators level by level, then x_1, then the root.

#include <shoal/arrow/detail/factor16.cuh>

namespace shoal_bench {

using namespace shoal::arrow::detail;

struct per_level_args {
    factor16_args f;  // f.at.stages is read, the schedule is not
    int chunks;
    double* state;  // per tail and separator
};

__device__ inline int split(const per_level_args& p, int c) {
    return static_cast<int>(1LL * c * p.f.at.stages / p.chunks);
}

/// level -1: chunks; -2: x_1. Four warps per block, one elimination each.
static __global__ void __launch_bounds__(128)
    per_level_kernel(const __grid_constant__ per_level_args p, int level) {
    extern __shared__ __align__(128) double scratch[];  // four warps' elimination scratch
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    const int job = static_cast<int>(blockIdx.x) * 4 + warp;
    const int per_tail = level == -1   ? p.chunks
                         : level == -2 ? 1
                                       : (p.chunks - 1 + (1 << level)) >> (level + 1);
    const int tail = job / per_tail, i = job % per_tail;
    if (tail >= p.f.tails) return;
    const tail16 t(p.f, tail, lane, scratch + warp * eliminate_scratch);
    const separators s{p.state + static_cast<long long>(tail) * (p.chunks + 1) * separator_doubles};
    if (level == -1) {
        const int c = i + 1;
        if (c == 1) {
            eliminate_chunk<1>(t, c, p.chunks, 0, split(p, 1), s, [] {});
        } else {
            eliminate_chunk<2>(t, c, p.chunks, split(p, c - 1), split(p, c), s, [] {});
        }
    } else {
        // x_1 is the last separator, the root the one after it.
        const bool is_x1 = level == -2;
        pending done;
        if (is_x1) {
            fragment C, none;
            load_block(C, p.f.K.coupling + static_cast<long long>(tail) * 256, t.at);
            negate(C);
            set_zero(none);
            store_full(s.to_right(p.chunks), C, lane);
            store_lower(s.from_right(p.chunks), none, lane);
            store_lower(s.from_left(p.chunks + 1), none, lane);
            __syncwarp();
        }
        const int c = is_x1 ? p.chunks : (2 * i + 1) << level, a = is_x1 ? 0 : c - (1 << level);
        const int b = is_x1 ? c + 1 : min(c + (1 << level), p.chunks), j = split(p, c);
        const bool left_last = !is_x1 && b < p.chunks && ((b >> (level + 1)) & 1) != 0;
        t.report(is_x1 ? last_round : 1 + level, j,
                 eliminate_separator(t, separator_job(s, c, a, b, left_last, false, t.record(j)), done));
        done.flush(lane);
        if (is_x1) {
            fragment X;
            load_lower(X, s.from_left(p.chunks + 1), lane);
            store_lower(p.f.grams + static_cast<long long>(tail) * lower_doubles, X, lane);
        }
    }
}

static __global__ void __launch_bounds__(256)
    per_level_root_kernel(const __grid_constant__ per_level_args p) {
    __shared__ __align__(16) double sums[8 * lower_doubles];
    __shared__ __align__(16) double scratch[eliminate_scratch + 2 * separator_doubles];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    fragment X, T;
    sum_grams(X, p.f.grams, warp, p.f.tails, 8, lane);
    store_lower(sums + warp * lower_doubles, X, lane);
    __syncthreads();
    if (warp != 0) return;
    for (int w = 1; w < 8; ++w) {
        load_lower(T, sums + w * lower_doubles, lane);
        add_lower(X, T);
    }
    const tail16 t(p.f, 0, lane, scratch);
    const separators root{scratch + eliminate_scratch};
    pending done;
    put_root(p.f.K.root, X, root, 1, lane);
    store_lower(root.from_left(2), X, lane);
    __syncwarp();
    const int bad = eliminate_separator(t, separator_job(root, 1, 0, 2, false, true, p.f.root_record), done);
    done.flush(lane);
    if (lane == 0) conclude(p.f, 0, __ldcg(p.f.failure), bad);
}

inline constexpr int per_level_shared = 4 * eliminate_scratch * 8;

/// Once per process, before the first per_level_factor.
inline cudaError_t per_level_prepare() {
    return cudaFuncSetAttribute(per_level_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                per_level_shared);
}
inline void per_level_factor(cudaStream_t stream, const per_level_args& p) {
    const auto blocks = [&](int jobs) {
        return static_cast<unsigned>((std::int64_t{p.f.tails} * jobs + 3) / 4);
    };
    per_level_kernel<<<blocks(p.chunks), 128, per_level_shared, stream>>>(p, -1);
    for (int l = 0; (1 << l) < p.chunks; ++l) {
        per_level_kernel<<<blocks((p.chunks - 1 + (1 << l)) >> (l + 1)), 128, per_level_shared, stream>>>(p,
                                                                                                          l);
    }
    per_level_kernel<<<blocks(1), 128, per_level_shared, stream>>>(p, -2);
    per_level_root_kernel<<<1, 256, 0, stream>>>(p);
}

}  // namespace shoal_bench
