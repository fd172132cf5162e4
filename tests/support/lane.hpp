#pragma once

/// \file
/// How to test an op: one source for both lanes, every group, every layout.
///
/// 1. A case: a struct that carries `piece`s (where the operands lie in one flat buffer) and plain numbers, and calls
///    the op in `template <class G, class T> SHOAL_FN void operator()(const G& g, T* buffer) const`.
/// 2. A test: puts the operands into an `arena`, and calls `run_on_all_groups(case, arena, check)`. That runs the case
///    on every group the lane has, demands that padding, red zones, read-only operands and forbidden triangles are
///    unchanged, that all members agree on `per_member` values, that all groups give the same bits, and calls
///    `check(outcome)` on the result (once: the others are bitwise equal).
/// 3. Both in `test_OP.inl`; `test_OP.cpp` and `test_OP.cu` just include it. Under nvcc the groups are those of a GPU,
///    otherwise one thread, emulated tiles and emulated blocks.
///
///     #include "support/lane.hpp"
///     #include <shoal/blas/axpy.hpp>
///     namespace {
///     using namespace shoal::support;
///     struct axpy_case {
///         piece x, y, seen;
///         double alpha;
///         template <class G, class T>
///         SHOAL_FN void operator()(const G& g, T* buffer) const {
///             shoal::axpy(g, T(alpha), x.vector(buffer), y.vector(buffer));
///             observe(g, buffer, y, seen);          // the exit barrier: other members see the result
///         }
///     };
///     TEST(axpy, whole_numbers) {
///         random_stream r(1);
///         const auto x = random_integers<double>(37, 1, r), y = random_integers<double>(37, 1, r);
///         arena<double> a;
///         axpy_case c{a.input(x, {.stride = 2}), a.inout(y), a.output(37, 1), 2.0};
///         run_on_all_groups(c, a, [&](const outcome<double>& out) {
///             EXPECT_TRUE(bits_equal(out(c.y), dense<double>::from(37, 1, [&](int i, int) { return 2 * x(i) + y(i); })));
///         });
///     }
///     }  // namespace
///
/// A case that not every group can run says so: `template <class G> static constexpr bool supports = ...;`.
/// Static extents: make the case a template over them and use `A.view<M, N, shoal::column>(buffer)`.
/// info: `info.mine(g, buffer) = T(potrf(...))` with `info` from `arena::per_member()`, then `out.info(c.info)`.
/// Scratch: `arena::scratch(n)`; end the case with `trample(g, buffer, scratch)`.
/// Long lists (emulated blocks of 96, 128, 256 and 1024): environment variable `SHOAL_TEST_FULL=1`. One group of each kind
/// on the GPU, as `scripts/gpu check` wants it: `SHOAL_TEST_FEW=1`.
/// `test_support.inl` shows all of it.

#include "support/arena.hpp"
#include "support/bits.hpp"
#include "support/dense.hpp"
#include "support/error.hpp"
#include "support/oracle.hpp"
#include "support/piece.hpp"
#include "support/random.hpp"
#include "support/scalars.hpp"

#if defined(__CUDACC__)
#  include "support/gpu_lane.cuh"
#else
#  include "support/emulated_lane.hpp"
#endif
