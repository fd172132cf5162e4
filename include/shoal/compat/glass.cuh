#pragma once

/// \file
/// Drop-in header for GLASS: its functions under its names, with its template parameters, defaults, argument order, scratch
/// sizes and TRAILING_SYNC, on the ops of this library. For users of GLASS one include line changes:
///
///     #include <shoal/compat/glass.cuh>
///
/// - `glass::` and `glass::block::` are the same functions, for the calling block; `glass::warp::`, `glass::thread::` and
///   `glass::cgrps::` are the other tiers. All matrices are column-major unless a flag or a strip says otherwise.
/// - Define SHOAL_GLASS_NAMESPACE before the first inclusion to have them in another namespace than `glass`.
/// - TRAILING_SYNC = false drops the last barrier, which then is the caller's; without it results are not visible to other
///   threads, and scratch is not reusable. Functions whose last barrier belongs to their last step keep it.
/// - Results have the same bits at every number of threads.
/// - Scratch is never more than the documented helpers say, and often not needed: then it is not touched.
/// - `inv` without a suffix, `inv_dense` and `ldlt` without `pivot` do not interchange rows, as documented; the fused `inv`
///   does. Every `inv` and the fused `potrf` take an optional failure flag last.
///
/// The header of cooperative groups costs three seconds of compile time: define SHOAL_GLASS_WITHOUT_CGRPS to go without it.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#  error "shoal/compat/glass.cuh needs C++20: compile with nvcc -std=c++20 (its default is C++17)"
#  define SHOAL_STOP "glass.cuh needs C++20"
#  include SHOAL_STOP
#elif !defined(__CUDACC__)
#  error "shoal/compat/glass.cuh is for CUDA: compile a .cu file with nvcc -std=c++20"
#  define SHOAL_STOP "glass.cuh needs nvcc"
#  include SHOAL_STOP
#endif

#include <shoal/compat/glass/banded.cuh>
#include <shoal/compat/glass/cholesky.cuh>
#include <shoal/compat/glass/control.cuh>
#include <shoal/compat/glass/gemm.cuh>
#include <shoal/compat/glass/inverse.cuh>
#include <shoal/compat/glass/ldlt.cuh>
#include <shoal/compat/glass/level1.cuh>
#include <shoal/compat/glass/level2.cuh>
#include <shoal/compat/glass/lu.cuh>
#include <shoal/compat/glass/reductions.cuh>
#include <shoal/compat/glass/searches.cuh>
#include <shoal/compat/glass/static_reductions.cuh>
#include <shoal/compat/glass/symmetric.cuh>
#ifndef SHOAL_GLASS_WITHOUT_CGRPS
#  include <shoal/compat/glass/cgrps.cuh>
#endif
