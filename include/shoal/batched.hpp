#pragma once

/// \file
/// The ops over many systems, on the threads of the host: what systems lie in, launcher, executor.

#include <shoal/batched/bdsv.hpp>
#include <shoal/batched/blocked.hpp>
#include <shoal/batched/executor.hpp>
#include <shoal/batched/fits.hpp>
#include <shoal/batched/gesv.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/batched/operands.hpp>
#include <shoal/batched/pcg.hpp>
#include <shoal/batched/posv.hpp>
#include <shoal/batched/potrf.hpp>
#include <shoal/batched/tiled_lu.hpp>
#include <shoal/batched/trsm.hpp>
