#pragma once

/// \file
/// Block-arrow systems on the host, or on a GPU from matrices of the host: storage, solvers, refinement.

#include <shoal/arrow/any_host_solver.hpp>
#include <shoal/arrow/cuda_backend.hpp>
#include <shoal/arrow/host_solver.hpp>
#include <shoal/arrow/refine.hpp>
#include <shoal/arrow/residual.hpp>
#include <shoal/arrow/storage.hpp>
#include <shoal/arrow/types.hpp>
