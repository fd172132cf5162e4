#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <shoal/arrow/cuda_options.hpp>

/// \file
/// What the CUDA backend does for a given M, N, n and device: how many chunks, warps, blocks per cluster, and how the
/// solve waits for the root. Plain host code: the choice can be printed, tested and overridden without a GPU.

namespace shoal::arrow {

namespace detail {

// Sizes that the kernels share with the planner, in doubles.
inline constexpr int lower_doubles = 192;  // tiles (0,0) (1,0) (1,1) of a 16 x 16 block
inline constexpr int full_doubles = 256;
// W: tile (1,0), then what is not zero of the other two. The last 8 are never read: bulk copies want lines of 128 bytes.
inline constexpr int inverse_doubles = 144;
inline constexpr int record16 = inverse_doubles + 2 * full_doubles;  // W | G_b | G_a
inline constexpr int separator_doubles = 2 * lower_doubles + 2 * full_doubles;
// Of one warp: its pivot blocks, then three stages of input.
inline constexpr int eliminate_scratch = 64 + 6 * full_doubles;
inline constexpr int max_factor_warps = 8;  // 216 registers a thread
inline constexpr int max_solve_warps = 16;  // 128 registers a thread
inline constexpr int max_solve_slots = 32;  // records of one warp on chip

/// Warps of a factor block that have a chunk: chunk c is warp (c - 1) / cluster's, in block (c - 1) % cluster.
SHOAL_FN constexpr int chunk_warps(int warps, int cluster, int chunks) {
    const int wanted = (chunks + cluster - 1) / cluster;
    return wanted < warps ? wanted : warps;
}

/// Shared memory of a factor block, offsets in doubles: every warp's scratch (later a sum), the separators.
struct factor16_layout {
    int separators, total;

    SHOAL_FN constexpr factor16_layout(int warps, int chunks)
        : separators(warps * eliminate_scratch), total(separators + (chunks + 1) * separator_doubles) {}
};

/// Shared memory of a solve block: rings first (their copies want alignment), then barriers, then vectors. Offsets in
/// doubles; ring, barriers and chunk are per warp.
struct solve16_layout {
    int ring, barriers, left, right, sums, zero, chunk, total;

    SHOAL_FN constexpr solve16_layout(int warps, int slots, int chunks, int longest, int columns)
        : ring(0),
          barriers(warps * slots * record16),
          left(barriers + warps * max_solve_slots),
          right(left + (chunks + 2) * 16 * columns),
          sums(right + (chunks + 2) * 16 * columns),
          zero(sums + warps * 32 * columns),
          chunk(zero + 16 * columns),
          total(chunk + (warps < chunks ? warps : chunks) * (longest + 2) * 16 * columns) {}
};

/// The deepest ring that lets all blocks be resident if possible, else a ring for two blocks per multiprocessor.
inline solve_shape make_solve_shape(extent e, const chunk_schedule& at, int warps, int cluster, int columns,
                                    const cuda_limits& limits) {
    solve_shape s;
    s.columns = columns;
    s.warps = warps;
    s.cluster = cluster;
    for (int c = 1; c <= at.chunks; ++c) s.longest = std::max(s.longest, at.split[c] - at.split[c - 1] - 1);
    s.separator_slots = (at.chunks + warps - 1) / warps;
    const std::int64_t blocks = std::int64_t{e.tails} * cluster;
    const auto shared = [&](int ring) {
        return solve16_layout(warps, ring + s.separator_slots, at.chunks, s.longest, columns).total * 8;
    };
    const int most_blocks =
        std::max(1, (columns == 1 ? max_solve_warps : max_solve_warps / 2) / warps);  // registers
    const int wanted = static_cast<int>((blocks + limits.multiprocessors - 1) / limits.multiprocessors);
    const int longest_ring = std::min(std::max(1, s.longest), max_solve_slots - s.separator_slots);
    for (const int per_sm : {wanted, 2, 1}) {
        if (per_sm > most_blocks || per_sm < 1) continue;
        const int room =
            std::min(limits.shared_per_block, limits.shared_per_multiprocessor / per_sm - 1024) - 256;
        for (int ring = longest_ring; ring >= 1; --ring) {
            if (shared(ring) > room) continue;
            s.ring = ring;
            s.shared_bytes = shared(ring);
            s.resident = per_sm >= wanted;
            return s;
        }
    }
    return s;  // ring 0: does not fit
}

// The cost model. Times in us on an H200 at its 1.8 to 1.98 GHz, fitted to sweeps over the schedules at seven points with
// M = 20 .. 200, N = 30 .. 160.

/// How many blocks of the busiest multiprocessor run at once, and how many rounds of them there are.
struct block_rounds {
    double together, rounds;

