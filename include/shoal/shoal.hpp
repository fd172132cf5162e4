#pragma once

/// \file
/// Everything that any C++20 compiler can compile: views, groups, dense ops.

#include <shoal/blas/axpy.hpp>
#include <shoal/blas/dot.hpp>
#include <shoal/blas/gemm.hpp>
#include <shoal/blas/gemv.hpp>
#include <shoal/blas/iamax.hpp>
#include <shoal/blas/nrm2.hpp>
#include <shoal/blas/syrk.hpp>
#include <shoal/blas/trsm.hpp>
#include <shoal/blas/trsv.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/lapack/gesv.hpp>
#include <shoal/lapack/posv.hpp>
#include <shoal/view/adapt.hpp>
#include <shoal/view/triangle.hpp>
