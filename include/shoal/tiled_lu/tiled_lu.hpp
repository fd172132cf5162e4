#pragma once

/// \file
/// LU with partial pivoting of one small system by one thread, tile by tile: everything there is.

#include <shoal/tiled_lu/refine.hpp>
