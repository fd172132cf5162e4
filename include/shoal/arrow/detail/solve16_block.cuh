#pragma once

/// \file
/// What a thread of a solve knows of its block's work, and how that work starts. The sweeps are in solve16_sweeps.cuh.

#include <shoal/arrow/detail/solve16_warp.cuh>

namespace shoal::arrow::detail {

/// Everything that a thread knows of its block's work. NR right-hand sides side by side.
template <int NR, workers Who, sweep Sweep>
struct solve_block {
    static constexpr int vec = 16 * NR;

    const solve16_args& p;
    solver16<NR> s;
    int tail, system, lane, warp, warps, rank, slots;
    bool is_first;  // of its system: it reads and writes the root's unknowns
    // Per separator: what it has received from its left, its own right-hand side included; and from its right.
    double *left, *right;
    double *chunk, *sums;
    // This warp's chunk: stages a + 1 .. b - 1 between separators a and b.
    int index, a, b, m;
    bool active, has_left;
    job_deal deal;
    int root_warp = 0;
    unsigned long long epoch = 0;
    double2 w_root[3] = {};

    __device__ __forceinline__ solve_block(const solve16_args& args, double* shared, int cluster)
        : p(args),
          s{args},
          tail(Who == workers::cluster ? static_cast<int>(blockIdx.x) / cluster
                                       : static_cast<int>(blockIdx.x)),
          system(args.systems == 1 ? 0 : tail / args.tails),
          lane(static_cast<int>(threadIdx.x & 31)),
          warp(uniform_warp_index()),
          warps(static_cast<int>(blockDim.x >> 5)),
          rank(Who == workers::cluster ? static_cast<int>(blockIdx.x) % cluster : 0),
          slots(args.ring + args.separator_slots),
          is_first(tail == system * args.tails),
          deal{warp, warps, 0, 0} {
        const solve16_layout at(warps, slots, p.at.chunks, p.longest, NR);
        left = shared + at.left;
        right = shared + at.right;
        sums = shared + at.sums;
        chunk = shared + at.chunk + warp * (p.longest + 2) * vec;
        s.tail = tail;
        s.system = system;
        s.lane = lane;
        s.g = lane >> 2;
        s.q = lane & 3;
        s.ring = {shared + warp * slots * record16,
                  shared_address(shared + at.barriers + warp * max_solve_slots), 0u};
        s.zero = shared + at.zero;
        index = (Who == workers::cluster ? rank * warps : 0) + warp;
        active = index < p.at.chunks;
        has_left = index > 0;
        a = active ? p.at.split[index] : 0;
        b = active ? p.at.split[index + 1] : 1;
        m = b - a - 1;
    }

    /// x_0's place: the contributions on the way up, the solution on the way down.
    __device__ __forceinline__ double* root() const { return left + (p.at.chunks + 1) * vec; }
    __device__ __forceinline__ double* root_unknowns(int column) const {
        return p.b + column * p.ld +
               (static_cast<long long>(system + 1) * p.tails * p.at.stages + system) * 16;
    }