    block_rounds(std::int64_t blocks, int fit, const cuda_limits& limits) {
        const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
        const std::int64_t busiest = up(blocks, limits.multiprocessors);
        together = static_cast<double>(std::min<std::int64_t>(busiest, fit));
        rounds = static_cast<double>(up(busiest, fit));
    }
};

/// Expected time of one factorisation.
inline double factor_cost(extent e, const chunk_schedule& at, int warps, int cluster,
                          const cuda_limits& limits) {
    const int workers = warps * cluster, chunk_rounds = (at.chunks + workers - 1) / workers;
    double longest = 0.8 * (at.split[1] - 1);
    for (int c = 2; c <= at.chunks; ++c) {
        longest = std::max(longest, static_cast<double>(at.split[c] - at.split[c - 1] - 1));
    }
    const int fit = std::max(
        1, std::min(max_factor_warps / warps,
                    limits.shared_per_multiprocessor / (factor16_layout(warps, at.chunks).total * 8 + 1280)));
    const block_rounds b(std::int64_t{e.tails} * cluster, fit, limits);
    // Warps that have a job on two levels write the first one's record before the second.
    double levels = warps < at.chunks ? 0.4 : 0.0;
    for (int l = 0; (1 << l) < at.chunks; ++l) {
        const int jobs = (at.chunks - 1 + (1 << l)) / (2 << l);
        levels += (jobs + warps - 1) / warps * (b.together > 1 ? 2.4 : 2.0) +
                  0.4 * std::max(0, std::min(jobs, warps) - 4);
    }
    const double busy = b.together * chunk_warps(warps, cluster, at.chunks) / 4;  // warps of a sub-core
    const double step = 1.2 + 0.08 * std::min(busy, 1.0) + 0.85 * std::max(0.0, busy - 1.0);
    const double latency =
        5.0 + 0.03 * std::min(e.tails, 50) + b.rounds * (chunk_rounds * longest * step + levels);
    const double bytes = static_cast<double>(e.tails) * e.stages * (4096.0 + 5248.0 - 2048.0 / at.chunks);
    return std::max(latency, bytes / 3.4e6);
}

/// Expected time of one solve.
inline double solve_cost(extent e, const chunk_schedule& at, const solve_shape& s,
                         const cuda_limits& limits) {
    const int fit = std::max(
        1, std::min(max_solve_warps / s.warps, limits.shared_per_multiprocessor / (s.shared_bytes + 1280)));
    const block_rounds b(std::int64_t{e.tails} * s.cluster, fit, limits);
    const double busy =
        b.together * std::min(s.warps, (at.chunks + s.cluster - 1) / s.cluster);  // warps per multiprocessor
    const double step = 0.6 + 0.02 * busy + 0.075 * std::max(0.0, busy - 8.0);
    const double latency = 3.3 + (s.cluster > 1 ? 1.5 : 0.0) + 0.02 * std::min(e.tails, 300) +
                           (s.resident ? 0.0 : 9.0) +
                           b.rounds * ((s.longest + 0.5) * step + separator_levels(at.chunks) * 0.8);
    const double record = 5248.0 - 2048.0 / at.chunks;
    const double again = s.resident && s.longest <= s.ring
                             ? 0.0
                             : 1.0 - (s.resident ? static_cast<double>(s.ring) / s.longest : 0.0);
    const double bytes = static_cast<double>(e.tails) * e.stages * (record + again * (record - 1152.0) + 256);
    return std::max(latency, bytes / 3.85e6 + (s.resident ? 0.0 : 5.0));
}

}  // namespace detail

/// Chooses the schedule for n = 16 in double on the tensor path, or for the generic path.
inline cuda_plan make_cuda_plan(extent e, int n, cuda_path path, const cuda_options& o,
                                const cuda_limits& limits) {
    if (e.tails < 0 || e.stages < 1)
        throw std::invalid_argument("arrow: " + std::to_string(e.tails) + " tails of " +
                                    std::to_string(e.stages) + " stages");
    if (o.systems < 1 || std::int64_t{e.tails} * o.systems > 1 << 28)
        throw std::invalid_argument("arrow: " + std::to_string(o.systems) + " systems of " +
                                    std::to_string(e.tails) + " tails");
    const extent load{e.tails * o.systems, e.stages};  // all tails that run side by side
    cuda_plan best;
    best.size = e;
    best.systems = o.systems;
    best.path = path;
    const int most =
        std::min(e.stages, path == cuda_path::tensor ? detail::max_solve_warps : detail::max_chunks);
    int wanted = std::min(o.chunks, most);
    if (o.which == order::sequential) wanted = 1;
    if (o.which == order::recursive) wanted = most;
    // One multiprocessor reads 64 bytes a cycle, and what a tail contributes is 1.5 KB: many tails are added in two steps.
    best.group = o.group > 0 ? o.group : std::max(1, e.tails);
    if (o.group == 0 && e.tails > 72) {
        for (best.group = 8; best.group * best.group < e.tails;) ++best.group;
    }
    if (path == cuda_path::generic) {
        const int chunks = wanted > 0 ? wanted : std::min({most, 4, std::max(1, e.stages / 2)});
        best.at = detail::make_schedule(e.stages, chunks, 0.5);
        best.factor_warps = best.single.warps =
            o.factor_warps > 0 ? std::min(o.factor_warps, 4) : (n > 24 ? 2 : 4);
        return best;
    }
    best.sum = o.sum != root_sum::automatic ? o.sum
               : e.tails <= 256             ? root_sum::every_tail
                                            : root_sum::first_tail;
    double best_cost = 1e300;
    for (int chunks = 1; chunks <= most; ++chunks) {
        if (wanted > 0 && chunks != wanted) continue;
        if (wanted == 0 && chunks > 1 && 2 * chunks > e.stages) break;
        const auto at = detail::make_schedule(e.stages, chunks, 0.75);
        double factor_best = 1e300, solve_best = 1e300;
        cuda_plan p = best;
        p.at = at;
        for (int cluster : {1, 2, 4, 8}) {
            for (int warps : {1, 2, 4, 8, 16}) {
                const bool natural = 2 * (cluster - 1) < chunks;  // two chunks a block
                if (warps >= 2 && warps <= detail::max_factor_warps &&
                    detail::factor16_layout(warps, chunks).total * 8 + 256 <= limits.shared_per_block &&
                    (o.factor_warps > 0 ? warps == o.factor_warps : warps <= std::max(2, chunks)) &&
                    (o.factor_cluster > 0 ? cluster == o.factor_cluster : natural)) {
                    const double cost = detail::factor_cost(load, at, warps, cluster, limits);
                    if (cost < factor_best) {
                        factor_best = cost;
                        p.factor_warps = warps;
                        p.factor_cluster = cluster;
                    }
                }
                // A warp sweeps one chunk, so that its vectors and ring stay put; two warps at least add the root's parts.
                if (warps < 2 || warps * cluster < chunks) continue;
                if (o.solve_warps > 0 ? warps != o.solve_warps : warps * cluster >= 2 * std::max(2, chunks))
                    continue;
                if (o.solve_cluster > 0 && cluster != o.solve_cluster) continue;
                solve_shape s = detail::make_solve_shape(load, at, warps, cluster, 1, limits);
                if (s.ring == 0 || (cluster > 1 && !s.resident)) continue;
                if (o.wait == root_wait::two_kernels) s.resident = false;
                if (cluster > 1 && !s.resident) continue;
                const double cost = detail::solve_cost(load, at, s, limits);
                if (cost < solve_best) {
                    solve_best = cost;
                    p.single = s;
                }
            }
        }
        if (factor_best == 1e300 || solve_best == 1e300) continue;
        for (int warps : {8, 4, 2}) {
            if (warps < chunks && warps < 8) continue;
            p.several = detail::make_solve_shape(load, at, std::max(warps, 2), 1, 4, limits);
            if (p.several.ring > 0) break;
        }
        if (factor_best + solve_best < best_cost) {
            best_cost = factor_best + solve_best;
            p.factor_us = factor_best;
            p.solve_us = solve_best;
            best = p;
        }
    }
    if (best_cost == 1e300)
        throw std::invalid_argument("arrow: these cuda_options leave no schedule that fits the device");
    return best;
}

/// Whether the tensor path has a schedule for this extent: its chunks' vectors must fit in shared memory.
inline bool tensor_fits(extent e, const cuda_options& o, const cuda_limits& limits) {
    try {
        make_cuda_plan(e, 16, cuda_path::tensor, o, limits);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

}  // namespace shoal::arrow
