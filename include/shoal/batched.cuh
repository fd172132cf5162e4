#pragma once

/// \file
/// batched.hpp, and the same ops on a CUDA stream.

#include <shoal/batched.hpp>
#include <shoal/batched/bdsv.cuh>
#include <shoal/batched/gesv.cuh>
#include <shoal/batched/launch.cuh>
#include <shoal/batched/pcg.cuh>
#include <shoal/batched/posv.cuh>
#include <shoal/batched/potrf.cuh>
#include <shoal/batched/tiled_lu.cuh>
#include <shoal/batched/trsm.cuh>
