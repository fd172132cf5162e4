#pragma once

/// \file
/// Block-tridiagonal systems: strips, products, the direct and the iterative solver.

#include <shoal/banded/bdmv.hpp>
#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/knot_info.hpp>
#include <shoal/banded/move_block.hpp>
#include <shoal/banded/pcg.hpp>
#include <shoal/banded/preconditioner.hpp>
#include <shoal/banded/strip.hpp>