    /// Starts all copies, clears the separators, waits for the vectors. Ends with a barrier.
    __device__ __forceinline__ void start() {
        if (lane < slots) barrier_init(s.ring.barriers + 8u * lane);
        barrier_init_fence();
        if (active) {
            for (int i = lane; i < vec; i += 32) chunk[(m + 1) * vec + i] = 0.0;
        }
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < (p.at.chunks + 2) * vec;
             i += static_cast<int>(blockDim.x)) {
            // The root's place in the first tail gets its right-hand side below, from another warp.
            const bool root_of_first =
                is_first && i >= (p.at.chunks + 1) * vec && i / 16 - (p.at.chunks + 1) * NR < p.columns;
            if (Sweep == sweep::backward || !root_of_first) left[i] = 0.0;
            right[i] = 0.0;
        }
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < vec; i += static_cast<int>(blockDim.x))
            s.zero[i] = 0.0;
        __syncwarp();  // the barriers before anyone's copy arrives there
        // The kernel before a backward sweep is the forward one, which began after the factor was complete.
        // If it is a solve, its blocks have waited for what was before it, the factor among that: the records need not wait.
        if (Sweep != sweep::backward && !p.records_ready) wait_for_kernel_before();
        // The records first: nothing that is fetched here depends on the right-hand side.
        if (lane < m && lane < p.ring) {
            const int step = Sweep == sweep::backward ? m - 1 - lane : lane;
            const int slot = Sweep == sweep::backward ? step % p.ring : step;
            s.ring.start(slot, s.record(a + 1 + step), has_left, Sweep == sweep::backward);
        }
#pragma unroll 1
        for (int l = 0; (1 << l) < p.at.chunks; ++l) {
            const int jobs = job_deal::at_level(l, p.at.chunks);
#pragma unroll 1
            for (int i = deal.first(); i < jobs; i += warps, ++deal.mine) {
                if (lane == 0 && rank == 0) {
                    s.ring.start(p.ring + deal.mine, s.record(p.at.split[(2 * i + 1) << l]), i > 0,
                                 Sweep == sweep::backward);
                }
            }
            deal.next_level(jobs);
        }
        root_warp = deal.turn;
        if (lane == 0 && rank == 0 && warp == root_warp) {
            s.ring.start(p.ring + deal.mine, s.record(p.at.stages), false, Sweep == sweep::backward);
        }
        wait_for_kernel_before();
        // Forward with the separator's own right-hand side; backward it takes the separators' x from elsewhere.
        if (active) s.copy_vectors(chunk, a + 1, Sweep == sweep::backward ? m : m + 1);
        if (Sweep == sweep::fused) epoch = *p.epoch + 1;
        if (Sweep == sweep::fused && adds() && warp == root_warp && rank == 0) {
            record_part r;
            r.load_inverse(p.root_record + system * inverse_doubles, lane);
            for (int i = 0; i < 3; ++i) w_root[i] = r.w[i];
        }
        if (Sweep != sweep::backward && is_first && rank == 0 && warp == root_warp) {
            // The root's right-hand side joins the first tail's part, so that nobody reads it after x_0 stands there.
            for (int i = lane; i < vec; i += 32) {
                if ((i >> 4) < p.columns) {
                    copy_8_bytes(root() + i, root_unknowns(i >> 4) + (i & 15));
                }
            }
        }
        wait_for_copies();
        __syncwarp();  // this warp's vectors
        if constexpr (Who == workers::cluster)
            cluster_barrier();  // block 0's vectors are zero before anyone writes there
        __syncthreads();        // zero
    }

    /// Steps of the chunk whose z the forward sweep makes; finish_chunks() makes the others, from the records that stay.
    __device__ __forceinline__ int finished_at_once() const {
        return Sweep == sweep::fused ? max(m - p.ring, 0) : m;
    }
    /// Sweeps the chunks' interiors and hands the separators to block 0 of the cluster.
    __device__ __forceinline__ void forward_chunks();
    __device__ __forceinline__ void finish_chunks();
    /// Block 0: the separators level by level, x_1, and what the tail contributes to the root. All warps.
    __device__ __forceinline__ void forward_separators();
    /// Whether this block adds the parts of all tails.
    __device__ __forceinline__ bool adds() const {
        return is_first || p.sum == root_sum::every_tail;
    }
    /// x_0 as the first tail tells it: a copy for 16 tails, so that not all ask for one line.
    __device__ __forceinline__ double2* told(int copy) const {
        return p.root_solution + (static_cast<long long>(system) * root_copies(p.tails) + copy) * vec;
    }
    /// Block 0, all warps: adds the parts of all tails, in an order that depends on nothing but the launch, and solves the
    /// root. The first tail tells the others.
    __device__ __forceinline__ void solve_root();
    /// Block 0 of the other tails: waits for x_0.
    __device__ __forceinline__ void await_root();
    /// Block 0: x_1, then the separators.
    __device__ __forceinline__ void backward_separators();
    /// Sweeps the chunks' interiors, once the separators' x are there.
    __device__ __forceinline__ void backward_chunks();
};

}  // namespace shoal::arrow::detail
