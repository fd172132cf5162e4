#pragma once

/// \file
/// shoal.hpp and the groups of a CUDA kernel, with the tiers `thread::`, `warp::` and `block::`.

#include <shoal/group/device.cuh>
#include <shoal/shoal.hpp>
#include <shoal/tiers.cuh>
