#pragma once

/// \file
/// Drop-in header for TDLS: TiledLUppSolverStatic, TiledLUppSolverDynamic and their configuration under the documented
/// names, with the same template parameters, defaults and argument order, on `shoal::tiled_lu`. For its users one include
/// line changes:
///
///     #include <shoal/compat/tdls.hpp>
///
/// - Define SHOAL_TDLS_NAMESPACE before the first inclusion to have them in another namespace than `tdls`.
/// - Everything is `constexpr` and `noexcept`, for host and device, allocates nothing and knows no thread index.
/// - `true` means that every column has a pivot. On `false` the factors and a right-hand side in place are unspecified; x of
///   `solve` is left alone.
/// - Results have the same bits for a static and a dynamic order, every residency and stride, every entry point, every
///   `pass_width`, tile size and schedule, on CPU and GPU, whatever the compiler may fuse. Only the search in the tile
///   chooses other pivots for other tiles.
/// - Without further words the pivot is the largest entry of the whole column, for the accuracy of partial pivoting. Whoever sets
///   a threshold gets the search in the tile that it is documented for. `TiledLUppConfig` has one field more than documented, the
///   last, to ask for either.

#include <shoal/compat/tdls/config.hpp>
#include <shoal/compat/tdls/solver_dynamic.hpp>
#include <shoal/compat/tdls/solver_static.hpp>
