#pragma once

/// \file
/// arrow.hpp, and the solver for matrices in device memory.

#include <shoal/arrow.hpp>
#include <shoal/arrow/cuda_solver.cuh>
