#pragma once

/// \file
/// Compile tests of the drop-in header: a kernel calls every documented overload, with its defaults and with all template
/// arguments, a row each. A kernel that is there for the device has compiled.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/compat/glass.cuh>

namespace shoal::support {

using u32 = std::uint32_t;

/// What the rows take their arguments from.
template <class T>
struct row_arguments {
    T alpha, beta, rho;
    const T* in;
    T *A, *B, *C, *scratch;
    T** mats;
    u32 m, n, k;
    const u32* dims;
    u32* piv;
    std::int32_t* ipiv;
    const int* idx;
    int *fail, *inertia;
};

template <class Kernel>
void expect_compiled(Kernel* kernel) {
    cudaFuncAttributes found{};
    EXPECT_EQ(cudaFuncGetAttributes(&found, kernel), cudaSuccess);
    EXPECT_GT(found.numRegs, 0);
}

}  // namespace shoal::support
