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
    __shared__ __align__(16) double scratch[4 * eliminate_scratch];
    const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
    const int job = static_cast<int>(blockIdx.x) * 4 + warp;
    const int per_tail = level == -1   ? p.chunks
                         : level == -2 ? 1
                                       : (p.chunks - 1 + (1 << level)) >> (level + 1);
    const int tail = job / per_tail, i = job % per_tail;
    if (tail >= p.f.tails) return;
    const tail16 t(p.f, tail, lane, scratch + warp * eliminate_scratch);
    const separators s{p.state + static_cast<long long>(tail) * p.chunks * separator_doubles};
    if (level == -1) {
        const int c = i + 1;
        if (c == 1) {
            eliminate_chunk<false>(t, c, p.chunks, 0, split(p, 1), s);
        } else {
            eliminate_chunk<true>(t, c, p.chunks, split(p, c - 1), split(p, c), s);
        }
    } else if (level == -2) {
        fragment C, X;
        pending<1> done;
        load_block(C, p.f.K.coupling + static_cast<long long>(tail) * 256, t.at);
        negate(C);
        store_full(s.to_right(p.chunks), C, lane);
        __syncwarp();
        eliminate_x1(t, s.from_left(p.chunks), s.to_right(p.chunks), done, X);
        done.store_all(t.record(p.f.at.stages), lane);
    } else {
        pending<2> done;
        set_zero(done.K[1]);
        const int c = (2 * i + 1) << level, j = split(p, c);
        const bool has_left = eliminate_separator(t, level, c, p.chunks, j, s, done);
        done.store(0, t.record(j), lane, true);
        done.store(1, t.record(j), lane, has_left);
        done.store(2, t.record(j), lane, true);
    }
}

static __global__ void __launch_bounds__(256)
    per_level_root_kernel(const __grid_constant__ per_level_args p) {
    __shared__ __align__(16) double sums[8 * lower_doubles];
    __shared__ __align__(16) double scratch[eliminate_scratch];
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
    eliminate_root(p.f, X, scratch, lane);
}

inline void per_level_factor(cudaStream_t stream, const per_level_args& p) {
    const auto blocks = [&](int jobs) {
        return static_cast<unsigned>((std::int64_t{p.f.tails} * jobs + 3) / 4);
    };
    per_level_kernel<<<blocks(p.chunks), 128, 0, stream>>>(p, -1);
    for (int l = 0; (1 << l) < p.chunks; ++l) {
        per_level_kernel<<<blocks((p.chunks - 1 + (1 << l)) >> (l + 1)), 128, 0, stream>>>(p, l);
    }
    per_level_kernel<<<blocks(1), 128, 0, stream>>>(p, -2);
    per_level_root_kernel<<<1, 256, 0, stream>>>(p);
}

}  // namespace shoal_bench
