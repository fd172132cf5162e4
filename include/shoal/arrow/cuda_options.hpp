#pragma once

#include <string>

#include <shoal/arrow/detail/schedule.hpp>
#include <shoal/arrow/types.hpp>

/// \file
/// The choices of the CUDA backend: what may be asked for, and what a plan says. The planner is in cuda_plan.hpp.

namespace shoal::arrow {

/// Which kernels run.
enum class cuda_path {
    automatic,
    tensor,  ///< n = 16, double, compute capability 9 and up: FP64 tensor cores, blocks in registers
    generic  ///< any n up to 32, float and double
};

/// How the solve gets from the forward to the backward sweep.
enum class root_wait {
    automatic,  ///< in_kernel when all blocks fit on the device at once
    in_kernel,  ///< one kernel, a cooperative launch: every block waits for the root's parts and adds them itself
    two_kernels,  ///< one kernel per sweep
};

/// Who adds what the tails contribute to the root's right-hand side, when the solve is one kernel.
enum class root_sum {
    automatic,
    every_tail,  ///< each for itself: one way through memory less, M^2 reads
    first_tail   ///< the first one, which tells the others
};

/// Overrides. Zero and `automatic` leave the choice to the cost model.
struct cuda_options {
    order which = order::
        automatic;  ///< sequential: one chunk; recursive: as many chunks as there are stages (at most 16 or 32)
    cuda_path path = cuda_path::automatic;
    root_wait wait = root_wait::automatic;
    root_sum sum = root_sum::automatic;
    int chunks = 0;          ///< P
    int factor_warps = 0;    ///< per block
    int factor_cluster = 0;  ///< blocks per tail
    int solve_warps = 0;
    int solve_cluster = 0;
    int group = 0;    ///< tails whose contributions to the root are added before the groups' sums are
    int systems = 1;  ///< independent arrows of one extent, factored and solved together
};

/// What the planner needs to know of a device.
struct cuda_limits {
    int multiprocessors = 132;
    int shared_per_block = 232448;           ///< bytes that a block may have
    int shared_per_multiprocessor = 233472;  ///< bytes that its blocks share; 1 KB of it is taken per block
    bool tensor = true;
};

/// How one solve kernel is launched.
struct solve_shape {
    int columns = 1;  ///< right-hand sides of one pass
    int warps = 0, cluster = 1, ring = 0, separator_slots = 0, longest = 0;
    int shared_bytes = 0;
    bool resident = false;  ///< the planner expects all blocks to fit at once
};

/// The schedule that was chosen.
struct cuda_plan {
    extent size{};
    int systems = 1;
    cuda_path path = cuda_path::generic;
    detail::chunk_schedule at{};
    int factor_warps = 4, factor_cluster = 1, group = 1;
    root_sum sum = root_sum::first_tail;
    solve_shape single, several;         ///< one right-hand side; up to four at once
    double factor_us = 0, solve_us = 0;  ///< what the cost model expects

    std::string text() const {
        std::string s = "M=" + std::to_string(size.tails) + " N=" + std::to_string(size.stages);
        if (systems != 1) s += " systems=" + std::to_string(systems);
        s += path == cuda_path::tensor ? " path=tensor" : " path=generic";
        s += " chunks=" + std::to_string(at.chunks) + " factor: warps=" + std::to_string(factor_warps) +
             " cluster=" + std::to_string(factor_cluster) + " group=" + std::to_string(group) +
             " solve: warps=" + std::to_string(single.warps) + " cluster=" + std::to_string(single.cluster) +
             " ring=" + std::to_string(single.ring) + (single.resident ? " one kernel" : " two kernels") +
             (sum == root_sum::every_tail ? " every tail adds" : " first tail adds");
        s += " expected us: " + std::to_string(factor_us) + " + " + std::to_string(solve_us);
        return s;
    }
};

}  // namespace shoal::arrow
